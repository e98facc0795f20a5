"""The vocabulary between agent and model: messages, blocks, stream chunks, usage.

All of it is plain JSON (typed dictionaries), so that what a model sees, what the log
holds and what a client receives are the same objects. Names follow the wire.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class TextBlock(TypedDict):
    """Visible text."""

    type: Literal["text"]
    text: str


class ReasoningBlock(TypedDict):
    """What a model thought before it answered."""

    type: Literal["reasoning"]
    text: str


class ToolCallBlock(TypedDict):
    """A request to run a tool; ``arguments`` is the raw JSON text of the model."""

    type: Literal["tool-call"]
    id: str
    name: str
    arguments: str


class ToolResultBlock(TypedDict):
    """What a tool call gave back."""

    type: Literal["tool-result"]
    toolCallId: str
    content: list[TextBlock]
    isError: NotRequired[bool]


Block = TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock


class UserSource(TypedDict):
    """A person wrote it."""

    kind: Literal["user"]


class ModelSource(TypedDict):
    """A model wrote it."""

    kind: Literal["model"]
    provider: str
    model: str


class ToolSource(TypedDict):
    """A tool call produced it."""

    kind: Literal["tool"]
    callId: str


class PluginSource(TypedDict):
    """A plugin put it in; ``form`` tells the screen how to show it."""

    kind: Literal["plugin"]
    plugin: str
    form: NotRequired[Literal["instructions", "snapshot", "notice"]]
    summary: NotRequired[str]  # at most 120 characters, for notices
    sections: NotRequired[dict[str, str]]  # for snapshots: name → text


Source = UserSource | ModelSource | ToolSource | PluginSource


class Message(TypedDict):
    """One message of a conversation. Tool results travel in messages of role user."""

    id: str
    role: Literal["user", "assistant"]
    content: list[Block]
    source: Source


class Usage(TypedDict):
    """Tokens of one request; input kinds are disjoint, reasoning is part of output."""

    inputTokens: int  # uncached
    outputTokens: int
    cacheReadTokens: NotRequired[int]
    cacheWriteTokens: NotRequired[int]
    reasoningTokens: NotRequired[int]


class LlmFailure(TypedDict):
    """Why a model request failed. ``code`` is one of `dsh.seams.llm.FAILURE_CODES`."""

    message: str
    code: str
    status: NotRequired[int]
    providerRetryAfterMs: NotRequired[int]
    requestId: NotRequired[str]


class BlockStart(TypedDict):
    """A block begins."""

    type: Literal["block-start"]
    index: int
    blockType: Literal["text", "reasoning", "tool-call"]


class TextDelta(TypedDict):
    """More visible text."""

    type: Literal["text-delta"]
    index: int
    text: str


class ReasoningDelta(TypedDict):
    """More reasoning."""

    type: Literal["reasoning-delta"]
    index: int
    text: str


class ToolCallDelta(TypedDict):
    """More of a tool call; id and name come with its first piece."""

    type: Literal["tool-call-delta"]
    index: int
    id: str
    argumentsDelta: str
    name: NotRequired[str]


class BlockEnd(TypedDict):
    """A block is complete; ``block`` is the whole of it."""

    type: Literal["block-end"]
    index: int
    block: TextBlock | ReasoningBlock | ToolCallBlock


class UsageChunk(TypedDict):
    """Figures of the request; before the finish."""

    type: Literal["usage"]
    usage: Usage


class Finish(TypedDict):
    """The end; nothing follows. ``failure`` is present for error and aborted."""

    type: Literal["finish"]
    reason: Literal["stop", "tool-calls", "max-tokens", "aborted", "error"]
    failure: NotRequired[LlmFailure]


StreamChunk = (
    BlockStart
    | TextDelta
    | ReasoningDelta
    | ToolCallDelta
    | BlockEnd
    | UsageChunk
    | Finish
)


def text_block(text: str) -> TextBlock:
    """A block of visible text."""
    return {"type": "text", "text": text}


def text_of(message: Message) -> str:
    """The visible text of a message, blocks joined by blank lines."""
    parts = [block["text"] for block in message["content"] if block["type"] == "text"]
    return "\n\n".join(parts)
