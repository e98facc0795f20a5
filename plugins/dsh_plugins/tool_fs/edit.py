"""The tool that replaces literal text in a file."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, Field, model_validator

from dsh.runtime.tools import Card, Execution, Outcome, Tool
from dsh.seams.fs import FsEdit, ReplaceIfVersion
from dsh_plugins.tool_fs.access import Access, Wider, extract
from dsh_plugins.tool_fs.cards import Data, changed_card, plain_card, proposed_card
from dsh_plugins.tool_fs.hunks import hunks_of

PROMPT: Final = """\
Use `edit` to replace text in a file that was read. `old_string` is literal, without the
line numbers of `read`, and must be unique: add surrounding lines until it is, or set
`replace_all`."""


class EditArguments(BaseModel, defer_build=True):
    """A literal replacement."""

    file_path: str = Field(description="Path of the file; relative to the workspace.")
    old_string: str = Field(min_length=1, description="The text to replace, literally.")
    new_string: str = Field(description="The text to put in its place.")
    replace_all: bool = Field(default=False, description="Replace all of them.")

    @model_validator(mode="after")
    def _changes_something(self) -> EditArguments:
        if self.old_string == self.new_string:
            message = "new_string must differ from old_string"
            raise ValueError(message)
        return self


class WiderEditArguments(EditArguments, Wider, defer_build=True):
    """With the wish for a wider sandbox mode."""


class Edit(Tool[EditArguments]):
    """Changes a part of a file; all other bytes stay."""

    name: ClassVar[str] = "edit"
    description: ClassVar[str] = (
        "Replace literal text in a text file that was read before. Line endings match"
        " across forms; encoding, line endings and everything else of the file stay."
    )

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def arguments(self) -> type[EditArguments]:
        """Under a confining file system a call may ask for a wider mode."""
        return WiderEditArguments if self._access.confines else EditArguments

    async def run(self, arguments: EditArguments, execution: Execution) -> Outcome:
        """Edit it. The version then known is the one just written."""
        access, everywhere = self._access, arguments.replace_all
        change = FsEdit(
            arguments.old_string, arguments.new_string, replace_all=everywhere
        )
        with access.told(execution):
            target = await access.target(arguments.file_path, execution)
            intent = await access.guard("edit", target, execution)
            version = intent.version if isinstance(intent, ReplaceIfVersion) else None
            shown: dict[str, object] = {
                "title": f"Edit {target.display}",
                "path": target.display,
                **extract("oldText", change.old),
                **extract("newText", change.new),
                "everywhere": everywhere,
            }
            policy = await access.granted(arguments, shown, execution)
            written = await access.fs.edit_text(target, change, version, policy)
            access.saw(target, written.version, execution)
        meta: Data = {"path": target.display}
        if written.before is not None:
            diffs, omitted = hunks_of(written.before, written.after)
            meta |= {"diffs": diffs, "omitted": omitted}
        text = f"The file {target.display} has been updated successfully."
        if everywhere:
            text += " All occurrences were successfully replaced."
        return Outcome(text, meta=meta)

    def present_call(self, arguments: Data) -> Card:
        """The two texts."""
        return proposed_card(arguments)

    def present_result(
        self, arguments: Data, text: str, meta: Data | None, *, failed: bool
    ) -> Card:
        """What changed, with some lines around it."""
        if failed:
            return plain_card(arguments, "edit", text)
        return changed_card(arguments, meta)
