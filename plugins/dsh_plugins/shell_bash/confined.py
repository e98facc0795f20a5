"""Bash command lines, each confined by the policy of its call."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.kernel import plugin
from dsh.seams.sandbox import Confinement, Sandbox, SandboxPolicy
from dsh.seams.shell import SandboxFacts, Shell, ShellCommand, ShellRequest
from dsh.seams.subprocess import Subprocess
from dsh_plugins.shell_bash.local import BashConfig, LocalBash


class ConfinedBash(LocalBash):
    """Bash in the sandbox; only ``danger-full-access`` runs without it."""

    confines = True

    def __init__(
        self,
        subprocess: Subprocess,
        sandbox: Sandbox,
        policies: SandboxPolicy,
        config: BashConfig,
    ) -> None:
        super().__init__(subprocess, config)
        self._sandbox = sandbox
        self._policies = policies

    def resolve(self, request: ShellRequest) -> ShellCommand:
        command = super().resolve(request)
        if command.policy is None:
            command.policy = self._policies.resolve(None)
        return command

    async def _confine(
        self, argv: list[str], command: ShellCommand
    ) -> Confinement | None:
        assert command.policy is not None  # settled by resolve
        if command.policy.mode == "danger-full-access":
            return None
        return await self._sandbox.confine(argv, command.policy, command.workdir)

    async def _runner_failure(self) -> Exception:
        return await self._sandbox.failed()

    def _facts(
        self, command: ShellCommand, confinement: Confinement | None, *, denied: bool
    ) -> SandboxFacts | None:
        assert command.policy is not None
        enforcement = confinement.enforcement if confinement else None
        return SandboxFacts(command.policy.mode, enforcement, denied=denied)


@plugin
async def bash_confined(
    subprocess: Subprocess,
    sandbox: Sandbox,
    policies: SandboxPolicy,
    config: BashConfig,
) -> AsyncIterator[Shell]:
    """Offer bash confined; where nothing can confine, nothing runs."""
    yield ConfinedBash(subprocess, sandbox, policies, config)
