"""Questions fail closed: only an answer to what was shown lets anything happen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from dsh.errors import SurfaceError
from dsh.kernel import Events, Kernel, Next
from dsh.runtime.session import Session
from dsh.seams.approval import ASK, Answer, ApprovalRequest, hash_of
from dsh_plugins.approvals import desk as desk_module
from dsh_plugins.approvals.desk import Desk
from dsh_plugins.approvals.wire import ApprovalAnswer
from unit.approvals.room import Room, room

pytestmark = pytest.mark.anyio

SHOWN: dict[str, object] = {"title": "Run", "command": "make deploy", "cwd": "/ws"}


class Asking:
    """A question on its way, in a task of its own."""

    def __init__(self, at: Room, session: Session) -> None:
        self.at = at
        self.session = session
        self.answer: Answer | None = None
        self.scope = anyio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            self.answer = await self.at.approvals.request(
                self.session, "bash", SHOWN, call_id="call-1", reason="wider"
            )

    async def answered(self) -> Answer:
        """Wait for the end of the question."""
        while self.answer is None:
            await anyio.lowlevel.checkpoint()
        return self.answer

    async def on_the_desk(self) -> str:
        """Wait until it is shown; its id."""
        while not (waiting := await self.at.waiting()):
            await anyio.lowlevel.checkpoint()
        return str(waiting[0].approval_id)


@pytest.fixture
def in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """People take their time."""
    monkeypatch.setattr(desk_module, "TOO_EARLY", 0.0)


async def facts(at: Room, session: Session) -> list[tuple[str, object]]:
    return [(e.type, e.data.get("outcome")) for e in await at.logged(session)]


async def test_an_answer_to_what_was_shown_settles_the_question(
    tmp_path: Path, in_time: None
) -> None:
    async with room(tmp_path / "home") as at, anyio.create_task_group() as group:
        asking = Asking(at, await at.session())
        group.start_soon(asking.run)
        id_ = await asking.on_the_desk()
        [pending] = await at.waiting()
        assert pending.model_dump(
            exclude={"approval_id", "asked_at"}, by_alias=False
        ) == {
            "session_id": asking.session.id,
            "call_id": "call-1",
            "tool": "bash",
            "shown": SHOWN,
            "hash": hash_of(SHOWN),
            "reason": "wider",
            "risk": "low",
        }
        answered = await at.call(
            "approval/answer", approvalId=id_, hash=pending.hash, outcome="allowed-once"
        )
        assert answered.outcome == "allowed-once"
        assert (await asking.answered()).outcome == "allowed-once"
        assert await at.waiting() == []
        asked, decided = await at.logged(asking.session)
        assert asked.data == {
            "id": id_,
            "toolName": "bash",
            "callId": "call-1",
            "reason": "wider",
            "shown": SHOWN,
            "hash": hash_of(SHOWN),
        }
        assert decided.data == {"id": id_, "outcome": "allowed-once"}
        assert [event.type for event in at.told] == [
            "host/approval",
            "host/approval-settled",
        ]


async def test_only_the_right_words_at_the_right_time_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path / "home") as at, anyio.create_task_group() as group:
        asking = Asking(at, await at.session())
        group.start_soon(asking.run)
        id_ = await asking.on_the_desk()
        hash_ = hash_of(SHOWN)

        async def refused(code: str, **fields: object) -> None:
            whole = {"approvalId": id_, "hash": hash_, "outcome": "allowed-once"}
            with pytest.raises(SurfaceError) as caught:
                await at.call("approval/answer", **(whole | fields))
            assert caught.value.code == code

        monkeypatch.setattr(desk_module, "TOO_EARLY", 3600.0)
        await refused("TOO_EARLY")
        await refused("TOO_EARLY", outcome="rejected")
        monkeypatch.setattr(desk_module, "TOO_EARLY", 0.0)
        await refused("HASH_MISMATCH", hash=hash_of({**SHOWN, "command": "rm -rf ."}))
        await refused("SETTLED", approvalId="approval-unknown")
        with pytest.raises(ValueError, match="outcome"):
            await refused("", outcome="allowed-always")
        assert asking.answer is None
        await at.call(
            "approval/answer", approvalId=id_, hash=hash_, outcome="rejected", reason="no"
        )
        await refused("SETTLED")
        answer = await asking.answered()
        assert (answer.outcome, answer.reason) == ("rejected", "no")
        assert await facts(at, asking.session) == [
            ("approval/asked", None),
            ("approval/decided", "rejected"),
        ]


async def test_half_a_second_must_pass_on_the_desks_clock() -> None:
    now = 100.0
    async with Kernel() as kernel:
        desk = Desk(kernel.root.get(Events), clock=lambda: now)
        request = ApprovalRequest("a", FakeIdentity(), "bash", SHOWN, hash_of(SHOWN))
        answer = ApprovalAnswer(
            approval_id="a", hash=hash_of(SHOWN), outcome="allowed-once"
        )

        async def nobody(_: ApprovalRequest) -> Answer:
            raise AssertionError

        async with anyio.create_task_group() as group:
            group.start_soon(desk.ask, request, nobody)
            await anyio.lowlevel.checkpoint()
            now = 100.49
            with pytest.raises(SurfaceError) as caught:
                await desk.answer(answer)
            assert caught.value.code == "TOO_EARLY"
            now = 100.5
            await desk.answer(answer)


class FakeIdentity:
    """All that a desk looks at in a session."""

    id = "session-1"


async def test_silence_is_no_consent(tmp_path: Path, in_time: None) -> None:
    async with room(tmp_path / "home") as at, anyio.create_task_group() as group:
        asking = Asking(at, await at.session())
        group.start_soon(asking.run)
        await asking.on_the_desk()
        for _ in range(1000):  # nobody is connected, nobody answers
            await anyio.lowlevel.checkpoint()
        assert asking.answer is None
        asking.scope.cancel()
        while await at.waiting():
            await anyio.lowlevel.checkpoint()
        assert asking.answer is None
        assert await facts(at, asking.session) == [
            ("approval/asked", None),
            ("approval/decided", "cancelled"),
        ]
        assert at.told[-1].data.model_dump()["outcome"] == "cancelled"


async def test_who_is_cancelled_already_asks_nobody(tmp_path: Path) -> None:
    async with room(tmp_path / "home") as at:
        asking = Asking(at, await at.session())
        asking.scope.cancel()
        await asking.run()
        assert at.told == []
        assert (await facts(at, asking.session))[-1] == ("approval/decided", "cancelled")


async def test_without_anybody_to_ask_it_is_unavailable(tmp_path: Path) -> None:
    async with room(tmp_path / "home", desk=False) as at:
        session = await at.session()
        answer = await at.approvals.request(session, "bash", SHOWN)
        assert answer.outcome == "unavailable"
        assert await facts(at, session) == [
            ("approval/asked", None),
            ("approval/decided", "unavailable"),
        ]


async def test_an_answerer_that_fails_or_raves_is_no_consent(tmp_path: Path) -> None:
    async def fails(_: ApprovalRequest, __: Next[ApprovalRequest, Answer]) -> Answer:
        raise RuntimeError("broken")

    async def raves(_: ApprovalRequest, __: Next[ApprovalRequest, Answer]) -> Answer:
        return Answer("yes")  # type: ignore[arg-type]  # what a plugin might do

    async with room(tmp_path / "home", desk=False) as at:
        session = await at.session()
        for wrapper in (fails, raves):
            with at.events.wrap(ASK, wrapper):
                answer = await at.approvals.request(session, "bash", SHOWN)
                assert answer.outcome == "unavailable"


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("approval/policy", {"policy": "never"}),
        ("sandbox/mode", {"mode": "danger-full-access"}),
    ],
)
async def test_a_session_that_never_asks_refuses_and_says_so(
    tmp_path: Path, type_: str, data: dict[str, str]
) -> None:
    async with room(tmp_path / "home") as at:
        session = await at.session()
        session.append(type_, data)
        answer = await at.approvals.request(session, "bash", SHOWN)
        assert answer.outcome == "rejected"
        assert answer.reason
        assert at.told == []
        assert (await facts(at, session))[1:] == [
            ("approval/asked", None),
            ("approval/decided", "rejected"),
        ]


async def test_the_end_of_the_program_cancels_what_waits(tmp_path: Path) -> None:
    async with anyio.create_task_group() as group, room(tmp_path / "home") as at:
        asking = Asking(at, await at.session())
        group.start_soon(asking.run)
        await asking.on_the_desk()
        await at.kernel.root.mounts["approvals_host"].close()
        assert (await asking.answered()).outcome == "cancelled"
        assert (await facts(at, asking.session))[-1] == ("approval/decided", "cancelled")
        late = await at.approvals.request(asking.session, "bash", SHOWN)
        assert late.outcome == "unavailable"


async def test_after_a_crash_the_question_is_closed_as_cancelled(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        import anyio
        from unit.approvals.room import room
        async def main():
            async with room(Path(sys.argv[1])) as at, anyio.create_task_group() as group:
                session = await at.session()
                session.append("turn/start", {"turn": 1})
                ask = at.approvals.request
                group.start_soon(ask, session, "bash", {"command": "make"})
                while not await at.waiting():
                    await anyio.lowlevel.checkpoint()
                await session.flush()
                print(session.id, flush=True)
                await anyio.sleep_forever()
        anyio.run(main)
    """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "home")],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as child:
        assert child.stdout is not None
        session_id = child.stdout.readline().strip()
        child.send_signal(signal.SIGKILL)
    async with room(tmp_path / "home") as at:
        session = await at.sessions.open(session_id)
        assert await at.waiting() == []
        decided = [e for e in await at.logged(session) if e.type == "approval/decided"]
        assert [event.data["outcome"] for event in decided] == ["cancelled"]
        assert session.open_approvals == {}


async def test_odd_characters_never_keep_a_question_from_the_log(
    tmp_path: Path, in_time: None
) -> None:
    async with room(tmp_path / "home", desk=False) as at:
        session = await at.session()
        shown: dict[str, object] = {"command": "echo \ud800 \u202e", "more": ["\udcff"]}
        await at.approvals.request(session, "bash", shown)
        asked = (await at.logged(session))[0].data
        assert asked["shown"] == {"command": "echo \\ud800 \u202e", "more": ["\\udcff"]}
        assert asked["hash"] == hash_of(asked["shown"])


def test_the_hash_depends_on_every_word_and_not_on_their_order() -> None:
    one = hash_of({"a": "1", "b": {"c": [1, None]}})
    assert one == hash_of({"b": {"c": [1, None]}, "a": "1"})
    assert one != hash_of({"a": "1 ", "b": {"c": [1, None]}})
    assert len(one) == 64
