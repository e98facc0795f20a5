"""What the runtime asks a session about, named: attributes over folded states."""

from __future__ import annotations

from typing import Any, cast

from dsh.data.events import Header
from dsh.data.messages import Message, Usage
from dsh.runtime.session import core
from dsh.runtime.session.fold import Fold

Data = dict[str, Any]  # Any: JSON that was validated when it was written


class Views:
    """Always current, cheap to ask, never to be changed by who asks."""

    def __init__(self, header: Header, fold: Fold) -> None:
        self.header = header
        self._fold = fold

    @property
    def title(self) -> str | None:
        """The title in force."""
        return self._fold.state(core.TITLE)

    @property
    def turn(self) -> int:
        """The number of the last turn; 0 before the first."""
        return cast("int", self._fold.state(core.POSITION)["turn"])

    @property
    def open_turn(self) -> int | None:
        """The turn that is open."""
        position = self._fold.state(core.POSITION)
        return position["turn"] if position["open"] else None

    @property
    def open_step(self) -> int | None:
        """The step that is open."""
        position = self._fold.state(core.POSITION)
        return position["step"] if position["stepOpen"] else None

    @property
    def ended(self) -> str | None:
        """How the last turn ended (`TurnEndReason.kind`); None while one is open."""
        position = self._fold.state(core.POSITION)
        return position.get("ended")

    @property
    def request_header(self) -> Data | None:
        """The last `EpochHeader`."""
        return self._fold.state(core.REQUEST_HEADER)

    @property
    def request_context(self) -> Data | None:
        """The last data of `request/context`."""
        return self._fold.state(core.REQUEST_CONTEXT)

    @property
    def next_turn(self) -> list[Message]:
        """The inbox of prompts that wait for a turn of their own."""
        return self._fold.state(core.INBOX)["next-turn"]

    @property
    def next_step(self) -> list[Message]:
        """The inbox of messages for the next step boundary."""
        return self._fold.state(core.INBOX)["next-step"]

    @property
    def sandbox_mode(self) -> str | None:
        """The sandbox mode that was last set."""
        return self._fold.state(core.SANDBOX_MODE)

    @property
    def approval_policy(self) -> str | None:
        """The approval policy that was last set."""
        return self._fold.state(core.APPROVAL_POLICY)

    @property
    def permission_preset(self) -> str | None:
        """The named pair of mode and policy that was last chosen."""
        return self._fold.state(core.PERMISSION_PRESET)

    @property
    def preset(self) -> str | None:
        """The agent preset in force: the one selected last, else the header's."""
        return self._fold.state(core.PRESET) or self.header.preset

    @property
    def usage(self) -> Usage:
        """Tokens of all requests so far, failed ones included."""
        return cast("Usage", self._fold.state(core.USAGE)["total"])

    @property
    def blank(self) -> bool:
        """Whether no user message was logged or queued yet."""
        return self._fold.state(core.BLANK)

    @property
    def open_approvals(self) -> dict[str, Data]:
        """Data of `approval/asked` without an answer, by approval id."""
        return self._fold.state(core.APPROVALS)
