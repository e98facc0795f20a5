"""The tool that finds text in files."""

from __future__ import annotations

import re
from typing import ClassVar, Final

import anyio.to_thread
from pydantic import BaseModel, Field, field_validator

from dsh.runtime.tools import Card, Execution, GenericCard, Outcome, SearchCard, Tool
from dsh.runtime.tools.cards import FileMatches, Match
from dsh_plugins.tool_search.engine import Ripgrep, Root
from dsh_plugins.tool_search.glob import Data, figures_in, pattern_in
from dsh_plugins.tool_search.matches import File, first, matches_in, rendered
from dsh_plugins.tool_search.places import Places, shown
from dsh_plugins.tool_search.spilling import Recovery

PROMPT: Final = """\
Use `grep` to find text in files, and not `grep` or `rg` in a shell. The pattern is a
regular expression of ripgrep; files that version control ignores are left out."""
NOTHING: Final = "No matches found"
_LINE: Final = re.compile(r"Line (\d+): (.*)")


class GrepArguments(BaseModel, defer_build=True):
    """Which text, in which files."""

    pattern: str = Field(
        min_length=1, description="Regular expression (Rust syntax), one line at a time."
    )
    path: str | None = Field(
        None, description="File or folder to search; the workspace by default."
    )
    include: str | None = Field(
        None, description="Glob that files must match, e.g. `*.py` or `*.{ts,tsx}`."
    )

    @field_validator("include")
    @classmethod
    def _one_positive_glob(cls, include: str | None) -> str | None:
        if include is None:
            return None
        bare = re.sub(r"\{[^{}]*\}|\[[^\]]*\]", "", include)
        if not include.strip() or include.startswith("!") or "," in bare:
            message = "one glob is expected, without `!`; use {a,b} for alternatives"
            raise ValueError(message)
        return include


class Grep(Tool[GrepArguments]):
    """Lists lines that match, by file."""

    name: ClassVar[str] = "grep"
    description: ClassVar[str] = (
        "Search file contents with a regular expression. Shows the matching lines with"
        " their numbers, by file. Ignored, hidden and binary files are left out."
    )

    def __init__(
        self,
        ripgrep: Ripgrep,
        places: Places,
        recovery: Recovery,
        most: int,
        longest: int,
    ) -> None:
        self._ripgrep = ripgrep
        self._places = places
        self._recovery = recovery
        self._most = most
        self._longest = longest

    @property
    def arguments(self) -> type[GrepArguments]:
        """The model of the arguments."""
        return GrepArguments

    async def run(self, arguments: GrepArguments, execution: Execution) -> Outcome:
        """Search, and show the first of what was found."""
        root = await self._places.root(arguments.path, execution)
        options = ["--json", f"--regexp={arguments.pattern}"]
        if arguments.include is not None:
            options.append(f"--glob={arguments.include}")
        found = await self._ripgrep.run(options, root)
        files = await anyio.to_thread.run_sync(
            self._matches, found.output, root, execution
        )
        total = sum(len(lines) for _, lines in files)
        text = await self._told(files, total, execution)
        if found.skipped:
            text += f"\n\n(Places that could not be looked at: {found.skipped})"
        return Outcome(text, meta={"total": total, "truncated": total > self._most})

    def _matches(self, output: bytes, root: Root, execution: Execution) -> list[File]:
        return matches_in(
            output, self._longest, lambda path: shown(path, root, execution)
        )

    async def _told(self, files: list[File], total: int, execution: Execution) -> str:
        if not total:
            return NOTHING
        if total <= self._most:
            plural = "" if total == 1 else "es"
            return f"Found {total} match{plural}\n\n{rendered(files)}"
        note = await self._recovery.note(
            "grep-results.txt", lambda: rendered(files) + "\n", execution
        )
        part = rendered(first(files, self._most))
        return f"Found {self._most} of {total} matches\n\n{part}\n\n({note})"

    def present_call(self, arguments: Data) -> Card:
        """The pattern."""
        return Card(GenericCard(title=pattern_in(arguments), icon="search"))

    def present_result(
        self, arguments: Data, text: str, meta: Data | None, *, failed: bool
    ) -> Card:
        """The lines that the model saw."""
        title = pattern_in(arguments)
        if failed:
            return Card(GenericCard(title=title, icon="search", text=text))
        files = [block for part in text.split("\n\n")[1:] if (block := _block(part))]
        seen = sum(len(file.matches) for file in files)
        total, truncated = figures_in(meta, seen)
        return Card(
            SearchCard(title=title, files=files, total=total, truncated=truncated)
        )


def _block(text: str) -> FileMatches | None:
    path, *lines = text.split("\n")
    rows = [row for line in lines if (row := _LINE.fullmatch(line))]
    if not rows:
        return None
    return FileMatches(
        path=path, matches=[Match(line=int(row[1]), text=row[2]) for row in rows]
    )
