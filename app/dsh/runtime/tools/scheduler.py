"""Runs the calls of one answer: bodies overlap where safe, results keep the order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from dsh.data.messages import Message, ToolCallBlock
from dsh.kernel import Events
from dsh.runtime.session import Session
from dsh.runtime.tools.call import Call, Output, prepare
from dsh.runtime.tools.definition import Execution, Outcome, Tools
from dsh.runtime.tools.gate import admit
from dsh.runtime.tools.hooks import EXECUTE, POST_EXECUTE, Settled
from dsh.runtime.tools.results import log_call, log_result
from dsh.seams.approval import Approvals

# Any: what a coroutine sends and takes in between does not concern its owner.
Spawn = Callable[[Coroutine[Any, Any, Settled]], asyncio.Task[Settled]]

STOPPED: Final = "The call was stopped before it finished; what it had done stays done."
NOT_STARTED: Final = "The call was not run: the turn was stopped before it started."
UNKNOWN: Final = (
    "The call was told to stop and did not end in time, so its outcome is unknown. "
    "Look at what is there before doing it again."
)


class ToolRuntime:
    """What calls need: hooks and tools as one agent sees them, and an owner for bodies.

    ``grace`` is how long, in seconds, a stopped body may take to end.
    """

    __slots__ = ("approvals", "events", "grace", "output", "parallel", "spawn", "tools")

    def __init__(
        self,
        events: Events,
        tools: Tools,
        approvals: Approvals | None,
        spawn: Spawn,
        output: Output,
        *,
        parallel: int = 10,
        grace: float = 5.0,
    ) -> None:
        self.events = events
        self.tools = tools
        self.approvals = approvals
        self.spawn = spawn
        self.output = output
        self.parallel = parallel
        self.grace = grace


class Batch:
    """The calls of one answer, from the first `tool/call` to the last `tool/result`."""

    def __init__(
        self,
        runtime: ToolRuntime,
        session: Session,
        blocks: list[ToolCallBlock],
        turn: int,
        step: int,
    ) -> None:
        self.contexts: list[Message] = []
        self.concluded = False
        self._runtime = runtime
        self._session = session
        self._turn = turn
        self._step = step
        self._waiting = deque(blocks)  # not begun
        self._open: deque[Call] = deque()  # begun, without a result in the log

    async def run(self) -> None:
        """Run them all. When cancelled, each call still gets an honest result."""
        try:
            while self._waiting:
                await self._start(self._waiting[0])
            await self._commit_all()
        except asyncio.CancelledError:
            try:
                await self._stop()
            finally:
                self._close_the_rest()
            raise
        except BaseException:
            await self._end_bodies()
            raise

    async def _start(self, block: ToolCallBlock) -> None:
        runtime = self._runtime
        call = prepare(
            runtime.tools, self._session, block, self._turn, self._step, runtime.output
        )
        if call.parallel and all(other.parallel for other in self._open):
            await self._free_slot()
        else:
            await self._commit_all()
        self._waiting.popleft()
        self._begin(call)
        if call.settled is None:
            await self._admit(call)
        if call.settled is None:
            call.task = runtime.spawn(self._body(call))

    def _begin(self, call: Call) -> None:
        call.seq = log_call(self._session, self._turn, self._step, call.block)
        self._open.append(call)

    async def _admit(self, call: Call) -> None:
        try:
            await admit(self._runtime.events, self._runtime.approvals, call)
        except Exception as error:  # noqa: BLE001  # a gate that breaks keeps the door shut
            call.raised(error)

    async def _body(self, call: Call) -> Settled:
        tool, arguments = call.tool, call.arguments
        assert tool is not None
        assert arguments is not None

        async def core(execution: Execution) -> Outcome:
            call.started = True
            return await tool.run(arguments, execution)

        try:
            outcome = await self._runtime.events.run(EXECUTE, call.execution, core)
        except Exception as error:  # noqa: BLE001  # a tool may raise anything
            return call.raised(error)
        return Settled(call.execution, outcome, outcome.error_code)

    async def _free_slot(self) -> None:
        while True:
            await self._commit_ready()
            running = [call.task for call in self._open if call.running and call.task]
            if len(running) < self._runtime.parallel:
                return
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)

    async def _commit_ready(self) -> None:
        while self._open and not self._open[0].running:
            await self._commit(self._open[0])

    async def _commit_all(self) -> None:
        while self._open:
            head = self._open[0]
            if head.task is not None:
                await asyncio.wait([head.task])
            await self._commit(head)

    async def _commit(self, call: Call) -> None:
        """Take the head's result through the last hook and into the log."""
        _collect(call)
        settled = call.settled
        assert settled is not None
        try:
            call.settled = await self._runtime.events.run(POST_EXECUTE, settled, _as_is)
        except Exception as error:  # noqa: BLE001  # a policy may raise anything
            call.raised(error)
        self._write(call)

    def _write(self, call: Call) -> None:
        assert call.settled is not None
        outcome = call.settled.outcome
        self._open.popleft()
        log_result(self._session, call)
        self.contexts.extend(outcome.contexts)
        failed = call.settled.error_code is not None
        self.concluded = self.concluded or (outcome.concludes_turn and not failed)

    # -- stopping --------------------------------------------------------------

    async def _stop(self) -> None:
        """End what runs, then let the last hook see what is there, in bounded time."""
        await self._end_bodies()
        with suppress(TimeoutError):  # a policy that hangs: its results go in unchanged
            async with asyncio.timeout(self._runtime.grace):
                await self._commit_ready()

    async def _end_bodies(self) -> None:
        """Cancel what runs and wait for its end, as long as the grace allows."""
        running = [call.task for call in self._open if call.running and call.task]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=self._runtime.grace)

    def _close_the_rest(self) -> None:
        """A result for each call that has none, without waiting for anybody."""
        while self._open:
            call = self._open[0]
            if call.running:
                call.fail("TOOL_OUTCOME_UNKNOWN", UNKNOWN, name="ToolOutcomeUnknown")
            else:
                _collect(call)
            self._write(call)
        for block in self._waiting:
            runtime = self._runtime
            call = prepare(
                runtime.tools,
                self._session,
                block,
                self._turn,
                self._step,
                runtime.output,
            )
            call.fail("ABORTED_BEFORE_DISPATCH", NOT_STARTED, name="CallAborted")
            self._begin(call)
            self._write(call)
        self._waiting.clear()


async def _as_is(settled: Settled) -> Settled:
    return settled


def _collect(call: Call) -> None:
    """Settle a call whose body has ended, or that never had one."""
    task = call.task
    if task is not None and not task.cancelled():
        call.settled = task.result()
    elif call.settled is None and call.started:
        text = STOPPED
        if call.tail.strip():
            text += f"\nIts output until then:\n{call.tail}"
        call.fail("ABORTED", text, name="CallAborted")
    elif call.settled is None:
        call.fail("ABORTED_BEFORE_DISPATCH", NOT_STARTED, name="CallAborted")
