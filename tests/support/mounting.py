"""Mounts a few plugins in a real kernel, as a composition would."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from dsh.data.paths import Home
from dsh.kernel import Kernel, Mount, Phase, Plugin, Scope
from dsh.runtime.prompt import Contexts, Sections
from dsh.runtime.tools import Tools
from dsh.seams.gateway import Gateway, Snapshots
from dsh.seams.llm import Models


@asynccontextmanager
async def mounted(
    folder: Path, *plugins: Plugin, services: tuple[tuple[type, object], ...] = ()
) -> AsyncIterator[Scope]:
    """The root scope with the plugins active; registries and the home are offered."""
    errors: list[BaseException] = []

    def problem(_: Mount, error: BaseException) -> None:
        errors.append(error)

    failure: Exception | None = None
    async with Kernel(problem) as kernel:
        root = kernel.root
        with ExitStack() as offers:
            builtin = (
                (Home, Home(folder)),
                (Scope, root),
                (Gateway, Gateway(root)),
                (Snapshots, Snapshots(root)),
                (Models, Models(root)),
                (Tools, Tools(root)),
                (Sections, Sections(root)),
                (Contexts, Contexts(root)),
            )
            for key, value in (*builtin, *services):
                offers.enter_context(root.offered(key, value))
            mounts = [root.mount(plugin.name, plugin) for plugin in plugins]
            await kernel.settled(*mounts)
            try:
                for mount in mounts:
                    if mount.phase is not Phase.ACTIVE:
                        raise mount.error or AssertionError(
                            f"{mount.row} waits for {mount.missing()}"
                        )
                yield root
            except Exception as error:  # noqa: BLE001  # raised again below
                failure = error
            finally:
                await kernel.close()
    if failure is not None:
        raise failure
    if errors:
        raise errors[0]


async def call(root: Scope, path: str, **request: object) -> Any:  # Any: JSON
    """Call a gateway method as a client does: JSON in, JSON out."""
    method = root.get(Gateway).get(path)
    assert method is not None, f"nothing answers {path}"
    parsed = method.request.model_validate(request)
    response = await method.handler(parsed)
    assert isinstance(response, method.response)
    return response.model_dump(mode="json", by_alias=True)
