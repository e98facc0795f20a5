"""Turns rows into mounts of a scope, one by one, so that none can stop the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal

import anyio
from pydantic import ValidationError

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
from dsh.errors import CompositionError, DSHError, describe
from dsh.kernel import Config, Limits, Mount, Phase, Plugin, Scope

RowProblem = Callable[[str, BaseException], None]  # a row's id, and what it could not do

IMPORT_LIMIT = 10.0  # seconds a foreign module may take to import
IMPORTS = 8  # at once; one that hangs keeps its thread for ever
FOREIGN_LIMITS = Limits(start=10.0, grace=2.0, abandon=1.0)


class BadConfig(CompositionError):
    """A row's config does not fit its plugin; the message leaves out the values."""

    code = "BAD_CONFIG"


class NotInUse(CompositionError):
    """The row is there, but switched off, not for this machine, or not for safe mode."""

    code = "ROW_NOT_IN_USE"


class Entry:
    """One plugin row and what became of it."""

    __slots__ = ("error", "mount", "obstacle", "row", "scope", "state")

    def __init__(self, row: Row, scope: Scope, state: str) -> None:
        self.row = row
        self.scope = scope
        self.state: str = state  # "disabled", "skipped", "loading" or "mounted"
        self.mount: Mount | None = None
        self.error: DSHError | None = None
        self.obstacle: DSHError | None = None  # why this composition never mounts it

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
        self._imports = anyio.CapacityLimiter(IMPORTS)

    def below(self, scope: Scope) -> MountedRows:
        """No rows yet, under the same conditions, for another scope."""
        return MountedRows(
            scope,
            self._home,
            features=self._features,
            only=self._only,
            problem=self._problem,
        )

    def add(self, rows: list[Row]) -> None:
        """Register the rows; ours are mounted at once, foreign ones by `load_rest`."""
        self._add(rows, self._scope, "loading")
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
                    load, name, self._home, abandon_on_cancel=True, limiter=self._imports
                )
        except TimeoutError:
            message = f"{name} did not finish its import within {IMPORT_LIMIT:g} s"
            self._failed(entry, PluginUnavailable(message))
        except DSHError as error:
            self._failed(entry, error)
        else:
            if entry.state == "loading":  # else it was switched off meanwhile
                self._mount(entry, plugin, FOREIGN_LIMITS)

    async def retry(self, entry: Entry) -> None:
        """Try a row again, with its code read anew; nothing while that is under way.

        Raises ``CompositionError`` for a row that this composition leaves out.
        """
        if entry.obstacle is not None:
            raise entry.obstacle
        if entry.state == "loading":
            return
        own = is_first_party(entry.row.plugin or "")
        if own and entry.mount is not None:
            entry.mount.restart()
            return
        entry.error, entry.state = None, "loading"
        if entry.mount is not None:
            await entry.mount.close()
            entry.mount = None
        if own:
            self._load_own(entry)
        else:
            await self.load_foreign(entry)

    async def switch_off(self, entry: Entry) -> None:
        """Stop one row until it is tried again."""
        entry.error, entry.state = None, "disabled"
        if entry.mount is not None:
            await entry.mount.close()
            entry.mount = None
        self.changed()

    async def close(self) -> None:
        """Stop every row, consumers first; what is being imported is not mounted."""
        for entry in self.entries.values():
            if entry.state == "loading":
                entry.state = "disabled"
        mounts = [entry.mount for entry in self.entries.values() if entry.mount]
        for mount in mounts:
            mount.discard()
        for mount in mounts:
            await mount.gone()

    def folder(self, entry: Entry) -> str | None:
        """The folder of a row's code, when it is the person's own."""
        folder = folder_of(entry.row.plugin or "", self._home)
        return str(folder) if folder else None

    def _add(
        self, rows: list[Row], scope: Scope, around: str, error: DSHError | None = None
    ) -> None:
        """Register rows of a group that is in the state ``around``; with an ``error``
        the group has no scope, and none of them can be mounted.
        """
        for row in rows:
            state = self._first_state(row, around)
            if row.group is not None:
                try:
                    inner, fault = self._group_scope(row, scope, state), error
                except DSHError as found:
                    inner, fault = scope, found
                self._add(row.group, inner, state, fault)
                continue
            entry = self.entries[row.id] = Entry(row, scope, state)
            entry.obstacle = error
            if state != "loading":
                entry.obstacle = NotInUse(f"{row.id} is {state}")
            elif error is not None:
                self._failed(entry, error)

    def _first_state(self, row: Row, around: str) -> str:
        allowed = self._only == "all" or row.plugin is None or is_first_party(row.plugin)
        if around == "disabled" or row.disabled or not allowed:
            return "disabled"
        applies = row.applies(os.environ, self._features)
        return around if applies else "skipped"

    def _group_scope(self, row: Row, scope: Scope, state: str) -> Scope:
        if state != "loading":  # nothing in it runs, so nothing of it is imported
            return scope
        keys = frozenset(load_key(name) for name in row.isolate)
        return scope.child(row.id, keys) if keys else scope

    def _load_own(self, entry: Entry) -> None:
        try:
            plugin = load(entry.row.plugin or "", self._home)
        except DSHError as error:
            self._failed(entry, error)
        else:
            self._mount(entry, plugin, Limits())

    def _mount(self, entry: Entry, plugin: Plugin, limits: Limits) -> None:
        kernel, row = entry.scope.kernel, entry.row
        try:
            config = self._config(row, plugin)
            entry.mount = kernel.mount(entry.scope, row.id, plugin, config, limits)
            entry.state = "mounted"
        except DSHError as error:
            self._failed(entry, error)
        except Exception as error:  # noqa: BLE001  # foreign annotations are evaluated
            message = f"{row.plugin} cannot be mounted: {describe(error)}"
            self._failed(entry, PluginUnavailable(message))

    def _config(self, row: Row, plugin: Plugin) -> Config:
        """The config, validated here where there is any: the values, which may come
        from the environment, must not get into an error's text.
        """
        config = resolve(row.values.get("config", {}), self._home)
        assert isinstance(config, dict)
        schema = plugin.plan().config if config else None
        try:
            return config if schema is None else schema.model_validate(config)
        except ValidationError as error:
            faults = [
                f"{'.'.join(map(str, fault['loc'])) or row.id}: {fault['msg']}"
                for fault in error.errors(include_input=False, include_url=False)
            ]
            raise BadConfig(f"the config does not fit: {'; '.join(faults)}") from None

    def _failed(self, entry: Entry, error: DSHError) -> None:
        entry.state = "failed"
        entry.error = error
        if self._problem is not None:
            self._problem(entry.row.id, error)
        self.changed()
