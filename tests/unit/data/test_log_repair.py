"""Repairs lose no byte: what they cut off stays beside the log."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dsh.data.events import Event, Header
from dsh.data.log import (
    Scan,
    append_events,
    cut_at_damage,
    cut_torn_tail,
    event_line,
    header_line,
    open_header,
    upgrade_log,
    verify,
)
from dsh.errors import DataError


def log(folder: Path, *extra: bytes) -> Path:
    path = folder / "log.jsonl"
    events = [event_line(Event(seq, "session/end-seed", 1, {})) for seq in range(5)]
    header = header_line(Header(1, "s1", 1, "/w"))
    path.write_bytes(b"".join([header, *events, *extra]))
    return path


def scanned(path: Path) -> Scan:
    scan = Scan(path, open_header(path)[1])
    for _ in scan:
        pass
    return scan


def test_a_torn_tail_is_moved_aside_and_the_log_goes_on(tmp_path: Path) -> None:
    path = log(tmp_path, b'{"seq":5,"ty')
    aside = cut_torn_tail(path, scanned(path).end)
    assert aside.read_bytes() == b'{"seq":5,"ty'
    assert aside.name.startswith("log.torn-")
    append_events(path, [Event(5, "session/end-seed", 1, {})])
    assert verify(path) == []
    assert scanned(path).end.seq == 6


def test_damage_is_cut_off_only_beside_a_whole_backup(tmp_path: Path) -> None:
    good = event_line(Event(6, "session/end-seed", 1, {}))
    path = log(tmp_path, b"damage\n", good)
    before = path.read_bytes()
    backup, damage = cut_at_damage(path)
    assert backup.read_bytes() == before
    assert damage.line == 7
    assert verify(path) == []
    assert scanned(path).end.seq == 5


def test_a_sound_log_is_not_repaired(tmp_path: Path) -> None:
    path = log(tmp_path)
    before = path.read_bytes()
    with pytest.raises(DataError) as caught:
        cut_at_damage(path)
    assert caught.value.code == "SESSION_SOUND"
    assert path.read_bytes() == before


def test_an_older_format_goes_through_every_step_of_the_chain(tmp_path: Path) -> None:
    path = log(tmp_path)
    before = path.read_bytes()

    def second(event: Event) -> Event:
        return msgspec.structs.replace(event, data={"step": 2})

    def third(event: Event) -> Event:
        return msgspec.structs.replace(event, data={**event.data, "then": 3})

    chain = (second, third)
    assert upgrade_log(path) is None
    backup = upgrade_log(path, chain)
    assert backup is not None
    assert backup.read_bytes() == before
    header, first = open_header(path, chain)
    assert header.format == 3
    assert [e.data for e, _, _ in Scan(path, first)] == [{"step": 2, "then": 3}] * 5
    with pytest.raises(DataError):
        open_header(path)
