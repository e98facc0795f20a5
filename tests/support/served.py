"""The scripted model in a thread of its own, for tests that drive real processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from support.scripted_model import (
    Back,
    Event,
    Recorded,
    Reply,
    Script,
    ScriptedModel,
    scripted_model,
    tool_call,
)

START_SECONDS = 10.0
Answering = Callable[[Recorded], Reply]


class Gate(asyncio.Event):
    """A place in a reply where the server waits until the test opens it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._home = loop
        self.reached = threading.Event()

    async def wait(self) -> bool:  # type: ignore[override]  # True, as its parent says
        self.reached.set()
        return await super().wait()

    def open(self) -> None:
        """Let the reply go on; from any thread."""
        self._home.call_soon_threadsafe(self.set)


class Served:
    """A model server beside the test."""

    def __init__(self, model: ScriptedModel, loop: asyncio.AbstractEventLoop) -> None:
        self.model = model
        self.gates: list[Gate] = []
        self._loop = loop

    @property
    def variables(self) -> dict[str, str]:
        """What makes a program use it."""
        return {
            "DSH_LLM_BASE_URL": self.model.url,
            "DSH_LLM_API_KEY": "sk-test",
            "DSH_LLM_MODEL": "scripted",
            "DSH_LLM_DIALECT": "generic",
        }

    @property
    def chats(self) -> list[Recorded]:
        """The requests for an answer so far."""
        return self.model.chats

    @property
    def refusals(self) -> list[str]:
        """What a strict server had to refuse."""
        return self.model.refusals

    def gate(self) -> Gate:
        """A place for a reply to wait at."""
        gate = Gate(self._loop)
        self.gates.append(gate)
        return gate

    def answer(self, script: Answering) -> None:
        """Answer by another script from now on."""
        self.model.answer = script

    def hang_up(self) -> None:
        """Cut every connection."""
        self._loop.call_soon_threadsafe(self.model.hang_up)


class Scripting:
    """An answer for each request, in order; it can grow while the server runs."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)

    def __call__(self, request: Recorded) -> Reply:
        if not self.replies:
            raise StopIteration
        return self.replies.pop(0)


@contextmanager
def served(script: Script = (), *, back: Back = "ignored") -> Iterator[Served]:
    """A server while the block is open."""
    started: list[Served] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with scripted_model(script, back=back) as model:
            started.append(Served(model, loop))
            ready.set()
            await over.wait()
            for gate in started[0].gates:
                gate.set()
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=START_SECONDS)

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=work, name="scripted model")
    thread.start()
    try:
        assert ready.wait(START_SECONDS), "the scripted model did not start"
        yield started[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(START_SECONDS)


def bash(command: str, call_id: str = "call_1", **more: object) -> Event:
    """A call of the shell."""
    arguments = {"command": command, "description": "what the test wants", **more}
    return tool_call("bash", arguments, call_id)


def results_of(request: Recorded) -> list[str]:
    """The texts of the tool results in a request, in order."""
    return [str(m["content"]) for m in request.messages if m["role"] == "tool"]


def last_user(request: Recorded) -> str:
    """The newest text of a person in a request."""
    found = [m["content"] for m in request.messages if m["role"] == "user"]
    return str(found[-1])
