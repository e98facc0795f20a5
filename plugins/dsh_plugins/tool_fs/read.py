"""The tool that shows a window of a text file."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import ClassVar, Final

from pydantic import BaseModel, Field, create_model

from dsh.runtime.tools import Card, Execution, Outcome, Tool, ToolError
from dsh.seams.fs import FsError, FsTarget
from dsh.seams.sandbox import Policy
from dsh_plugins.tool_fs.access import Access
from dsh_plugins.tool_fs.cards import Data, plain_card, read_card
from dsh_plugins.tool_fs.window import Bounds, Window

PROMPT: Final = """\
Use `read` to look at files; it shows numbered lines and tells how to go on when there
are more. Read a file before you change it. Several files can be read in one step."""


class ReadArguments(BaseModel, defer_build=True):
    """A window of a file."""

    file_path: str = Field(description="Path of the file; relative to the workspace.")
    offset: int = Field(1, ge=1, description="First line to show, counted from 1.")
    limit: int


class Read(Tool[ReadArguments]):
    """Shows lines; files of any size, in bounded memory."""

    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a text file. Shows its lines with their numbers; use offset and limit for"
        " a part of a long file. Legacy encodings are understood."
    )

    def __init__(self, access: Access, bounds: Bounds, stream_from: int) -> None:
        self._access = access
        self._bounds = bounds
        self._stream_from = stream_from
        limit = Field(
            bounds.lines, ge=1, le=bounds.lines, description="How many lines to show."
        )
        made = create_model("ReadArguments", __base__=ReadArguments, limit=(int, limit))
        self._arguments = made

    @property
    def arguments(self) -> type[ReadArguments]:
        """With the configured limit in the schema."""
        return self._arguments

    def parallel_safe(self, arguments: ReadArguments) -> bool:  # noqa: ARG002  # always
        """Reading disturbs nobody."""
        return True

    async def run(self, arguments: ReadArguments, execution: Execution) -> Outcome:
        """Read the window and take note of the version that was seen."""
        with self._access.told(execution):
            target = await self._access.target(arguments.file_path, execution)
            policy = self._access.policy(execution)
            # Looked at before it is read: a change in between makes the note too old,
            # and a note that is too old is only refused, never wrong.
            info = await self._access.fs.stat(target)
            window = Window(arguments.offset, arguments.limit, self._bounds)
            try:
                await self._fill(window, target, policy, info.size if info else 0)
            except FsError as error:
                if error.code == "FS_NOT_FOUND":
                    self._access.saw(target, None, execution)
                raise
            if info is not None:
                self._access.saw(target, info.version, execution)
        shown = target.display
        if not window.lines and (window.total or arguments.offset > 1):
            message = f"{shown} has only {window.total} lines"
            raise ToolError(message, code="FS_NOT_FOUND")
        meta: Data = {"path": shown, "totalLines": window.total}
        return Outcome(_rendered(shown, window), meta=meta)

    async def _fill(
        self, window: Window, target: FsTarget, policy: Policy | None, size: int
    ) -> None:
        fs = self._access.fs
        if size < self._stream_from:
            window.feed(_lf(await fs.read_text(target, policy)))
        else:
            pieces = fs.stream_text(target, policy)
            try:
                async for piece in pieces:
                    if not window.feed(piece):
                        break
            finally:
                if isinstance(pieces, AsyncGenerator):  # left early, it holds the file
                    await pieces.aclose()
        window.finish()

    def present_call(self, arguments: Data) -> Card:
        """The path."""
        return plain_card(arguments, "read")

    def present_result(
        self, arguments: Data, text: str, meta: Data | None, *, failed: bool
    ) -> Card:
        """The lines that were shown."""
        if failed:
            return plain_card(arguments, "read", text)
        return read_card(arguments, text, meta)


def _lf(text: str) -> str:
    """Lines end in LF; a lone CR ends one only where there is no LF at all."""
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def _rendered(shown: str, window: Window) -> str:
    lines = [f"{line.number}: {line.text}" for line in window.lines]
    head = [f"<path>{shown}</path>", "<type>file</type>", "<content>"]
    return "\n".join([*head, *lines, "", window.footer(), "</content>"])
