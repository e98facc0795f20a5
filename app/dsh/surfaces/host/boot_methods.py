"""`boot/*`: the report of every row, and what a person can do about one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio

from dsh.composition.boot import Boot, BootChanged, RowReport
from dsh.errors import CompositionError
from dsh.kernel import Events, Scope, plugin
from dsh.seams.gateway import Empty, Gateway, HostEvent, Method
from dsh.seams.native_shell import NativeShell
from dsh.surfaces.host.wire import (
    BootError,
    BootReport,
    BootRow,
    LayerWarning,
    Opened,
    RowId,
)

SETTLE_SECONDS = 0.1  # a boot moves some hundred times; the page needs the last picture


def report_of(boot: Boot) -> BootReport:
    """The report as it goes to the page."""
    selection = boot.composition.selection
    return BootReport(
        safe_mode=selection.safe_mode,
        profile=selection.profile,
        home=str(boot.home.root),
        rows=[_row(row) for row in boot.report()],
        warnings=[
            LayerWarning(layer=warning.layer, message=warning.message)
            for warning in boot.composition.warnings
        ],
    )


def _row(row: RowReport) -> BootRow:
    error = None
    if row.code is not None:
        error = BootError(code=row.code, message=row.message or "", remedy=row.remedy)
    return BootRow(
        id=row.id,
        plugin=row.plugin,
        phase=row.phase,
        required=row.required,
        disabled=row.disabled,
        origin=row.origin,
        error=error,
        missing=row.missing,
        seconds=row.seconds,
        folder=row.folder,
    )


class _BootMethods:
    """The handlers."""

    def __init__(self, boot: Boot, scope: Scope) -> None:
        self._boot = boot
        self._scope = scope

    async def report(self, request: Empty) -> BootReport:
        del request
        return report_of(self._boot)

    async def retry(self, request: RowId) -> BootReport:
        await self._boot.retry(request.id)
        await self._boot.settled()
        return report_of(self._boot)

    async def disable(self, request: RowId) -> BootReport:
        await self._boot.disable(request.id)
        return report_of(self._boot)

    async def open_folder(self, request: RowId) -> Opened:
        entry = self._boot.rows.entries.get(request.id)
        if entry is None:
            message = f"there is no row {request.id}"
            raise CompositionError(message, code="UNKNOWN_ROW")
        folder = self._boot.rows.folder(entry) or str(self._boot.home.root)
        shell = self._scope.find(NativeShell)
        opened = shell is not None and await shell.open_path(Path(folder))
        return Opened(opened=opened)


@plugin
async def boot_methods(
    boot: Boot, scope: Scope, gateway: Gateway, events: Events
) -> AsyncIterator[None]:
    """Offers the methods, and tells the page when some row moved."""
    handlers = _BootMethods(boot, scope)
    changed = anyio.Event()

    async def tell() -> None:
        nonlocal changed
        while True:
            await changed.wait()
            await anyio.sleep(SETTLE_SECONDS)
            changed = anyio.Event()
            events.emit(HostEvent("host/boot", report_of(boot)))

    with (
        gateway.methods(
            Method("boot", "report", Empty, BootReport, handlers.report),
            Method("boot", "retry", RowId, BootReport, handlers.retry),
            Method("boot", "disable", RowId, BootReport, handlers.disable),
            Method("boot", "openFolder", RowId, Opened, handlers.open_folder),
        ),
        events.on(BootChanged, lambda _: changed.set()),
    ):
        async with anyio.create_task_group() as group:
            group.start_soon(tell)
            yield
            group.cancel_scope.cancel()
