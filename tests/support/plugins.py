"""Plugins of the person's own, and what became of their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.page import Host
from support.waiting import until

Row = dict[str, Any]  # Any: a BootRow

HEAD = """
from collections.abc import AsyncIterator
import anyio
from dsh.kernel import plugin
"""
BODY = """
@plugin
async def main() -> AsyncIterator[None]:
    {before}
    yield
    {after}
"""
GOOD = HEAD + BODY.format(before="pass", after="pass")


def add_plugin(home: Path, name: str, code: str) -> None:
    """A plugin of the person's, and the row that names it."""
    folder = home / "plugins" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text('entry = "code:main"\n')
    (folder / "code.py").write_text(code)
    patch = home / "profiles" / "desktop" / "patch.yaml"
    patch.parent.mkdir(parents=True, exist_ok=True)
    patch.write_text(f"# mine\n- insert: [{{id: mine, plugin: {name}}}]\n")


def row(host: Host, id_: str = "mine") -> Row:
    """The row as the boot report has it."""
    rows = host.client.call("boot/report")["rows"]
    [found] = [row for row in rows if row["id"] == id_]
    return dict(found)


def settled(host: Host, id_: str = "mine") -> Row:
    """The row once it has failed, waits for nobody, or works."""

    def over() -> bool:
        found = row(host, id_)
        return found["phase"] in ("failed", "active") or bool(found["missing"])

    until(over, "the row's end")
    return row(host, id_)
