"""How much is at stake in a question, by facts that anybody can check.

It decides how a card looks, never whether something may run. It knows a few words; a low
mark only says that none of them was found.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

Risk = Literal["low", "medium", "high"]

# What cannot be taken back, or hides what it does.
_IRREVERSIBLE: Final = (
    r"\brm\s+(?:\S+\s+)*?-{1,2}(?:\w*[rRf]|recursive|force)",
    r"\bgit\s+(?:.*\s)?push\b.*(?:\s-\w*f|\s--force|\s--delete|\s--mirror|\s\+\S)",
    r"\bgit\s+(?:.*\s)?(?:reset\s+--hard|clean\s+-\w*[fdx]|checkout\s+--\s|stash\s+(?:drop|clear))",
    r"\b(?:dd|mkfs(?:\.\w+)?|shred|wipefs|fdisk|parted|mkswap|diskpart)\b",
    r">\s*/dev/(?:sd|nvme|hd|vd|disk|mem)",
    r"\bfind\b.*\s-(?:delete|exec\s+rm)\b",
    r"\bch(?:mod|own|grp)\s+(?:\S+\s+)*-\w*R",
    r"(?i:\b(?:drop|truncate)\s+(?:table|database|schema)\b)",
    r"(?i:\bdelete\s+from\b(?!.*\bwhere\b))",
    r"\b(?:kubectl|oc)\s+delete\b|\bterraform\s+destroy\b|\bdocker\s+\w+\s+prune\b",
    r"\b(?:npm|cargo|twine|gem|poetry|uv)\s+(?:publish|upload|push)\b",
    r"\b(?:sudo|doas|su)\s",
    r"\|\s*(?:\S+/)?(?:ba|z|da|k)?sh\b|\b(?:ba|z|da|k)?sh\s+<\(",
    r"\b(?:shutdown|reboot|halt|poweroff)\b",
    r"\b(?:crontab|systemctl|launchctl)\b",
    r"(?i:\b(?:remove-item\b.*-recurse|rd\s+/s|del\s+/s|format\s+[a-z]:))",
    r":\(\)\s*\{",
)
_NETWORK: Final = (
    r"\b(?:curl|wget|ssh|scp|sftp|rsync|ftp|telnet|nc|ncat|socat)\b",
    r"\bgit\s+(?:.*\s)?(?:push|pull|fetch|clone)\b",
    r"\b(?:pip3?|npm|pnpm|yarn|cargo|gem|go|apt|apt-get|brew|uv)\s+(?:add|get|i|install)\b",
    r"\b(?:aws|gcloud|az|gh|kubectl|docker)\s",
)
# Characters that make a text look like another one.
_DECEIVING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2069\ufeff]"
)
_high = re.compile("|".join(f"(?:{row})" for row in _IRREVERSIBLE))
_medium = re.compile("|".join(f"(?:{row})" for row in _NETWORK))
_SYSTEM: Final = ("etc", "usr", "bin", "sbin", "lib", "boot", "dev", "sys", "proc")
_PERSONAL: Final = (".ssh", ".gnupg", ".aws", ".config", ".bashrc", ".profile", ".zshrc")


def risk_of(shown: dict[str, object]) -> Risk:
    """The mark of a question from what its card shows."""
    command, path = shown.get("command"), shown.get("path")
    texts = [value for value in shown.values() if isinstance(value, str)]
    if any(_DECEIVING.search(text) for text in texts):
        return "high"
    if isinstance(command, str) and _high.search(command):
        return "high"
    if isinstance(path, str) and _delicate(Path(path)):
        return "high"
    if shown.get("mode") == "danger-full-access":
        return "medium"
    if isinstance(command, str) and _medium.search(command):
        return "medium"
    if isinstance(path, str) and _outside(path, shown.get("cwd")):
        return "medium"
    return "low"


def _delicate(path: Path) -> bool:
    """Part of the system, or what decides about a person's logins and shells."""
    first = path.parts[1] if path.is_absolute() and len(path.parts) > 1 else ""
    return first in _SYSTEM or any(part in _PERSONAL for part in path.parts)


def _outside(path: str, cwd: object) -> bool:
    return not isinstance(cwd, str) or not Path(path).is_relative_to(cwd)
