"""Finding out what really confines here, by running it; and remembering that."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from dsh.seams.sandbox import Confinement, Policy
from dsh.seams.subprocess import SpawnFailed, SpawnSpec, Subprocess

_SHELL = Path("/bin/sh")
# Exit 0: inside may be written, outside, kept and hidden may not.
_TRIAL = """
echo x > "$1/inside" || exit 3
echo x > "$2/outside" && exit 4
echo x > "$3/kept" && exit 5
cat "$3/hidden/secret" && exit 6
exit 0
"""
_PATIENCE_MS = 5000

Confine = Callable[[list[str], Policy, Path], Confinement]


async def confines(subprocess: Subprocess, confine: Confine) -> bool:
    """Whether a mechanism runs a program here and keeps its promise about files."""
    with _trial_folders() as root:
        workspace, outside, home = root / "workspace", root / "outside", root / "home"
        policy = Policy(
            "workspace-write",
            workspace,
            temp=root / "temp",
            hidden=(home / "hidden",),
            read_only=(home,),
        )
        names = [str(path) for path in (workspace, outside, home)]
        try:
            confinement = confine([str(_SHELL), "-c", _TRIAL, "sh", *names], policy, root)
            spec = _spec(subprocess, confinement, workspace)
            async with subprocess.spawn(spec) as process:
                end = await process.wait()
        except (SpawnFailed, OSError):
            return False
        touched = (outside / "outside").exists() or (home / "kept").exists()
        return end.ran and end.exit_code == 0 and not touched


def _spec(subprocess: Subprocess, confinement: Confinement, cwd: Path) -> SpawnSpec:
    return SpawnSpec(
        confinement.argv,
        cwd,
        subprocess.environment(),
        stdout_max=4096,
        stderr_max=4096,
        grace=0.25,
        confine=confinement.rules,
    )


@contextmanager
def _trial_folders() -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="dsh-probe-")).resolve()
    try:
        for name in ("workspace", "outside", "temp", "home/hidden"):
            (root / name).mkdir(parents=True)
        (root / "home/hidden/secret").write_text("x")
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


class Verdicts:
    """What was found, kept in a file for as long as the system runs.

    A verdict belongs to one boot, kernel, user and version of the runner's file; with
    any other it is found out again.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self, name: str) -> bool | None:
        """The verdict about a mechanism, if it still holds."""
        found = self._read().get(_fingerprint(name))
        return found if isinstance(found, bool) else None

    def store(self, name: str, *, good: bool) -> None:
        """Remember; a folder that cannot be written only costs time."""
        known = self._read()
        known[_fingerprint(name)] = good
        boot = _boot()
        rows = {key: value for key, value in known.items() if boot in key}
        temporary = self._file.with_suffix(f".{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(msgspec.json.encode(rows))
            temporary.replace(self._file)
        except OSError:
            return

    def forget(self) -> None:
        """Nothing is known any more."""
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, object]:
        try:
            value = msgspec.json.decode(self._file.read_bytes())
        except (OSError, msgspec.DecodeError):
            return {}
        return value if isinstance(value, dict) else {}


def _fingerprint(name: str) -> str:
    parts = [_boot(), platform.release(), str(os.getuid())]
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle and Path(name).is_relative_to(bundle):
        # A one-file program unpacks its runner to another place each time.
        digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        return " ".join(["bundled", digest, *parts])
    if name.startswith("/"):
        facts = Path(name).stat()
        parts += [str(facts.st_mtime_ns), str(facts.st_size), str(facts.st_ino)]
    return " ".join([name, *parts])


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
