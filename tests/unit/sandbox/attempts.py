"""What a confined program might try; runs inside the sandbox and prints what worked.

Standard library only: it runs with whatever Python the account may execute.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
rooms = json.loads(sys.argv[1])
workspace, outside = Path(rooms["workspace"]), Path(rooms["outside"])
home, temp = Path(rooms["home"]), Path(rooms["temp"])
victim: int = rooms["victim"]
results: dict[str, str] = {}


def attempt(name: str) -> Callable[[Callable[[], object]], None]:
    def decorate(body: Callable[[], object]) -> None:
        try:
            worked = body()
            results[name] = "worked" if worked is None or worked else "blocked"
        except OSError as error:
            results[name] = "blocked:" + errno.errorcode.get(error.errno or 0, "?")

    return decorate


def checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def write(path: Path, flags: int = 0) -> None:
    fd = os.open(path, os.O_WRONLY | flags, 0o600)
    os.write(fd, b"x")
    os.close(fd)


attempt("work: write in the workspace")(lambda: write(workspace / "new", os.O_CREAT))
attempt("work: write in the temp")(lambda: write(temp / "new", os.O_CREAT))
attempt("work: write to null")(lambda: write(Path(os.devnull)))
attempt("work: read outside")((outside / "file").read_bytes)
attempt("work: read the home")((home / "AGENTS.md").read_bytes)
attempt("work: read the workspace")((workspace / "file").read_bytes)


@attempt("work: move between folders")
def _() -> None:
    (workspace / "a").mkdir()
    (workspace / "moved").write_text("x")
    (workspace / "moved").rename(workspace / "a/moved")


@attempt("work: threads and locks")
def _() -> None:
    import multiprocessing

    multiprocessing.Lock()
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


@attempt("work: a terminal of its own")
def _() -> None:
    main, other = os.openpty()
    os.write(other, b"x")
    os.close(main)
    os.close(other)


attempt("create outside")(lambda: write(outside / "new", os.O_CREAT))
attempt("append outside")(lambda: write(outside / "file", os.O_APPEND))
attempt("empty outside by opening")(lambda: write(outside / "file", os.O_TRUNC))
attempt("truncate outside")(lambda: os.truncate(outside / "file", 0))
attempt("unlink outside")((outside / "file").unlink)
attempt("mkdir outside")((outside / "folder").mkdir)
attempt("rename out of outside")(lambda: (outside / "file").rename(workspace / "stolen"))
attempt("rename to outside")(lambda: (workspace / "new").rename(outside / "planted"))
attempt("chmod outside")(lambda: (outside / "file").chmod(0o666))
attempt("utime outside")(lambda: os.utime(outside / "file", (1, 1)))
attempt("write in the home")(lambda: write(home / "plugins", os.O_CREAT))
attempt("append in the home")(lambda: write(home / "AGENTS.md", os.O_APPEND))
attempt("read the hidden")((home / "desktop/credentials.yaml").read_bytes)
attempt("list the hidden")(lambda: list((home / "desktop").iterdir()))
attempt("replace the hidden")(lambda: (home / "desktop").rename(home / "other"))
attempt("write in the hidden")(lambda: write(home / "desktop/x", os.O_CREAT))
attempt("signal outside")(lambda: os.kill(victim, signal.SIGCONT))
attempt("read the victim's environment")(
    lambda: Path(f"/proc/{victim}/environ").read_bytes()
)
attempt("write the victim's memory")(lambda: os.open(f"/proc/{victim}/mem", os.O_RDWR))
attempt("reach through the victim's root")(
    lambda: write(Path(f"/proc/{victim}/root{outside}/file"), os.O_APPEND)
)
attempt("reach through the victim's folder")(
    lambda: write(Path(f"/proc/{victim}/cwd/file"), os.O_APPEND)
)
attempt("hidden through the victim's root")(
    lambda: Path(f"/proc/{victim}/root{home}/desktop/credentials.yaml").read_bytes()
)
attempt("attach to the victim")(lambda: checked(libc.ptrace(16, victim, 0, 0)))
attempt("new user namespace")(lambda: checked(libc.unshare(0x10000000)))
attempt("new mount namespace")(lambda: checked(libc.unshare(0x00020000)))
attempt("io_uring")(
    lambda: checked(libc.syscall(425, 4, ctypes.create_string_buffer(120)))
)
attempt("chroot")(lambda: checked(libc.chroot(str(workspace).encode())))
attempt("gain privileges")(
    lambda: "NoNewPrivs:\t0" in Path("/proc/self/status").read_text()
)
attempt("descriptors of others")(lambda: len(list(Path("/proc/self/fd").iterdir())) > 4)


@attempt("hard link to outside")
def _() -> None:
    os.link(outside / "file", workspace / "link")
    write(workspace / "link", os.O_APPEND)


@attempt("soft link to outside")
def _() -> None:
    (workspace / "soft").symlink_to(outside / "file")
    write(workspace / "soft", os.O_APPEND)


@attempt("soft link to the hidden")
def _() -> bytes:
    (workspace / "secret").symlink_to(home / "desktop/credentials.yaml")
    return (workspace / "secret").read_bytes()


@attempt("remount writable")
def _() -> None:
    checked(libc.mount(None, b"/", None, 32 | 4096, None))
    write(outside / "file", os.O_APPEND)


@attempt("mount over the hidden")
def _() -> None:
    checked(libc.umount2(str(home / "desktop").encode(), 2))


@attempt("make a device")
def _() -> None:
    os.mknod(workspace / "disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0))


@attempt("write to a disk")
def _() -> bool:
    disks = [p for p in Path("/dev").iterdir() if stat.S_ISBLK(p.lstat().st_mode)]
    for disk in disks:
        with contextlib.suppress(OSError):
            os.close(os.open(disk, os.O_WRONLY))
            return True
    return False


@attempt("abstract socket")
def _() -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + rooms["abstract"])


@attempt("tcp")
def _() -> None:
    with socket.create_connection(("127.0.0.1", rooms["tcp"]), 2):
        pass


@attempt("udp")
def _() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(2)
        client.sendto(b"x", ("127.0.0.1", rooms["udp"]))
        client.recv(1)


sys.stdout.write(json.dumps(results))
