"""Which lines a read shows, and what it says about the others."""

from __future__ import annotations

import pytest

from dsh.runtime.tools import Outcome, ToolError
from dsh_plugins.tool_fs.window import Bounds, Window
from unit.fs.conftest import Rooms
from unit.fs.test_tools import at_a_desk

BOUNDS = Bounds(lines=2000, line=20, size=200, scan=1_000)


def window(pieces: list[str], offset: int = 1, limit: int = 2000) -> Window:
    made = Window(offset, limit, BOUNDS)
    for piece in pieces:
        if not made.feed(piece):
            break
    made.finish()
    return made


@pytest.mark.parametrize(
    ("pieces", "offset", "limit", "lines", "footer"),
    [
        (["a\nb\n"], 1, 9, ["a", "b"], "(End of file - total 2 lines)"),
        (["a\r\nb"], 1, 9, ["a", "b"], "(End of file - total 2 lines)"),
        (["a\r", "\nb\r\r\n"], 1, 9, ["a", "b\r"], "(End of file - total 2 lines)"),
        ([""], 1, 9, [], "(End of file - total 0 lines)"),
        (["\n\n"], 1, 9, ["", ""], "(End of file - total 2 lines)"),
        (
            ["a\nb\nc\n"],
            1,
            2,
            ["a", "b"],
            "(Showing lines 1-2 of 3. Use offset=3 to continue.)",
        ),
        (["a\nb\nc\n"], 3, 9, ["c"], "(End of file - total 3 lines)"),
        (["a\nb\nc\n"], 4, 9, [], "(End of file - total 3 lines)"),
        (
            ["x" * 19, "x", "y\nb\n"],
            1,
            9,
            ["x" * 20 + "... (line truncated to 20 chars)", "b"],
            "(End of file - total 2 lines)",
        ),
        (["x" * 20 + "\r\n"], 1, 9, ["x" * 20], "(End of file - total 1 lines)"),
    ],
)
def test_a_window_shows_lines_and_says_what_remains(
    pieces: list[str], offset: int, limit: int, lines: list[str], footer: str
) -> None:
    made = window(pieces, offset, limit)
    assert [line.text for line in made.lines] == lines
    assert made.footer() == footer


def test_bytes_are_bounded_and_counting_goes_on() -> None:
    made = window(["é" * 9 + "\n"] * 30)
    assert len(made.lines) == 9  # 22 bytes each with number and line end
    assert (
        made.footer() == "(Output capped. Showing lines 1-9. Use offset=10 to continue.)"
    )
    assert made.total == 30


def test_a_giant_line_takes_no_memory() -> None:
    made = Window(1, 5, Bounds(2000, 20, 200, 1 << 30))
    for _ in range(1_000):
        made.feed("x" * 10_000)
    assert len(made._open) <= 21
    made.finish()
    assert made.total == 1


def test_an_endless_text_is_not_counted_to_its_end() -> None:
    made = window(["line\n" * 100] * 1_000, limit=2)
    assert (
        made.footer() == "(Showing lines 1-2 of more than 300. Use offset=3 to continue.)"
    )


@pytest.mark.anyio
async def test_a_file_of_any_size_is_read_at_any_place(rooms: Rooms) -> None:
    file = rooms.workspace / "large.log"
    file.write_text("".join(f"entry {n} {'x' * 80}\n" for n in range(1, 150_001)))
    async with at_a_desk(rooms) as desk:
        outcome = await desk.call("read", file_path="large.log", offset=149_999)
        assert "149999: entry 149999" in outcome.text
        assert "(End of file - total 150000 lines)" in outcome.text
        first = await desk.call("read", file_path="large.log")
        assert "(Output capped. Showing lines 1-" in first.text
        with pytest.raises(ToolError, match="only 150000 lines") as caught:
            await desk.call("read", file_path="large.log", offset=150_001)
        assert caught.value.code == "FS_NOT_FOUND"


@pytest.mark.anyio
async def test_an_empty_file_is_shown_as_empty(rooms: Rooms) -> None:
    (rooms.workspace / "empty").touch()
    async with at_a_desk(rooms) as desk:
        outcome: Outcome = await desk.call("read", file_path="empty")
        assert "(End of file - total 0 lines)" in outcome.text
        with pytest.raises(ToolError):
            await desk.call("read", file_path="empty", offset=2)
