"""What the page does with one session over the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.program import DSH, Client, Program, client_of, headless
from support.served import Served
from support.stored import endings, logs, only_log
from support.waiting import until


class Session:
    """One session of a running program, as its page drives it."""

    def __init__(self, client: Client, id_: str) -> None:
        self.client = client
        self.id = id_

    def call(self, method: str, /, **body: object) -> Any:  # Any: the method's own JSON
        """A method of this session."""
        return self.client.call(f"session/{method}", sessionId=self.id, **body)

    def prompt(self, text: str, mode: str = "queue") -> str:
        """Send a prompt; the id of its message."""
        return str(self.call("prompt", text=text, mode=mode)["messageId"])

    @property
    def summary(self) -> dict[str, Any]:  # Any: a SessionSummary
        """Its line in the list."""
        listed = self.client.call("session/list")["sessions"]
        [found] = [row for row in listed if row["sessionId"] == self.id]
        return dict(found)

    @property
    def status(self) -> str:
        """What the list says of it."""
        return str(self.summary["status"])

    def idle(self, seconds: float = 20.0) -> None:
        """Wait until nothing runs."""
        until(lambda: self.status in ("idle", "failed"), "the end of the turn", seconds)

    def approvals(self) -> list[dict[str, Any]]:  # Any: PendingApproval
        """The questions that wait."""
        found = self.client.call("approval/list")["approvals"]
        return [a for a in found if a["sessionId"] == self.id]


class Host:
    """A program with a workspace, and a client of it."""

    def __init__(self, root: Path, program: Program, client: Client) -> None:
        self.home, self.work = root / "home", root / "work"
        self.program = program
        self.client = client

    def session(self) -> Session:
        """A session in the workspace."""
        workspace = self.client.call("workspace/create", path=str(self.work))
        made = self.client.call("session/create", workspaceId=workspace["workspaceId"])
        return Session(self.client, made["sessionId"])

    @property
    def log(self) -> Path:
        """The log of the only session."""
        until(lambda: logs(self.home), "the log")
        return only_log(self.home)

    def ended(self, turns: int) -> None:
        """Wait until the only session has so many turns behind it."""
        until(lambda: len(endings(self.log)) >= turns, f"the end of turn {turns}")


@contextmanager
def hosted(
    root: Path,
    model: Served | None = None,
    *words: str,
    argv: tuple[str, ...] = DSH,
    also: Mapping[str, str] | None = None,
) -> Iterator[Host]:
    """A program serving ``root/home`` while the block is open."""
    (root / "work").mkdir(exist_ok=True)
    variables = {**(model.variables if model is not None else {}), **(also or {})}
    with (
        headless(root / "home", *words, argv=argv, env=variables) as program,
        client_of(program) as client,
    ):
        yield Host(root, program, client)
