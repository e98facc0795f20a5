"""The tool that finds files by name."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, Field, field_validator

from dsh.runtime.tools import Card, Execution, GenericCard, Outcome, SearchCard, Tool
from dsh_plugins.tool_search.engine import Ripgrep
from dsh_plugins.tool_search.places import Places, shown, split_absolute
from dsh_plugins.tool_search.spilling import Recovery

Data = dict[str, object]

PROMPT: Final = """\
Use `glob` to find files by name, and not `find` or `ls` in a shell. It also sees what
version control ignores; the newest files come first."""
VERSION_CONTROL: Final = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")
NOTHING: Final = "No files found"


class GlobArguments(BaseModel, defer_build=True):
    """Which files."""

    pattern: str = Field(
        description="Glob, e.g. `**/*.py`, `src/**/test_*`; without a slash it matches"
        " names at any depth."
    )
    path: str | None = Field(
        None, description="Folder to search in; the workspace by default."
    )

    @field_validator("pattern")
    @classmethod
    def _not_blank(cls, pattern: str) -> str:
        if not pattern.strip():
            message = "the pattern is blank"
            raise ValueError(message)
        return pattern


class Glob(Tool[GlobArguments]):
    """Lists files; newest first."""

    name: ClassVar[str] = "glob"
    description: ClassVar[str] = (
        "Find files by a glob pattern on their paths, newest first. Folders are not"
        " listed; files that version control ignores are."
    )

    def __init__(
        self, ripgrep: Ripgrep, places: Places, recovery: Recovery, most: int
    ) -> None:
        self._ripgrep = ripgrep
        self._places = places
        self._recovery = recovery
        self._most = most

    @property
    def arguments(self) -> type[GlobArguments]:
        """The model of the arguments."""
        return GlobArguments

    async def run(self, arguments: GlobArguments, execution: Execution) -> Outcome:
        """Search, and show the first of what was found."""
        above, pattern = split_absolute(arguments.pattern)
        root = await self._places.root(arguments.path or above, execution)
        options = [
            "--files",
            "--null",
            "--no-ignore",
            "--hidden",
            "--sortr=modified",
            f"--glob={pattern}",
        ]
        for name in VERSION_CONTROL:
            options += f"--glob=!**/{name}", f"--glob=!**/{name}/**"
        found = await self._ripgrep.run(options, root)
        names = [name for name in found.output.split(b"\0") if name]
        paths = [shown(name, root, execution) for name in names]
        text = "\n".join(paths[: self._most]) or NOTHING
        if len(paths) > self._most:
            note = await self._recovery.note(
                "glob-results.txt", lambda: "\n".join(paths) + "\n", execution
            )
            text += f"\n\n(Showing {self._most} of {len(paths)} paths. {note})"
        if found.skipped:
            text += f"\n\n(Places that could not be looked at: {found.skipped})"
        meta: Data = {"total": len(paths), "truncated": len(paths) > self._most}
        return Outcome(text, meta=meta)

    def present_call(self, arguments: Data) -> Card:
        """The pattern."""
        return Card(GenericCard(title=pattern_in(arguments), icon="search"))

    def present_result(
        self, arguments: Data, text: str, meta: Data | None, *, failed: bool
    ) -> Card:
        """The paths that the model saw."""
        title = pattern_in(arguments)
        if failed:
            return Card(GenericCard(title=title, icon="search", text=text))
        listed = text.partition("\n\n")[0]
        paths = [] if listed == NOTHING else listed.split("\n")
        total, truncated = figures_in(meta, len(paths))
        return Card(
            SearchCard(title=title, paths=paths, total=total, truncated=truncated)
        )


def pattern_in(arguments: Data) -> str:
    """The pattern of a call, as the model gave it."""
    pattern = arguments.get("pattern")
    return pattern if isinstance(pattern, str) and pattern else "?"


def figures_in(meta: Data | None, seen: int) -> tuple[int, bool]:
    """How much was found, and whether only a part is shown."""
    total = meta.get("total") if meta else None
    truncated = meta.get("truncated") if meta else None
    return total if isinstance(total, int) else seen, truncated is True
