"""Tool calls from fragments, as many servers as there are habits."""

from __future__ import annotations

import json

import pytest

from support.asking import Heard, ask, endpoint_provider
from support.scripted_model import DONE, Event, Reply, calls, chunk, event, scripted_model

pytestmark = pytest.mark.anyio


async def heard(*fragments: list[Event], finish: str = "tool_calls") -> Heard:
    events = [event(chunk({"tool_calls": some})) for some in fragments]
    reply = Reply(*events, event(chunk({}, finish)), DONE)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        return await ask(provider)


def piece(index: int | None = None, **more: object) -> Event:
    function = {k: v for k, v in more.items() if k in ("name", "arguments")}
    rest = {k: v for k, v in more.items() if k not in function}
    numbered = {} if index is None else {"index": index}
    return {**numbered, **rest, "function": function}


async def test_interleaved_calls_cut_at_every_byte() -> None:
    wanted = {f"call_{n}": ("bash", json.dumps({"command": f"é{n}"})) for n in range(3)}
    fragments = [
        piece(n, id=key, name=name, arguments="")
        for n, (key, (name, _)) in enumerate(wanted.items())
    ]
    longest = max(len(text) for _, text in wanted.values())
    for at in range(longest):
        for n, (_, text) in enumerate(wanted.values()):
            fragments.append(piece(n, arguments=text[at : at + 1]))
    answer = await heard(*[[fragment] for fragment in fragments])
    assert {call[0]: call[1:] for call in answer.calls} == wanted
    assert answer.reason == "tool-calls"


async def test_calls_without_ids_get_different_ones() -> None:
    answer = await heard(
        [piece(0, name="a", arguments="{}")], [piece(1, name="b", arguments="{}")]
    )
    ids = [call[0] for call in answer.calls]
    assert [call[1:] for call in answer.calls] == [("a", "{}"), ("b", "{}")]
    assert len(set(ids)) == 2
    assert all(ids)


async def test_two_calls_with_one_id_are_told_apart() -> None:
    answer = await heard(
        [piece(0, id="x", name="a", arguments="{}")],
        [piece(1, id="x", name="b", arguments='{"n":1}')],
    )
    assert answer.calls == [("x", "a", "{}"), ("x-2", "b", '{"n":1}')]


async def test_calls_that_all_count_as_the_first_are_told_apart() -> None:
    by_id = await heard(
        [piece(0, id="x", name="a", arguments='{"n":1}')],
        [piece(0, id="y", name="a", arguments='{"n":')],
        [piece(0, arguments="2}")],
    )
    assert by_id.calls == [("x", "a", '{"n":1}'), ("y", "a", '{"n":2}')]
    by_completeness = await heard(
        [piece(0, name="a", arguments='{"n":1}')],
        [piece(0, name="a", arguments='{"n":2}')],
    )
    assert [call[2] for call in by_completeness.calls] == ['{"n":1}', '{"n":2}']


async def test_fragments_without_index_follow_their_id_or_the_last_call() -> None:
    answer = await heard(
        [piece(id="x", name="a", arguments='{"n"')],
        [piece(arguments=":1}")],
        [piece(id="y", name="b", arguments='{"n"')],
        [piece(id="y", arguments=":2}")],
    )
    assert answer.calls == [("x", "a", '{"n":1}'), ("y", "b", '{"n":2}')]


async def test_a_repeated_id_and_name_begin_no_new_call() -> None:
    answer = await heard(
        [piece(0, id="x", name="a", arguments='{"n"')],
        [piece(0, id="x", name="a", arguments=":1}")],
        [piece(0, id="x", name="a", arguments='{"n":1}')],
    )
    assert answer.calls == [("x", "a", '{"n":1}')]


async def test_arguments_may_come_as_an_object() -> None:
    answer = await heard([piece(0, id="x", name="a", arguments={"n": ["é"]})])
    assert answer.calls == [("x", "a", '{"n":["é"]}')]


async def test_the_name_may_come_late_or_never() -> None:
    answer = await heard(
        [piece(0, id="x", arguments='{"n"')],
        [piece(1, id="y", arguments="{}")],
        [piece(0, name="a", arguments=":1}")],
    )
    assert sorted(answer.calls) == [("x", "a", '{"n":1}'), ("y", "unknown", "{}")]


@pytest.mark.parametrize("fragment", [None, 7, "x", [], {}, {"function": None}])
async def test_what_is_no_fragment_does_no_harm(fragment: object) -> None:
    good = piece(0, id="x", name="a", arguments="{}")
    answer = await heard([good, fragment])  # type: ignore[list-item]  # odd on purpose
    assert answer.calls == [("x", "a", "{}")]


async def test_stop_with_calls_means_calls() -> None:
    answer = await heard([piece(0, name="a", arguments="{}")], finish="stop")
    assert answer.reason == "tool-calls"


async def test_the_old_form_of_a_single_call_is_read() -> None:
    events = [
        event(chunk({"function_call": {"name": "a", "arguments": '{"n"'}})),
        event(chunk({"function_call": {"arguments": ":1}"}}, "function_call")),
    ]
    async with (
        scripted_model([Reply(*events, DONE)]) as model,
        endpoint_provider(model.url) as provider,
    ):
        answer = await ask(provider)
    assert [call[1:] for call in answer.calls] == [("a", '{"n":1}')]


async def test_a_call_cut_by_the_limit_ends_as_such() -> None:
    reply = calls(piece(0, id="x", name="write", arguments='{"content": "half'))
    limited = Reply(*reply.pieces[:-2], event(chunk({}, "length")), DONE)
    async with (
        scripted_model([limited]) as model,
        endpoint_provider(model.url) as provider,
    ):
        answer = await ask(provider)
    assert answer.reason == "max-tokens"
    assert answer.calls == [("x", "write", '{"content": "half')]
