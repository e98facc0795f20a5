"""The socket is cut again and again: nothing is lost, doubled or out of order."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from support.page import Session, hosted
from support.program import Client, items_until
from support.scripted_model import Reply, calls, chunk, event, says
from support.served import Scripting, bash, served
from support.stored import events, kinds
from support.waiting import until

Item = dict[str, Any]  # Any: an item of the socket


class Page:
    """A client that keeps what it was told, as the page does."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: dict[int, Item] = {}
        self.last = -1
        self.resets = 0
        self.snapshots = 0

    def listen(self, socket: ClientConnection, cut_after: int) -> None:
        """Take in items until so many have come, or the socket is quiet."""
        for _ in range(cut_after):
            try:
                frame = json.loads(socket.recv(0.2))
            except (TimeoutError, ConnectionClosed):
                return
            for item in frame:
                self.take(item)

    def take(self, item: Item) -> None:
        if item["type"] == "reset":
            self.resets += 1
            self.seen.clear()
            self.last = -1
        elif item["type"] == "session/snapshot":
            self.snapshots += 1
            for row in item["data"]["events"]:
                self.seen[row["seq"]] = row
            self.last = item["data"]["lastSeq"]
        elif item["type"] == "session/event" and item["seq"] > self.last:
            assert item["seq"] == self.last + 1, "a gap"
            self.seen[item["seq"]] = item["data"]
            self.last = item["seq"]


def test_a_long_answer_survives_many_cuts(tmp_path: Path) -> None:
    words = [f"w{number} " for number in range(600)]
    chance = random.Random(7)
    with served() as model, hosted(tmp_path, model) as host:
        gates = [model.gate() for _ in range(20)]
        pieces: list[Any] = []  # Any: what a Reply takes
        for number, gate in enumerate(gates):
            part = words[number * 30 : (number + 1) * 30]
            pieces += [event(chunk({"content": word})) for word in part]
            pieces.append(gate)
        model.answer(
            Scripting(calls(bash("seq 1 200")), Reply(*pieces, *says("end.").pieces))
        )
        session = host.session()
        page = Page(session)
        session.prompt("go")
        for gate in gates:
            with host.client.socket(sessions={session.id: page.last}) as socket:
                page.listen(socket, chance.randint(1, 6))
            gate.open()
        host.ended(1)
        last = events(host.log)[-1]["seq"]
        while page.last < last:
            with host.client.socket(sessions={session.id: page.last}) as socket:
                page.listen(socket, 50)
        log = {event["seq"]: event for event in events(host.log)}
        assert page.resets == 0
        assert page.snapshots == 1
        for seq, row in page.seen.items():
            assert row["type"] == log[seq]["type"]
            assert row["data"] == log[seq]["data"]
        [*_, final] = kinds(host.log, "assistant/message")
        assert page.seen[final["seq"]]["data"]["message"]["content"] == [
            {"type": "text", "text": "".join(words) + "end."}
        ]
        results = [r for r in page.seen.values() if r["type"] == "tool/result"]
        assert len(results) == 1
        assert results[0]["card"]["kind"] == "terminal"


def test_who_comes_back_knows_what_the_host_did_meanwhile(tmp_path: Path) -> None:
    with served(lambda _: says("Hi.")) as model, hosted(tmp_path, model) as host:
        session = host.session()
        with host.client.socket() as socket:
            snapshot = items_until(socket, "host/snapshot")[-1]["data"]
        session.prompt("go")
        host.ended(1)
        session.idle()
        place = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
        with host.client.socket(host=place) as socket:
            missed = items_until(socket, "host/session")
        assert "host/snapshot" not in [item["type"] for item in missed]
        assert missed[-1]["seq"] > snapshot["seq"]
        stranger = {"epoch": "another run", "seq": 3}
        with host.client.socket(host=stranger) as socket:
            assert items_until(socket, "host/snapshot")


def test_a_position_that_never_was_gets_everything_anew(tmp_path: Path) -> None:
    with served(lambda _: says("Hi.")) as model, hosted(tmp_path, model) as host:
        session = host.session()
        session.prompt("go")
        host.ended(1)
        with host.client.socket(sessions={session.id: 99_999}) as socket:
            items = items_until(socket, "session/snapshot")
        kinds_ = [item["type"] for item in items if item["topic"] != "host"]
        assert kinds_ == ["reset", "session/snapshot"]


def test_two_pages_hear_the_same(tmp_path: Path) -> None:
    with served() as model, hosted(tmp_path, model) as host:
        model.answer(Scripting(calls(bash("echo hi")), says("Hi.")))
        session = host.session()
        watching = {session.id: -1}
        with (
            host.client.socket(sessions=watching) as one,
            host.client.socket(sessions=watching) as two,
        ):
            pages = [Page(session), Page(session)]
            for page, socket in zip(pages, (one, two), strict=True):
                for item in items_until(socket, "session/snapshot"):
                    page.take(item)
            session.prompt("go")
            host.ended(1)
            last = events(host.log)[-1]["seq"]
            for page, socket in zip(pages, (one, two), strict=True):
                until(partial(_reaches, page, socket, last), "the last event")
        assert pages[0].seen == pages[1].seen


def _reaches(page: Page, socket: ClientConnection, last: int) -> bool:
    page.listen(socket, 1)
    return page.last >= last


def test_live_output_comes_while_the_command_runs(tmp_path: Path) -> None:
    flag = tmp_path / "work" / "flag"
    command = "echo early; until [ -e flag ]; do sleep 0.05; done; echo late"
    with served() as model, hosted(tmp_path, model) as host:
        model.answer(Scripting(calls(bash(command)), says("Ok.")))
        session = host.session()
        with host.client.socket(sessions={session.id: -1}) as socket:
            items_until(socket, "session/snapshot")
            session.prompt("go")
            output = items_until(socket, "session/output")[-1]
            assert "early" in output["data"]["text"]
            assert "seq" not in output
            flag.touch()
            host.ended(1)


def test_a_client_that_reads_nothing_is_let_go_and_may_come_back(tmp_path: Path) -> None:
    """Its host neither waits for it nor keeps all that it does not take."""
    flood = [event(chunk({"content": "x" * 20_000})) for _ in range(300)]
    answer = Reply(*flood, *says("end.").pieces)
    with served(lambda _: answer) as model, hosted(tmp_path, model) as host:
        session = host.session()
        with host.client.socket(frames=1, sessions={session.id: -1}) as deaf:
            items_until(deaf, "session/snapshot")
            for turn in range(1, 5):
                session.prompt("go")
                host.ended(turn)
            _is_closed_with(deaf, 4408)
        page = Page(session)
        with host.client.socket(sessions={session.id: -1}) as socket:
            for item in items_until(socket, "session/snapshot"):
                page.take(item)
        assert page.last == events(host.log)[-1]["seq"]


def _is_closed_with(socket: ClientConnection, code: int) -> None:
    try:
        while True:
            socket.recv(20)
    except ConnectionClosed as closed:
        assert closed.rcvd is not None
        assert closed.rcvd.code == code


def test_a_stranger_to_the_protocol_is_let_go(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        for frame in (
            "no json",
            "[]",
            '{"op":"burn"}',
            '{"op":"subscribe"}',
            "x" * 300_000,
        ):
            with host.client.socket() as socket:
                items_until(socket, "host/snapshot")
                socket.send(frame)
                _is_closed_with(socket, 4400)
        assert _still_answers(host.client)


def _still_answers(client: Client) -> bool:
    return bool(client.call("host/describe")["pid"])
