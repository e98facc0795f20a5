"""A boot that nothing in the home can stop."""

from __future__ import annotations

import textwrap
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from dsh.composition import mounting
from dsh.composition.boot import Boot, NotAvailable, RowReport, booted
from dsh.composition.loader import load
from dsh.composition.patches import Layer, Rows
from dsh.composition.profiles import Composition, Selection
from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Events, Limits, Registry, Scope

pytestmark = pytest.mark.anyio


class Words(Registry[str, str]):
    """What the plugins of these tests contribute to."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounting, "IMPORT_LIMIT", 0.3)
    monkeypatch.setattr(mounting, "FOREIGN_LIMITS", Limits(start=0.3, grace=0.3))


def plugin(home: Home, name: str, body: str) -> None:
    """A plugin in the home, whose module defines ``it``."""
    folder = home.plugins / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text('entry = "code:it"\n')
    head = (
        "from collections.abc import AsyncIterator\n"
        "from dsh.kernel import plugin, Registry, Scope, Events\n"
        "import anyio, time\n"
    )
    (folder / "code.py").write_text(head + textwrap.dedent(body))


def good(home: Home, name: str = "good") -> None:
    plugin(
        home,
        name,
        """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            yield
        """,
    )


def composition(home: Home, *rows: object, safe_mode: bool = False) -> Composition:
    applied = Rows()
    applied.apply(Layer("test", [{"insert": list(rows)}], strict=True))
    return Composition(home, Selection("desktop", safe_mode=safe_mode), applied, ["test"])


def running(
    composition: Composition,
    features: frozenset[str] = frozenset(),
    registries: tuple[type[Registry[str, str]], ...] = (),
) -> AbstractAsyncContextManager[Boot]:
    """Boot it; what plugins fail with is read from the report."""
    return booted(
        composition,
        features=features,
        registries=registries,
        problem=lambda row, error: None,
    )


def row(name: str, **keys: object) -> dict[str, object]:
    return {"id": name, "plugin": name, **keys}


def by_id(boot: Boot) -> dict[str, RowReport]:
    return {report.id: report for report in boot.report()}


BAD = {
    "raises-at-import": "raise ValueError('no such luck')",
    "exits-at-import": "raise SystemExit(3)",
    "hangs-at-import": "time.sleep(2)",
    "broken-syntax": "def (",
    "misses-a-module": "import a_module_that_is_not_there",
    "is-no-plugin": "it = 7",
    "lacks-the-attribute": "other = 7",
    "raises-at-start": """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            raise ValueError("not today")
            yield
        """,
    "hangs-at-start": """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            await anyio.sleep_forever()
            yield
        """,
    "needs-nobody-has": """
        class Unicorn: ...
        @plugin
        async def it(unicorn: Unicorn) -> AsyncIterator[None]:
            yield
        """,
    "takes-no-config": """
        @plugin
        async def it(config: int) -> AsyncIterator[None]:
            yield
        """,
}


@pytest.mark.parametrize("name", BAD)
async def test_one_bad_plugin_is_named_and_the_others_run(home: Home, name: str) -> None:
    plugin(home, name, BAD[name])
    good(home)
    async with running(composition(home, row(name), row("good"))) as boot:
        await boot.settled()
        rows = by_id(boot)
        assert rows["good"].phase == "active"
        assert rows[name].phase in ("failed", "waiting")
        assert rows[name].message or rows[name].missing
        assert rows[name].folder == str(home.plugins / name)
        assert [failure.id for failure in boot.failures()] == [name]


async def test_a_corrected_plugin_runs_after_a_retry(home: Home) -> None:
    plugin(home, "mine", "raise ValueError('first try')")
    async with running(composition(home, row("mine"))) as boot:
        await boot.settled()
        assert by_id(boot)["mine"].phase == "failed"
        good(home, "mine")
        await boot.retry("mine")
        await boot.settled()
        assert by_id(boot)["mine"].phase == "active"
        assert by_id(boot)["mine"].message is None


async def test_a_disabled_row_stops_and_stays_off_in_the_patch_file(home: Home) -> None:
    good(home)
    patch = home.profiles / "desktop" / "patch.yaml"
    patch.parent.mkdir(parents=True)
    patch.write_text("# my own words\n[]\n")
    async with running(composition(home, row("good"))) as boot:
        await boot.settled()
        await boot.disable("good")
        assert by_id(boot)["good"].phase == "disabled"
    text = patch.read_text()
    assert "# my own words" in text and "good" in text


async def test_a_broken_patch_file_is_never_overwritten(home: Home) -> None:
    good(home)
    patch = home.profiles / "desktop" / "patch.yaml"
    patch.parent.mkdir(parents=True)
    patch.write_text("- {id: [")
    async with running(composition(home, row("good"))) as boot:
        await boot.settled()
        with pytest.raises(CompositionError, match="cannot be changed"):
            await boot.disable("good")
        assert by_id(boot)["good"].phase == "active"
    assert patch.read_text() == "- {id: ["


async def test_a_required_row_cannot_be_switched_off(home: Home) -> None:
    good(home)
    async with running(composition(home, row("good", required=True))) as boot:
        with pytest.raises(CompositionError, match="required"):
            await boot.disable("good")


async def test_safe_mode_runs_no_foreign_code(home: Home) -> None:
    plugin(home, "mine", "from pathlib import Path\nPath(__file__ + '.ran').touch()")
    async with running(composition(home, row("mine"), safe_mode=True)) as boot:
        await boot.settled()
        assert by_id(boot)["mine"].phase == "disabled"
    assert not (home.plugins / "mine" / "code.py.ran").exists()


async def test_only_what_a_row_names_is_imported(home: Home) -> None:
    plugin(home, "bystander", "from pathlib import Path\nPath(__file__ + '.ran').touch()")
    good(home)
    async with running(composition(home, row("good"))) as boot:
        await boot.settled()
    assert not (home.plugins / "bystander" / "code.py.ran").exists()


async def test_rows_whose_conditions_do_not_hold_are_skipped(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(home)
    monkeypatch.setenv("DSH_TEST_SET", "1")
    monkeypatch.delenv("DSH_TEST_UNSET", raising=False)
    conditions: dict[str, object] = {
        "other-system": {"platform": "plan9"},
        "unset": {"env": "DSH_TEST_UNSET"},
        "no-feature": {"feature": "window"},
        "all-hold": {"env": "DSH_TEST_SET", "feature": ["server"]},
    }
    rows = [
        {"id": name, "plugin": "good", "when": when} for name, when in conditions.items()
    ]
    features = frozenset({"server"})
    async with running(composition(home, *rows), features=features) as boot:
        await boot.settled()
        phases = {report.id: report.phase for report in boot.report()}
    assert phases == {
        "other-system": "skipped",
        "unset": "skipped",
        "no-feature": "skipped",
        "all-hold": "active",
    }


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


async def test_a_service_that_cannot_come_is_explained(home: Home) -> None:
    plugin(home, "mine", BAD["raises-at-start"])
    async with running(composition(home, row("mine"))) as boot:
        with pytest.raises(NotAvailable, match="not today"):
            await boot.settled()
            await boot.service(Words)


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
