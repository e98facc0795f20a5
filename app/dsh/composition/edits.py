"""Edits of the person's composition files that leave every other byte as it is."""

from __future__ import annotations

import json
from pathlib import Path

from dsh.composition.documents import Unreadable, parse
from dsh.composition.profiles import PATCH_TEMPLATE
from dsh.data.paths import Home
from dsh.errors import CompositionError


def disable_row(home: Home, profile: str, row: str) -> None:
    """Append ``{id: row, disabled: true}`` to the profile's patch file.

    Raises ``CompositionError`` when the file cannot be read, written, or extended by a
    line; it is then left as it is.
    """
    path = home.profiles / profile / "patch.yaml"
    try:
        text = path.read_bytes().decode() if path.exists() else PATCH_TEMPLATE
        changed = _extended(text, row)
        target = path.resolve()  # a link stays one
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f".{target.name}.new")
        staged.write_bytes(changed.encode())
        if target.exists():
            staged.chmod(target.stat().st_mode & 0o777)
        staged.replace(target)
    except (OSError, UnicodeError, Unreadable) as error:
        raise _refusal(path, row, str(error)) from error
    except ValueError as error:
        raise _refusal(path, row, "it is not a list with one operation a line") from error


def _extended(text: str, row: str) -> str:
    """``text`` with one more operation. Raises ``ValueError`` when that cannot be done
    by adding a line: the result is read back to be sure.
    """
    operation = {"id": row, "disabled": True}
    end = "\r\n" if "\r\n" in text else "\n"
    name = json.dumps(row, ensure_ascii=False)
    line = f"- {{id: {name}, disabled: true}}{end}"
    body = text.rstrip()
    before = parse(text.removeprefix("\ufeff"), "the file") or []
    if not before and body.endswith("[]"):
        body = body.removesuffix("[]").rstrip()
    changed = f"{body}{end}{line}" if body else line
    after = parse(changed.removeprefix("\ufeff"), "the file")
    if not isinstance(before, list) or after != [*before, operation]:
        raise ValueError(text)
    return changed


def _refusal(path: Path, row: str, reason: str) -> CompositionError:
    return CompositionError(
        f"{path} cannot be changed: {reason}",
        remedy=f"add `- {{id: {row}, disabled: true}}` to it by hand",
    )
