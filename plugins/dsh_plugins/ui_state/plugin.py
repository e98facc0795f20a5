"""`ui/state` and `ui/saveState`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread

from dsh.data.paths import Home
from dsh.kernel import plugin
from dsh.seams.gateway import Empty, Gateway, Method, Wire
from dsh_plugins.ui_state.store import Store


class UiState(Wire):
    """All that is kept."""

    state: dict[str, Any]  # Any: the page's own JSON; the host looks at none of it


class UiStatePatch(Wire):
    """A merge patch: objects merge, ``null`` removes, the rest replaces."""

    patch: dict[str, Any]  # Any: as above


@plugin
async def ui_state(home: Home, gateway: Gateway) -> AsyncIterator[None]:
    """Keeps the page's state in the home."""
    store = Store(home.state / "ui.json")
    alone = anyio.Lock()

    async def state(request: Empty) -> UiState:
        del request
        async with alone:
            return UiState(state=await anyio.to_thread.run_sync(store.read))

    async def save(request: UiStatePatch) -> Empty:
        async with alone:
            await anyio.to_thread.run_sync(store.save, request.patch)
        return Empty()

    with gateway.methods(
        Method("ui", "state", Empty, UiState, state),
        Method("ui", "saveState", UiStatePatch, Empty, save),
    ):
        yield
