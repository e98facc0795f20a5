"""A long turn does not become slower with its length."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest

from support import scripted
from support.agents import Echo, runtime
from support.scripted import Answer, Scripted, calls, says

pytestmark = pytest.mark.anyio

STEPS = 200


async def test_the_work_between_two_requests_does_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripted, "judge", lambda _: None)  # it reads all there is
    counted = 0
    marks: list[int] = []

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal counted
        counted += event == "call"

    def answer() -> Answer:
        marks.append(counted)
        number = len(marks)
        return says("done") if number > STEPS else calls(("echo", {"word": str(number)}))

    async with runtime(tmp_path, Scripted(endless=answer), tool=Echo()) as host:
        host.sessions.strict = False
        agent = await host.agent()
        sys.setprofile(count)
        try:
            await host.say(agent, "go")
        finally:
            sys.setprofile(None)
    work = [after - before for before, after in pairwise(marks)]
    early, late = sorted(work[10:60])[25], sorted(work[-50:])[25]
    assert late < early * 1.1
