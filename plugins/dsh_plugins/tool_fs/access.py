"""What the file tools share: where a path leads, under which policy, and what to say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from pydantic import BaseModel, Field, model_validator

from dsh.kernel import Events
from dsh.runtime.tools import Execution, ToolError
from dsh.runtime.tools.escalation import denial, escalated
from dsh.seams.approval import Approvals
from dsh.seams.fs import (
    FS_INTENT,
    FileSystem,
    FsError,
    FsIntent,
    FsObserved,
    FsTarget,
    Version,
    WriteIntent,
)
from dsh.seams.sandbox import Policy, SandboxPolicy

SHOWN: Final = 20_000  # characters of a text that a person is asked about
_REMEDIES: Final = {
    "FS_STALE_VERSION": "re-read the file, then retry",
    "FS_NOT_OBSERVED": "read the file, then retry",
}


class Wider(BaseModel, defer_build=True):
    """The arguments with which one call asks for more than the sandbox allows."""

    sandbox_permissions: Literal["workspace-write", "danger-full-access"] | None = Field(
        None,
        description="Only after a denial: the wider mode this one call needs. The person"
        " is asked. Goes together with justification.",
    )
    justification: str | None = Field(
        None, description="Why the wider mode is needed, in one sentence for the person."
    )

    @model_validator(mode="after")
    def _both_or_none(self) -> Wider:
        reason = (self.justification or "").strip()
        if (self.sandbox_permissions is None) != (not reason):
            message = "sandbox_permissions and justification go together"
            raise ValueError(message)
        return self


class Access:
    """Files as one session may use them."""

    def __init__(
        self,
        fs: FileSystem,
        events: Events,
        policies: SandboxPolicy | None,
        approvals: Approvals | None,
    ) -> None:
        self.fs = fs
        self.confines = fs.confines and policies is not None
        self._events = events
        self._policies = policies
        self._approvals = approvals

    async def target(self, path: str, execution: Execution) -> FsTarget:
        """The file that ``path`` means in the session's folder."""
        return await self.fs.resolve(path, execution.session.cwd)

    def policy(self, execution: Execution) -> Policy | None:
        """The policy in force for a call that asks for nothing special."""
        if not self.confines or self._policies is None:
            return None
        return self._policies.resolve(execution.session)

    async def granted(
        self, arguments: BaseModel, shown: dict[str, object], execution: Execution
    ) -> Policy | None:
        """The policy of a call, after the person allowed the wider mode it asks for."""
        if not isinstance(arguments, Wider) or self._policies is None:
            return self.policy(execution)
        mode = arguments.sandbox_permissions
        if mode is None:
            return self.policy(execution)
        shown = {**shown, "justification": arguments.justification}
        return await escalated(self._approvals, self._policies, execution, mode, shown)

    async def guard(
        self, kind: Literal["write", "edit"], target: FsTarget, execution: Execution
    ) -> WriteIntent | None:
        """What the policies say about a change. Raises :class:`FsError`."""

        async def unconditional(_: FsIntent) -> WriteIntent | None:
            return None

        intent = FsIntent(kind, target, execution.session)
        return await self._events.run(FS_INTENT, intent, unconditional)

    def saw(
        self, target: FsTarget, version: Version | None, execution: Execution
    ) -> None:
        """Tell that the session knows this version of the file."""
        self._events.emit(FsObserved(target, version, execution.session))

    @contextmanager
    def told(self, execution: Execution) -> Iterator[None]:
        """Turn refusals of the file system into what the model should read."""
        try:
            yield
        except FsError as error:
            text = str(error)
            remedy = _REMEDIES.get(error.code, error.remedy)
            if error.code == "FS_SANDBOX_DENIED" and self._policies is not None:
                mode = self._policies.mode_of(execution.session)
                helps = self._approvals is not None and remedy is not None
                text += "\n" + denial(mode, widening_helps=helps)
            elif remedy:
                text += f" - {remedy}"
            raise ToolError(text, code=error.code) from error


def extract(name: str, text: str) -> dict[str, object]:
    """All of a text, or as much as a person can look at and a mark of the whole."""
    if len(text) <= SHOWN:
        return {name: text}
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return {
        name: text[:SHOWN],
        f"{name}Hidden": len(text) - SHOWN,  # characters not shown
        f"{name}Sha256": digest,
    }
