"""The two providers as plugins; a bundle mounts one of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel, ConfigDict, PositiveInt

from dsh.kernel import plugin
from dsh.seams.fs import FileSystem
from dsh.seams.sandbox import SandboxPolicy
from dsh_plugins.fs_local.provider import ConfinedFileSystem, LocalFileSystem
from dsh_plugins.fs_local.writing import Limits


class FsConfig(BaseModel):
    """Bounds, in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    max_text: PositiveInt = 64 << 20  # a larger text is neither read whole nor edited
    max_compared: PositiveInt = 10 << 20  # a larger one is written without a diff


@plugin
async def fs_local(config: FsConfig) -> AsyncIterator[FileSystem]:
    """Files without confinement: for worlds that are confined as a whole."""
    yield LocalFileSystem(Limits(config.max_text, config.max_compared))


@plugin
async def fs_confined(
    policies: SandboxPolicy, config: FsConfig
) -> AsyncIterator[FileSystem]:
    """Files behind the sandbox policy; what a person's program mounts."""
    yield ConfinedFileSystem(Limits(config.max_text, config.max_compared), policies)
