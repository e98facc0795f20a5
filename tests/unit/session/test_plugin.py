"""The sessions as a plugin: offered, released, and nothing left behind."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from dsh.data.log import verify
from dsh.runtime.session import Sessions
from dsh.runtime.session.plugin import sessions
from support.mounting import mounted
from unit.session.story import golden_turn, tell, user

pytestmark = pytest.mark.anyio


def open_files() -> set[str]:
    links = [link for link in Path("/proc/self/fd").iterdir() if link.exists()]
    return {str(link.resolve()) for link in links}


@pytest.mark.skipif(sys.platform != "linux", reason="counts files as Linux shows them")
async def test_loading_and_unloading_leaves_no_thread_and_no_file(tmp_path: Path) -> None:
    async def life() -> Path:
        async with mounted(tmp_path, sessions) as root:
            service = root.get(Sessions)
            session = await service.create(tmp_path)
            tell(session, golden_turn())
            again = await service.open(session.id)
            again.append("user/message", user("not flushed"))
            await service.list()
            return session.path

    await life()
    before = open_files()
    for _ in range(5):
        path = await life()
        assert verify(path) == []
        assert b"not flushed" in path.read_bytes()
    assert not [t for t in threading.enumerate() if t.name == "dsh-log"]
    assert {file for file in open_files() - before if str(tmp_path) in file} == set()
