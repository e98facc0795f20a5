"""Questions over the wire: silence, haste and tampering never count as consent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from dsh.data.clock import now_ms
from support.page import Host, Session, hosted
from support.program import items_until, run_dsh
from support.scripted_model import calls, says
from support.served import Scripting, Served, bash, results_of, served
from support.stored import endings, kinds
from support.waiting import until

Approval = dict[str, Any]  # Any: a PendingApproval


class Asked:
    """A session whose agent asks for a command outside of its sandbox."""

    def __init__(self, host: Host, model: Served, command: str | None = None) -> None:
        self.host = host
        self.outside = host.home.parent / "outside"
        self.command = command or f"touch {self.outside}"
        wanted = bash(
            self.command,
            sandbox_permissions="danger-full-access",
            justification="the test wants it",
        )
        model.answer(Scripting(calls(wanted), says("So be it.")))
        self.session = host.session()
        self.session.prompt("go")
        self.question: Approval = until(self.session.approvals, "the question")[0]

    def answer(self, **changes: object) -> httpx.Response:
        """The person's answer, unless something of it is changed."""
        body = {
            "approvalId": self.question["approvalId"],
            "hash": self.question["hash"],
            "outcome": "allowed-once",
        }
        return self.host.client.post("approval/answer", body | changes)

    def answered(self, **changes: object) -> httpx.Response:
        """The answer once it is not too early any more."""
        answers: list[httpx.Response] = []

        def late_enough() -> bool:
            answers.append(self.answer(**changes))
            return code(answers[-1]) != "TOO_EARLY"

        until(late_enough, "the moment for an answer")
        return answers[-1]

    def outcomes(self) -> list[str]:
        """What the log says was decided."""
        decided = kinds(self.host.log, "approval/decided")
        return [str(event["data"]["outcome"]) for event in decided]


def code(answer: httpx.Response) -> str | None:
    """The code of a refusal."""
    if answer.status_code == 200:
        return None
    return str(answer.json()["error"]["code"])


@contextmanager
def asked(root: Path, command: str | None = None) -> Iterator[tuple[Asked, Served]]:
    with served() as model, hosted(root, model) as host:
        yield Asked(host, model, command), model


def test_a_yes_runs_exactly_this_once(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, model):
        assert asking.session.status == "waiting"
        assert not asking.outside.exists()
        assert asking.question["shown"]["command"] == asking.command
        assert asking.question["shown"]["mode"] == "danger-full-access"
        assert asking.question["shown"]["cwd"] == str(asking.host.work)
        assert asking.answered().status_code == 200
        asking.host.ended(1)
        assert asking.outside.exists()
        assert asking.outcomes() == ["allowed-once"]
        assert code(asking.answer()) == "SETTLED"
        asking.outside.unlink()
        again = bash(asking.command, "call_2")
        model.answer(Scripting(calls(again), says("No.")))
        asking.session.prompt("again, without asking")
        asking.host.ended(2)
        assert not asking.outside.exists()


def test_a_no_is_told_to_the_model_with_its_words(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, model):
        done = asking.answered(outcome="rejected", reason="not in my house")
        assert done.status_code == 200
        asking.host.ended(1)
        assert not asking.outside.exists()
        [told] = results_of(model.chats[1])
        assert "not in my house" in told
        assert asking.outcomes() == ["rejected"]


def test_an_answer_at_once_is_too_early(tmp_path: Path) -> None:
    with served() as model, hosted(tmp_path, model) as host:
        for attempt in range(1, 20):
            asking = Asked(host, model)
            answer = asking.answer()
            if now_ms() - asking.question["askedAt"] < 500:
                break
            asking.answered(outcome="rejected")  # this machine was too slow; once more
            host.ended(attempt)
        assert code(answer) == "TOO_EARLY"
        assert asking.session.approvals()
        assert not asking.outside.exists()


def test_an_answer_to_something_else_is_none(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, _):
        assert code(asking.answered(hash="0" * 64)) == "HASH_MISMATCH"
        assert code(asking.answered(hash="")) == "HASH_MISMATCH"
        assert code(asking.answered(approvalId="approval-nope")) == "SETTLED"
        for outcome in ("yes", "allowed-always", "", None, True, "cancelled"):
            assert 400 <= asking.answer(outcome=outcome).status_code < 500
        assert asking.session.approvals()
        assert not asking.outside.exists()


def test_a_question_outlives_the_page_and_one_answer_settles_it_everywhere(
    tmp_path: Path,
) -> None:
    with asked(tmp_path) as (asking, _):
        client = asking.host.client
        with client.socket() as gone:
            items_until(gone, "host/snapshot")
        with client.socket() as one, client.socket() as two:
            for socket in (one, two):
                snapshot = items_until(socket, "host/snapshot")[-1]["data"]
                assert [a["approvalId"] for a in snapshot["approvals"]] == [
                    asking.question["approvalId"]
                ]
            asking.answered(outcome="rejected")
            for socket in (one, two):
                settled = items_until(socket, "host/approval-settled")[-1]["data"]
                assert settled["outcome"] == "rejected"
        assert not asking.outside.exists()


def test_a_stop_withdraws_the_question(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, _):
        asking.session.call("cancel")
        asking.session.idle(3)
        asking.host.ended(1)
        assert asking.session.approvals() == []
        assert code(asking.answered()) == "SETTLED"
        assert asking.outcomes() == ["cancelled"]
        assert not asking.outside.exists()


def test_quitting_while_it_waits_is_a_no(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, model):
        assert asking.host.program.terminate() == 0
        assert asking.outcomes() == ["cancelled"]
        with hosted(tmp_path, model) as host:
            assert Session(host.client, asking.session.id).approvals() == []
    assert not asking.outside.exists()
    assert run_dsh("session", "verify", home=asking.host.home).returncode == 0


def test_a_crash_while_it_waits_is_a_no(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, model):
        asking.host.program.kill()
        assert asking.outcomes() == []
        model.answer(lambda _: says("I see."))
        with hosted(tmp_path, model) as host:
            session = Session(host.client, asking.session.id)
            assert session.approvals() == []
            assert session.status != "waiting"
            session.prompt("go on")
            host.ended(2)
            assert endings(host.log) == ["interrupted", "completed"]
        assert asking.outcomes() == ["cancelled"]
        assert model.refusals == []
    assert not asking.outside.exists()
    assert run_dsh("session", "verify", home=asking.host.home).returncode == 0


def test_what_is_shown_is_all_of_what_runs(tmp_path: Path) -> None:
    odd = "echo safe" + " " * 3_000 + "; : \u202e\u200b\r\x1b[8m\n" + "true\n" * 500
    with asked(tmp_path, odd + f"touch {tmp_path}/outside") as (asking, _):
        assert asking.question["shown"]["command"] == asking.command
        assert asking.question["risk"] == "high"
        asking.answered()
        asking.host.ended(1)
        [call] = kinds(asking.host.log, "tool/call")
        assert json.loads(call["data"]["arguments"])["command"] == asking.command
        assert asking.outside.exists()
        asked_, decided = kinds(asking.host.log, "approval/asked", "approval/decided")
        assert asked_["data"]["hash"] == asking.question["hash"]
        assert asked_["data"]["shown"] == asking.question["shown"]
        assert decided["data"]["id"] == asked_["data"]["id"]


def test_another_page_token_answers_nothing(tmp_path: Path) -> None:
    with asked(tmp_path) as (asking, _):
        body = {
            "approvalId": asking.question["approvalId"],
            "hash": asking.question["hash"],
            "outcome": "allowed-once",
        }
        headers = {"x-dsh-page": "guess"}
        answer = asking.host.client.post("approval/answer", body, **headers)
        assert answer.status_code == 403
        assert asking.session.approvals()
