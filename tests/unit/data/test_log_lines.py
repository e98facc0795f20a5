"""The lines of a log, as they are promised from the first day."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh.data.events import Event, Header, SurfaceOp
from dsh.data.log import BadLine, event_line, header_line, read_event, read_header

TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # no lone surrogates
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=10,
)


def test_the_header_line_is_golden() -> None:
    header = Header(1, "session-1", 1_700_000_000_000, "/home/ada/pot", preset="code")
    line = header_line(header)
    assert line == (
        b'{"format":1,"id":"session-1","created":1700000000000,'
        b'"cwd":"/home/ada/pot","preset":"code"}\n'
    )
    assert read_header(line) == header


def test_the_event_lines_are_golden() -> None:
    plain = Event(0, "turn/start", 1_700_000_000_001, {"turn": 1})
    assert event_line(plain) == (
        b'{"seq":0,"type":"turn/start","time":1700000000001,"data":{"turn":1},'
        b'"crc":"2426123f"}\n'
    )
    full = Event(
        7, "x", 2, {"a": "é"}, SurfaceOp("replace", 3, 5), [3, 5], ignorable=True
    )
    assert (
        event_line(full)
        == (
            '{"seq":7,"type":"x","time":2,"data":{"a":"é"},'
            '"surfaceOp":{"op":"replace","start":3,"end":5},"sourceEventSeqs":[3,5],'
            '"ignorable":true,"crc":"4efe841e"}\n'
        ).encode()
    )
    assert read_event(event_line(full)) == full


@given(st.dictionaries(TEXT, JSON))
def test_what_is_written_is_what_is_read(data: dict[str, Any]) -> None:  # Any: JSON
    event = Event(1, "x", 0, data)
    assert read_event(event_line(event)) == event


@pytest.mark.parametrize(
    "mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\r"]
)
def test_a_line_ends_at_a_newline_and_at_nothing_else(mark: str) -> None:
    event = Event(0, "x", 0, {"text": f"one{mark}two\nthree"})
    line = event_line(event)
    assert line.count(b"\n") == 1
    assert read_event(line) == event


def test_no_flipped_bit_goes_unseen() -> None:
    line = event_line(Event(0, "turn/start", 1, {"turn": 1}))
    for index in range(len(line) - 1):
        for bit in range(8):
            bad = bytearray(line)
            bad[index] ^= 1 << bit
            with pytest.raises(BadLine):
                read_event(bytes(bad))


@pytest.mark.parametrize(
    "junk", [b"", b"\n", b"{}", b"\0" * 40, b'{"format":1}', b"[" * 9999]
)
def test_junk_is_neither_header_nor_event(junk: bytes) -> None:
    with pytest.raises(BadLine):
        read_event(junk)
    with pytest.raises(BadLine):
        read_header(junk)
