"""One program per user and home: the first serves, later starts hand over to it.

The first listens on a socket and notes its address, with a password, in the home. A
command in a sandbox may reach sockets, but not into there; so it cannot ask for a URL
that opens the page.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream
from pydantic import BaseModel, ValidationError

from dsh.data.clock import monotonic
from dsh.data.locks import Holder, Lock, take
from dsh.data.paths import Home
from dsh.data.private_files import write_private
from dsh.errors import SurfaceError

logger = logging.getLogger(__name__)

HANDOVER_SECONDS = 5.0
START_SECONDS = 15.0  # a cold start on a slow disk
_LIMIT = 64_000


class AlreadyRunning(SurfaceError):
    """Another program serves this home and does not answer."""

    code = "ALREADY_RUNNING"


class LockUnusable(SurfaceError):
    """The home's lock cannot be opened, so nobody can know who else is at it."""

    code = "HOME_UNUSABLE"


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


class _Address(BaseModel):
    """Where the first listens, and what it wants to hear."""

    path: str
    password: str


class _Request(BaseModel):
    password: str
    arguments: Arguments


def claim(home: Home) -> Lock | Holder:
    """The home's lock, or who has it. To be asked before anything slow.

    Raises :class:`LockUnusable`.
    """
    try:
        return take(home.lock, "DSH Desktop")
    except OSError as error:
        message = f"{home.lock} cannot be used: {error.strerror or error}"
        remedy = "set DSH_HOME to a folder you may write to, or use --home"
        raise LockUnusable(message, remedy=remedy) from error


def claim_or_hand_over(home: Home, arguments: Arguments) -> Lock | Reply:
    """Become the first, or have the first show itself.

    While the first is still starting, or stopping, it does not listen: then this waits
    for what comes of it. Raises :class:`AlreadyRunning` when that takes too long, and
    :class:`LockUnusable`.
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
    try:
        address = _Address.model_validate_json(_address_file(home).read_bytes())
    except (OSError, ValidationError):
        return None
    request = _Request(password=address.password, arguments=arguments)
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(HANDOVER_SECONDS)
        try:
            client.connect(address.path)
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError as error:
            raise _silent(home) from error
        try:
            client.sendall(request.model_dump_json().encode() + b"\n")
            return Reply.model_validate_json(_line(client))
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


def _address_file(home: Home) -> Path:
    return home.state / "instance.json"


@asynccontextmanager
async def _listening(home: Home) -> AsyncIterator[tuple[SocketListener, Path]]:
    """A socket of this person's only, gone at the end. Raises ``OSError``."""
    with ExitStack() as stack:
        path = home.state / "instance.sock"
        try:
            listener = await anyio.create_unix_listener(path, mode=0o600)
        except OSError:  # too long for a socket's address, or a disk that holds none
            folder = tempfile.TemporaryDirectory(prefix="dsh-", dir=_short_folder())
            path = Path(stack.enter_context(folder)) / "sock"
            listener = await anyio.create_unix_listener(path, mode=0o600)
        async with listener:
            try:
                yield listener, path
            finally:
                path.unlink(missing_ok=True)


def _short_folder() -> str | None:
    """Where temporary folders go, unless that is too long as well."""
    return None if len(os.fsencode(tempfile.gettempdir())) < 60 else "/tmp"  # noqa: S108  # a private folder in it


async def answer_later_starts(
    home: Home, reply: Callable[[Arguments], Awaitable[Reply]]
) -> None:
    """Answer until cancelled. The holder of the home's lock runs this once.

    A socket that cannot be made costs the hand-over, not the program.
    """
    password = secrets.token_urlsafe(32)
    try:
        home.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        async with _listening(home) as (listener, path):
            address = _Address(path=str(path), password=password)
            write_private(_address_file(home), address.model_dump_json().encode())
            try:
                await listener.serve(lambda stream: _answer(stream, password, reply))
            finally:
                _address_file(home).unlink(missing_ok=True)
    except OSError as error:
        logger.warning("later starts cannot hand over: %s", error)


async def _answer(
    stream: SocketStream,
    password: str,
    reply: Callable[[Arguments], Awaitable[Reply]],
) -> None:
    async with stream:
        try:
            with anyio.fail_after(HANDOVER_SECONDS):
                request = _Request.model_validate_json(await _request(stream))
                if hmac.compare_digest(request.password.encode(), password.encode()):
                    answer = await reply(request.arguments)
                    await stream.send(answer.model_dump_json().encode() + b"\n")
        except (TimeoutError, ValidationError, anyio.BrokenResourceError):
            return  # not one of us, or gone
        except Exception:
            # A window that cannot be raised must not end the program behind it.
            logger.exception("a later start was not answered")


async def _request(stream: SocketStream) -> bytes:
    data = b""
    try:
        while not data.endswith(b"\n") and len(data) < _LIMIT:
            data += await stream.receive(4096)
    except anyio.EndOfStream:
        pass
    return data
