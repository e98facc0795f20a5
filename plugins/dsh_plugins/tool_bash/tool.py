"""The bash tool: one command line at a time, in the session's folder and sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar, cast

from pydantic import BaseModel

from dsh.errors import CompositionError
from dsh.kernel import plugin
from dsh.runtime.prompt import Section, Sections
from dsh.runtime.tools import Card, Execution, Outcome, Tool, Tools
from dsh.runtime.tools.escalation import escalated
from dsh.seams.approval import Approvals
from dsh.seams.sandbox import Policy, SandboxPolicy
from dsh.seams.shell import Shell, ShellRequest
from dsh.seams.spill import Spill
from dsh_plugins.tool_bash import render
from dsh_plugins.tool_bash.arguments import BashArguments, ConfinedArguments

_SECTION = """\
Use bash for programs, builds, tests and git; use the file tools to read, search and \
change files. Each call is a new shell in the session's folder: nothing but files lasts \
from one to the next, and no process does. Input is empty, there is no terminal, and \
pagers and prompts are off. A command that exits with another code than 0 is not an \
error of the tool: read its output."""


class Bash(Tool[BashArguments]):
    """Runs a command line through the shell of the execution world."""

    name: ClassVar[str] = "bash"
    description: ClassVar[str] = (
        "Runs a bash command line and returns its output and exit code. The command "
        "ends with the call: whatever it leaves in the background is stopped. Long "
        "output is cut in the middle and kept whole in a file."
    )

    def __init__(
        self,
        shell: Shell,
        spill: Spill | None,
        policies: SandboxPolicy | None,
        approvals: Approvals | None,
    ) -> None:
        self._shell = shell
        self._spill = spill
        self._policies = policies if shell.confines else None
        self._approvals = approvals

    @property
    def arguments(self) -> type[BashArguments]:
        return ConfinedArguments if self._policies is not None else BashArguments

    async def run(self, arguments: BashArguments, execution: Execution) -> Outcome:
        session = execution.session
        cwd = session.cwd / (arguments.workdir or "")
        command = arguments.command
        policy = await self._policy(arguments, execution, cwd)
        milliseconds = arguments.timeoutMs
        request = ShellRequest(
            command,
            workdir=cwd,
            timeout=milliseconds / 1000 if milliseconds is not None else None,
            env={"DSH_SESSION_ID": session.id},
            policy=policy,
            spill=self._spill.folder(session) if self._spill is not None else None,
        )
        resolved = self._shell.resolve(request)
        result = await self._shell.run(resolved, execution.output)
        markers = render.markers_of(result, can_ask=self._approvals is not None)
        text = "\n".join([render.body_of(result), *markers])
        return Outcome(text, meta=render.meta_of(result, cwd, markers))

    async def _policy(
        self, arguments: BashArguments, execution: Execution, cwd: Path
    ) -> Policy | None:
        """The policy in force, or the wider one that a person allows for this call."""
        if self._policies is None:
            return None
        mode = None
        if isinstance(arguments, ConfinedArguments):
            mode = arguments.sandbox_permissions
        if mode is None or not isinstance(arguments, ConfinedArguments):
            return self._policies.resolve(execution.session)
        shown: dict[str, object] = {
            "title": arguments.description,
            "command": arguments.command,
            "cwd": str(cwd),
            "justification": arguments.justification,
        }
        return await escalated(self._approvals, self._policies, execution, mode, shown)

    def present_call(self, arguments: dict[str, object]) -> Card:
        return render.call_card(arguments)

    def present_result(
        self,
        arguments: dict[str, object],
        text: str,
        meta: dict[str, object] | None,
        *,
        failed: bool,
    ) -> Card:
        del failed
        return render.result_card(arguments, text, meta)


@plugin
async def tool_bash(
    tools: Tools,
    sections: Sections,
    shell: Shell,
    spill: Spill | None,
    policies: SandboxPolicy | None,
    approvals: Approvals | None,
) -> AsyncIterator[None]:
    """Give agents the shell."""
    if shell.confines and policies is None:
        message = "the shell confines, but nothing says by which policy"
        raise CompositionError(message, remedy="Mount a sandbox policy.")
    tool = cast("Tool[BaseModel]", Bash(shell, spill, policies, approvals))
    with ExitStack() as stack:
        stack.enter_context(tools.add(tool.name, tool))
        stack.enter_context(sections.add("tool:bash", Section(105, _SECTION)))
        yield
