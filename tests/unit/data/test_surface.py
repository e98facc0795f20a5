"""What the model sees, and what may change it."""

from __future__ import annotations

from typing import Any

import pytest

from dsh.data.events import Event, SurfaceOp
from dsh.data.events.envelope import APPEND
from dsh.data.log import Surface
from unit.session.story import MARK, answer, calls, result, text, user


def event(
    seq: int,
    type_: str,
    data: dict[str, Any],  # Any: JSON
    op: SurfaceOp | None = APPEND,
    sources: list[int] | None = None,
) -> Event:
    return Event(seq, type_, 0, data, op, sources)


def conversation() -> Surface:
    """Seqs 1 user, 2 assistant, 4 result, 5 result, 6 user."""
    surface = Surface()
    message = answer(text("hm"), calls("c1"), calls("c2"))
    for added in (
        event(1, "user/message", user("one", "u1")),
        event(2, "assistant/message", {**MARK, "message": message}, sources=[]),
        event(4, "tool/result", result("c1")),
        event(5, "tool/result", result("c2")),
        event(6, "user/message", user("two", "u2")),
    ):
        assert surface.refusal(added) is None
        surface.apply(added)
    return surface


def seqs(surface: Surface) -> list[int]:
    return [node.seq for node in surface.nodes]


def replacing(seq: int, start: int, end: int, *sources: int) -> Event:
    op = SurfaceOp("replace", start, end)
    return event(seq, "user/message", user("summary", "s"), op, list(sources))


def pruned(seq: int, start: int, end: int, *sources: int) -> Event:
    op = SurfaceOp("replace", start, end)
    return event(seq, "tool/result", result("c1", "(pruned)"), op, list(sources))


def test_messages_come_verbatim_and_in_order() -> None:
    surface = conversation()
    assert [m["id"] for m in surface.messages()] == ["u1", "a1", "r-c1", "r-c2", "u2"]
    assert surface.messages()[0] == user("one", "u1")
    assert surface.generation == 0


def test_a_range_is_replaced_and_the_rest_stays() -> None:
    surface = conversation()
    summary = replacing(7, 1, 4, 1, 2, 4)
    assert surface.refusal(summary) is None
    surface.apply(summary)
    assert seqs(surface) == [7, 5, 6]
    assert [m["id"] for m in surface.messages()] == ["s", "r-c2", "u2"]
    assert surface.generation == 1


def test_ranges_go_by_position_not_by_number() -> None:
    surface = conversation()
    surface.apply(replacing(7, 1, 4, 1, 2, 4))
    again = replacing(8, 7, 5, 7, 5)  # 7 stands before 5 now
    assert surface.refusal(again) is None
    surface.apply(again)
    assert seqs(surface) == [8, 6]
    assert surface.refusal(replacing(9, 6, 8, 6, 8)) is not None


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (replacing(7, 3, 4, 3, 4), "not on the surface"),
        (replacing(7, 4, 2, 2, 4), "ends before"),
        (replacing(7, 1, 4, 1, 4), "cite every message"),
        (event(7, "user/message", user("x"), None), "must say how"),
        (event(7, "turn/start", {"turn": 1}), "cites nothing"),
        (event(7, "turn/start", {"turn": 1}, None, [1]), "cites nothing"),
        (event(7, "user/message", user("x"), sources=[]), "empty list"),
        (event(7, "user/message", user("x"), sources=[1, 1]), "twice"),
        (event(7, "user/message", user("x"), sources=[7]), "not before it"),
        (event(7, "user/message", user("x"), sources=[-1]), "not before it"),
        (event(7, "user/message", {"id": "u"}), "does not hold a message"),
        (pruned(7, 4, 5, 4, 5), "exactly one"),
        (pruned(7, 2, 2, 2), "exactly one"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_name(bad: Event, why: str) -> None:
    surface = conversation()
    assert why in (surface.refusal(bad) or "accepted")
    assert seqs(surface) == [1, 2, 4, 5, 6]


def test_a_result_may_replace_the_content_of_a_result_and_nothing_else() -> None:
    surface = conversation()
    shorter = pruned(7, 4, 4, 4)
    assert surface.refusal(shorter) is None
    surface.apply(shorter)
    assert seqs(surface) == [1, 2, 7, 5, 6]
    op = SurfaceOp("replace", 5, 5)
    for changed in (
        result("c1"),
        {**result("c2"), "error": {"name": "E", "code": "E"}},
        {**result("c2"), "meta": {}},
    ):
        other = event(8, "tool/result", changed, op, [5])
        assert "only replace the content" in (surface.refusal(other) or "")


@pytest.mark.parametrize(
    "blocks",
    [[], [text("")], [text(" \n")], [{"type": "reasoning", "text": "a long thought"}]],
)
def test_an_answer_that_says_and_asks_nothing_is_not_sent(
    blocks: list[dict[str, str]],
) -> None:
    surface = Surface()
    data = {**MARK, "message": answer(*blocks)}
    surface.apply(event(0, "assistant/message", data, sources=[]))
    assert seqs(surface) == [0]
    assert surface.messages() == []


def test_a_call_without_text_is_sent() -> None:
    surface = Surface()
    data = {**MARK, "message": answer(calls("c1"))}
    surface.apply(event(0, "assistant/message", data, sources=[]))
    assert len(surface.messages()) == 1
