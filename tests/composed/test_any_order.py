"""Whatever people do, in any order, and killed in between: logs stay sound, requests
stay valid, and nothing survives its program.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.page import Host, hosted
from support.program import items_until, run_dsh
from support.scripted_model import Recorded, Reply, calls, chunk, event, says, tool_call
from support.served import bash, served
from support.stored import logs
from support.waiting import gone

ROUNDS = 4
CALLS = 40  # in each round


class Moody:
    """A model of whose answers no two are alike."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._count = 0

    def __call__(self, _: Recorded) -> Reply:
        self._count += 1
        number, kind = self._count, self._chance.random()
        if kind < 0.4:
            wanted = self._chance.randint(1, 3)
            command = f"echo {number} >> log; sleep {self._chance.choice(['0', '0.2'])}"
            return calls(*[bash(command, f"c{number}_{n}") for n in range(wanted)])
        if kind < 0.5:
            return Reply(*[event(chunk({"content": "tok "}))] * 9, complete=False)
        if kind < 0.55:
            return Reply(b"{}", status=500)
        if kind < 0.62:
            wider = {
                "sandbox_permissions": "danger-full-access",
                "justification": "why not",
            }
            return calls(bash("true", f"c{number}", **wider))
        if kind < 0.67:
            return calls(tool_call("nope", {}, f"c{number}"))
        return says(f"Answer {number}.")


class Person:
    """Does what the page lets a person do."""

    def __init__(self, host: Host, sessions: list[str], chance: random.Random) -> None:
        self._host = host
        self._sessions = sessions
        self._chance = chance
        self.acknowledged: list[str] = []

    def act(self) -> None:
        """Do one thing; it may be refused, but nothing may break."""
        chance, client = self._chance, self._host.client
        kind = chance.random()
        if not self._sessions or (kind < 0.1 and len(self._sessions) < 3):
            made = self._host.session().id
            self._sessions.extend([made] * (made not in self._sessions))
            return
        path, body = self._choice(kind)
        answer = client.post(path, {"sessionId": chance.choice(self._sessions), **body})
        assert answer.status_code < 500, (path, answer.text)
        if path == "session/prompt" and answer.status_code == 200:
            self.acknowledged.append(str(body["text"]))

    def _choice(self, kind: float) -> tuple[str, dict[str, object]]:
        chance = self._chance
        if kind < 0.5:
            mode = chance.choice(["queue", "steer"])
            return "session/prompt", {"text": f"p{chance.random()}", "mode": mode}
        if kind < 0.65:
            return "session/cancel", {}
        if kind < 0.75:
            return f"session/{chance.choice(['resumeQueue', 'retry'])}", {}
        if kind < 0.8:
            mode = chance.choice(["read-only", "workspace-write"])
            return "session/setMode", {"mode": mode}
        if kind < 0.9:
            return self._queue_change()
        return self._answer()

    def _queue_change(self) -> tuple[str, dict[str, object]]:
        session = self._chance.choice(self._sessions)
        with self._host.client.socket(sessions={session: -1}) as socket:
            [*_, last] = items_until(socket, "session/snapshot")
        waiting = last["data"]["queue"]["nextTurn"]
        item = self._chance.choice(waiting)["id"] if waiting else "gone"
        action = self._chance.choice(["edit", "remove", "steer"])
        body = {"sessionId": session, "itemId": item, "action": action, "text": "edited"}
        return "session/updateQueue", body

    def _answer(self) -> tuple[str, dict[str, object]]:
        waiting = self._host.client.call("approval/list")["approvals"]
        if not waiting:
            return "session/markSeen", {}
        question = self._chance.choice(waiting)
        return "approval/answer", {
            "approvalId": question["approvalId"],
            "hash": question["hash"],
            "outcome": self._chance.choice(["allowed-once", "rejected"]),
        }


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_breaks_in_any_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    sessions: list[str] = []
    acknowledged: list[str] = []
    with served(Moody(chance)) as model:
        for _ in range(ROUNDS):
            with hosted(tmp_path, model) as host:
                # One without a prompt is nothing yet, and does not outlive a kill.
                stored = {log.parent.name for log in logs(host.home)}
                sessions[:] = [session for session in sessions if session in stored]
                person = Person(host, sessions, chance)
                for _ in range(chance.randint(1, CALLS)):
                    person.act()
                acknowledged += person.acknowledged
                family = host.program.family()
                if chance.random() < 0.6:
                    host.program.kill()
                else:
                    assert host.program.terminate() == 0
            assert gone(family, 5)
            assert model.refusals == []
        model.answer(lambda _: says("The end."))
        for log in logs(host.home):
            words = ("run", "--session", log.parent.name, "last")
            done = run_dsh(*words, home=host.home, env=model.variables)
            assert done.returncode == 0, done.stderr
        assert model.refusals == []
    verified = run_dsh("session", "verify", home=host.home)
    assert verified.returncode == 0, verified.stdout
    written = "".join(log.read_text("utf-8") for log in logs(host.home))
    assert [text for text in acknowledged if text not in written] == []
    said = host.home / "desktop" / "logs"
    assert "Traceback" not in "".join(p.read_text("utf-8") for p in said.iterdir())
