"""The few phrases that the guide understands, in English and Chinese."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["run", "read", "find", "list", "write", "edit", "tour", "help", "other"]

_COLON = ":\N{FULLWIDTH COLON}"
_AFTER = rf"(?:[ \t]*[{_COLON}][ \t]*|[ \t]+)"
_NEXT = rf"(?:[ \t]*[{_COLON}]?[ \t]*)"  # Chinese needs no blank after a verb
_ASKING = "(?:[?\N{FULLWIDTH QUESTION MARK}])?"
_ENDS = ".!\N{IDEOGRAPHIC FULL STOP}\N{FULLWIDTH EXCLAMATION MARK}"
_RULES: tuple[tuple[Kind, str], ...] = (
    ("run", r"run[ \t]+(?P<rest>.+)"),
    ("run", rf"(?:运行|执行){_NEXT}(?P<rest>.+)"),
    ("write", r"(?:write|create)[ \t]+(?P<path>\S+?)[ \t]*:[ \t\n](?P<rest>.+)"),
    ("write", rf"(?:写入|写|新建)[ \t]*(?P<path>[^\s{_COLON}]+){_AFTER}(?P<rest>.+)"),
    (
        "edit",
        r"edit[ \t]+(?P<path>\S+?)[ \t]*:[ \t]*(?P<old>.+?)[ \t]*=>[ \t]*(?P<new>.*)",
    ),
    (
        "edit",
        rf"修改[ \t]*(?P<path>[^\s{_COLON}]+)[ \t]*[{_COLON}][ \t]*"
        r"(?P<old>.+?)[ \t]*=>[ \t]*(?P<new>.*)",
    ),
    ("read", r"read[ \t]+(?P<rest>\S.*)"),
    ("read", rf"(?:(?:读取|阅读|查看){_NEXT}|读{_AFTER})(?P<rest>\S.*)"),
    ("find", r"(?:find|search|grep)[ \t]+(?P<rest>\S.*)"),
    ("find", rf"(?:(?:查找|搜索){_NEXT}|找{_AFTER})(?P<rest>\S.*)"),
    ("list", r"(?:list|ls)(?:[ \t]+(?P<rest>\S.*))?"),
    ("list", rf"(?:列出|列表)(?:{_NEXT}(?P<rest>\S.*))?"),
    ("tour", r"(?:the )?tour|show me around|take (?:me on )?(?:a|the) tour"),
    ("tour", r"导览|演示|游览|带我看看|参观"),
    ("help", r"help|\?|what can you do\??|who are you\??"),
    ("help", rf"帮助|(?:你能做什么|你是谁|怎么用){_ASKING}"),
)
_COMPILED = [
    (kind, re.compile(rf"\s*(?:/)?(?:{rule})", re.IGNORECASE | re.DOTALL))
    for kind, rule in _RULES
]


class Intent:
    """What a person asks for; ``rest`` is what the phrase is about."""

    __slots__ = ("kind", "new", "old", "path", "rest")

    def __init__(self, kind: Kind, found: dict[str, str | None]) -> None:
        self.kind = kind
        self.rest = found.get("rest") or ""
        self.path = found.get("path") or ""
        self.old = found.get("old") or ""
        self.new = found.get("new") or ""


def understood(prompt: str) -> Intent:
    """The intent of a prompt; ``other`` when no phrase fits."""
    for kind, rule in _COMPILED:
        # A command is passed on as it stands, even with blanks at its end.
        text = prompt if kind in ("run", "write") else prompt.strip().rstrip(_ENDS)
        match = rule.fullmatch(text)
        if match is not None:
            return Intent(kind, match.groupdict())
    return Intent("other", {})
