"""The plugin that contributes both tools and what the model is told about them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

from dsh.kernel import plugin
from dsh.runtime.prompt import Section, Sections
from dsh.runtime.tools import Tool, Tools
from dsh.seams.fs import FileSystem
from dsh.seams.sandbox import SandboxPolicy
from dsh.seams.spill import Spill
from dsh.seams.subprocess import Subprocess
from dsh_plugins.tool_search import glob, grep
from dsh_plugins.tool_search.engine import Limits, Ripgrep
from dsh_plugins.tool_search.places import Places
from dsh_plugins.tool_search.spilling import Recovery


class SearchConfig(BaseModel):
    """Bounds of one call."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    glob_results: PositiveInt = 100
    grep_matches: PositiveInt = 250
    grep_line_bytes: PositiveInt = 2_000
    raw_bytes: PositiveInt = 20_000_000
    error_bytes: PositiveInt = 65_536
    grace: PositiveFloat = 3.0  # seconds
    timeout: PositiveFloat = 30.0  # seconds


@plugin
async def tool_search(
    tools: Tools,
    fs: FileSystem,
    subprocess: Subprocess,
    sections: Sections,
    policies: SandboxPolicy | None,
    spill: Spill | None,
    config: SearchConfig,
) -> AsyncIterator[None]:
    """The tools `glob` and `grep`."""
    limits = Limits(config.raw_bytes, config.error_bytes, config.grace)
    ripgrep, places = Ripgrep(subprocess, limits), Places(fs, policies)
    recovery = Recovery(spill)
    by_name = glob.Glob(ripgrep, places, recovery, config.glob_results)
    by_text = grep.Grep(
        ripgrep, places, recovery, config.grep_matches, config.grep_line_bytes
    )
    by_name.timeout = by_text.timeout = config.timeout
    with (
        # The registry holds tools of all kinds of arguments.
        tools.add("glob", cast("Tool[BaseModel]", by_name)),
        tools.add("grep", cast("Tool[BaseModel]", by_text)),
        sections.add("tool:glob", Section(103, glob.PROMPT)),
        sections.add("tool:grep", Section(104, grep.PROMPT)),
    ):
        yield
