"""Settles the sandbox policy of each call, and tells model and log about it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast

from pydantic import BaseModel

from dsh.data.paths import Home
from dsh.kernel import Events, plugin
from dsh.runtime.prompt import Context, Contexts
from dsh.runtime.session import Session
from dsh.runtime.tools import EXECUTE
from dsh.seams.sandbox import WIDER, Mode, Policy, Sandbox, SandboxPolicy
from dsh.seams.spill import Spill
from dsh_plugins.sandbox_policy.record import Recorder
from dsh_plugins.sandbox_policy.words import in_words


class SandboxPolicyConfig(BaseModel, frozen=True, defer_build=True):
    """What sessions start with."""

    mode: Mode = "workspace-write"
    network: bool = True  # whether confined commands may use the network


class HomePolicy(SandboxPolicy):
    """The session's mode on its own folder, with the program's home kept safe."""

    def __init__(self, home: Home, spill: Spill, config: SandboxPolicyConfig) -> None:
        self._home = home
        self._spill = spill
        self._config = config

    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        workspace = session.cwd if isinstance(session, Session) else Path.cwd()
        return Policy(
            mode or self.mode_of(session),
            workspace,
            temp=self._spill.folder(session),
            network=self._config.network,
            hidden=(self._home.desktop,),
            read_only=(self._home.root,),
        )

    def mode_of(self, session: object | None) -> Mode:
        stored = session.sandbox_mode if isinstance(session, Session) else None
        # A mode of a newer program is not known here: the narrowest is safe.
        narrowest: Mode = "read-only"
        if stored is None:
            return self._config.mode
        return cast("Mode", stored) if stored in WIDER else narrowest


@plugin
async def sandbox_policy(
    home: Home,
    spill: Spill,
    contexts: Contexts,
    events: Events,
    sandbox: Sandbox | None,
    config: SandboxPolicyConfig,
) -> AsyncIterator[SandboxPolicy]:
    """Offer the policy, tell the model about it, and log what is really enforced."""
    policy = HomePolicy(home, spill, config)
    with ExitStack() as stack:
        told = Context(110, lambda session: in_words(policy.resolve(session)))
        stack.enter_context(contexts.add("sandbox:policy", told))
        if sandbox is not None:
            recorder = Recorder(policy, sandbox)
            stack.enter_context(events.wrap(EXECUTE, recorder.around))
        yield policy
