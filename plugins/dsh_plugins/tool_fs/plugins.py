"""The plugin that contributes the three tools and what the model is told about them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import cast

from pydantic import BaseModel, ConfigDict, PositiveInt

from dsh.kernel import Events, plugin
from dsh.runtime.prompt import Section, Sections
from dsh.runtime.tools import Tool, Tools
from dsh.seams.approval import Approvals
from dsh.seams.fs import FileSystem
from dsh.seams.sandbox import SandboxPolicy
from dsh_plugins.tool_fs import edit, read, write
from dsh_plugins.tool_fs.access import Access
from dsh_plugins.tool_fs.window import Bounds


class FileToolsConfig(BaseModel):
    """How much one call shows."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    read_lines: PositiveInt = 2_000
    read_line_length: PositiveInt = 2_000  # characters
    read_bytes: PositiveInt = 51_200
    stream_from: PositiveInt = 10 << 20  # bytes; smaller files are read whole
    scan: PositiveInt = 64 << 20  # characters looked through to count the lines


@plugin
async def tool_fs(
    tools: Tools,
    fs: FileSystem,
    sections: Sections,
    events: Events,
    policies: SandboxPolicy | None,
    approvals: Approvals | None,
    config: FileToolsConfig,
) -> AsyncIterator[None]:
    """The tools `read`, `write` and `edit`."""
    access = Access(fs, events, policies, approvals)
    bounds = Bounds(
        config.read_lines, config.read_line_length, config.read_bytes, config.scan
    )
    with ExitStack() as stack:
        reader = read.Read(access, bounds, config.stream_from)
        for tool in (reader, write.Write(access), edit.Edit(access)):
            # The registry holds tools of all kinds of arguments.
            stack.enter_context(tools.add(tool.name, cast("Tool[BaseModel]", tool)))
        texts = (read.PROMPT, write.PROMPT, edit.PROMPT)
        for order, (name, text) in enumerate(
            zip(("read", "write", "edit"), texts, strict=True), 100
        ):
            stack.enter_context(sections.add(f"tool:{name}", Section(order, text)))
        yield
