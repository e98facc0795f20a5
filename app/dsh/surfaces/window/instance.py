"""One program per user and home: the first serves, later starts hand over to it."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import anyio
from anyio.abc import SocketStream
from pydantic import BaseModel, ValidationError

from dsh.data.clock import monotonic
from dsh.data.locks import Holder, Lock, take
from dsh.data.paths import Home
from dsh.errors import SurfaceError

HANDOVER_SECONDS = 5.0
START_SECONDS = 15.0  # a cold start on a slow disk
_LIMIT = 64_000


class AlreadyRunning(SurfaceError):
    """Another program serves this home and does not answer."""

    code = "ALREADY_RUNNING"


class Arguments(BaseModel):
    """What a later start passes to the first."""

    folder: str | None = None
    headless: bool = False


class Reply(BaseModel):
    """What the first answers: whether it has a window, and a fresh URL."""

    window: bool
    url: str | None = None
    origin: str | None = None
    pid: int


def claim(home: Home) -> Lock | Holder:
    """The home's lock, or who has it. To be asked before anything slow."""
    return take(home.lock, "DSH Desktop")


def claim_or_hand_over(home: Home, arguments: Arguments) -> Lock | Reply:
    """Become the first, or have the first show itself.

    While the first is still starting, or stopping, it does not listen: then this waits
    for what comes of it. Raises :class:`AlreadyRunning` when that takes too long.
    """
    deadline = monotonic() + START_SECONDS
    while True:
        claimed = claim(home)
        if isinstance(claimed, Lock):
            return claimed
        reply = hand_over(home, arguments)
        if reply is not None:
            return reply
        if monotonic() > deadline:
            raise _silent(home)
        time.sleep(0.05)


def hand_over(home: Home, arguments: Arguments) -> Reply | None:
    """Ask the first to show itself; ``None`` when it does not listen (yet).

    Raises :class:`AlreadyRunning` when it listens and does not answer.
    """
    request = arguments.model_dump_json().encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(HANDOVER_SECONDS)
        try:
            client.connect(str(socket_path(home)))
            client.sendall(request)
            return Reply.model_validate_json(_line(client))
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except (OSError, ValidationError) as error:
            raise _silent(home) from error


def _silent(home: Home) -> AlreadyRunning:
    message = f"DSH Desktop already runs for {home.root}, but does not answer"
    remedy = "wait a moment; if it stays so, end that process and start again"
    return AlreadyRunning(message, remedy=remedy)


def _line(client: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n") and len(data) < _LIMIT:
        piece = client.recv(4096)
        if not piece:
            break
        data += piece
    return data


def socket_path(home: Home) -> Path:
    """Where the first listens: a private folder, short enough for a socket's address."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    user = os.getuid() if sys.platform != "win32" else os.environ.get("USERNAME", "")
    digest = hashlib.sha256(os.fsencode(home.root.resolve())).hexdigest()[:16]
    return Path(base) / f"dsh-desktop-{user}" / f"{digest}.sock"


def _private_folder(path: Path) -> None:
    path.mkdir(mode=0o700, exist_ok=True)
    facts = path.lstat()
    if sys.platform != "win32" and (
        facts.st_uid != os.getuid() or facts.st_mode & 0o077 or path.is_symlink()
    ):
        raise SurfaceError(
            f"{path} is not a private folder of yours", code="UNSAFE_FOLDER"
        )


async def answer_later_starts(
    home: Home,
    reply: Callable[[Arguments], Awaitable[Reply]],
) -> None:
    """Answer until cancelled. The holder of the home's lock runs this once.

    A socket that cannot be made costs the hand-over, not the program.
    """
    path = socket_path(home)
    try:
        _private_folder(path.parent)
        with suppress(FileNotFoundError):  # left by a program that was killed
            path.unlink()
        listener = await anyio.create_unix_listener(path, mode=0o600)
    except (OSError, SurfaceError):
        return

    async def serve(stream: SocketStream) -> None:
        async with stream:
            try:
                with anyio.fail_after(HANDOVER_SECONDS):
                    request = Arguments.model_validate_json(await _request(stream))
                    answer = await reply(request)
                    await stream.send(answer.model_dump_json().encode() + b"\n")
            except (TimeoutError, ValidationError, anyio.BrokenResourceError):
                return  # not one of us, or gone

    async with listener:
        await listener.serve(serve)


async def _request(stream: SocketStream) -> bytes:
    data = b""
    while not data.endswith(b"\n") and len(data) < _LIMIT:
        try:
            data += await stream.receive(4096)
        except anyio.EndOfStream:
            break
    return data
