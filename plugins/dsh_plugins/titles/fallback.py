"""A title made of the first words of a prompt, safe to show anywhere."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Terminal sequences (OSC with its text, CSI with its parameters, any other escape).
_SEQUENCE: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b."
)
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # control, bidi, zero width


def fallback_title(prompt: str, *, max_words: int, max_bytes: int) -> str:
    """Whole words as far as they fit; one that is too long is cut at a character.

    Text without spaces, as in Chinese, is one word. Empty when nothing can be shown.
    """
    plain = _SEQUENCE.sub(" ", prompt)
    shown = "".join(c if _visible(c) else " " if c.isspace() else "" for c in plain)
    title = ""
    for word in shown.split()[:max_words]:
        longer = f"{title} {word}" if title else word
        if len(longer.encode()) > max_bytes:
            return title or _cut(word, max_bytes)
        title = longer
    return title


def _visible(character: str) -> bool:
    return unicodedata.category(character) not in _INVISIBLE


def _cut(word: str, max_bytes: int) -> str:
    cut = word.encode()[:max_bytes].decode(errors="ignore")
    rest = word[len(cut) :]
    while cut and rest and unicodedata.combining(rest[0]):  # keep accents with letters
        rest = cut[-1] + rest
        cut = cut[:-1]
    return cut
