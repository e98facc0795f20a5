"""The system calls that no confined program may make, as a classic BPF program.

Both mechanisms need it: what files promise would otherwise be undone by mounting, by new
user namespaces, by kernel interfaces with a history of holes, or through the terminal.
Debuggers stay possible; both mechanisms confine them by themselves.
"""

from __future__ import annotations

import platform
import struct

from dsh.seams.sandbox import SandboxUnavailable

# audit architecture, then the numbers of the calls by name
_ARCHITECTURES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
            "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432,
            "mount_setattr": 442, "setns": 308, "unshare": 272,
            "open_by_handle_at": 304, "io_uring_setup": 425, "bpf": 321,
            "perf_event_open": 298, "userfaultfd": 323, "pidfd_getfd": 438,
            "keyctl": 250, "add_key": 248, "request_key": 249,
            "kexec_load": 246, "kexec_file_load": 320, "init_module": 175,
            "finit_module": 313, "delete_module": 176, "reboot": 169,
            "swapon": 167, "swapoff": 168, "settimeofday": 164, "clock_settime": 227,
            "sethostname": 170, "setdomainname": 171,
            "clone": 56, "clone3": 435, "ioctl": 16, "socket": 41,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
            "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432,
            "mount_setattr": 442, "setns": 268, "unshare": 97,
            "open_by_handle_at": 265, "io_uring_setup": 425, "bpf": 280,
            "perf_event_open": 241, "userfaultfd": 282, "pidfd_getfd": 438,
            "keyctl": 219, "add_key": 217, "request_key": 218,
            "kexec_load": 104, "kexec_file_load": 294, "init_module": 105,
            "finit_module": 273, "delete_module": 106, "reboot": 142,
            "swapon": 224, "swapoff": 225, "settimeofday": 170, "clock_settime": 112,
            "sethostname": 161, "setdomainname": 162,
            "clone": 220, "clone3": 435, "ioctl": 29, "socket": 198,
        },
    ),
}  # fmt: skip
_CONDITIONAL = ("clone", "clone3", "ioctl", "socket")
_INET_FAMILIES = (2, 10, 17, 40)  # IPv4, IPv6, packets, virtual machines

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_CLONE_NEWUSER = 0x10000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C


def program(*, network: bool, machine: str | None = None) -> bytes:
    """The filter for this machine.

    Raises :class:`SandboxUnavailable` on an architecture whose numbers are not known.
    """
    known = _ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        message = f"no system call filter is known for {machine or platform.machine()}"
        raise SandboxUnavailable(message)
    architecture, numbers = known
    refuse = _step(_RETURN, _ERRNO | _EPERM)
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        # x32 calls have numbers of their own, which would pass by this list.
        _step(_AT_LEAST, 0x40000000, 0, 1),
        refuse,
    ]
    for name, number in numbers.items():
        if name not in _CONDITIONAL:
            steps += [_step(_EQUAL, number, 0, 1), refuse]
    # With ENOSYS the C library falls back to clone, whose flags a filter can see.
    steps += [_step(_EQUAL, numbers["clone3"], 0, 1), _step(_RETURN, _ERRNO | _ENOSYS)]
    steps += _argument(numbers["clone"], _FIRST_ARGUMENT, _ANY_BIT, (_CLONE_NEWUSER,))
    # Characters pushed into the terminal would be typed by the person.
    terminal = (_TIOCSTI, _TIOCLINUX)
    steps += _argument(numbers["ioctl"], _SECOND_ARGUMENT, _EQUAL, terminal)
    if not network:
        families = _INET_FAMILIES
        steps += _argument(numbers["socket"], _FIRST_ARGUMENT, _EQUAL, families)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _argument(
    number: int, offset: int, test: int, values: tuple[int, ...]
) -> list[bytes]:
    """Refuse a call when its argument at ``offset`` is, or has a bit of, a value."""
    refuse = _step(_RETURN, _ERRNO | _EPERM)
    body = [_step(_LOAD, offset)]
    for value in values:
        body += [_step(test, value, 0, 1), refuse]
    body.append(_step(_RETURN, _ALLOW))
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One ``struct sock_filter``."""
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)
