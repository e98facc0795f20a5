"""What a forked child does to itself before it becomes the program.

Standard library only. The rules are mechanism, not policy: a Landlock ruleset built
from paths, a seccomp program as bytes; what they say is decided by the sandbox.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import sys

FAILURE_FD = 3  # tells how exec went
SECCOMP_FD = 4  # where a runner finds the filter that it is to install
_RULESET_FD = 4
STATUS_FD = 6  # where a runner writes that it came as far as starting the program
FIRST_FREE = 10  # the supervisor's own descriptors begin here

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 38, 47
_CLOSE_RANGE, _LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 436, 444, 445, 446
_CHANGED_SIGNALS = (
    signal.SIGCHLD,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGINT,
    signal.SIGPIPE,  # Python ignores this one and the next; programs expect them
    signal.SIGXFSZ,
)

Rules = dict[str, object]

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


class Start:
    """Everything that a child needs to become the program."""

    __slots__ = ("argv", "cwd", "env", "fds", "rules", "ruleset", "stage", "status")

    def __init__(
        self,
        argv: list[bytes],
        env: dict[bytes, bytes],
        cwd: bytes,
        rules: Rules,
        fds: tuple[int, ...],
    ) -> None:
        self.argv = argv
        self.env = env
        self.cwd = cwd
        self.rules = rules
        self.fds = fds  # stdin, stdout, stderr, and the pipe that tells of failures
        self.stage = "confine"  # what is being done, for the report of a failure
        self.ruleset = -1  # a Landlock ruleset, if there is one
        self.status = -1  # memory for the runner's own report, if it is to write one


def become(start: Start, parent: int) -> None:
    """Turn this forked process into the program; never returns."""
    what = "start"
    try:
        _settle(start, parent)
        what = "cwd"
        os.chdir(start.cwd)
        what = "confine"
        _confine(start)
        what = "exec"
        if b"/" in start.argv[0]:
            os.execve(start.argv[0], start.argv, start.env)  # noqa: S606  # no shell wanted
        os.execvpe(start.argv[0], start.argv, start.env)  # noqa: S606  # as above
    except OSError as error:
        os.write(FAILURE_FD, b"%d %s" % (error.errno or 0, what.encode()))
    finally:
        os._exit(127)


def run_runner(start: Start) -> tuple[int, None]:
    """Start a runner and return its pid; raises ``OSError`` at the stage it reached.

    A runner confines itself and binds its life to ours, so nothing is to be done between
    fork and exec. Not copying this interpreter for it saves most of the time.
    """
    if not start.argv[0].startswith(b"/"):  # it would be looked for in the workspace
        start.stage = "exec"
        raise FileNotFoundError(errno.ENOENT, "a runner has an absolute path")
    filter_fd = _filter(start.rules)
    places = [*enumerate(start.fds), (SECCOMP_FD, filter_fd), (STATUS_FD, start.status)]
    try:
        start.stage = "cwd"
        os.chdir(start.cwd)
        start.stage = "exec"
        pid = os.posix_spawn(
            start.argv[0],
            start.argv,
            start.env,
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in places if fd >= 0],
            setsid=True,
            setsigdef=_CHANGED_SIGNALS,
        )
    finally:
        os.chdir("/")
        if filter_fd >= 0:
            os.close(filter_fd)
    return pid, None


def _filter(rules: Rules) -> int:
    """A file with the filter that a runner is to install; -1 without one."""
    content = rules.get("seccomp_fd")
    if not isinstance(content, bytes):
        return -1
    fd = os.memfd_create("seccomp")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _settle(start: Start, parent: int) -> None:
    """An own session, plain signals, no foreign descriptors."""
    os.setsid()
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)
    signal.set_wakeup_fd(-1)
    for number in _CHANGED_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # First out of the way of the places to fill, then into them.
    places = start.fds if start.ruleset < 0 else (*start.fds, start.ruleset)
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE) for fd in places]
    for place, fd in enumerate(high):
        os.dup2(fd, place, inheritable=place <= 2)
    _close_from(len(places))


def _close_from(first: int) -> None:
    if libc.syscall(_CLOSE_RANGE, first, ctypes.c_uint32(0xFFFFFFFF), 0) < 0:
        with os.scandir("/proc/self/fd") as entries:  # a kernel before 5.9
            numbers = [int(entry.name) for entry in entries]
        for number in numbers:
            if number >= first:
                os.closerange(number, number + 1)


def _confine(start: Start) -> None:
    rules = start.rules
    if rules.get("drop_capabilities"):
        _drop_capabilities()
    if start.ruleset >= 0 or "seccomp" in rules:
        _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    if start.ruleset >= 0:
        _check(libc.syscall(_LANDLOCK_RESTRICT, _RULESET_FD, ctypes.c_uint32(0)))
    program = rules.get("seccomp")
    if isinstance(program, bytes):
        buffer = ctypes.create_string_buffer(program, len(program))
        head = _Program(len(program) // 8, ctypes.addressof(buffer))
        _check(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(head), 0, 0))


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _drop_capabilities() -> None:
    """For root: what the rules forbid must not come back by a capability."""
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check(libc.capset(head, (ctypes.c_uint32 * 6)()))


def build_ruleset(attributes: bytes, paths: list[tuple[bytes, int]]) -> int:
    """A Landlock ruleset; a path that cannot be opened grants nothing."""
    size = ctypes.c_size_t(len(attributes))
    ruleset: int = libc.syscall(_LANDLOCK_CREATE, attributes, size, ctypes.c_uint32(0))
    _check(ruleset)
    for path, access in paths:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rule = access.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
        failed = libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, ctypes.c_uint32(0))
        os.close(fd)
        if failed < 0:
            number = ctypes.get_errno()
            os.close(ruleset)
            raise OSError(number, os.strerror(number))
    return ruleset


def _check(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
