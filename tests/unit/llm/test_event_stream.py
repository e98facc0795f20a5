"""The event-stream reader, whatever the cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_plugins.llm_openai.sse import EventStream, TooLong

TEXT = "漢字 👩‍🚀 é é \u2028 \u0085 \x0b \x0c \x1c end"
STREAM = (
    b"\xef\xbb\xbf: hello\r\n\r\n"
    b"event: message\rdata: one\r\r"
    b"data:two\ndata: three\n\n"
    b": ping\n\n"
    b"id: 7\nretry: 10\ndata\n\n"
    b"data:  " + TEXT.encode() + b"\r\n\r\n"
    b"database: no\n\n"
    b"data: last"
)
EVENTS = [b"one", b"two\nthree", b"", b" " + TEXT.encode(), b"last"]


def read(pieces: list[bytes]) -> list[bytes]:
    stream = EventStream()
    events = [event for piece in pieces for event in stream.feed(piece)]
    return events + stream.finish()


def test_one_piece() -> None:
    assert read([STREAM]) == EVENTS


def test_byte_by_byte() -> None:
    assert read([STREAM[i : i + 1] for i in range(len(STREAM))]) == EVENTS


def test_cut_in_two_at_every_byte() -> None:
    for cut in range(len(STREAM) + 1):
        assert read([STREAM[:cut], STREAM[cut:]]) == EVENTS, cut


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_cut_anywhere(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(edges)]
    assert read(pieces) == EVENTS


def test_an_event_without_end_is_refused_before_it_fills_the_memory() -> None:
    stream = EventStream(largest=100)
    with pytest.raises(TooLong):
        for _ in range(20):
            stream.feed(b"data: 12345")
