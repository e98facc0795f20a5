"""What a session may do, as one choice: sandbox mode and approval policy together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Literal, cast

from pydantic import BaseModel, ConfigDict

from dsh.kernel import plugin
from dsh.runtime.prompt import Context, Contexts
from dsh.runtime.session import Session
from dsh.seams.permissions import Permissions
from dsh.seams.sandbox import Mode, SandboxPolicy

__all__ = ["PermissionsConfig", "permissions"]

ApprovalPolicy = Literal["ask", "never"]

_ASKS: Final = """\
Approvals: a call that needs more than the sandbox allows can be put to the person, one \
call at a time. Try without first, ask only when it is really needed, and accept a no."""
_NEVER_ASKS: Final = """\
Approvals: nobody is asked in this session. What needs consent is refused; find another \
way or say what you could not do."""


class PermissionPreset(BaseModel, frozen=True, extra="forbid", defer_build=True):
    """A pair under one name."""

    sandbox: Mode
    approval: ApprovalPolicy


def _shipped() -> dict[str, PermissionPreset]:
    return {
        "read-only": PermissionPreset(sandbox="read-only", approval="ask"),
        "workspace-write": PermissionPreset(sandbox="workspace-write", approval="ask"),
        "danger-full-access": PermissionPreset(
            sandbox="danger-full-access", approval="never"
        ),
    }


class PermissionsConfig(BaseModel):
    """The presets; the first one of a mode is what choosing the mode means."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    presets: dict[str, PermissionPreset] | None = None  # None: one for each mode


class LoggedPermissions(Permissions):
    """Permissions are what the session's log says last."""

    def __init__(
        self, policies: SandboxPolicy, presets: dict[str, PermissionPreset]
    ) -> None:
        self._policies = policies
        self._presets = presets

    def set_mode(self, session: object, mode: Mode) -> None:
        """Three whole values, so that each can be read alone; nothing when it is so."""
        log = cast("Session", session)
        name, preset = self._meant_by(mode)
        if log.sandbox_mode == mode and log.approval_policy == preset.approval:
            return
        log.append("sandbox/mode", {"mode": preset.sandbox})
        log.append("approval/policy", {"policy": preset.approval})
        log.append("permission/preset", {"preset": name})

    def mode_of(self, session: object) -> Mode:
        """The mode in force."""
        return self._policies.mode_of(session)

    def policy_of(self, session: Session) -> ApprovalPolicy:
        """Whether the session asks: by its log, else as its mode means it."""
        if session.approval_policy is not None:
            return "never" if session.approval_policy == "never" else "ask"
        return self._meant_by(self.mode_of(session))[1].approval

    def _meant_by(self, mode: Mode) -> tuple[str, PermissionPreset]:
        for name, preset in self._presets.items():
            if preset.sandbox == mode:
                return name, preset
        return mode, _shipped()[mode]


@plugin
async def permissions(
    policies: SandboxPolicy, contexts: Contexts, config: PermissionsConfig
) -> AsyncIterator[Permissions]:
    """Sets permissions, and tells the model whether the person can be asked."""
    provider = LoggedPermissions(policies, config.presets or _shipped())

    def told(session: Session) -> str:
        return _ASKS if provider.policy_of(session) == "ask" else _NEVER_ASKS

    with contexts.add("approval:policy", Context(115, told)):
        yield provider
