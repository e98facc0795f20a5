"""The tool that writes whole files."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, Field

from dsh.runtime.tools import Card, Execution, Outcome, Tool
from dsh_plugins.tool_fs.access import Access, Wider, extract
from dsh_plugins.tool_fs.cards import Data, changed_card, plain_card, proposed_card
from dsh_plugins.tool_fs.hunks import hunks_of

PROMPT: Final = """\
Use `write` for new files and for files that change as a whole; missing folders are made.
An existing file must have been read before. Prefer `edit` for changes of a part."""


class WriteArguments(BaseModel, defer_build=True):
    """A whole file."""

    file_path: str = Field(description="Path of the file; relative to the workspace.")
    content: str = Field(description="The whole new text of the file.")


class WiderWriteArguments(WriteArguments, Wider, defer_build=True):
    """With the wish for a wider sandbox mode."""


class Write(Tool[WriteArguments]):
    """Creates or replaces a file in one piece."""

    name: ClassVar[str] = "write"
    description: ClassVar[str] = (
        "Write a whole text file: create it, or replace all of it after it was read."
        " Encoding and line endings of an existing file are kept."
    )

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def arguments(self) -> type[WriteArguments]:
        """Under a confining file system a call may ask for a wider mode."""
        return WiderWriteArguments if self._access.confines else WriteArguments

    async def run(self, arguments: WriteArguments, execution: Execution) -> Outcome:
        """Write it. The version then known is the one just written."""
        access = self._access
        with access.told(execution):
            target = await access.target(arguments.file_path, execution)
            intent = await access.guard("write", target, execution)
            shown = {
                "title": f"Write {target.display}",
                "path": target.display,
                **extract("content", arguments.content),
            }
            policy = await access.granted(arguments, shown, execution)
            written = await access.fs.write_text(
                target, arguments.content, intent, policy
            )
            access.saw(target, written.version, execution)
        meta: Data = {"path": target.display}
        done = "Created file"
        if written.operation == "update":
            done = "Updated file"
            if written.before is not None:
                diffs, omitted = hunks_of(written.before, written.after)
                meta |= {"diffs": diffs, "omitted": omitted}
        head = f"<path>{target.display}</path>\n<type>file</type>\n"
        return Outcome(f"{head}<content>\n{done}\n</content>", meta=meta)

    def present_call(self, arguments: Data) -> Card:
        """The new text."""
        return proposed_card(arguments)

    def present_result(
        self, arguments: Data, text: str, meta: Data | None, *, failed: bool
    ) -> Card:
        """What changed."""
        if failed:
            return plain_card(arguments, "edit", text)
        return changed_card(arguments, meta)
