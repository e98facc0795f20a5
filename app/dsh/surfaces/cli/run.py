"""`dsh run`: one task, without a window; the session is an ordinary one."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from dsh.composition.boot import Boot, booted
from dsh.composition.profiles import Composition
from dsh.data.events import Event
from dsh.data.messages import text_of
from dsh.errors import DSHError, RunError
from dsh.runtime.agent import Agent, Agents
from dsh.runtime.models import Route
from dsh.runtime.session import Session
from dsh.seams.permissions import Permissions
from dsh.surfaces import start
from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.cli.output import own_output
from dsh.surfaces.cli.selection import composition_of, home_of
from dsh.surfaces.loop import run_loop
from dsh.surfaces.services import REGISTRIES

USAGE = 2
INTERRUPTED = 130
UNREAD = "the output cannot be written"


def execute(options: Options) -> int:
    """Run the task. 0 completed, 1 failed or refused, 2 usage, 130 interrupted."""
    workdir = options.workdir.expanduser().resolve()
    if not workdir.is_dir():
        return _usage(f"{workdir} is not a folder")
    prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
    if not prompt.strip():
        return _usage("the task is empty")
    if any("\ud800" <= letter <= "\udfff" for letter in prompt):
        return _usage("the task is not valid UTF-8")
    route = None
    if options.model is not None:
        provider, slash, model = options.model.partition("/")
        if not (provider and slash and model):
            return _usage("--model takes PROVIDER/MODEL")
        route = Route(provider, model)
    composition = composition_of(options, home_of(options), "cli")
    for warning in composition.warnings:
        sys.stderr.write(f"dsh: {warning.layer}: {warning.message}\n")
    with own_output() as output:
        task = Task(options, composition, workdir, prompt, route, output)
        return run_loop(task.run())


def _usage(message: str) -> int:
    sys.stderr.write(f"dsh run: {message}\n")
    return USAGE


class Task:
    """One run from boot to exit code."""

    def __init__(
        self,
        options: Options,
        composition: Composition,
        workdir: Path,
        prompt: str,
        route: Route | None,
        output: TextIO,
    ) -> None:
        self._output = output
        self._options = options
        self._composition = composition
        self._workdir = workdir
        self._prompt = prompt
        self._route = route
        self._interrupted = False
        self._unread = False  # nobody takes our output any more
        self._ending: str | None = None

    async def run(self) -> int:
        """Boot, do the task, stop everything; returns the exit code."""
        features = frozenset({"cli"})
        async with booted(
            self._composition, features=features, problem=_problem, registries=REGISTRIES
        ) as boot:
            agent = await self._agent(boot)
            start.over()
            with self._printed(agent), self._interruptible(agent):
                agent.followup(self._prompt)
                await agent.idle()
            if agent.session.read_only is not None:  # the end could not even be logged
                sys.stderr.write(f"dsh: {agent.session.read_only}\n")
            return self._conclude(agent.session)

    async def _agent(self, boot: Boot) -> Agent:
        agents = await boot.service(Agents)
        if self._options.session is not None:
            agent = await agents.resume(self._options.session)
            if agent.session.read_only is not None:
                raise RunError(agent.session.read_only, code="SESSION_READ_ONLY")
            if self._route is not None:
                agent.select(self._route)
        else:
            agent = await agents.create(self._workdir, route=self._route)
        if self._options.permission is not None:
            permissions = await boot.service(Permissions)
            permissions.set_mode(agent.session, self._options.permission)
        return agent

    @contextmanager
    def _printed(self, agent: Agent) -> Iterator[None]:
        def note(event: Event) -> None:
            if event.type == "turn/end":
                self._ending = event.data["reason"]["kind"]
                self._explain(event.data["reason"])
            if self._options.format == "jsonl" and not self._put(event_line(event)):
                # As in `dsh run … | head -1`: stop, like any program.
                agent.cancel({"kind": "disposed", "reason": UNREAD})

        # Imported here: the text format does not need the line codec.
        from dsh.data.log import event_line

        with agent.session.listen(note):
            yield

    def _put(self, text: bytes) -> bool:
        """Write to standard output, until that fails once."""
        if self._unread:
            return False
        try:
            self._output.buffer.write(text)
            self._output.buffer.flush()
        except OSError as error:
            self._unread = True
            if not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"dsh: {UNREAD}: {error}\n")
        return not self._unread

    def _explain(self, reason: dict[str, Any]) -> None:  # Any: the data of `turn/end`
        match reason:
            case {"error": {"code": code, "message": message}}:
                sys.stderr.write(f"dsh: {code}: {message}\n")
            case {"kind": "blocked", "reason": {"reason": text}}:
                sys.stderr.write(f"dsh: the turn was stopped: {text}\n")
            case {"kind": "completed" | "aborted"}:
                return
            case {"kind": kind}:
                sys.stderr.write(f"dsh: the turn ended as {kind}\n")

    @contextmanager
    def _interruptible(self, agent: Agent) -> Iterator[None]:
        def stop() -> None:
            if self._interrupted:  # a second time: no more patience
                sys.stderr.flush()
                signal.raise_signal(signal.SIGKILL)
            self._interrupted = True
            agent.cancel({"kind": "user"})

        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, stop)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _conclude(self, session: Session) -> int:
        if self._options.format == "text":
            answer = _last_answer(session)
            if answer:
                self._put(answer.encode("utf-8", "replace") + b"\n")
        if self._interrupted:
            return INTERRUPTED
        return 0 if self._ending == "completed" and not self._unread else 1


def _last_answer(session: Session) -> str:
    for message in reversed(session.surface.messages()):
        if message["role"] == "assistant" and text_of(message).strip():
            return text_of(message).strip()
    return ""


def _problem(row: str, error: BaseException) -> None:
    code = f"{error.code}: " if isinstance(error, DSHError) else ""
    sys.stderr.write(f"dsh: {row}: {code}{error}\n")
