"""The system prompt: ordered sections, and a snapshot of the runtime context."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from dsh.data.ids import new_message_id
from dsh.data.messages import Message, PluginSource, text_block
from dsh.errors import RunError
from dsh.kernel import Registry

if TYPE_CHECKING:
    from dsh.runtime.session import Session

Text = Callable[["Session"], str]

SNAPSHOT: Final = "dsh.runtime.prompt"  # the plugin name in the source of snapshots
_PLACE: Final = re.compile(r"\{\{([^{}\n]*)\}\}")
_CLEARED: Final = "The runtime context given earlier does not apply any more."


class UnknownVariable(RunError):
    """A section uses a ``{{name}}`` that has no value; correct the section."""

    code = "PROMPT_VARIABLE"


class Section:
    """A piece of the system prompt. Lower orders come first, empty texts are dropped.

    The text must not change within a session, or the provider's prefix cache is lost;
    what changes belongs into a :class:`Context`.
    """

    __slots__ = ("order", "text")

    def __init__(self, order: float, text: str | Text) -> None:
        self.order = order
        self.text = text


class Context:
    """A piece of the runtime-context snapshot: a message of role user that is sent
    again only when its text changed.
    """

    __slots__ = ("order", "text")

    def __init__(self, order: float, text: Text) -> None:
        self.order = order
        self.text = text


class Sections(Registry[str, Section]):
    """The sections by name, e.g. ``tool:read``."""


class Contexts(Registry[str, Context]):
    """The contexts by name, e.g. ``sandbox:policy``."""


def system_prompt(
    sections: Sections, session: Session, variables: Mapping[str, str]
) -> str:
    """All sections by order, joined by blank lines, with ``{{variables}}`` filled in.

    Raises :class:`UnknownVariable`; braces that close nothing are left as they are.
    """

    def value(place: re.Match[str]) -> str:
        name = place[1]
        if name not in variables:
            raise UnknownVariable(f"the system prompt has no value for {{{{{name}}}}}")
        return variables[name]

    found = sorted(sections.items().values(), key=lambda section: section.order)
    texts = [_text(section.text, session) for section in found]
    return "\n\n".join(_PLACE.sub(value, text) for text in texts if text)


def context_texts(contexts: Contexts, session: Session) -> dict[str, str]:
    """The pieces of the runtime context that say something, by name, in order."""
    found = sorted(contexts.items().items(), key=lambda row: row[1].order)
    texts = {name: _text(context.text, session) for name, context in found}
    return {name: text for name, text in texts.items() if text}


class Snapshots:
    """Which runtime context the model of one session knows."""

    __slots__ = ("_generation", "_known", "_session")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._generation = -1
        self._known: dict[str, str] = {}

    def due(self, texts: dict[str, str]) -> Message | None:
        """The message to send, when the last one on the surface says something else."""
        if self._generation != self._session.surface.generation:
            self._known = self._last()
            self._generation = self._session.surface.generation
        return snapshot(texts) if texts != self._known else None

    def entered(self, messages: list[Message]) -> None:
        """These messages are on the surface now."""
        for message in messages:
            if _is_snapshot(message):
                self._known = _sections_of(message)

    def _last(self) -> dict[str, str]:
        for message in reversed(self._session.surface.messages()):
            if _is_snapshot(message):
                return _sections_of(message)
        return {}


def snapshot(texts: dict[str, str]) -> Message:
    """The runtime context as a message; an empty one takes an earlier one back."""
    source: PluginSource = {
        "kind": "plugin",
        "plugin": SNAPSHOT,
        "form": "snapshot",
        "sections": texts,
    }
    text = "\n\n".join(["The state of things from here on:", *texts.values()])
    return {
        "id": new_message_id(),
        "role": "user",
        "content": [text_block(text if texts else _CLEARED)],
        "source": source,
    }


def _is_snapshot(message: Message) -> bool:
    source = message["source"]
    return source["kind"] == "plugin" and source["plugin"] == SNAPSHOT


def _sections_of(message: Message) -> dict[str, str]:
    source = message["source"]
    return source.get("sections", {}) if source["kind"] == "plugin" else {}


def _text(text: str | Text, session: Session) -> str:
    return (text if isinstance(text, str) else text(session)).strip()
