"""One agent: a session at work, with an inbox and a model that answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from dsh.data.events.vocabulary import Cause
from dsh.data.messages import LlmFailure, Message
from dsh.errors import DSHError, RunError
from dsh.kernel import Scope
from dsh.runtime.agent.facts import AgentError, AgentStatus, InboxChanged, Status
from dsh.runtime.agent.inbox import Inbox, Target, prompt
from dsh.runtime.loop.request import Requests
from dsh.runtime.loop.services import Services
from dsh.runtime.loop.turn import Turn
from dsh.runtime.models import DefaultModel, Route, failure_of
from dsh.runtime.prompt import Snapshots
from dsh.runtime.session import Session

_log = logging.getLogger(__name__)

BY_PERSON: Final[Cause] = {"kind": "user"}
DISPOSED: Final[Cause] = {"kind": "disposed"}


class AgentClosed(RunError):
    """The agent is going or gone; resume its session to go on."""

    code = "AGENT_CLOSED"


class Agent:
    """A live agent. Made by :class:`~dsh.runtime.agent.Agents` only.

    Its queue is the session's inbox: ``session.next_turn`` and ``session.next_step``.
    """

    def __init__(
        self,
        session: Session,
        scope: Scope,
        services: Services,
        default: DefaultModel,
        route: Route | None,
    ) -> None:
        self.session = session
        self.scope = scope
        self.status: Status = "idle"
        self.turn: int | None = None  # the turn that is open
        self.step: int | None = None  # the step that is open
        self._services = services
        self._default = default
        self._route = route if route is not None else _route_of(session)
        self._cause: Cause | None = None  # of the abort that is under way
        self._bell = asyncio.Event()  # somebody wants the agent to work
        self._resting = asyncio.Event()
        self._resting.set()
        self._draining = False  # a running activity will still look at the inbox
        self._activity: asyncio.Task[None] | None = None
        self._again = False
        self._closing = False
        self.inbox = Inbox(session, self._inbox_changed)
        self._requests = Requests(self, services)
        self._snapshots = Snapshots(session)

    @property
    def id(self) -> str:
        """The id of its session."""
        return self.session.id

    # -- its model -------------------------------------------------------------

    @property
    def route(self) -> Route:
        """The model of its next request."""
        return self._route if self._route is not None else self._default.current()

    def select(self, route: Route) -> None:
        """Use another model from the next request on."""
        self._route = route

    def settle_route(self) -> Route:
        """The route of a request that is about to go out, kept from then on."""
        self._route = self.route
        return self._route

    # -- its inbox -------------------------------------------------------------

    def followup(self, message: str | Message) -> Message:
        """Queue a prompt for a turn of its own, and wake the agent."""
        return self._send(message, "next-turn")

    def steer(self, message: str | Message) -> Message:
        """Queue a message for the next step boundary, and wake the agent.

        While a stop is under way it becomes a prompt of its own.
        """
        stopping = self._cause is not None
        return self._send(message, "next-turn" if stopping else "next-step")

    def inject(self, message: Message) -> Message:
        """Queue context for the next step boundary, without waking anybody."""
        self.inbox.add("next-step", message)
        return message

    def edit(self, message_id: str, text: str) -> bool:
        """Change the text of a queued message; ``False`` when it is not queued."""
        return self.inbox.edit(message_id, text)

    def remove(self, message_id: str) -> bool:
        """Take a message out of the queue; ``False`` when it is not queued."""
        return self.inbox.remove(message_id)

    def promote(self, message_id: str) -> bool:
        """Move a queued prompt to the next step boundary, as if it was steered."""
        moved = self.inbox.move(message_id, "next-step")
        if moved:
            self._wake()
        return moved

    def resume_queue(self) -> bool:
        """Go on with what is queued; ``False`` when nothing is."""
        if not self.inbox:
            return False
        self._wake()
        return True

    def retry(self) -> bool:
        """Ask again after a turn that failed; ``False`` when there is nothing to ask."""
        messages = self.session.surface.messages()
        if self.status == "running" or not messages or messages[-1]["role"] != "user":
            return False
        self._again = True
        self._wake()
        return True

    def _send(self, message: str | Message, target: Target) -> Message:
        if self._closing:
            raise AgentClosed(f"session {self.id} is being closed")
        sent = prompt(message)
        self.inbox.add(target, sent)
        self._wake()
        return sent

    # -- its work --------------------------------------------------------------

    def cancel(self, cause: Cause | None = None, *, keep_inbox: bool = True) -> bool:
        """Stop the running turn (the first cause wins; default: the person).

        ``False`` when nothing runs. :meth:`idle` tells when it has really stopped. What
        is queued stays queued and is not sent before the agent is woken again.
        """
        if not keep_inbox:
            self.inbox.clear()
        self._bell.clear()  # whoever was about to start it
        if self._activity is None:
            waiting = not self._resting.is_set()
            self._again = False
            self._resting.set()
            return waiting
        if self._cause is None:
            self._cause = cause or BY_PERSON
            self._activity.cancel()
        return True

    async def idle(self) -> None:
        """Return when no turn is running and none is about to start."""
        await self._resting.wait()

    def cause(self) -> Cause:
        """Why the running turn is being stopped."""
        return self._cause or DISPOSED

    def moved(self, turn: int | None, step: int | None) -> None:
        """Note where the loop is, and tell."""
        self.turn, self.step = turn, step
        self._services.events.emit(AgentStatus(self.id, self.status, turn, step))

    def failed(
        self, turn: int, step: int | None, failure: LlmFailure, error: Exception | None
    ) -> None:
        """Tell that a turn ended because something failed."""
        if error is not None and not isinstance(error, DSHError):
            _log.error("a turn of %s failed", self.id, exc_info=error)
        self._services.events.emit(AgentError(self.id, turn, step, failure, error))

    def _wake(self) -> None:
        if self._draining and self._cause is None:
            return  # the running activity looks at the inbox before it ends
        self._resting.clear()
        self._bell.set()

    def _inbox_changed(self) -> None:
        self._services.events.emit(InboxChanged(self.id))

    # -- its life, for the service that owns it ----------------------------------

    def end(self) -> None:
        """Stop for good; :meth:`live` returns when everything has ended."""
        self._closing = True
        self.cancel(DISPOSED)
        self._bell.set()

    async def live(self) -> None:
        """Work whenever woken, until :meth:`end`."""
        while True:
            await self._bell.wait()
            if not self._bell.is_set():
                continue  # a stop came between the ring and this task
            self._bell.clear()
            if self._closing:
                break
            self._cause = None
            async with asyncio.TaskGroup() as group:
                self._activity = group.create_task(self._drain(), name=f"turn {self.id}")
                self._draining = True
            self._activity = None
            self._draining = False
            self._tell("idle")
            if not self._bell.is_set():
                self._resting.set()
        self._resting.set()

    def _tell(self, status: Status) -> None:
        self.status = status
        self.moved(None, None)

    async def _drain(self) -> None:
        """Turn after turn, until the inbox is empty or a turn ends badly."""
        self._tell("running")
        try:
            while self.inbox or self._again:
                again, self._again = self._again, False
                turn = Turn(
                    self, self._services, self._requests, self._snapshots, again=again
                )
                reason = await turn.run()
                if turn.idle or reason["kind"] in ("aborted", "error"):
                    break
        except Exception as error:  # noqa: BLE001  # the log itself failed: nothing can be written
            number = self.turn or self.session.turn
            self.failed(number, self.step, failure_of(error), error)
        finally:
            self._draining = False

    def __repr__(self) -> str:
        return f"<agent {self.id} {self.status}>"


def _route_of(session: Session) -> Route | None:
    header = session.request_header
    if header is None:
        return None
    config = header["config"]
    return Route(config["provider"], config["model"], config.get("reasoningEffort"))
