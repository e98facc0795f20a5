"""What the guide knows of a conversation: the last request, and what was done for it."""

from __future__ import annotations

from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import Message, text_of
from dsh.seams.llm import ModelRequest
from dsh_plugins.llm_offline.words import Language


class Say:
    """One answer: some text, and at most one tool call."""

    __slots__ = ("arguments", "text", "tool")

    def __init__(self, text: str, tool: str | None = None, **arguments: object) -> None:
        self.text = text
        self.tool = tool
        self.arguments = arguments


class Done:
    """A tool call that was made for the last request, and its result."""

    __slots__ = ("error", "name", "text")

    def __init__(self, name: str, text: str, *, error: bool) -> None:
        self.name = name
        self.text = text
        self.error = error


class Conversation:
    """The last request of a person and the calls made since."""

    __slots__ = ("done", "language", "prompt", "purpose", "tools")

    def __init__(
        self,
        prompt: str,
        done: list[Done],
        tools: dict[str, ToolSchema],
        purpose: str,
    ) -> None:
        self.prompt = prompt
        self.done = done
        self.tools = tools
        self.purpose = purpose
        self.language: Language = "zh" if _chinese(prompt) else "en"

    @classmethod
    def of(cls, request: ModelRequest) -> Conversation:
        """Read it from the messages of a request."""
        prompt, since = "", 0
        for place, message in enumerate(request.messages):
            if message["source"]["kind"] == "user" and message["role"] == "user":
                prompt, since = text_of(message), place + 1
        if since == 0 and request.messages:  # e.g. a title is made of other material
            prompt = text_of(request.messages[-1])
        tools = {tool["name"]: tool for tool in request.tools}
        done = _done(request.messages[since:])
        return cls(prompt, done, tools, request.purpose)

    def options(self, tool: str, argument: str) -> list[str]:
        """The values that a tool allows for an argument, narrowest first."""
        schema = self.tools.get(tool)
        properties = schema["parameters"].get("properties") if schema else None
        described = properties.get(argument) if isinstance(properties, dict) else None
        values = described.get("enum") if isinstance(described, dict) else None
        return [str(value) for value in values] if isinstance(values, list) else []


def _done(messages: list[Message]) -> list[Done]:
    names: dict[str, str] = {}
    done: list[Done] = []
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool-call":
                names[block["id"]] = block["name"]
            elif block["type"] == "tool-result":
                text = "\n".join(part["text"] for part in block["content"])
                name = names.get(block["toolCallId"], "")
                done.append(Done(name, text, error=block.get("isError", False)))
    return done


def _chinese(text: str) -> bool:
    return any("\u3400" <= character <= "\u9fff" for character in text)
