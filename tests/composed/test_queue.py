"""Typing while the agent works: what is queued waits, can be changed, and is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.page import Host, Session, hosted
from support.program import items_until
from support.scripted_model import Recorded, Reply, calls, says
from support.served import bash, last_user, served
from support.stored import endings, kinds
from support.waiting import until


def queued(session: Session) -> list[str]:
    """What a page that connects now is shown."""
    with session.client.socket(sessions={session.id: -1}) as socket:
        [*_, snapshot] = items_until(socket, "session/snapshot")
    return [item["text"] for item in snapshot["data"]["queue"]["nextTurn"]]


def asked(host: Host) -> list[str]:
    """The prompts of the conversation, in order."""
    found = []
    for event in kinds(host.log, "user/message"):
        if event["data"]["source"]["kind"] == "user":
            found.append(event["data"]["content"][0]["text"])
    return found


def echo(request: Recorded) -> Reply:
    return says(f"To {last_user(request)}.")


def test_a_queue_is_edited_kept_over_a_stop_and_sent_in_order(tmp_path: Path) -> None:
    with served() as model, hosted(tmp_path, model) as host:
        gate = model.gate()
        model.answer(lambda _: Reply(gate))
        session = host.session()
        session.prompt("zero")
        until(gate.reached.is_set, "the first request")
        one, two, _ = [session.prompt(text) for text in ("one", "two", "three")]
        assert queued(session) == ["one", "two", "three"]
        state = session.call("updateQueue", itemId=two, action="edit", text="2!")
        assert [item["text"] for item in state["nextTurn"]] == ["one", "2!", "three"]
        session.call("updateQueue", itemId=one, action="remove")
        assert queued(session) == ["2!", "three"]
        model.answer(echo)
        session.call("cancel")
        session.idle(3)
        assert queued(session) == ["2!", "three"]
        assert asked(host) == ["zero"]
        assert len(model.chats) == 1
        session.call("resumeQueue")
        host.ended(3)
        assert asked(host) == ["zero", "2!", "three"]
        assert endings(host.log) == ["aborted", "completed", "completed"]
        assert queued(session) == []
        assert model.refusals == []


def test_what_has_gone_out_cannot_be_changed(tmp_path: Path) -> None:
    with served(echo) as model, hosted(tmp_path, model) as host:
        session = host.session()
        sent = session.prompt("one")
        host.ended(1)
        for action in ("edit", "remove", "steer"):
            body = {
                "sessionId": session.id,
                "itemId": sent,
                "action": action,
                "text": "x",
            }
            answer = host.client.post("session/updateQueue", body)
            assert 400 <= answer.status_code < 500
            assert answer.json()["error"]["code"] == "QUEUE_ITEM_NOT_FOUND"


def test_what_is_steered_joins_the_running_turn(tmp_path: Path) -> None:
    with served() as model, hosted(tmp_path, model) as host:
        gate = model.gate()
        step = calls(bash("echo hi"))
        model.answer(lambda _: Reply(gate, *step.pieces))
        session = host.session()
        session.prompt("go")
        until(gate.reached.is_set, "the first request")
        session.prompt("by the way", "steer")
        later = session.prompt("also this")
        session.call("updateQueue", itemId=later, action="steer")
        model.answer(echo)
        gate.open()
        host.ended(1)
        session.idle()
        assert endings(host.log) == ["completed"]
        told = [m["content"] for m in model.chats[1].messages if m["role"] == "user"]
        assert told[-2:] == ["by the way", "also this"]


def test_a_queue_outlives_a_crash_and_is_not_sent_by_itself(tmp_path: Path) -> None:
    with served() as model:
        gate = model.gate()
        model.answer(lambda _: Reply(gate))
        with hosted(tmp_path, model) as host:
            session = host.session()
            session.prompt("zero")
            until(gate.reached.is_set, "the first request")
            for text in ("one", "two"):
                session.prompt(text)
            host.program.kill()
        model.answer(echo)
        with hosted(tmp_path, model) as host:
            session = Session(host.client, session.id)
            assert queued(session) == ["one", "two"]
            assert len(model.chats) == 1
            session.call("resumeQueue")
            host.ended(3)
            assert asked(host) == ["zero", "one", "two"]
            assert endings(host.log) == ["interrupted", "completed", "completed"]
            assert model.refusals == []


def test_every_client_sees_the_same_queue(tmp_path: Path) -> None:
    with served() as model, hosted(tmp_path, model) as host:
        gate = model.gate()
        model.answer(lambda _: Reply(gate))
        session = host.session()
        session.prompt("zero")
        until(gate.reached.is_set, "the first request")
        with host.client.socket(sessions={session.id: -1}) as socket:
            items_until(socket, "session/snapshot")
            session.prompt("one")
            # Any: JSON of the wire
            queue: dict[str, Any] = items_until(socket, "session/queue")[-1]["data"]
        assert [item["text"] for item in queue["nextTurn"]] == ["one"]
        gate.open()


def test_a_prompt_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        session = host.session()
        for bad in ("", None, 7, ["x"], "x" * 8_000_001):
            body = {"sessionId": session.id, "text": bad, "mode": "queue"}
            answer = host.client.post("session/prompt", body)
            assert 400 <= answer.status_code < 500, str(bad)[:20]
            assert "error" in answer.json()
        missing = host.client.post(
            "session/prompt", {"sessionId": "session-nope", "text": "x", "mode": "queue"}
        )
        assert 400 <= missing.status_code < 500
        assert missing.json()["error"]["code"] == "SESSION_NOT_FOUND"
