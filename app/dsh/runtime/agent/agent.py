"""One agent: a session at work, with an inbox and a model that answers."""

from __future__ import annotations

from dsh.data.events.vocabulary import Cause
from dsh.data.messages import Message
from dsh.kernel import Scope
from dsh.runtime.agent.facts import Status
from dsh.runtime.models import Route
from dsh.runtime.session import Session


class Agent:
    """A live agent. Made by :class:`~dsh.runtime.agent.Agents` only.

    Its queue is the session's inbox: ``session.next_turn`` and ``session.next_step``.
    """

    session: Session
    scope: Scope

    @property
    def id(self) -> str:
        """The id of its session."""
        raise NotImplementedError

    @property
    def route(self) -> Route:
        """The model of its next request."""
        raise NotImplementedError

    def select(self, route: Route) -> None:
        """Use another model from the next request on."""
        raise NotImplementedError

    @property
    def status(self) -> Status:
        """Whether a turn is running."""
        raise NotImplementedError

    @property
    def turn(self) -> int | None:
        """The turn that is open."""
        raise NotImplementedError

    @property
    def step(self) -> int | None:
        """The step that is open."""
        raise NotImplementedError

    def followup(self, message: str | Message) -> Message:
        """Queue a prompt for a turn of its own, and wake the agent."""
        raise NotImplementedError

    def steer(self, message: str | Message) -> Message:
        """Queue a message for the next step boundary, and wake the agent."""
        raise NotImplementedError

    def inject(self, message: Message) -> Message:
        """Queue context for the next step boundary, without waking anybody."""
        raise NotImplementedError

    def edit(self, message_id: str, text: str) -> bool:
        """Change the text of a queued message; ``False`` when it is not queued."""
        raise NotImplementedError

    def remove(self, message_id: str) -> bool:
        """Take a message out of the queue; ``False`` when it is not queued."""
        raise NotImplementedError

    def promote(self, message_id: str) -> bool:
        """Move a queued prompt to the next step boundary, as if it was steered."""
        raise NotImplementedError

    def resume_queue(self) -> bool:
        """Go on with what is queued; ``False`` when nothing is."""
        raise NotImplementedError

    def retry(self) -> bool:
        """Ask again after a turn that failed; ``False`` when there is nothing to ask."""
        raise NotImplementedError

    def cancel(self, cause: Cause | None = None, *, keep_inbox: bool = True) -> bool:
        """Stop the running turn (the first cause wins; default: the person).

        ``False`` when nothing runs. :meth:`idle` tells when it has really stopped. What
        is queued stays queued and is not sent before the agent is woken again.
        """
        raise NotImplementedError

    async def idle(self) -> None:
        """Return when no turn is running and none is about to start."""
        raise NotImplementedError
