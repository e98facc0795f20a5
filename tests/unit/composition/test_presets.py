"""Presets: mounted once, shared, replaced when their files change, gone when unused."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import pytest

from dsh.composition import presets as module
from dsh.composition.boot import Boot, booted
from dsh.composition.patches import Rows
from dsh.composition.presets import StandingPresets, UnknownPreset
from dsh.composition.profiles import Composition, Selection
from dsh.data.paths import Home
from dsh.errors import CompositionError

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(autouse=True)
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTLE_LIMIT", 0.2)


def preset(home: Home, text: str, name: str = "mine") -> None:
    folder = home.presets / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.yaml").write_text(text)


class Room:
    """Standing presets in a boot without rows."""

    def __init__(self, boot: Boot, standing: StandingPresets) -> None:
        self.boot = boot
        self.standing = standing

    def mounts(self) -> list[str]:
        return sorted(mount.row for mount in self.boot.kernel.mounts)


@asynccontextmanager
async def room(
    home: Home,
    problems: list[str] | None = None,
    features: frozenset[str] = frozenset(),
) -> AsyncIterator[Room]:
    told = problems if problems is not None else []
    composition = Composition(home, Selection("desktop"), Rows(), [])
    async with (
        booted(
            composition,
            features=features,
            problem=lambda row, error: told.append(f"{row}: {error}"),
        ) as boot,
        anyio.create_task_group() as group,
    ):
        standing = StandingPresets(boot.kernel.root, home, group, boot)
        try:
            yield Room(boot, standing)
        finally:
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await standing.close()


FOREIGN = "- {id: hello, plugin: hello}\n"


def plain(home: Home, name: str = "hello", head: str = "") -> None:
    """A plugin in the home, in whose module ``head`` runs first."""
    folder = home.plugins / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text('entry = "code:it"\n')
    body = f"""
        import time
        from pathlib import Path
        from collections.abc import AsyncIterator
        from dsh.kernel import plugin, Scope
        {head}
        @plugin
        async def it(scope: Scope) -> AsyncIterator[None]:
            yield
        """
    (folder / "code.py").write_text(textwrap.dedent(body))


async def test_agents_of_one_preset_share_its_mounts(home: Home) -> None:
    plain(home)
    preset(home, FOREIGN)
    async with room(home) as here:
        async with (
            here.standing.joined("mine") as one,
            here.standing.joined("mine") as two,
        ):
            assert one is two
            assert here.mounts() == ["hello"]
        assert here.mounts() == ["hello"], "the newest stays for the next agent"
    assert not here.boot.kernel.mounts


async def test_a_changed_preset_is_for_new_agents_and_the_old_one_goes_with_its_last(
    home: Home,
) -> None:
    plain(home)
    plain(home, "other")
    preset(home, FOREIGN)
    async with room(home) as here, AsyncExitStack() as late:
        async with here.standing.joined("mine") as one:
            preset(home, "- {id: other, plugin: other}\n")
            two = await late.enter_async_context(here.standing.joined("mine"))
            assert one is not two
            assert here.mounts() == ["hello", "other"]
        assert here.mounts() == ["other"]


async def test_a_bad_edit_keeps_the_last_good_preset_and_says_so(home: Home) -> None:
    plain(home)
    preset(home, FOREIGN)
    problems: list[str] = []
    async with room(home, problems) as here:
        async with here.standing.joined("mine") as one:
            pass
        for text in ("- {id: [", "id: x", "- {id: x}", FOREIGN * 2, "&a [*a]"):
            preset(home, text)
            async with here.standing.joined("mine") as two:
                assert one is two
        (home.presets / "mine" / "agent.yaml").write_bytes(b"\xff")
        async with here.standing.joined("mine") as two:
            assert one is two
        assert len(problems) == 6
        assert all(problem.startswith("preset mine") for problem in problems)


@pytest.mark.parametrize("text", ["- {id: [", "id: x", "- {id: x}", FOREIGN * 2])
async def test_a_preset_that_never_was_good_is_refused(home: Home, text: str) -> None:
    preset(home, text)
    async with room(home) as here:
        with pytest.raises(CompositionError):
            async with here.standing.joined("mine"):
                pass
        assert not here.mounts()


@pytest.mark.parametrize("features", [frozenset({"server"}), frozenset()])
async def test_a_row_for_a_feature_is_mounted_where_the_program_has_it(
    home: Home, features: frozenset[str]
) -> None:
    plain(home)
    preset(home, "- {id: hello, plugin: hello, when: {feature: server}}\n")
    async with room(home, features=features) as space, space.standing.joined("mine"):
        assert space.mounts() == (["hello"] if features else [])


@pytest.mark.parametrize("name", ["nope", "..", "a/b", "Standard", "x\0"])
async def test_an_unknown_preset_is_refused(home: Home, name: str) -> None:
    async with room(home) as here:
        with pytest.raises(UnknownPreset):
            async with here.standing.joined(name):
                pass


async def test_a_failing_row_costs_only_itself(home: Home) -> None:
    plain(home)
    plain(home, "bad", "raise ValueError('no such luck')")
    preset(home, "- {id: bad, plugin: bad}\n" + FOREIGN)
    problems: list[str] = []
    async with room(home, problems) as here:
        async with here.standing.joined("mine"):
            assert here.mounts() == ["hello"]
        assert "no such luck" in problems[0]


SLOW = "while not Path(__file__).with_name('go').exists(): time.sleep(0.005)"


async def test_a_row_that_takes_long_is_not_waited_for_and_joins_later(
    home: Home,
) -> None:
    plain(home, head=SLOW)
    preset(home, FOREIGN)
    async with room(home) as here, here.standing.joined("mine"):
        assert here.mounts() == []
        (home.plugins / "hello" / "go").touch()
        while here.mounts() != ["hello"]:
            await anyio.sleep(0.005)


async def test_who_gives_up_waiting_leaves_nothing_behind(home: Home) -> None:
    plain(home, head=SLOW)
    preset(home, FOREIGN)
    async with room(home) as here:
        with anyio.move_on_after(0.05):
            async with here.standing.joined("mine"):
                raise AssertionError("it cannot be ready yet")
        (home.plugins / "hello" / "go").touch()
        async with here.standing.joined("mine"):
            while here.mounts() != ["hello"]:
                await anyio.sleep(0.005)
        [generation] = here.standing._mounted
        assert generation.users == 0


async def test_nobody_joins_what_is_closing(home: Home) -> None:
    plain(home)
    preset(home, FOREIGN)
    async with room(home) as here:
        async with here.standing.joined("mine"):
            await here.standing.close()
            with pytest.raises(CompositionError, match="stopping"):
                async with here.standing.joined("mine"):
                    pass
        assert not here.mounts()


async def test_many_changes_with_many_agents_leave_one_generation(home: Home) -> None:
    for name in ("a", "b"):
        plain(home, name)
    async with room(home) as here:

        async def agent(number: int) -> None:
            name = "ab"[number % 2]
            preset(home, f"# {number}\n- {{id: {name}, plugin: {name}}}\n")
            async with here.standing.joined("mine"):
                await anyio.sleep(0)

        async with anyio.create_task_group() as group:
            for number in range(30):
                group.start_soon(agent, number)
        assert len(here.standing._mounted) == 1
        assert len(here.mounts()) == 1
