"""A boot that nothing in the home can stop."""

from __future__ import annotations

import textwrap
import traceback
from pathlib import Path

import anyio
import pytest

from dsh.composition import mounting
from dsh.composition.boot import booted
from dsh.composition.values import EnvTag
from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Limits
from support.homemade import (
    BAD,
    OFFERS,
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


@pytest.mark.parametrize(
    "entry", ["x" * 300, "..", ".", "a/b", "a\\b", "a\0b", ":x", "os", "os:path", "os:"]
)
async def test_a_name_of_no_plugin_fails_that_row_only(home: Home, entry: str) -> None:
    good(home)
    odd = {"id": "odd", "plugin": entry}
    async with running(composition(home, odd, row("good"))) as boot:
        await boot.settled()
        rows = by_id(boot)
        assert rows["odd"].code == "PLUGIN_UNAVAILABLE"
        assert rows["good"].phase == "active"


async def test_a_config_that_does_not_fit_is_named_without_its_values(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSH_TEST_SECRET", "hunter2")
    plugin(
        home,
        "mine",
        """
        from pydantic import BaseModel
        class Config(BaseModel, frozen=True):
            key: str
            port: int
        @plugin
        async def it(config: Config) -> AsyncIterator[None]:
            yield
        """,
    )
    config = {"key": EnvTag("DSH_TEST_SECRET"), "port": EnvTag("DSH_TEST_SECRET")}
    told: list[BaseException] = []
    async with booted(
        composition(home, row("mine", config=config)),
        problem=lambda row, error: told.append(error),
    ) as boot:
        await boot.settled()
        report = by_id(boot)["mine"]
    assert report.code == "BAD_CONFIG"
    assert report.message is not None and "port" in report.message
    assert "hunter2" not in report.message
    [error] = told
    assert "hunter2" not in "".join(traceback.format_exception(error))


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
        await boot.retry("good")
        await boot.settled()
        assert by_id(boot)["good"].phase == "active"
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


async def test_a_row_that_was_switched_off_is_not_started_by_a_retry(home: Home) -> None:
    good(home)
    async with running(composition(home, row("good", disabled=True))) as boot:
        with pytest.raises(CompositionError) as refusal:
            await boot.retry("good")
        assert refusal.value.code == "ROW_NOT_IN_USE"
        assert by_id(boot)["good"].phase == "disabled"


async def test_safe_mode_holds_against_a_retry(home: Home) -> None:
    plugin(home, "mine", "from pathlib import Path\nPath(__file__ + '.ran').touch()")
    async with running(composition(home, row("mine"), safe_mode=True)) as boot:
        with pytest.raises(CompositionError):
            await boot.retry("mine")
    assert not (home.plugins / "mine" / "code.py.ran").exists()


async def test_two_retries_at_once_start_a_plugin_once(home: Home) -> None:
    plugin(home, "mine", "raise ValueError('first try')")
    async with running(composition(home, row("mine"))) as boot:
        await boot.settled()
        good(home, "mine")
        async with anyio.create_task_group() as group:
            group.start_soon(boot.retry, "mine")
            group.start_soon(boot.retry, "mine")
        await boot.settled()
        assert by_id(boot)["mine"].phase == "active"


async def test_a_row_switched_off_while_it_is_imported_stays_off(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounting, "IMPORT_LIMIT", 30.0)
    plugin(
        home,
        "slow",
        """
        from pathlib import Path
        while not Path(__file__).with_name("go").exists():
            time.sleep(0.01)
        Path(__file__).with_name("gone").touch()
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            yield
        """,
    )
    folder = home.plugins / "slow"
    async with running(composition(home, row("slow"))) as boot:
        await boot.disable("slow")
        (folder / "go").touch()
        while not (folder / "gone").exists():
            await anyio.sleep(0.005)
        while boot.rows._imports.borrowed_tokens:
            await anyio.sleep(0.005)
        await anyio.wait_all_tasks_blocked()
        assert by_id(boot)["slow"].phase == "disabled"
        assert not boot.kernel.mounts


async def test_who_needs_a_row_that_is_switched_off_waits_and_says_for_what(
    home: Home,
) -> None:
    offers = textwrap.dedent(OFFERS)
    body = """
        @plugin
        async def it(events: Events) -> AsyncIterator[AgentPresets]:
            yield Offered()
        """
    plugin(home, "provider", offers + textwrap.dedent(body))
    body = """
        @plugin
        async def it(presets: AgentPresets) -> AsyncIterator[None]:
            yield
        """
    plugin(home, "consumer", offers + textwrap.dedent(body))
    good(home)
    rows = (row("provider"), row("consumer"), row("good"))
    async with running(composition(home, *rows)) as boot:
        await boot.settled()
        assert by_id(boot)["consumer"].phase == "active"
        await boot.disable("provider")
        await boot.settled()
        found = by_id(boot)
        assert found["provider"].phase == "disabled"
        assert found["consumer"].phase == "waiting"
        assert found["consumer"].missing == {"AgentPresets": ""}
        assert found["good"].phase == "active"


async def test_rows_switched_off_at_once_are_all_in_the_file(home: Home) -> None:
    names = [f"good-{number}" for number in range(8)]
    for name in names:
        good(home, name)
    async with running(composition(home, *map(row, names))) as boot:
        await boot.settled()
        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(boot.disable, name)
    text = (home.profiles / "desktop" / "patch.yaml").read_text()
    assert all(f'"{name}"' in text for name in names)


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
