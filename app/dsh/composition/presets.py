"""Presets: what an agent is made of, mounted once and shared by its agents."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from importlib.resources.abc import Traversable

import anyio

from dsh.composition.boot import Boot
from dsh.composition.documents import Unreadable, parse
from dsh.composition.mounting import MountedRows
from dsh.composition.profiles import SHIPPED
from dsh.composition.rows import Row, parse_row
from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Kernel, Scope, plugin
from dsh.runtime.presets import AgentPresets

SETTLE_LIMIT = 5.0  # seconds; a row that takes longer joins at the agent's next turn
_ID = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
DEFAULT = "standard"


class UnknownPreset(CompositionError):
    """There is no such preset; a session that names it stays readable."""

    code = "UNKNOWN_PRESET"


class Generation:
    """The mounted rows of one state of a preset's files, and who uses them."""

    def __init__(self, rows: MountedRows, scope: Scope, stamp: str) -> None:
        self.rows = rows
        self.scope = scope
        self.stamp = stamp
        self.agents = 0


class StandingPresets(AgentPresets):
    """Keeps one generation of each preset mounted while agents use it.

    The newest generation stays for the next agent; an older one goes with its last.
    """

    default = DEFAULT

    def __init__(self, scope: Scope, home: Home, boot: Boot | None = None) -> None:
        self._scope = scope
        self._home = home
        self._boot = boot
        self._current: dict[str, Generation] = {}
        self._lock = anyio.Lock()

    @asynccontextmanager
    async def joined(self, preset: str | None) -> AsyncIterator[Scope]:
        """Join the current generation; see :class:`AgentPresets`."""
        name = preset or self.default
        async with self._lock:
            generation = await self._generation(name)
            generation.agents += 1
        try:
            yield generation.scope
        finally:
            generation.agents -= 1
            if not generation.agents and self._current.get(name) is not generation:
                with anyio.CancelScope(shield=True):
                    await generation.rows.close()

    async def close(self) -> None:
        """Unmount every generation that is still kept."""
        for generation in self._current.values():
            await generation.rows.close()

    async def _generation(self, name: str) -> Generation:
        folder = self._folder(name)
        text = folder.joinpath("agent.yaml").read_text(encoding="utf-8")
        stamp = hashlib.sha256(text.encode()).hexdigest()
        current = self._current.get(name)
        if current is not None and current.stamp == stamp:
            return current
        rows = _rows(text, name)
        scope = self._scope.child(f"preset {name}")
        generation = Generation(self._unmounted(scope), scope, stamp)
        generation.rows.add(rows)
        with anyio.move_on_after(SETTLE_LIMIT):
            await generation.rows.load_rest()
            await self._settled(scope.kernel, generation)
        self._current[name] = generation
        if current is not None and not current.agents:
            await current.rows.close()
        return generation

    def _unmounted(self, scope: Scope) -> MountedRows:
        boot = self._boot
        if boot is None:
            return MountedRows(scope, self._home)
        safe = boot.composition.selection.safe_mode
        return MountedRows(
            scope,
            self._home,
            only="first-party" if safe else "all",
            problem=boot.problem,
        )

    async def _settled(self, kernel: Kernel, generation: Generation) -> None:
        mounts = [
            entry.mount for entry in generation.rows.entries.values() if entry.mount
        ]
        if mounts:
            await kernel.settled(*mounts)

    def _folder(self, name: str) -> Traversable:
        if not _ID.match(name):
            raise UnknownPreset(f"{name!r} cannot name a preset")
        shipped = resources.files(SHIPPED).joinpath("presets", name)
        for folder in (shipped, self._home.presets / name):
            if folder.joinpath("agent.yaml").is_file():
                return folder
        raise UnknownPreset(
            f"there is no preset {name}",
            remedy=f"restore {self._home.presets / name}, or start a new session",
        )


def _rows(text: str, name: str) -> list[Row]:
    document = parse(text, f"preset {name}")
    if not isinstance(document, list):
        raise Unreadable(f"preset {name} must be a list of rows")
    return [parse_row(row, f"preset {name}") for row in document]


@plugin
async def presets(
    scope: Scope, home: Home, boot: Boot | None
) -> AsyncIterator[AgentPresets]:
    """Offers the presets that ship with the program and those of the home."""
    standing = StandingPresets(scope, home, boot)
    try:
        yield standing
    finally:
        await standing.close()
