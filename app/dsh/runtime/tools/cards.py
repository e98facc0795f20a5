"""How a call looks to a person: a closed set of card kinds, plain JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field


class CardBase(BaseModel, defer_build=True):
    """What every card has."""

    title: str  # one line: what was done, in the tool's own words (a command, a path)
    description: str | None = None
    locations: list[str] = []  # paths it is about


class GenericCard(CardBase):
    """Anything without a better form."""

    kind: Literal["generic"] = "generic"
    text: str | None = None
    icon: Literal["read", "edit", "search", "execute", "other"] = "other"


class TerminalCard(CardBase):
    """A command and its output."""

    kind: Literal["terminal"] = "terminal"
    cwd: str | None = None
    output: str | None = None
    exitCode: int | None = None  # noqa: N815  # wire name
    signal: str | None = None
    seconds: float | None = None
    denied: str | None = None  # the rule that refused something, in words
    sandbox: str | None = None  # mode and what enforced it, in words
    truncated: str | None = None  # path of the full output


class FileDiff(BaseModel, defer_build=True):
    """One changed file; ``oldText`` is null for a new one."""

    path: str
    oldText: str | None  # noqa: N815
    newText: str  # noqa: N815
    line: int = 1  # of the first line of the texts in the new file


class DiffCard(CardBase):
    """Changed files, in hunks."""

    kind: Literal["diff"] = "diff"
    diffs: list[FileDiff]


class Match(BaseModel, defer_build=True):
    """One line that matched."""

    line: int
    text: str


class FileMatches(BaseModel, defer_build=True):
    """The matches of one file."""

    path: str
    matches: list[Match]


class SearchCard(CardBase):
    """Matches in files, or paths."""

    kind: Literal["search"] = "search"
    files: list[FileMatches] = []
    paths: list[str] = []
    total: int = 0
    truncated: bool = False


class ReadCard(CardBase):
    """A window of a text file."""

    kind: Literal["read"] = "read"
    path: str
    lines: list[Match] = []
    totalLines: int = 0  # noqa: N815
    lang: str | None = None


AnyCard = Annotated[
    GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard,
    Field(discriminator="kind"),
]


class Card:
    """A card on its way to the wire."""

    __slots__ = ("model",)

    def __init__(
        self, model: GenericCard | TerminalCard | DiffCard | SearchCard | ReadCard
    ) -> None:
        self.model = model

    @classmethod
    def generic(cls, title: str, text: str | None = None) -> Card:
        """The plainest card."""
        return cls(GenericCard(title=title, text=text))

    def with_text(self, text: str) -> Card:
        """This card with the result's text, where its kind has room for one."""
        match self.model:
            case GenericCard() as card:
                return Card(card.model_copy(update={"text": text}))
            case TerminalCard() as card:
                return Card(card.model_copy(update={"output": text}))
            case _:
                return self
