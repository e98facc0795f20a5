"""The changed places of a file, for people to look at: bounded, with some context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

CONTEXT: Final = 3  # lines
MOST: Final = 60_000  # characters of all hunks
# Comparing is quadratic in the worst case; beyond this the change is one hunk.
COMPARED: Final = 1_500  # lines

Hunk = dict[str, object]  # oldText, newText, line


def hunks_of(before: str, after: str) -> tuple[list[Hunk], int]:
    """The hunks of a change, and how many were left out because they are too long."""
    shown: list[Hunk] = []
    omitted, room = 0, MOST
    for old, new, line in _pieces(before, after):
        room -= len(old) + len(new)
        if room < 0:
            omitted += 1
        else:
            shown.append({"oldText": old, "newText": new, "line": line})
    return shown, omitted


def _pieces(before: str, after: str) -> Iterator[tuple[str, str, int]]:
    old, new = _lines(before), _lines(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start = max(0, head - CONTEXT)
    keep = max(0, tail - CONTEXT)
    old, new = old[start : len(old) - keep], new[start : len(new) - keep]
    if not old and not new:
        return
    if max(len(old), len(new)) > COMPARED:
        yield "".join(old), "".join(new), start + 1
        return
    from difflib import SequenceMatcher  # not before something was changed

    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        yield "".join(old[a:b]), "".join(new[c:d]), start + c + 1


def _lines(text: str) -> list[str]:
    """Lines as editors count them: only LF ends one."""
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
