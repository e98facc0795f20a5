"""The arguments of the bash tool; what only a confining shell needs is apart."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

_SOMETHING = r"\S"


class BashArguments(BaseModel, defer_build=True):
    """A command line and how to run it."""

    command: str = Field(pattern=_SOMETHING, description="The bash command line to run.")
    description: str = Field(
        pattern=_SOMETHING,
        description="What the command does, in 5 to 10 words, for the person.",
    )
    timeoutMs: float | SkipJsonSchema[None] = Field(  # noqa: N815  # the model's own word
        None, gt=0, description="Milliseconds after which the command is ended."
    )
    workdir: str | SkipJsonSchema[None] = Field(
        None,
        description="Folder to run in; relative paths start at the session's folder, "
        "which is the default.",
    )


class ConfinedArguments(BashArguments, defer_build=True):
    """The same, and how to ask for a wider sandbox for this one call."""

    sandbox_permissions: (
        Literal["workspace-write", "danger-full-access"] | SkipJsonSchema[None]
    ) = Field(
        None,
        description="Only after a denial: the wider mode this exact command needs. The "
        "person is asked. Goes together with justification.",
    )
    justification: str | SkipJsonSchema[None] = Field(
        None, description="Why the wider mode is needed, in one sentence for the person."
    )

    @model_validator(mode="after")
    def _together(self) -> Self:
        reason = (self.justification or "").strip()
        if (self.sandbox_permissions is None) != (not reason):
            raise ValueError("sandbox_permissions and justification go together")
        return self
