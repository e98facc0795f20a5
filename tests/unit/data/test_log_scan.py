"""A damaged log is read up to the damage; a torn one is read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.events import Event, Header
from dsh.data.log import (
    Place,
    Scan,
    event_line,
    header_line,
    open_header,
    prefix_matches,
    read_at,
    read_window,
)
from dsh.errors import DataError


def lines(count: int) -> list[bytes]:
    """A header and some events, with text of several bytes a letter."""
    events = [Event(i, "x", i, {"t": f"für {i} 事件 \u2028 🙂"}) for i in range(count)]
    return [header_line(Header(1, "s1", 1, "/w")), *map(event_line, events)]


def written(folder: Path, content: bytes) -> Path:
    path = folder / "log.jsonl"
    path.write_bytes(content)
    return path


def scanned(path: Path) -> tuple[list[int], Scan]:
    scan = Scan(path, open_header(path)[1])
    return [event.seq for event, _, _ in scan], scan


def test_a_sound_log_is_read_to_its_end(tmp_path: Path) -> None:
    path = written(tmp_path, b"".join(lines(60)))
    seqs, scan = scanned(path)
    assert seqs == list(range(60))
    assert (scan.damage, scan.torn) == (None, 0)
    assert scan.end.offset == path.stat().st_size
    assert prefix_matches(path, scan.end)


def test_a_cut_at_any_byte_of_the_last_lines_keeps_every_whole_line(
    tmp_path: Path,
) -> None:
    content = lines(10)
    whole = b"".join(content)
    for size in range(len(whole) - len(b"".join(content[-3:])), len(whole) + 1):
        path = written(tmp_path, whole[:size])
        seqs, scan = scanned(path)
        complete = whole[:size].count(b"\n") - 1
        assert seqs == list(range(complete))
        assert scan.damage is None
        assert scan.torn == size - scan.end.offset


@pytest.mark.parametrize("junk", [b"\0" * 50 + b"\n", b"{}\n", b"\n"])
def test_a_last_line_that_cannot_be_read_is_torn(tmp_path: Path, junk: bytes) -> None:
    path = written(tmp_path, b"".join(lines(5)) + junk)
    seqs, scan = scanned(path)
    assert seqs == [0, 1, 2, 3, 4]
    assert (scan.damage, scan.torn) == (None, len(junk))


def test_every_flipped_byte_in_the_middle_is_damage(tmp_path: Path) -> None:
    content = lines(60)
    start = len(b"".join(content[:20]))
    for offset in range(start, start + len(content[20]) - 1):
        whole = bytearray(b"".join(content))
        whole[offset] ^= 0x20
        seqs, scan = scanned(written(tmp_path, bytes(whole)))
        assert seqs == list(range(19))
        assert scan.damage is not None
        assert scan.damage.line == 21
        assert scan.damage.code in ("CRC", "JSON")


def test_a_missing_and_a_doubled_line_are_damage(tmp_path: Path) -> None:
    content = lines(60)
    seqs, scan = scanned(written(tmp_path, b"".join(content[:30] + content[31:])))
    assert len(seqs) == 29
    assert scan.damage is not None
    assert (scan.damage.line, scan.damage.code) == (31, "GAP")
    doubled = content[:41] + content[40:]
    seqs, scan = scanned(written(tmp_path, b"".join(doubled)))
    assert len(seqs) == 40
    assert scan.damage is not None
    assert (scan.damage.line, scan.damage.code) == (42, "DUPLICATE")
    assert "event 39" in str(scan.damage)


def test_a_wrong_number_in_the_last_line_is_damage_not_a_torn_tail(
    tmp_path: Path,
) -> None:
    content = lines(5)
    _, scan = scanned(written(tmp_path, b"".join([*content, content[-1]])))
    assert scan.torn == 0
    assert scan.damage is not None


@pytest.mark.parametrize("content", [b"", b"{", b"hello\n", lines(0)[0][:-1]])
def test_a_log_without_a_header_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError) as caught:
        open_header(written(tmp_path, content))
    assert caught.value.code == "SESSION_DAMAGED"


def test_a_newer_format_is_refused_with_a_way_out(tmp_path: Path) -> None:
    path = written(tmp_path, header_line(Header(2, "s1", 1, "/w")))
    with pytest.raises(DataError) as caught:
        open_header(path)
    assert caught.value.code == "FORMAT_NEWER"
    assert "newer version" in (caught.value.remedy or "")


def test_a_window_is_read_from_a_mark(tmp_path: Path) -> None:
    content = lines(50)
    path = written(tmp_path, b"".join(content))
    mark = (10, len(b"".join(content[:11])))
    assert [e.seq for e in read_window(path, mark, 15, 5)] == [15, 16, 17, 18, 19]
    assert [e.seq for e in read_window(path, mark, 48, 99)] == [48, 49]
    place = (20, len(b"".join(content[:21])), len(content[21]))
    assert [e.seq for e in read_at(path, [place])] == [20]


def test_a_window_over_damage_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    content = lines(10)
    content[5] = content[5].replace(b"\xe4\xba\x8b", b"\xe4\xba\x8c")
    path = written(tmp_path, b"".join(content))
    with pytest.raises(DataError, match="line 6"):
        read_window(path, (0, len(content[0])), 2, 5)


def test_other_bytes_before_a_place_are_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, b"".join(lines(5)))
    _, scan = scanned(path)
    assert not prefix_matches(path, Place(5, scan.end.offset, scan.end.crc ^ 1))
    assert not prefix_matches(path, Place(5, scan.end.offset + 1, scan.end.crc))
