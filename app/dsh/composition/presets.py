"""Presets: what an agent is made of, mounted once and shared by its agents."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources

import anyio
from anyio.abc import TaskGroup

from dsh.composition.boot import Boot
from dsh.composition.documents import Missing, Unreadable, parse, read_text
from dsh.composition.mounting import MountedRows
from dsh.composition.patches import Layer, Rows
from dsh.composition.profiles import SHIPPED
from dsh.composition.rows import Row
from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Scope, plugin
from dsh.runtime.presets import AgentPresets

SETTLE_LIMIT = 5.0  # seconds; a row that takes longer joins at the agent's next turn
_ID = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
DEFAULT = "standard"


class UnknownPreset(CompositionError):
    """There is no such preset; a session that names it stays readable."""

    code = "UNKNOWN_PRESET"


class Generation:
    """The mounted rows of one state of a preset's files, and how many use them."""

    def __init__(self, rows: MountedRows, scope: Scope, text: str) -> None:
        self.rows = rows
        self.scope = scope
        self.text = text
        self.users = 0
        self._loaded = anyio.Event()

    async def load(self) -> None:
        """Import and mount what is not the program's own."""
        await self.rows.load_rest()
        self._loaded.set()

    async def settled(self) -> None:
        """Return when no row moves any further by itself."""
        await self._loaded.wait()
        mounts = [entry.mount for entry in self.rows.entries.values() if entry.mount]
        if mounts:
            await self.scope.kernel.settled(*mounts)


class StandingPresets(AgentPresets):
    """Keeps one generation of each preset mounted while somebody uses it.

    The newest generation stays for the next user; an older one goes with its last. A
    preset that can no longer be read stays as it was.
    """

    default = DEFAULT

    def __init__(
        self, scope: Scope, home: Home, group: TaskGroup, boot: Boot | None = None
    ) -> None:
        self._scope = scope
        self._home = home
        self._group = group  # imports go on in it when nobody waits for them any more
        self._boot = boot
        self._current: dict[str, Generation] = {}
        self._mounted: set[Generation] = set()
        self._changing = anyio.Lock()
        self._closed = False

    @asynccontextmanager
    async def joined(self, preset: str | None) -> AsyncIterator[Scope]:
        """Join the current generation; see :class:`AgentPresets`."""
        name = preset or self.default
        async with self._changing:
            generation = await self._generation(name)
            generation.users += 1
        try:
            with anyio.move_on_after(SETTLE_LIMIT):
                await generation.settled()
            yield generation.scope
        finally:
            generation.users -= 1
            if self._current.get(name) is not generation:
                await self._leave(generation)

    async def close(self) -> None:
        """Unmount every generation; nobody can join any more."""
        self._closed = True
        for generation in tuple(self._mounted):
            await generation.rows.close()

    async def _generation(self, name: str) -> Generation:
        if self._closed:
            raise CompositionError("the program is stopping; no preset can be joined")
        current = self._current.get(name)
        try:
            text = self._text(name)
            if current is not None and current.text == text:
                return current
            rows = _rows(text, name)
        except CompositionError as error:
            if current is None:
                raise
            if self._boot is not None and self._boot.problem is not None:
                self._boot.problem(f"preset {name}", error)
            return current
        scope = self._scope.child(f"preset {name}")
        generation = Generation(self._unmounted(scope), scope, text)
        self._mounted.add(generation)
        self._current[name] = generation
        generation.rows.add(rows)
        self._group.start_soon(generation.load)
        if current is not None:
            await self._leave(current)
        return generation

    async def _leave(self, generation: Generation) -> None:
        """Unmount a generation that is not current once nobody uses it."""
        if not generation.users and generation in self._mounted:
            self._mounted.discard(generation)
            with anyio.CancelScope(shield=True):
                await generation.rows.close()

    def _unmounted(self, scope: Scope) -> MountedRows:
        if self._boot is not None:
            return self._boot.rows.below(scope)
        return MountedRows(scope, self._home)

    def _text(self, name: str) -> str:
        if not _ID.match(name):
            raise UnknownPreset(
                f"{name!r} cannot name a preset",
                remedy="use lower-case letters, digits and -, or start a new session",
            )
        shipped = resources.files(SHIPPED).joinpath("presets", name, "agent.yaml")
        if shipped.is_file():
            return shipped.read_text(encoding="utf-8")
        path = self._home.presets / name / "agent.yaml"
        try:
            return read_text(path)
        except Missing:
            raise UnknownPreset(
                f"there is no preset {name}",
                remedy=f"restore {path.parent}, or start a new session",
            ) from None


def _rows(text: str, name: str) -> list[Row]:
    document = parse(text, f"preset {name}")
    if not isinstance(document, list):
        raise Unreadable(f"preset {name} must be a list of rows")
    rows = Rows()
    rows.apply(Layer(f"preset {name}", [{"insert": document}], strict=True))
    return rows.rows


@plugin
async def presets(
    scope: Scope, home: Home, boot: Boot | None
) -> AsyncIterator[AgentPresets]:
    """Offers the presets that ship with the program and those of the home."""
    async with anyio.create_task_group() as group:
        standing = StandingPresets(scope, home, group, boot)
        try:
            yield standing
        finally:
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await standing.close()
