"""Whatever people, plugins and models do in whatever order: no message is lost or sent
twice, every request is valid, and the log obeys its rules (it is checked at each event).
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from dsh.data.ids import new_message_id
from dsh.data.messages import text_block
from dsh.runtime.agent import Agent
from dsh.runtime.tools import Execution, Outcome
from dsh_plugins.repeat_reminder import repeat_reminder
from dsh_plugins.retry import retry
from support.agents import Echo, runtime
from support.scripted import Answer, Scripted, calls, cut, fails, says, texts

ANSWERS: Final[dict[str, Callable[[], Answer]]] = {
    "says": lambda: says("fine"),
    "thinks": lambda: [*says("", reasoning="hm")],
    "call": lambda: calls(("echo", {"word": "x"})),
    "calls": lambda: calls(("echo", {"word": "x"}), ("nope", {}), ("echo", "{")),
    "cut": lambda: cut("echo", '{"word": "'),
    "rate": lambda: fails("RATE_LIMIT"),
    "auth": lambda: fails("AUTH", {"type": "text-delta", "index": 0, "text": "par"}),
}
VERBS: Final = ("followup", "steer", "inject", "cancel", "edit", "remove", "promote")
ACTIONS: Final = (*VERBS, "resume", "retry", "turn", "idle", "idle")


class Use:
    """Does one action after the other and remembers what was sent."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.sent: dict[str, str] = {}
        self.removed: set[str] = set()

    async def act(self, action: str, which: int) -> None:
        agent, ids = self.agent, list(self.sent)
        chosen = ids[which % len(ids)] if ids else "nothing"
        text = f"text {len(self.sent)}"
        match action:
            case "followup" | "steer":
                message = getattr(agent, action)(text)
                self.sent[message["id"]] = text
            case "inject":
                message_id = new_message_id()
                self.sent[message_id] = text
                agent.inject(
                    {
                        "id": message_id,
                        "role": "user",
                        "content": [text_block(text)],
                        "source": {"kind": "plugin", "plugin": "test"},
                    }
                )
            case "edit":
                if agent.edit(chosen, f"edited {chosen}"):
                    self.sent[chosen] = f"edited {chosen}"
            case "remove":
                if agent.remove(chosen):
                    self.removed.add(chosen)
            case "promote":
                agent.promote(chosen)
            case "cancel":
                agent.cancel()
            case "resume":
                agent.resume_queue()
            case "retry":
                agent.retry()
            case "turn":
                for _ in range(which):
                    await asyncio.sleep(0)
            case _:
                await asyncio.wait_for(agent.idle(), 10)

    def check(self) -> None:
        """Each message is where it belongs: in the conversation or in the queue, once."""
        session = self.agent.session
        places = [*session.surface.messages(), *session.next_turn, *session.next_step]
        for message_id, text in self.sent.items():
            found = [message for message in places if message["id"] == message_id]
            if message_id in self.removed:
                assert not found
            else:
                assert texts(found) == [text]


async def use(actions: list[tuple[str, int]], answers: list[str]) -> None:
    order = iter(answers)

    def answer() -> Answer:
        return ANSWERS[next(order, "says")]()

    async def slow(word: str, _: Execution) -> Outcome:
        await asyncio.sleep(0)
        return Outcome(word)

    with tempfile.TemporaryDirectory() as folder:
        model = Scripted(endless=answer)
        plugins = (retry, repeat_reminder)
        async with runtime(Path(folder), model, *plugins, tool=Echo(slow)) as host:
            user = Use(await host.agent())
            for action, which in actions:
                await user.act(action, which)
            await user.act("idle", 0)
            user.check()
            assert user.agent.session.open_turn is None
            assert user.agent.status == "idle"


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 30)), max_size=25),
    st.lists(st.sampled_from(sorted(ANSWERS)), max_size=15),
)
def test_nothing_is_lost_or_sent_twice(
    actions: list[tuple[str, int]], answers: list[str]
) -> None:
    asyncio.run(use(actions, answers))
