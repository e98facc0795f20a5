"""Profiles that create themselves, and the order of layers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh.composition import profiles
from dsh.composition.documents import parse
from dsh.composition.dump import dump_composition
from dsh.composition.patches import Layer
from dsh.composition.profiles import (
    Composition,
    Selection,
    UnknownProfile,
    compose,
    ensure,
)
from dsh.composition.rows import walk
from dsh.data.paths import Home
from dsh.errors import CompositionError


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def find(composition: Composition, id_: str) -> object:
    return next((row for row in walk(composition.rows) if row.id == id_), None)


def config_of(composition: Composition, id_: str) -> object:
    row = next(row for row in walk(composition.rows) if row.id == id_)
    return row.values["config"]


def test_shipped_profiles_create_themselves_once(home: Home) -> None:
    ensure(home, "desktop")
    patch = home.profiles / "desktop" / "patch.yaml"
    patch.write_text("- {id: retry, disabled: true}\n")
    ensure(home, "desktop")
    assert patch.read_text() == "- {id: retry, disabled: true}\n"
    assert "desktop" in (home.profiles / "desktop" / "profile.yaml").read_text()


@pytest.mark.parametrize("name", ["nope", "..", "a/b", "", ".hidden"])
def test_an_unknown_profile_is_refused_with_those_there_are(
    home: Home, name: str
) -> None:
    with pytest.raises(UnknownProfile, match="cli, desktop"):
        ensure(home, name)


def test_later_layers_win_in_the_stated_order(home: Home, tmp_path: Path) -> None:
    ensure(home, "cli")
    own = home.bundles / "mine"
    own.mkdir(parents=True)
    row = "{id: mine, plugin: mine, config: {from: bundle}}"
    (own / "bundle.yaml").write_text(f"- insert: [{row}]\n")
    (home.profiles / "cli" / "profile.yaml").write_text("bundles: [base, mine]\n")

    def at_most(count: int) -> object:
        overlay = Layer(
            "launcher", [{"id": "mine", "config": {"from": "launcher"}}], strict=True
        )
        overlays = (overlay,) if count == 4 else ()
        files = (tmp_path / "extra.yaml",) if count >= 3 else ()
        return config_of(
            compose(home, Selection("cli", patches=files, overlays=overlays)), "mine"
        )

    assert at_most(0) == {"from": "bundle"}
    (home.profiles / "cli" / "patch.yaml").write_text(
        "- {id: mine, config: {from: profile}}"
    )
    assert at_most(1) == {"from": "profile"}
    home.patch.write_text("- {id: mine, config: {from: home}}")
    assert at_most(2) == {"from": "home"}
    (tmp_path / "extra.yaml").write_text("- {id: mine, config: {from: flag}}")
    assert at_most(3) == {"from": "flag"}
    assert at_most(4) == {"from": "launcher"}


@pytest.mark.parametrize(
    "text", ["a: [", "just text", "{id: x}", "- {id: nobody, disabled: true}", "- 7"]
)
def test_a_broken_file_of_the_persons_is_a_warning_and_the_rest_boots(
    home: Home, text: str
) -> None:
    ensure(home, "cli")
    whole = dump_composition(compose(home, Selection("cli")))
    home.patch.write_text(text)
    composition = compose(home, Selection("cli"))
    assert composition.warnings
    rows = [
        line for line in dump_composition(composition).splitlines() if "layer" not in line
    ]
    assert rows == [line for line in whole.splitlines() if "layer" not in line]


def test_an_empty_file_is_no_patch_and_says_so(home: Home) -> None:
    ensure(home, "cli")
    home.patch.write_text("# nothing yet\n")
    [warning] = compose(home, Selection("cli")).warnings
    assert "[]" in warning.message


def test_a_broken_profile_falls_back_to_its_template(home: Home) -> None:
    ensure(home, "cli")
    (home.profiles / "cli" / "profile.yaml").write_text("bundles: {")
    composition = compose(home, Selection("cli"))
    assert composition.warnings and find(composition, "sessions")


def test_an_unnamed_patch_may_be_missing_and_a_named_bundle_may_not(home: Home) -> None:
    ensure(home, "cli")
    (home.profiles / "cli" / "patch.yaml").unlink()
    assert not compose(home, Selection("cli")).warnings
    (home.profiles / "cli" / "profile.yaml").write_text("bundles: [base, mine, ../up]\n")
    composition = compose(home, Selection("cli"))
    assert len(composition.warnings) == 2 and find(composition, "sessions")


def test_a_pipe_in_place_of_a_patch_keeps_nobody_waiting(home: Home) -> None:
    ensure(home, "cli")
    os.mkfifo(home.patch)
    [warning] = compose(home, Selection("cli")).warnings
    assert "not a file" in warning.message


def test_the_default_composition_is_the_shipped_one_whatever_the_profile_says(
    home: Home,
) -> None:
    ensure(home, "cli")
    shipped = dump_composition(compose(home, Selection("cli"), bundles_only=True))
    (home.profiles / "cli" / "profile.yaml").write_text("bundles: [mine]\n")
    home.patch.write_text("- {id: sessions, remove: true}")
    composition = compose(home, Selection("cli"), bundles_only=True)
    assert dump_composition(composition) == shipped and not composition.warnings


@pytest.mark.parametrize("broken", [True, False], ids=["broken", "safe-mode"])
def test_a_profile_of_the_persons_falls_back_to_that_of_the_command(
    home: Home, broken: bool
) -> None:
    folder = home.profiles / "mine"
    folder.mkdir(parents=True)
    (folder / "profile.yaml").write_text("bundles: 7\n" if broken else "bundles: [x]\n")
    for base, hosts in (("cli", False), ("desktop", True)):
        selection = Selection("mine", base=base, safe_mode=not broken)
        composition = compose(home, selection)
        assert bool(find(composition, "host")) is hosts
        assert bool(composition.warnings) is broken


def test_a_broken_shipped_bundle_is_an_error_that_names_it(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "broken_bundles"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(profiles, "SHIPPED", "broken_bundles")
    for text in ("- {id: [", "just: text", "- {id: nobody, disabled: true}"):
        (package / "base.yaml").write_text(text)
        with pytest.raises(CompositionError, match="bundle base"):
            compose(home, Selection("cli"))


def test_safe_mode_looks_at_nothing_of_the_persons(home: Home, tmp_path: Path) -> None:
    ensure(home, "cli")
    (home.profiles / "cli" / "profile.yaml").write_text("bundles: []")
    (home.profiles / "cli" / "patch.yaml").write_text("- {id: sessions, remove: true}")
    home.patch.write_text("not even a list")
    composition = compose(
        home, Selection("cli", safe_mode=True, patches=(tmp_path / "x",))
    )
    assert not composition.warnings and find(composition, "sessions")


def test_the_dump_is_what_boots_with_its_tags_unresolved(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure(home, "cli")
    monkeypatch.setenv("DSH_TEST_SECRET", "hunter2")
    home.patch.write_text(
        "- insert: [{id: s, plugin: s, config: {k: !env DSH_TEST_SECRET}}]\n"
    )
    composition = compose(home, Selection("cli"))
    text = dump_composition(composition)
    assert "hunter2" not in text and "!env" in text
    assert parse(text, "dump") is not None
    documents = parse(text, "dump")
    assert isinstance(documents, list)
    assert [row["id"] for row in documents] == [row.id for row in composition.rows]
    assert "# == home" in text


def test_a_home_that_cannot_be_written_still_composes(home: Home) -> None:
    home.root.parent.mkdir(exist_ok=True)
    home.root.write_text("a file where the home should be")
    ensure(home, "desktop")
    assert find(compose(home, Selection("desktop")), "host")
