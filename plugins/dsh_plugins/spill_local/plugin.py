"""The spill seam on the local disk."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import anyio

from dsh.kernel import plugin
from dsh.runtime.session import Session
from dsh.seams.spill import Spill
from dsh_plugins.spill_local import folders

logger = logging.getLogger(__name__)

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 80
_SWEEP_AFTER = 5.0  # seconds: the start belongs to other work


class LocalSpill(Spill):
    """One private folder a session, below a folder of this run of the program."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root
        self._run: Path | None = None
        self._folders: dict[str, Path] = {}

    def folder(self, session: object) -> Path:
        name = session.id if isinstance(session, Session) else "shared"
        known = self._folders.get(name)
        if known is not None and known.is_dir():
            return known
        if self._run is None or not self._run.is_dir():
            self._run = folders.new_run(self._root or folders.user_root())
        digest = hashlib.sha256(name.encode()).hexdigest()[:12]
        folder = self._run / f"session-{digest}"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folders[name] = folder
        return folder

    async def save_text(self, session: object, name: str, content: str) -> Path:
        safe = _UNSAFE.sub("_", name)[-_LONGEST_NAME:]
        path = self.folder(session) / f"{secrets.token_hex(6)}-{safe}"
        await anyio.to_thread.run_sync(_write, path, content)
        return path

    def close(self) -> None:
        """Leave only what holds something."""
        if self._run is not None:
            folders.remove_if_empty(self._run)


def _write(path: Path, content: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content.encode(errors="replace"))


@plugin
async def spill_local() -> AsyncIterator[Spill]:
    """Offer private folders; those of runs long ago are removed."""
    spill = LocalSpill()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_sweep)
        yield spill
        tasks.cancel_scope.cancel()
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(spill.close)


async def _sweep() -> None:
    """Tidying is a courtesy: what goes wrong with it must not end what agents do."""
    await anyio.sleep(_SWEEP_AFTER)
    try:
        await anyio.to_thread.run_sync(lambda: folders.sweep(folders.user_root()))
    except OSError as error:
        logger.warning("old temporary folders stay: %s", error)
