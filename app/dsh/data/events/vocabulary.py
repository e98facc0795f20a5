"""The data of every event type that the frame and the shipped plugins write."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from dsh.data.messages import LlmFailure, Message, StreamChunk, Usage


class Cause(TypedDict):
    """Why something was aborted."""

    kind: Literal["user", "parent", "hook", "disposed"]
    reason: NotRequired[str]


class TurnStart(TypedDict):
    """A turn opens. Numbers run 1, 2, 3…"""

    turn: int


class TurnEndReason(TypedDict):
    """How a turn ended; ``interrupted`` is written by recovery only."""

    kind: Literal["completed", "aborted", "blocked", "error", "max-tokens", "interrupted"]
    reason: NotRequired[Cause]
    error: NotRequired[LlmFailure]


class TurnEnd(TypedDict):
    """A turn closes; no step is open."""

    turn: int
    reason: TurnEndReason


class StepMark(TypedDict):
    """A step opens or closes. Numbers restart at 1 with each turn."""

    turn: int
    step: int


class AssistantChunk(TypedDict):
    """One raw chunk of the stream."""

    turn: int
    step: int
    chunk: StreamChunk


class AssistantMessage(TypedDict):
    """The whole answer of one request; cites its chunks."""

    turn: int
    step: int
    message: Message
    usage: NotRequired[Usage]
    interrupted: NotRequired[Literal[True]]


class ToolCall(TypedDict):
    """A call starts; ``arguments`` is the model's raw text."""

    turn: int
    step: int
    callId: str
    name: str
    arguments: str


class ErrorFact(TypedDict):
    """An error that a program can route on."""

    name: str
    code: str


class ToolResult(TypedDict):
    """What a call gave; cites its ``tool/call``. ``meta`` is card data for screens."""

    turn: int
    step: int
    message: Message
    error: NotRequired[ErrorFact]
    meta: NotRequired[dict[str, object]]


class RequestConfig(TypedDict):
    """The route and settings of a request."""

    provider: str
    model: str
    reasoningEffort: NotRequired[str]
    temperature: NotRequired[float]
    maxTokens: NotRequired[int]
    stop: NotRequired[list[str]]


class ToolSchema(TypedDict):
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: dict[str, object]


class EpochHeader(TypedDict):
    """Everything of a request that is not messages."""

    config: RequestConfig
    system: NotRequired[str]
    tools: NotRequired[list[ToolSchema]]


class RequestHeader(TypedDict):
    """The header in force from here on."""

    header: EpochHeader
    reason: Literal["initial", "resume", "change"]


class RequestContext(TypedDict):
    """The route and its window, when one of them changed."""

    provider: str
    model: str
    contextWindow: NotRequired[int]


class InboxSpliced(TypedDict):
    """One change of the inbox: remove ``removedCount`` at ``start``, then insert."""

    target: Literal["next-turn", "next-step"]
    start: int
    inserted: list[Message]
    removedCount: NotRequired[int]
    outcome: NotRequired[Literal["canceled"]]


class EndSeed(TypedDict):
    """The events before this one came from an earlier life of the session."""


class TitleSource(TypedDict):
    """Who gave the title."""

    kind: Literal["fallback", "provider", "user"]
    provider: NotRequired[str]
    model: NotRequired[str]


class SessionTitle(TypedDict):
    """The title from here on; ``messageSeqs`` is empty for a rename."""

    title: str
    messageSeqs: list[int]
    source: TitleSource


class LlmRetry(TypedDict):
    """A failed request will be tried again after ``delayMs``."""

    retryId: str
    turn: int
    step: int
    provider: str
    mode: Literal["normal", "always"]
    policyKey: str
    retry: int
    delayMs: int
    failure: LlmFailure
    maxRetries: NotRequired[int]


class LlmRetryStarted(TypedDict):
    """The wait is over, the request goes out again."""

    retryId: str
    turn: int
    step: int
    retry: int


class ApprovalAsked(TypedDict):
    """A person is asked. ``shown`` is exactly what the card shows; ``hash`` is its
    SHA-256 in hexadecimal over the UTF-8 JSON of ``shown``.
    """

    id: str
    toolName: str
    shown: dict[str, object]
    hash: str
    callId: NotRequired[str]
    reason: NotRequired[str]


class ApprovalDecided(TypedDict):
    """The answer; always written, also when nobody could answer."""

    id: str
    outcome: Literal["allowed-once", "rejected", "cancelled", "unavailable"]
    reason: NotRequired[str]


class SandboxMode(TypedDict):
    """The sandbox mode of the session from here on."""

    mode: Literal["read-only", "workspace-write", "danger-full-access"]
    source: NotRequired[Literal["delegation"]]


class ApprovalPolicy(TypedDict):
    """Whether the session may ask."""

    policy: Literal["ask", "never"]
    source: NotRequired[Literal["delegation"]]


class PermissionPreset(TypedDict):
    """The named pair of sandbox mode and approval policy that was chosen."""

    preset: str


class PresetSelected(TypedDict):
    """The agent preset of a session that had no turn yet."""

    agentPreset: str


class SandboxEnforced(TypedDict):
    """What really confines commands here, with its named gaps; written on change."""

    mechanism: Literal["bubblewrap", "landlock", "none"]
    level: Literal["full", "partial", "none"]
    gaps: list[str]
    network: bool  # whether commands may use the network
