"""Boots a composition: mounts its rows, answers for services, reports every row."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any, TypeVar

import anyio

from dsh.composition.edits import disable_row
from dsh.composition.loader import is_first_party
from dsh.composition.mounting import Entry, MountedRows, RowProblem
from dsh.composition.profiles import Composition
from dsh.data.paths import Home
from dsh.errors import CompositionError, DSHError, code_of, describe
from dsh.kernel import Events, Kernel, Mount, Phase, Registry, Scope
from dsh.runtime.stopping import STOPPING

T = TypeVar("T")

WITHOUT_CHANGES = "`--safe-mode` leaves your own changes out; `dsh doctor` says more"
WORK_SECONDS = 3.0  # for agents to end their turns before plugins are stopped


class NotAvailable(CompositionError):
    """A service that the caller cannot do without is not there; the text says why."""

    code = "SERVICE_NOT_AVAILABLE"


class BootChanged:
    """Fact: some row moved on; read the report again."""

    __slots__ = ()


class RowReport:
    """One row for people. All labels, no live objects."""

    __slots__ = (
        "code",
        "disabled",
        "folder",
        "id",
        "message",
        "missing",
        "origin",
        "phase",
        "plugin",
        "remedy",
        "required",
        "seconds",
    )

    def __init__(self, entry: Entry, folder: str | None, took: float) -> None:
        error: BaseException | None = entry.error
        mount = entry.mount
        if error is None and mount is not None:
            error = mount.error
        self.id = entry.row.id
        self.plugin = entry.row.plugin or ""
        self.phase = entry.phase
        self.required = entry.row.required
        self.disabled = entry.state == "disabled"
        self.origin = dict(entry.row.origin)
        self.folder = folder
        self.code = code_of(error) if error is not None else None
        self.message = describe(error) if error is not None else None
        self.remedy = error.remedy if isinstance(error, DSHError) else None
        waiting = mount is not None and mount.phase is Phase.WAITING
        self.missing = mount.missing() if mount is not None and waiting else {}
        self.seconds = took  # to start, the last time it did


class Boot:
    """A composition at work. Offered to plugins under this class."""

    def __init__(
        self,
        composition: Composition,
        kernel: Kernel,
        rows: MountedRows,
        problem: RowProblem | None = None,
    ) -> None:
        self.composition = composition
        self.problem = problem  # who is told of what rows cannot do
        self.kernel = kernel
        self.rows = rows
        self._moved = anyio.Event()
        self._ending = False
        self._began: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._editing = anyio.Lock()

    def moved(self) -> None:
        """Some row moved on: wake who waits, tell who listens."""
        self._moved.set()
        self._moved = anyio.Event()
        self.kernel.root.get(Events).emit(BootChanged())

    def end(self) -> None:
        """The program is stopping: nobody need wait for anything to come."""
        self._ending = True
        self.moved()

    def timed(self, mount: Mount) -> None:
        """Note how long the rows take to start."""
        now = anyio.current_time()
        if mount.phase is Phase.STARTING:
            self._began[mount.row] = now
        elif mount.row in self._began:
            self._took[mount.row] = now - self._began.pop(mount.row)
        self.moved()

    @property
    def home(self) -> Home:
        """The home that was booted."""
        return self.composition.home

    def report(self) -> list[RowReport]:
        """Every row of the composition."""
        return [self._told(entry) for entry in self.rows.entries.values()]

    def failures(self) -> list[RowReport]:
        """The rows that failed, or that wait for something nobody will bring."""
        reports = [self._told(e) for e in self.rows.entries.values() if e.settled]
        return [r for r in reports if r.phase in ("failed", "waiting")]

    def _told(self, entry: Entry) -> RowReport:
        took = self._took.get(entry.row.id, 0.0)
        return RowReport(entry, self.rows.folder(entry), took)

    async def service(self, key: type[T]) -> T:
        """The service, as soon as it is there. Raises :class:`NotAvailable`."""
        while (found := self.kernel.root.find(key)) is None:
            _, mount = self.kernel.root.nearest(key)
            coming = mount is not None and mount.coming()
            if not coming and not self._loading():
                raise NotAvailable(self._why_not(key), remedy=WITHOUT_CHANGES)
            await self._moved.wait()
        return found

    def _loading(self) -> bool:
        return any(entry.state == "loading" for entry in self.rows.entries.values())

    async def settled(self, *, ours: bool = False) -> None:
        """Return when no row (of ``ours``: that ships) moves further by itself."""
        await self.until(lambda: False, ours=ours)

    async def until(self, done: Callable[[], bool], *, ours: bool = False) -> None:
        """Return when ``done`` holds, or no row moves any more that could change it."""
        while not (done() or self._ending) and any(
            not entry.settled
            for entry in self.rows.entries.values()
            if not ours or is_first_party(entry.row.plugin or "")
        ):
            await self._moved.wait()

    async def retry(self, row: str) -> None:
        """Try a row again.

        Raises ``CompositionError`` for an unknown id, and for a row that the composition
        leaves out.
        """
        await self.rows.retry(self._entry(row))

    async def disable(self, row: str) -> None:
        """Switch a row off, now and in the profile's patch file.

        Raises ``CompositionError`` when it is required, unknown, or the file is broken.
        """
        entry = self._entry(row)
        if entry.row.required:
            raise CompositionError(
                f"{row} is required and cannot be switched off",
                remedy="Replace its plugin in a patch instead.",
            )
        profile = self.composition.selection.profile
        async with self._editing:
            await anyio.to_thread.run_sync(disable_row, self.home, profile, row)
        await self.rows.switch_off(entry)

    def _entry(self, row: str) -> Entry:
        entry = self.rows.entries.get(row)
        if entry is None:
            raise CompositionError(f"there is no row {row}", code="UNKNOWN_ROW")
        return entry

    def _why_not(self, key: type) -> str:
        found = "; ".join(self._obstacles(key, self.kernel.root, set()))
        reasons = found or "those who should offer it wait for each other"
        return f"{key.__qualname__} is not available: {reasons}"

    def _obstacles(self, key: type, scope: Scope, known: set[type]) -> Iterator[str]:
        """What stands in the way of a service, at the end of the chain of needs."""
        known.add(key)
        _, mount = scope.nearest(key)
        if mount is None:
            yield f"no row offers {key.__qualname__}"
            # What these would have offered is not known: they could not be loaded.
            for entry in self.rows.entries.values():
                if entry.error is not None:
                    yield f"{entry.row.id}: {describe(entry.error)}"
        elif mount.error is not None:
            yield f"{mount.row}: {describe(mount.error)}"
        else:
            for need in mount.plan.needs.values():
                offer, _ = mount.nearest(need)
                if offer is None and not need.optional and need.key not in known:
                    yield from self._obstacles(need.key, mount.scope, known)


@asynccontextmanager
async def booted(
    composition: Composition,
    *,
    features: frozenset[str] = frozenset(),
    problem: RowProblem | None = None,
    registries: tuple[type[Registry[Any, Any]], ...] = (),  # Any: of whatever kind
    services: tuple[tuple[type, object], ...] = (),
) -> AsyncIterator[Boot]:
    """Mount a composition while the block is open; leaving it stops everything.

    ``problem`` is told of each error that nobody else sees, with the id of its row.
    ``registries`` and ``services`` are offered beside the rows: what the launcher
    itself brings.
    """
    failure: Exception | None = None

    def failed(mount: Mount, error: BaseException) -> None:
        if problem is not None:
            problem(mount.row, error)

    async with (
        Kernel(failed if problem is not None else None) as kernel,
        anyio.create_task_group() as group,
    ):
        rows = MountedRows(
            kernel.root,
            composition.home,
            features=features,
            only="first-party" if composition.selection.safe_mode else "all",
            problem=problem,
        )
        boot = Boot(composition, kernel, rows, problem)
        rows.changed = boot.moved
        with ExitStack() as offers:
            builtin = ((Home, composition.home), (Scope, kernel.root), (Boot, boot))
            tables = tuple((table, table(kernel.root)) for table in registries)
            for key, value in (*builtin, *tables, *services):
                offers.enter_context(kernel.root.offered(key, value))
            stop = kernel.watch(boot.timed)
            rows.add(composition.rows)
            group.start_soon(rows.load_rest)
            try:
                yield boot
            except Exception as error:  # noqa: BLE001  # raised again below
                failure = error  # the task group would wrap the caller's error
            finally:
                stop()
                boot.end()
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await _end_work(kernel)
                    await kernel.close()
    if failure is not None:
        raise failure


async def _end_work(kernel: Kernel) -> None:
    """Let work that is under way end in order; a part that hangs is not waited for."""
    with anyio.move_on_after(WORK_SECONDS):
        try:
            await kernel.root.get(Events).run(STOPPING, None, _nothing_more)
        except Exception:
            # A fault here must not keep the plugins from being stopped.
            logging.getLogger(__name__).exception("work did not end in order")


async def _nothing_more(nothing: None) -> None:
    del nothing
