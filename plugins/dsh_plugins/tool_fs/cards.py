"""How calls of the file tools look; pure functions that tolerate anything replayed."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final, Literal

from dsh.runtime.tools import Card, DiffCard, FileDiff, GenericCard, ReadCard
from dsh.runtime.tools.cards import Match

Data = dict[str, object]

_LINE: Final = re.compile(r"(\d+): (.*)")
_SUFFIXES: Final = """\
c=c h=c cc=cpp cpp=cpp hpp=cpp cs=csharp css=css go=go html=html ini=ini java=java
js=javascript mjs=javascript jsx=jsx json=json kt=kotlin lua=lua md=markdown php=php
py=python rb=ruby rs=rust sh=bash bash=bash sql=sql svg=xml swift=swift toml=toml
ts=typescript tsx=tsx vue=vue xml=xml yaml=yaml yml=yaml"""
_LANGUAGES: Final = dict(pair.split("=") for pair in _SUFFIXES.split())
_SHOWN: Final = 60_000  # characters of one text on a card


def path_in(arguments: Data) -> str:
    """The path a call is about, as the model gave it."""
    path = arguments.get("file_path")
    return path if isinstance(path, str) and path else "?"


def plain_card(
    arguments: Data, icon: Literal["read", "edit"], text: str | None = None
) -> Card:
    """A call without a result worth showing, or a failed one."""
    path = path_in(arguments)
    return Card(GenericCard(title=path, locations=[path], icon=icon, text=text))


def read_card(arguments: Data, text: str, meta: Data | None) -> Card:
    """The lines that the model saw."""
    path = _text(meta, "path") or path_in(arguments)
    total = meta.get("totalLines") if meta else None
    body = text.partition("<content>\n")[2]
    found = (_LINE.fullmatch(line) for line in body.split("\n"))
    lines = [Match(line=int(row[1]), text=row[2]) for row in found if row]
    card = ReadCard(
        title=path_in(arguments),
        locations=[path],
        path=path,
        lines=lines,
        totalLines=total if isinstance(total, int) else len(lines),
        lang=_LANGUAGES.get(PurePath(path).suffix[1:].lower()),
    )
    return Card(card)


def proposed_card(arguments: Data) -> Card:
    """What a write or an edit is about to do."""
    path = path_in(arguments)
    old, new = _text(arguments, "old_string"), _text(arguments, "new_string")
    if new is None:
        old, new = None, _text(arguments, "content")
    if new is None:
        return plain_card(arguments, "edit")
    return _diff_card(arguments, [_file_diff(path, old, new, 1)], 0)


def changed_card(arguments: Data, meta: Data | None) -> Card:
    """What a write or an edit did."""
    path = _text(meta, "path") or path_in(arguments)
    diffs = meta.get("diffs") if meta else None
    if not isinstance(diffs, list) or not diffs:
        return proposed_card(arguments)
    shown = []
    for diff in diffs:
        if not isinstance(diff, dict) or not isinstance(diff.get("newText"), str):
            return proposed_card(arguments)
        line = diff.get("line")
        old = _text(diff, "oldText")
        number = line if isinstance(line, int) else 1
        shown.append(_file_diff(path, old, diff["newText"], number))
    omitted = meta.get("omitted") if meta else 0
    return _diff_card(arguments, shown, omitted if isinstance(omitted, int) else 0)


def _diff_card(arguments: Data, diffs: list[FileDiff], omitted: int) -> Card:
    path = path_in(arguments)
    note = f"{omitted} more changed places are not shown" if omitted else None
    return Card(DiffCard(title=path, locations=[path], diffs=diffs, description=note))


def _file_diff(path: str, old: str | None, new: str, line: int) -> FileDiff:
    cut_old = None if old is None else old[:_SHOWN]
    return FileDiff(path=path, oldText=cut_old, newText=new[:_SHOWN], line=line)


def _text(data: Data | None, key: str) -> str | None:
    value = data.get(key) if data else None
    return value if isinstance(value, str) else None
