"""Writes into a session's log what really confines its commands, when that changes."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from dsh.kernel import Next
from dsh.runtime.session import Session
from dsh.runtime.tools import Execution, Outcome
from dsh.seams.sandbox import Enforcement, Sandbox, SandboxPolicy


class Recorder:
    """Remembers what each live session's log says last."""

    def __init__(self, policies: SandboxPolicy, sandbox: Sandbox) -> None:
        self._policies = policies
        self._sandbox = sandbox
        self._written: WeakKeyDictionary[Session, dict[str, object]] = WeakKeyDictionary()

    async def around(
        self, execution: Execution, call_next: Next[Execution, Outcome]
    ) -> Outcome:
        """Around each tool body: the log says it before something is run."""
        await self._record(execution.session)
        return await call_next(execution)

    async def _record(self, session: Session) -> None:
        policy = self._policies.resolve(session)
        enforced = Enforcement("none", "none")
        if policy.mode != "danger-full-access":
            enforced = await self._sandbox.probe()
        data: dict[str, object] = {
            "mechanism": enforced.mechanism,
            "level": enforced.level,
            "gaps": list(enforced.gaps),
            "network": policy.network,
        }
        if self._written.get(session) != data:
            self._written[session] = data
            session.append("sandbox/enforced", data, ignorable=True)
