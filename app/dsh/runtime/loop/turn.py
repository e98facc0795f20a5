"""One turn: from the claimed prompt to its end, step by step, in the order of the log."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from dsh.data.events.vocabulary import Cause, ToolSchema, TurnEndReason
from dsh.data.messages import LlmFailure, Message
from dsh.runtime.loop.hooks import (
    PRE_STEP,
    TURN_STOPPING,
    Enter,
    PreStep,
    Reject,
    StepDecision,
    TurnStopping,
)
from dsh.runtime.loop.request import Requests
from dsh.runtime.loop.services import Services
from dsh.runtime.loop.step import COMPLETED, Steps
from dsh.runtime.models import Route, failure_of
from dsh.runtime.prompt import Snapshots, context_texts, system_prompt
from dsh.runtime.tools.schema import schemas_of
from dsh.seams.llm import LlmError

if TYPE_CHECKING:
    from dsh.runtime.agent.agent import Agent

STEP_LIMIT: Final = "the turn reached its limit of {} steps"


class Turn:
    """One turn of an agent.

    ``idle`` is true afterwards when the turn found nothing to do or was refused: the
    queue then waits for the next wake.
    """

    def __init__(
        self,
        agent: Agent,
        services: Services,
        requests: Requests,
        snapshots: Snapshots,
        *,
        again: bool,
    ) -> None:
        self.number = agent.session.turn + 1
        self.idle = False
        self._agent = agent
        self._session = agent.session
        self._services = services
        self._snapshots = snapshots
        self._again = again  # the first step may enter without a new message
        self._steps = Steps(agent, requests, services.tools, self.number)
        self._step = 0
        self._system = ""
        self._route: Route | None = None
        self._tools: list[ToolSchema] = []

    async def run(self) -> TurnEndReason:
        """The whole turn; how it ended also stands in the log."""
        self._session.append("turn/start", {"turn": self.number})
        self._agent.moved(self.number, None)
        try:
            reason = await self._run()
        except asyncio.CancelledError:
            reason = {"kind": "aborted", "reason": self._agent.cause()}
        except Exception as error:  # noqa: BLE001  # whatever fails ends this turn only
            reason = self._failed(failure_of(error), error)
        self._session.append("turn/end", {"turn": self.number, "reason": reason})
        return reason

    def _failed(self, failure: LlmFailure, error: Exception | None) -> TurnEndReason:
        known = None if isinstance(error, LlmError) else error
        self._agent.failed(self.number, self._step or None, failure, known)
        return {"kind": "error", "error": failure}

    async def _run(self) -> TurnEndReason:
        self._tools = schemas_of(self._services.tools.tools.items())
        due: TurnEndReason | None = None
        while True:
            opening = self._step == 0
            entered = await self._pre_step(opening=opening)
            if isinstance(entered, Reject):
                self.idle = True
                cause: Cause = {"kind": "hook", "reason": entered.reason}
                return {"kind": "blocked", "reason": cause}
            if opening and not entered and not self._again:
                self.idle = True
                return COMPLETED
            if due is not None and not entered:
                return due
            due = await self._take(entered)
            if due is not None and due["kind"] == "error":
                return self._failed(due["error"], None)
            if due is not None and await self._stopping():
                return due

    async def _pre_step(self, *, opening: bool) -> list[Message] | Reject:
        inbox = self._agent.inbox
        if self._step >= self._services.max_steps:
            return Reject(STEP_LIMIT.format(self._services.max_steps))
        self._assemble()
        waiting = inbox.peek(turn=opening and not self._again)
        texts = context_texts(self._services.contexts, self._session)
        snapshot = self._snapshots.due(texts)
        offered = [*waiting, snapshot] if snapshot else waiting
        if opening and not waiting and not self._again:
            return []

        async def core(draft: PreStep) -> StepDecision:
            return Enter(draft.messages)

        draft = PreStep(self._agent, self.number, self._step + 1, offered)
        decision = await self._services.events.run(PRE_STEP, draft, core)
        if isinstance(decision, Reject):
            if opening:
                inbox.claim(waiting)
            return decision
        entered = self._as_queued_now(decision.messages, waiting)
        inbox.claim(waiting)
        if opening and not self._again and entered in ([], [snapshot]):
            return []  # what was waiting has been removed meanwhile
        return entered

    def _as_queued_now(
        self, messages: list[Message], waiting: list[Message]
    ) -> list[Message]:
        """Policies may have taken their time: a person's edits of the queue count."""
        offered = {message["id"]: message for message in waiting}
        entered: list[Message] = []
        for message in messages:
            before = offered.get(message["id"])
            if before is None:
                entered.append(message)
                continue
            found = self._agent.inbox.find(message["id"])
            if found is not None:
                entered.append(message if found[2] == before else found[2])
        return entered

    def _assemble(self) -> None:
        """The system prompt, read once a turn and again for another model."""
        route = self._agent.settle_route()
        if route == self._route:
            return
        self._route = route
        variables = {
            "provider": route.provider,
            "model": route.model,
            "cwd": str(self._session.cwd),
        }
        self._system = system_prompt(self._services.sections, self._session, variables)

    async def _take(self, entered: list[Message]) -> TurnEndReason | None:
        session = self._session
        self._step += 1
        mark = {"turn": self.number, "step": self._step}
        session.append("step/start", mark)
        self._agent.moved(self.number, self._step)
        try:
            for message in entered:
                session.append("user/message", dict(message))
            self._snapshots.entered(entered)
            return await self._steps.take(self._step, self._system, self._tools)
        finally:
            session.append("step/end", mark)

    async def _stopping(self) -> bool:
        """Whether the turn may end; policies hear of it and may still steer."""
        if self._session.next_step:
            return False

        async def core(_: TurnStopping) -> None:
            return None

        stopping = TurnStopping(self._agent, self.number)
        await self._services.events.run(TURN_STOPPING, stopping, core)
        return not self._session.next_step
