"""The settings file: read with care, changed without loss."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from dsh.kernel import DuplicateContribution, Events, Scope
from dsh.seams.gateway import HostEvent
from dsh.seams.settings import Settings, SettingsConflict, SettingsRejected
from dsh_plugins.settings_file import settings_file
from dsh_plugins.settings_file.methods import settings_methods
from support.mounting import call, mounted

pytestmark = pytest.mark.anyio


class Window(BaseModel):
    model_config = ConfigDict(frozen=True)

    theme: str = "system"
    size: int = 10
    recent: list[str] = Field(default_factory=list)
    fonts: dict[str, str] = Field(default_factory=dict)


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "none"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "desktop" / "settings.yaml"
    path.parent.mkdir()
    return path


@pytest.fixture
async def root(tmp_path: Path) -> AsyncIterator[Scope]:
    async with mounted(tmp_path, settings_file, settings_methods) as scope:
        yield scope


@pytest.fixture
def settings(root: Scope) -> Settings:
    return root.get(Settings)


def rewrite(file: Path, text: str) -> None:
    """As an editor does: another inode, another time."""
    other = file.with_suffix(".new")
    other.write_text(text)
    other.replace(file)


async def test_a_missing_file_gives_the_defaults_over_the_base(
    settings: Settings,
) -> None:
    with settings.section("window", Window, {"size": 12}) as window:
        assert window.value == Window(size=12)
        assert settings.problems() == []


async def test_stored_values_lie_over_the_base(file: Path, settings: Settings) -> None:
    file.write_text("window:\n  theme: dark\n  fonts: {code: Iosevka}\n")
    base = {"size": 12, "fonts": {"text": "Inter"}}
    with settings.section("window", Window, base) as window:
        assert window.value == Window(
            theme="dark", size=12, fonts={"code": "Iosevka", "text": "Inter"}
        )


async def test_a_change_keeps_comments_order_and_what_nobody_knows(
    file: Path, settings: Settings
) -> None:
    file.write_text(
        "# mine\nother: {keep: [1, 2]}   # not ours\n"
        "window:\n  size: 12 # wide\n  theme: 'light'\n  future: yes\n"
    )
    with settings.section("window", Window) as window:
        await window.update({"size": 14})
    assert file.read_text() == (
        "# mine\nother: {keep: [1, 2]}   # not ours\n"
        "window:\n  size: 14 # wide\n  theme: 'light'\n  future: yes\n"
    )


async def test_a_file_of_comments_keeps_them(file: Path, settings: Settings) -> None:
    file.write_text("# nothing yet")
    with settings.section("window", Window) as window:
        await window.update({"theme": "dark"})
    assert file.read_text() == "# nothing yet\nwindow:\n  theme: dark\n"


@pytest.mark.parametrize(
    "word", ["off", "no", "true", "10:30", "012", "1e3", "", "~", "a: b"]
)
async def test_any_word_is_read_as_it_was_written(
    file: Path, settings: Settings, word: str
) -> None:
    with settings.section("window", Window) as window:
        await window.update({"theme": word})
        assert window.value.theme == word


async def test_on_and_off_are_words(file: Path, settings: Settings) -> None:
    file.write_text("window: {theme: off, recent: [yes, 2024-01-01, 1:30]}\n")
    with settings.section("window", Window) as window:
        assert window.value.theme == "off"
        assert window.value.recent == ["yes", "2024-01-01", "1:30"]


async def test_a_patch_merges_mappings_replaces_lists_and_removes_with_none(
    settings: Settings,
) -> None:
    with settings.section("window", Window) as window:
        await window.update({"fonts": {"a": "1", "b": "2"}, "recent": ["x", "y"]})
        await window.update({"fonts": {"a": None, "c": "3"}, "recent": ["z"]})
        assert window.value.fonts == {"b": "2", "c": "3"}
        assert window.value.recent == ["z"]


async def test_only_the_owner_may_read_the_file(file: Path, tmp_path: Path) -> None:
    file.parent.rmdir()
    async with mounted(tmp_path, settings_file) as root:
        with root.get(Settings).section("window", Window) as window:
            await window.update({"theme": "dark"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_a_value_that_does_not_fit_is_refused_and_changes_nothing(
    file: Path, settings: Settings
) -> None:
    file.write_text("window: {size: 12}\n")
    with settings.section("window", Window) as window:
        with pytest.raises(SettingsRejected, match="size"):
            await window.update({"size": "large"})
        with pytest.raises(SettingsRejected, match="colour"):
            await window.update({"colour": "red"})
        assert window.value.size == 12
    assert file.read_text() == "window: {size: 12}\n"


async def test_an_old_revision_is_refused(file: Path, settings: Settings) -> None:
    with settings.section("window", Window) as window:
        seen = window.revision
        rewrite(file, "window: {size: 20}\n")
        with pytest.raises(SettingsConflict):
            await window.update({"size": 30}, seen)
        await window.update({"size": 30}, window.revision)
        assert window.value.size == 30


async def test_the_revision_ignores_comments_and_layout(
    file: Path, settings: Settings
) -> None:
    file.write_text("window: {size: 20}\n")
    with settings.section("window", Window) as window:
        seen = window.revision
        rewrite(file, "# said so\nwindow:\n  size: 20\n")
        assert window.revision == seen


@pytest.mark.parametrize(
    "text",
    [
        "window: {size: 12\nother: 1\n",
        "window:\n\tsize: 1\n",
        "- a\n- list\n",
        "window: !!python/object:os.system {}\n",
        "window: \udc80\n",
    ],
)
async def test_a_broken_file_keeps_the_last_good_value_and_its_text(
    file: Path, settings: Settings, text: str
) -> None:
    file.write_text("window: {size: 12}\n")
    broken = text.encode("utf-8", "surrogateescape")
    with settings.section("window", Window) as window:
        assert window.value.size == 12
        file.write_bytes(broken + b" " * 99)
        assert window.value.size == 12
        [problem] = settings.problems()
        assert str(file) in problem.message
        with pytest.raises(SettingsRejected, match="cannot be read"):
            await window.update({"theme": "dark"})
        assert file.read_bytes() == broken + b" " * 99
        rewrite(file, "window: {size: 13}\n")
        assert window.value.size == 13
        assert settings.problems() == []


async def test_a_file_broken_before_the_start_is_reported_with_its_line(
    file: Path, tmp_path: Path
) -> None:
    file.write_text("window:\n  size: 12\n  theme: [\n")
    async with mounted(tmp_path, settings_file) as root:
        settings = root.get(Settings)
        with settings.section("window", Window) as window:
            assert window.value == Window()
            [problem] = settings.problems()
            assert problem.line == 4
            assert problem.namespace == ""


async def test_a_section_that_does_not_fit_keeps_its_last_good_value(
    file: Path, settings: Settings
) -> None:
    file.write_text("window: {size: 12}\nstrict: {name: a}\n")
    with (
        settings.section("window", Window) as window,
        settings.section("strict", Strict) as strict,
    ):
        rewrite(file, "strict:\n  name: b\nwindow:\n  theme: dark\n  size: wide\n")
        assert window.value == Window(size=12)
        assert strict.value.name == "b"
        [problem] = settings.problems()
        assert (problem.namespace, problem.line) == ("window", 5)
        await strict.update({"name": "c"})
        assert "size: wide" in file.read_text()
        with pytest.raises(SettingsRejected):
            await window.update({"theme": "light"})


async def test_an_unknown_key_is_reported_and_has_no_effect(
    file: Path, settings: Settings
) -> None:
    file.write_text("strict:\n  name: a\n  nam: b\nwindow: {colour: red}\n")
    with (
        settings.section("strict", Strict) as strict,
        settings.section("window", Window) as window,
    ):
        assert strict.value.name == "a"
        assert [(p.namespace, p.line) for p in settings.problems()] == [
            ("strict", 3),
            ("window", 4),
        ]
        await strict.update({"name": "c"})
        await window.update({"size": 11})
    assert "nam: b" in file.read_text()
    assert "colour: red" in file.read_text()


async def test_a_change_by_hand_reaches_who_listens(file: Path, root: Scope) -> None:
    settings, events = root.get(Settings), root.get(Events)
    heard: list[int] = []
    told: list[str] = []

    def fact(event: HostEvent) -> None:
        told.append(f"{event.type} {event.data.model_dump()}")

    with (
        settings.section("window", Window) as window,
        window.watch(lambda value: heard.append(value.size)),
        events.on(HostEvent, fact),
    ):
        rewrite(file, "window: {size: 20}\n")
        settings.problems()
        rewrite(file, "window: {size: 20} # the same\n")
        settings.problems()
    assert heard == [20]
    assert told == ["host/settings {'namespace': 'window'}"]


async def test_a_listener_that_raises_does_not_keep_the_others_from_hearing(
    settings: Settings,
) -> None:
    heard: list[str] = []

    def bad(_: Window) -> None:
        raise ValueError("no")

    with (
        settings.section("window", Window) as window,
        window.watch(bad),
        window.watch(lambda value: heard.append(value.theme)),
    ):
        await window.update({"theme": "dark"})
    assert heard == ["dark"]


async def test_a_namespace_has_one_owner(settings: Settings) -> None:
    with (
        settings.section("window", Window),
        pytest.raises(DuplicateContribution),
        settings.section("window", Window),
    ):
        pass
    with settings.section("window", Window):
        pass


async def test_two_programs_do_not_lose_each_others_changes(tmp_path: Path) -> None:
    async with (
        mounted(tmp_path, settings_file) as one,
        mounted(tmp_path, settings_file) as two,
    ):
        with (
            one.get(Settings).section("window", Window) as here,
            two.get(Settings).section("window", Window) as there,
        ):
            await here.update({"theme": "dark"})
            await there.update({"size": 30})
            assert here.value == there.value == Window(theme="dark", size=30)


async def test_a_file_behind_a_link_stays_there(
    file: Path, tmp_path: Path, settings: Settings
) -> None:
    kept = tmp_path / "dotfiles.yaml"
    kept.write_text("window: {size: 12}\n")
    file.symlink_to(kept)
    with settings.section("window", Window) as window:
        await window.update({"size": 13})
    assert file.is_symlink()
    assert kept.read_text() == "window: {size: 13}\n"


@pytest.mark.skipif(
    getattr(os, "geteuid", int)() == 0, reason="root may write everywhere"
)
async def test_a_folder_that_cannot_be_written_is_said_so(
    file: Path, settings: Settings
) -> None:
    file.parent.chmod(0o500)
    with (
        settings.section("window", Window) as window,
        pytest.raises(SettingsRejected, match="cannot be written"),
    ):
        await window.update({"size": 13})
    file.parent.chmod(0o700)


async def test_the_page_reads_and_changes_sections(
    file: Path, root: Scope, settings: Settings
) -> None:
    file.write_text("window: {size: 12, odd: 1}\n")
    with settings.section("window", Window) as window:
        described = await call(root, "settings/describe")
        shown = described["namespaces"][0]
        assert shown["value"]["size"] == 12
        assert shown["schema"]["properties"]["size"]["type"] == "integer"
        assert described["problems"][0]["line"] == 1
        changed = await call(
            root,
            "settings/update",
            namespace="window",
            patch={"size": 15},
            revision=shown["revision"],
        )
        assert changed["revision"] == window.revision
        assert window.value.size == 15
