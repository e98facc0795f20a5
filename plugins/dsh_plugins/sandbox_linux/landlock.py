"""Confinement by Landlock and seccomp, for machines where namespaces are forbidden.

Landlock grants by path and cannot take a part of a grant back, so reading is granted to
everything beside the hidden folder, from the root down. It can neither hide names nor
refuse changes of mode, owner and times outside; those are its named gaps.
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

from dsh.seams.sandbox import Confinement, Enforcement, Policy, SandboxUnavailable
from dsh_plugins.sandbox_linux import seccomp

_CREATE_RULESET = 444
_EXECUTE, _WRITE_FILE, _READ_FILE = 1 << 0, 1 << 1, 1 << 2
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO = 1 << 7, 1 << 8, 1 << 9, 1 << 10
_MAKE_DEVICES = 1 << 6 | 1 << 11  # handled, never granted
_MAKE_SYM, _REFER, _TRUNCATE, _IOCTL_DEV = 1 << 12, 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_SCOPES = 3  # abstract sockets and signals stay inside
_NEEDED_ABI = 3  # below it a file anywhere can be emptied
_MOST_PATHS = 20_000

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
DENIALS = ("permission denied", "operation not permitted")

Paths = list[tuple[bytes, int]]


def abi() -> int:
    """The version of Landlock that this kernel has; 0 without it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    version: int = libc.syscall(
        _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)
    )
    return max(version, 0)


class Landlock:
    """Builds the rules for one kernel. Raises :class:`SandboxUnavailable`."""

    def __init__(self, version: int) -> None:
        if version < _NEEDED_ABI:
            message = f"Landlock has version {version} here; {_NEEDED_ABI} is needed"
            raise SandboxUnavailable(message)
        self._version = version
        self._filters = {on: seccomp.program(network=on) for on in (True, False)}
        self._readable: dict[tuple[Path, ...], tuple[object, Paths]] = {}

    @property
    def enforcement(self) -> Enforcement:
        """What is enforced, with its gaps."""
        gaps = ["metadata-outside", "hidden-names", "unix-sockets", "linked-files"]
        gaps += ["shared-memory"] + (["signals-outside"] if self._version < 6 else [])
        return Enforcement("landlock", "partial", tuple(gaps))

    def confine(self, argv: list[str], policy: Policy) -> Confinement:
        """How to run ``argv``; every path was resolved before."""
        stamp, paths = self._read_grants(policy.hidden)
        paths = paths + self._write_grants(policy)
        rules: dict[str, object] = {
            "landlock": (self._attributes(), paths, repr(stamp)),
            "seccomp": self._filters[policy.network],
            "drop_capabilities": True,
        }
        return Confinement(argv, self.enforcement, rules=rules, denials=DENIALS)

    def _writing(self) -> int:
        known = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG
        known |= _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM | _REFER | _TRUNCATE
        return known | (_IOCTL_DEV if self._version >= 5 else 0)

    def _attributes(self) -> bytes:
        files = self._writing() | _MAKE_DEVICES | _READ_FILE
        parts = struct.pack("QQQ", files, 0, _SCOPES if self._version >= 6 else 0)
        return parts[: 24 if self._version >= 6 else 16 if self._version >= 4 else 8]

    def _write_grants(self, policy: Policy) -> Paths:
        grants: Paths = []
        for root in policy.writable_roots():
            self._refuse_overlap(root, policy)
            if not any(root.is_relative_to(kept) for kept in policy.read_only):
                grants.append((os.fsencode(root), self._writing() | _READ_FILE))
        device = self._writing() & _OF_FILES | _READ_FILE
        grants += [(f"/dev/{name}".encode(), device) for name in _DEVICES]
        grants.append((b"/dev/pts", device))
        if policy.mode != "read-only":  # semaphores of the C library live there
            grants.append((b"/dev/shm", self._writing() | _READ_FILE))
        return grants

    def _refuse_overlap(self, root: Path, policy: Policy) -> None:
        for kept in (*policy.read_only, *policy.hidden):
            if kept.is_relative_to(root) and kept.exists():
                raise SandboxUnavailable(
                    f"{root} contains {kept}, which commands must not change, and "
                    "Landlock cannot make that exception",
                    remedy="Choose a folder that does not contain it, or install "
                    "bubblewrap.",
                )

    def _read_grants(self, hidden: tuple[Path, ...]) -> tuple[object, Paths]:
        """Read access to everything but the hidden folders; kept while the folders on
        the way to them are unchanged.
        """
        present = tuple(path for path in hidden if path.exists())
        folders = sorted({parent for path in present for parent in path.parents})
        stamp = tuple((str(f), f.stat().st_mtime_ns, f.stat().st_ino) for f in folders)
        known = self._readable.get(present)
        if known is None or known[0] != stamp:
            known = (stamp, _siblings(set(folders), set(present)))
            self._readable[present] = known
        return known


def _siblings(folders: set[Path], hidden: set[Path]) -> Paths:
    if not hidden:
        return [(b"/", _READ_FILE)]
    grants: Paths = []
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = Path(entry.path)
                # A link's target is granted, or hidden, at its own place.
                if path not in folders and path not in hidden and not entry.is_symlink():
                    grants.append((os.fsencode(path), _READ_FILE))
    if len(grants) > _MOST_PATHS:
        raise SandboxUnavailable("there are too many files beside the program's home")
    return grants
