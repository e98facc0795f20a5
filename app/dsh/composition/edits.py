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
        text = path.read_text(encoding="utf-8") if path.exists() else PATCH_TEMPLATE
        changed = _extended(text, row)
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_name(f".{path.name}.new")
        staged.write_text(changed, encoding="utf-8")
        staged.replace(path)
    except (OSError, UnicodeDecodeError, Unreadable) as error:
        raise _refusal(path, row, str(error)) from error
    except ValueError as error:
        raise _refusal(path, row, "it is not a list with one operation a line") from error


def _extended(text: str, row: str) -> str:
    """``text`` with one more operation. Raises ``ValueError`` when that cannot be done
    by adding a line: the result is read back to be sure.
    """
    operation = {"id": row, "disabled": True}
    line = f"- {{id: {json.dumps(row)}, disabled: true}}\n"
    body = text.rstrip()
    if body.endswith("[]"):
        body = body[:-2].rstrip()
    changed = f"{body}\n{line}" if body else line
    before = parse(text, "the file") or []
    if not isinstance(before, list) or parse(changed, "the file") != [*before, operation]:
        raise ValueError(text)
    return changed


def _refusal(path: Path, row: str, reason: str) -> CompositionError:
    return CompositionError(
        f"{path} cannot be changed: {reason}",
        remedy=f"add `- {{id: {row}, disabled: true}}` to it by hand",
    )
