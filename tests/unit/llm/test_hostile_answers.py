"""Any JSON in a stream is survived: chunks stay well formed and the end is one finish."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsh.data import json
from dsh.data.messages import StreamChunk
from dsh_plugins.llm_openai.answer import AnswerReader
from support.asking import Heard

WORDS = st.sampled_from(
    [
        *("choices", "delta", "message", "finish_reason", "index", "content", "usage"),
        *("reasoning_content", "reasoning", "tool_calls", "function", "name", "id"),
        *("arguments", "error", "timings", "function_call", "prompt_tokens", "text"),
        "refusal",
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-2, 0, 1, 2, 10**30]),
    st.floats(),
    st.sampled_from(["", "x", "{}", '{"n":1}', "stop", "tool_calls", "length", "\ud83d"]),
)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
DELTAS = st.dictionaries(WORDS, ANY, max_size=4)
EVENTS = st.one_of(
    ANY,
    st.builds(
        lambda delta, reason: {"choices": [{"delta": delta, "finish_reason": reason}]},
        DELTAS,
        LEAVES,
    ),
)


@given(st.lists(EVENTS, max_size=5), st.booleans())
def test_any_json_is_survived(events: list[object], ended: bool) -> None:
    chunks: list[StreamChunk] = []
    reader = AnswerReader(chunks.append)
    for event in events:
        reader.take(event)
    reader.finish(ended=ended)
    heard = Heard(chunks)
    assert (heard.reason == "error") is (heard.failure is not None)
    ids = [call[0] for call in heard.calls]
    assert len(set(ids)) == len(ids)
    json.encode(chunks)
