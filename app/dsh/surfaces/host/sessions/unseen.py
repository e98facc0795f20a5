"""Which sessions finished something that nobody has looked at, kept in the home."""

from __future__ import annotations

import json

import anyio

from dsh.data.paths import Home


class Unseen:
    """A set of session ids. Losing the file only costs the marks."""

    def __init__(self, home: Home) -> None:
        self._path = home.state / "unseen.json"
        self._ids: set[str] = set()

    async def load(self) -> None:
        """Read the stored marks."""
        try:
            found = json.loads(await anyio.Path(self._path).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(found, list):
            self._ids = {str(id_) for id_ in found}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._ids

    async def mark(self, session_id: str, *, unseen: bool) -> bool:
        """Set or clear a mark; ``False`` when nothing changed."""
        if unseen == (session_id in self._ids):
            return False
        if unseen:
            self._ids.add(session_id)
        else:
            self._ids.discard(session_id)
        await self._save()
        return True

    async def _save(self) -> None:
        path = anyio.Path(self._path)
        try:
            await path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            staged = path.with_suffix(".new")
            await staged.write_text(json.dumps(sorted(self._ids)), "utf-8")
            await staged.replace(path)
        except OSError:
            return
