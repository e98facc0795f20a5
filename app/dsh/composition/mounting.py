"""Turns rows into mounts of a scope, one by one, so that none can stop the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal

import anyio

from dsh.composition.loader import (
    PluginUnavailable,
    folder_of,
    is_first_party,
    load,
    load_key,
)
from dsh.composition.rows import Row
from dsh.composition.values import resolve
from dsh.data.paths import Home
from dsh.errors import DSHError
from dsh.kernel import Limits, Mount, Phase, Plugin, Scope

RowProblem = Callable[[str, BaseException], None]  # a row's id, and what it could not do

IMPORT_LIMIT = 10.0  # seconds a foreign module may take to import
FOREIGN_LIMITS = Limits(start=10.0)


class Entry:
    """One plugin row and what became of it."""

    __slots__ = ("error", "mount", "row", "scope", "state")

    def __init__(self, row: Row, scope: Scope, state: str) -> None:
        self.row = row
        self.scope = scope
        self.state: str = state  # "disabled", "skipped", "loading" or "mounted"
        self.mount: Mount | None = None
        self.error: DSHError | None = None

    @property
    def phase(self) -> str:
        """For people: the mount's phase, or why there is no mount."""
        if self.error is not None:
            return Phase.FAILED.value
        return self.mount.phase.value if self.mount is not None else self.state

    @property
    def settled(self) -> bool:
        """Whether nothing more can be expected of it for now."""
        if self.mount is None or self.error is not None:
            return self.state != "loading"
        waiting = self.mount.phase is Phase.WAITING and not self.mount.coming()
        return waiting or self.mount.phase in (Phase.ACTIVE, Phase.FAILED, Phase.GONE)


class MountedRows:
    """The rows of one composition, mounted below one scope."""

    def __init__(
        self,
        scope: Scope,
        home: Home,
        *,
        features: frozenset[str] = frozenset(),
        only: Literal["all", "first-party"] = "all",
        problem: RowProblem | None = None,
    ) -> None:
        self.entries: dict[str, Entry] = {}
        self.changed: Callable[[], None] = lambda: None
        self._scope = scope
        self._home = home
        self._features = features
        self._only = only
        self._problem = problem  # told of what cannot even be mounted

    def add(self, rows: list[Row]) -> None:
        """Register the rows; ours are mounted at once, foreign ones by `load_rest`."""
        self._add(rows, self._scope, disabled=False)
        for entry in self.entries.values():
            if entry.state == "loading" and is_first_party(entry.row.plugin or ""):
                self._load_own(entry)

    async def load_rest(self) -> None:
        """Import foreign rows in worker threads and mount them."""
        async with anyio.create_task_group() as group:
            for entry in self.entries.values():
                if entry.state == "loading":
                    group.start_soon(self.load_foreign, entry)

    async def load_foreign(self, entry: Entry) -> None:
        """Import one foreign row; a module that hangs is left behind with an error."""
        name = entry.row.plugin or ""
        try:
            with anyio.fail_after(IMPORT_LIMIT):
                plugin = await anyio.to_thread.run_sync(
                    load, name, self._home, abandon_on_cancel=True
                )
        except TimeoutError:
            message = f"{name} did not finish its import within {IMPORT_LIMIT:g} s"
            self._failed(entry, PluginUnavailable(message))
        except DSHError as error:
            self._failed(entry, error)
        else:
            self._mount(entry, plugin, FOREIGN_LIMITS)

    async def retry(self, entry: Entry) -> None:
        """Try a failed row again, with its code read anew."""
        entry.error = None
        if entry.mount is not None and is_first_party(entry.row.plugin or ""):
            entry.mount.restart()
            return
        await self.unmount(entry)
        entry.state = "loading"
        if is_first_party(entry.row.plugin or ""):
            self._load_own(entry)
        else:
            await self.load_foreign(entry)

    async def unmount(self, entry: Entry) -> None:
        """Stop one row; it can be mounted again by :meth:`retry`."""
        if entry.mount is not None:
            await entry.mount.close()
        entry.mount = None
        entry.state = "disabled"

    async def close(self) -> None:
        """Stop every row, consumers first."""
        mounts = [entry.mount for entry in self.entries.values() if entry.mount]
        for mount in mounts:
            mount.discard()
        for mount in mounts:
            await mount.gone()

    def folder(self, entry: Entry) -> str | None:
        """The folder of a row's code, when it is the person's own."""
        folder = folder_of(entry.row.plugin or "", self._home)
        return str(folder) if folder else None

    def _add(self, rows: list[Row], scope: Scope, *, disabled: bool) -> None:
        for row in rows:
            off = disabled or row.disabled or not self._allowed(row)
            applies = row.applies(os.environ, self._features)
            if row.group is not None:
                inner = self._group_scope(row, scope)
                self._add(row.group, inner, disabled=off or not applies)
                continue
            state = "disabled" if off else "loading" if applies else "skipped"
            self.entries[row.id] = Entry(row, scope, state)

    def _allowed(self, row: Row) -> bool:
        return self._only == "all" or row.plugin is None or is_first_party(row.plugin)

    def _group_scope(self, row: Row, scope: Scope) -> Scope:
        keys: set[type] = set()
        for name in row.isolate:
            keys.add(load_key(name))
        return scope.child(row.id, frozenset(keys)) if keys else scope

    def _load_own(self, entry: Entry) -> None:
        try:
            plugin = load(entry.row.plugin or "", self._home)
        except DSHError as error:
            self._failed(entry, error)
        else:
            self._mount(entry, plugin, Limits())

    def _mount(self, entry: Entry, plugin: Plugin, limits: Limits) -> None:
        config = resolve(entry.row.values.get("config", {}), self._home)
        assert isinstance(config, dict)
        kernel = entry.scope.kernel
        try:
            entry.mount = kernel.mount(entry.scope, entry.row.id, plugin, config, limits)
            entry.state = "mounted"
        except DSHError as error:
            self._failed(entry, error)

    def _failed(self, entry: Entry, error: DSHError) -> None:
        entry.state = "failed"
        entry.error = error
        if self._problem is not None:
            self._problem(entry.row.id, error)
        self.changed()
