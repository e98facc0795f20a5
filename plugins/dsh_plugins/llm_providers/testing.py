"""A connection test that says which step failed."""

from __future__ import annotations

from dsh.data.clock import monotonic
from dsh.data.ids import new_id
from dsh.data.messages import Finish, Message
from dsh.seams.endpoints import EndpointProvider, UnusableProvider
from dsh.seams.llm import LlmError, ModelInfo, ModelProvider, ModelRequest
from dsh_plugins.llm_providers.wire import TestStep

_KEY = frozenset(
    {"AUTH", "CREDENTIAL_UNCONFIRMED", "INVALID_CREDENTIAL", "MISSING_CREDENTIAL"}
)
_CONNECTION = frozenset({"TRANSPORT", "TIMEOUT"})
_QUESTION = "Reply with the single word OK."
_ANSWERED = ("stop", "max-tokens", "tool-calls")


async def tested(provider: ModelProvider, model: str | None) -> list[TestStep]:
    """Try a provider from its address to an answer; stops at the first real failure."""
    if isinstance(provider, UnusableProvider):
        message = provider.failure["message"]
        return [TestStep(name="address", ok=False, message=message)]
    steps: list[TestStep] = []
    found: list[ModelInfo] = []
    if isinstance(provider, EndpointProvider):
        where = provider.address.chat
        steps.append(TestStep(name="address", ok=True, message=where))
        found = await _asked(provider, steps)
        if not all(step.ok or step.name == "models" for step in steps):
            return steps
    chosen = model or await _some_model(provider, found)
    if chosen is None:
        message = "no model is known; enter the name of one"
        steps.append(TestStep(name="answer", ok=False, message=message))
    else:
        steps.append(await _answered(provider, chosen))
    return steps


async def _asked(provider: EndpointProvider, steps: list[TestStep]) -> list[ModelInfo]:
    """Key, connection and list of models, which one request shows."""
    began = monotonic()
    try:
        found = await provider.discover()
    except LlmError as error:
        message = str(error)
        if error.code in _KEY:
            steps.append(TestStep(name="key", ok=False, message=message))
        elif error.code in _CONNECTION:
            failed = TestStep(
                name="connection", ok=False, message=message, ms=_since(began)
            )
            steps.append(failed)
        else:
            steps.append(TestStep(name="connection", ok=True, ms=_since(began)))
            # Many servers have no list; the names are then entered by hand.
            none = error.code in ("HTTP_404", "HTTP_405", "HTTP_501")
            steps.append(TestStep(name="models", ok=none, message=message))
        return []
    steps.append(TestStep(name="key", ok=True))
    steps.append(TestStep(name="connection", ok=True, ms=_since(began)))
    steps.append(TestStep(name="models", ok=True, message=str(len(found))))
    return found


async def _some_model(provider: ModelProvider, found: list[ModelInfo]) -> str | None:
    if isinstance(provider, EndpointProvider):
        return provider.first_model() or (found[0].id if found else None)
    known = await provider.models()
    return known[0].id if known else None


async def _answered(provider: ModelProvider, model: str) -> TestStep:
    message: Message = {
        "id": new_id("msg"),
        "role": "user",
        "content": [{"type": "text", "text": _QUESTION}],
        "source": {"kind": "plugin", "plugin": "model-test"},
    }
    # As for a title: short, and without long thinking where that can be switched off.
    request = ModelRequest(provider.id, model, [message], max_tokens=200, purpose="title")
    began = monotonic()
    finish: Finish = {"type": "finish", "reason": "stop"}
    async with provider.stream(request) as chunks:
        async for chunk in chunks:
            if chunk["type"] == "finish":
                finish = chunk
    ok = finish["reason"] in _ANSWERED
    failure = finish.get("failure")
    shown = model if ok or failure is None else f"{model}: {failure['message']}"
    name: str = "answer"
    if failure is not None and failure["code"] in _KEY:
        name = "key"
    return TestStep(name=name, ok=ok, message=shown, ms=_since(began))  # type: ignore[arg-type]  # one of two literals


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)
