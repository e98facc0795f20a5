"""From chunks to one message."""

from __future__ import annotations

import json

import pytest

from dsh.data.messages import StreamChunk
from dsh.runtime.models import Answer, Assembler
from support.scripted import calls, cut, says


def assembled(chunks: list[object], taken: set[str] | None = None) -> Answer:
    assembler = Assembler(taken if taken is not None else set())
    for chunk in chunks:
        assembler.add(chunk)  # type: ignore[arg-type]  # scripts without pauses
    return assembler.answer()


def test_blocks_keep_the_order_in_which_they_first_appeared() -> None:
    chunks: list[StreamChunk] = [
        {"type": "block-start", "index": 7, "blockType": "reasoning"},
        {"type": "text-delta", "index": 2, "text": "an"},
        {"type": "reasoning-delta", "index": 7, "text": "hm"},
        {"type": "text-delta", "index": 2, "text": "swer"},
        {"type": "finish", "reason": "stop"},
    ]
    assert assembled(list(chunks)).content == [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "answer"},
    ]


def test_pieces_after_the_end_of_a_block_are_ignored() -> None:
    chunks: list[StreamChunk] = [
        {"type": "text-delta", "index": 0, "text": "draft"},
        {"type": "block-end", "index": 0, "block": {"type": "text", "text": "final"}},
        {"type": "text-delta", "index": 0, "text": " and more"},
    ]
    answer = assembled(list(chunks))
    assert answer.content == [{"type": "text", "text": "final"}]
    assert answer.reason == "stop"


def test_the_output_limit_drops_calls_from_the_content() -> None:
    answer = assembled([*says("text")[:1], *cut("write", '{"path": "a')])
    assert answer.content == [{"type": "text", "text": "text"}]
    assert answer.calls == []
    assert [call["arguments"] for call in answer.cut] == ['{"path": "a']


def test_a_call_without_an_id_is_named_by_its_place() -> None:
    chunks = calls(("a", {}), ("b", {}))
    for chunk in chunks[:2]:
        assert not callable(chunk)
        chunk["id"] = ""  # type: ignore[typeddict-unknown-key]  # both are call pieces
    assert [call["id"] for call in assembled(list(chunks)).calls] == ["call-1", "call-2"]


def test_an_id_that_was_used_before_gets_a_number() -> None:
    taken: set[str] = set()
    ids = [assembled(list(calls(("a", {}))), taken).calls[0]["id"] for _ in range(3)]
    assert ids == ["call_1", "call_1-2", "call_1-3"]


@pytest.mark.parametrize("raw", ["", '{"a": ', "[1]", '"x"', "null", "nonsense"])
def test_history_holds_arguments_that_every_server_can_parse(raw: str) -> None:
    answer = assembled(list(calls(("a", raw))))
    (block,) = answer.content
    assert block["type"] == "tool-call"
    stored = json.loads(block["arguments"])
    assert stored == ({"unreadable": raw} if raw else {})
    assert answer.calls[0]["arguments"] == raw


def test_what_was_seen_of_an_interrupted_answer_is_kept_without_its_calls() -> None:
    assembler = Assembler(set())
    for chunk in (*says("so far", reasoning="why")[:2], *calls(("a", {}))[:1]):
        assembler.add(chunk)  # type: ignore[arg-type]  # scripts without pauses
    assert [block["type"] for block in assembler.partial()] == ["reasoning", "text"]
