"""One request of a step, repeated in the same step as long as policies want it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from dsh.data.events.vocabulary import EpochHeader, RequestConfig, ToolSchema
from dsh.data.ids import new_message_id
from dsh.data.messages import Block, LlmFailure, Message, Usage
from dsh.runtime.loop.hooks import REQUEST, REQUEST_ERROR, FailedRequest, PreRequest
from dsh.runtime.loop.logged import check, header_of, request_of
from dsh.runtime.loop.services import Services
from dsh.runtime.models import Answer, Assembler, ModelCall, streamed
from dsh.runtime.session import Session
from dsh.seams.llm import LlmError, Models

if TYPE_CHECKING:
    from dsh.runtime.agent.agent import Agent


class Requests:
    """The requests of one agent. Lives as long as the agent does."""

    def __init__(self, agent: Agent, services: Services) -> None:
        self._agent = agent
        self._services = services
        self._session: Session = agent.session
        self._header: EpochHeader | None = None  # as this life logged it last
        self._taken = _call_ids(agent.session)

    async def ask(
        self, turn: int, step: int, system: str, tools: list[ToolSchema]
    ) -> tuple[Answer, RequestConfig, list[int]]:
        """The answer, the settings it was asked with, and the seqs of its chunks.

        Raises :class:`LlmError` when it failed and no policy wants another attempt.
        When cancelled, text that was seen stays as an interrupted message.
        """
        while True:
            config = await self._config(turn, step)
            self._log_header(header_of(config, system, tools))
            self._log_context(config)
            assembler = Assembler(self._taken)
            seqs: list[int] = []
            try:
                await self._stream(turn, step, assembler, seqs)
            except asyncio.CancelledError:
                content = assembler.partial()
                if content:
                    self.log_message(turn, step, config, content, seqs, interrupted=True)
                raise
            failure = assembler.failure
            if failure is None:
                return assembler.answer(), config, seqs
            await self._failed(turn, step, config, failure, assembler)

    def log_message(
        self,
        turn: int,
        step: int,
        config: RequestConfig,
        content: list[Block],
        seqs: list[int],
        *,
        interrupted: bool = False,
        usage: Usage | None = None,
    ) -> None:
        """Write an assistant message that cites its chunks."""
        message: Message = {
            "id": new_message_id(),
            "role": "assistant",
            "content": content,
            "source": {
                "kind": "model",
                "provider": config["provider"],
                "model": config["model"],
            },
        }
        data: dict[str, object] = {"turn": turn, "step": step, "message": message}
        if usage is not None:
            data["usage"] = usage
        if interrupted:
            data["interrupted"] = True
        self._session.append("assistant/message", data, sources=seqs)

    async def _config(self, turn: int, step: int) -> RequestConfig:
        route = self._agent.settle_route()
        config: RequestConfig = {"provider": route.provider, "model": route.model}
        if route.effort is not None:
            config["reasoningEffort"] = route.effort

        async def core(draft: PreRequest) -> RequestConfig:
            return draft.config

        draft = PreRequest(self._agent, turn, step, config)
        return await self._services.events.run(REQUEST, draft, core)

    def _log_header(self, header: EpochHeader) -> None:
        reason: Literal["initial", "resume", "change"] = "change"
        if self._header is None:
            reason = "initial" if self._session.request_header is None else "resume"
        elif self._header == header:
            return
        data = {"header": header, "reason": reason}
        event = self._session.append("request/header", data)
        self._header = event.data["header"]  # the log's own, so that both share objects

    def _log_context(self, config: RequestConfig) -> None:
        provider, model = config["provider"], config["model"]
        context: dict[str, object] = {"provider": provider, "model": model}
        window = _window(self._services.models, provider, model)
        if window is not None:
            context["contextWindow"] = window
        if self._session.request_context != context:
            self._session.append("request/context", context)

    async def _stream(
        self, turn: int, step: int, assembler: Assembler, seqs: list[int]
    ) -> None:
        session, services = self._session, self._services
        assert self._header is not None
        request = request_of(self._header, session)
        call = ModelCall(request, session, check)
        append = session.append
        async with streamed(services.events, services.models, call) as chunks:
            async for chunk in chunks:
                data = {"turn": turn, "step": step, "chunk": chunk}
                seqs.append(append("assistant/chunk", data).seq)
                assembler.add(chunk)

    async def _failed(
        self,
        turn: int,
        step: int,
        config: RequestConfig,
        failure: LlmFailure,
        assembler: Assembler,
    ) -> None:
        async def core(_: FailedRequest) -> Literal["retry", "fail"]:
            return "fail"

        failed = FailedRequest(
            self._agent,
            turn,
            step,
            config["provider"],
            failure,
            visible=assembler.visible,
        )
        verdict = await self._services.events.run(REQUEST_ERROR, failed, core)
        if verdict != "retry":
            raise LlmError(failure)


def _window(models: Models, provider: str, model: str) -> int | None:
    found = models.get(provider)
    if found is None:
        return None
    try:
        return found.info(model).context_window
    except Exception:  # noqa: BLE001  # advice only; the request itself will tell
        return None


def _call_ids(session: Session) -> set[str]:
    return {
        block["id"]
        for message in session.surface.messages()
        for block in message["content"]
        if block["type"] == "tool-call"
    }
