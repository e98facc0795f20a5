"""What a boot offers, isolates and explains."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dsh.composition import mounting
from dsh.composition.boot import NotAvailable
from dsh.composition.loader import load
from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Events, Limits, Scope
from dsh.runtime.presets import AgentPresets
from support.homemade import (
    BAD,
    OFFERS,
    Words,
    by_id,
    composition,
    good,
    plugin,
    row,
    running,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounting, "IMPORT_LIMIT", 0.3)
    monkeypatch.setattr(mounting, "FOREIGN_LIMITS", Limits(start=0.3, grace=0.3))


async def test_an_isolated_key_stays_inside_its_group(home: Home) -> None:
    plugin(
        home,
        "offers",
        """
        from dsh.data.paths import Home
        class Own(Home): ...
        @plugin
        async def it(scope: Scope) -> AsyncIterator[Home]:
            yield Own.resolve("/inside")
        """,
    )
    group = {"id": "g", "isolate": ["dsh.data.paths:Home"], "group": [row("offers")]}
    async with running(composition(home, group)) as boot:
        await boot.settled()
        assert by_id(boot)["offers"].phase == "active", by_id(boot)["offers"].message
        assert boot.kernel.root.get(Home) is home
        inner = boot.rows.entries["offers"].scope
        assert str(inner.get(Home).root) == "/inside"


async def test_a_service_that_cannot_come_is_explained_by_what_stands_in_its_way(
    home: Home,
) -> None:
    plugin(home, "bystander", BAD["raises-at-start"].replace("not today", "irrelevant"))
    body = """
        @plugin
        async def it(events: Events) -> AsyncIterator[Permissions]:
            raise ValueError("not today")
            yield
        """
    plugin(home, "root", textwrap.dedent(OFFERS) + textwrap.dedent(body))
    body = """
        @plugin
        async def it(permissions: Permissions) -> AsyncIterator[AgentPresets]:
            yield Offered()
        """
    plugin(home, "middle", textwrap.dedent(OFFERS) + textwrap.dedent(body))
    rows = (row("bystander"), row("middle"), row("root"))
    async with running(composition(home, *rows)) as boot:
        await boot.settled()
        with pytest.raises(NotAvailable) as refusal:
            await boot.service(AgentPresets)
    message = str(refusal.value)
    assert "AgentPresets" in message and "root: not today" in message
    assert "irrelevant" not in message


async def test_a_service_that_no_row_offers_is_explained_by_what_did_not_load(
    home: Home,
) -> None:
    plugin(home, "mine", BAD["raises-at-import"])
    async with running(composition(home, row("mine"))) as boot:
        await boot.settled()
        with pytest.raises(NotAvailable, match=r"no row offers Words; mine: .*no such"):
            await boot.service(Words)


@pytest.mark.parametrize(
    "key",
    [
        "nonsense",
        "dsh.data.paths:Nothing",
        "dsh.data.nowhere:Home",
        "dsh.data.paths:HOME_VARIABLE",
        "slow:Key",
        "",
    ],
)
async def test_a_group_that_cannot_be_isolated_fails_its_own_rows_only(
    home: Home, key: str
) -> None:
    good(home)
    good(home, "inside")
    inner = {"id": "inner", "group": [row("inside")]}
    group = {"id": "g", "isolate": [key], "group": [inner]}
    async with running(composition(home, group, row("good"))) as boot:
        await boot.settled()
        rows = by_id(boot)
        assert rows["good"].phase == "active"
        assert rows["inside"].code == "PLUGIN_UNAVAILABLE"
        with pytest.raises(CompositionError):
            await boot.retry("inside")
        assert by_id(boot)["inside"].phase == "failed"


async def test_a_group_that_is_off_imports_nothing(home: Home) -> None:
    good(home, "inside")
    group = {
        "id": "g",
        "isolate": ["nonsense"],
        "disabled": True,
        "group": [row("inside")],
    }
    async with running(composition(home, group)) as boot:
        await boot.settled()
        assert by_id(boot)["inside"].phase == "disabled"


async def test_the_callers_own_error_comes_out_unchanged(home: Home) -> None:
    with pytest.raises(KeyError, match="mine"):
        async with running(composition(home)):
            raise KeyError("mine")


async def test_every_load_reads_the_code_anew(home: Home) -> None:
    good(home, "mine")
    first = load("mine", home)
    assert load("mine", home) is not first


async def test_registries_are_offered_and_what_is_contributed_goes_with_the_row(
    home: Home,
) -> None:
    good(home)
    async with running(composition(home, row("good")), registries=(Words,)) as boot:
        words = boot.kernel.root.get(Words)
        assert isinstance(boot.kernel.root.get(Scope), Scope)
        assert isinstance(boot.kernel.root.get(Events), Events)
        with words.add("a", "b"):
            assert words.items() == {"a": "b"}
        assert words.items() == {}
