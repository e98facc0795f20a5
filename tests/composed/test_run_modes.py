"""`dsh run --permission`: a mode is what the machine enforces, not what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.program import run_dsh
from support.scripted_model import Event, calls, says, tool_call
from support.served import Scripting, results_of, served
from support.stored import kinds, only_log


class Places:
    """A workspace, a folder beside it, and a home."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.outside = root / "home", root / "work", root / "out"
        for folder in (self.work, self.outside):
            folder.mkdir()
            (folder / "old").write_text("old\n")

    def shell(self, mode: str | None, command: str) -> str:
        """What a command says under a mode."""
        words = ["--permission", mode] if mode else []
        done = run_dsh(
            *("run", "-w", str(self.work), *words, f"run {command}"), home=self.home
        )
        assert "Traceback" not in done.stderr
        return done.stdout

    def tools(self, mode: str, *fragments: Event) -> list[str]:
        """What the file tools answer under a mode."""
        script = Scripting(calls(*fragments), says("Done."))
        with served(script) as model:
            run_dsh(
                *("run", "-w", str(self.work), "--permission", mode, "go"),
                home=self.home,
                env=model.variables,
            )
            assert model.refusals == []
            return results_of(model.chats[1])


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_read_only_reads_and_writes_nowhere(places: Places) -> None:
    said = places.shell(
        "read-only", f"cat old; echo x > new; echo x >> old; touch {places.outside}/new"
    )
    assert "old" in said
    assert not (places.work / "new").exists()
    assert (places.work / "old").read_text() == "old\n"
    assert not (places.outside / "new").exists()


def test_workspace_write_writes_in_the_workspace_only(places: Places) -> None:
    places.shell(
        "workspace-write",
        f"echo x > new; echo x > {places.outside}/new; rm {places.outside}/old; "
        f"mkdir -p {places.home}/plugins/evil; ln -s {places.outside} link; "
        "echo x > link/through",
    )
    assert (places.work / "new").read_text() == "x\n"
    assert sorted(p.name for p in places.outside.iterdir()) == ["old"]
    assert not (places.home / "plugins").exists()


def test_full_access_writes_anywhere(places: Places) -> None:
    places.shell("danger-full-access", f"echo x > new; echo x > {places.outside}/new")
    assert (places.work / "new").exists()
    assert (places.outside / "new").read_text() == "x\n"


def test_without_a_word_the_workspace_is_the_limit(places: Places) -> None:
    places.shell(None, f"echo x > new; echo x > {places.outside}/new")
    assert (places.work / "new").exists()
    assert not (places.outside / "new").exists()


def test_no_confined_command_sees_our_own_data(places: Places) -> None:
    for mode in ("read-only", "workspace-write"):
        said = places.shell(mode, f"ls -A {places.home}/desktop; echo end")
        assert "sessions" not in said
        assert "end" in said


def writing(path: Path, call: str) -> Event:
    return tool_call("write", {"file_path": str(path), "content": "x\n"}, call)


def test_the_file_tools_keep_to_the_same_limits(places: Places) -> None:
    inside, outside = places.work / "new", places.outside / "new"
    refused = places.tools("read-only", writing(inside, "c1"), writing(outside, "c2"))
    assert all("denied" in text or "read-only" in text for text in refused)
    assert not inside.exists()
    assert not outside.exists()
    places.tools("workspace-write", writing(inside, "c1"), writing(outside, "c2"))
    assert inside.exists()
    assert not outside.exists()
    places.tools("danger-full-access", writing(outside, "c1"))
    assert outside.exists()


def test_a_mode_lasts_for_its_session(places: Places) -> None:
    places.shell("read-only", "touch one")
    session = only_log(places.home).parent.name
    run_dsh("run", "--session", session, "run touch two", home=places.home)
    assert not (places.work / "two").exists()
    words = ("--permission", "workspace-write", "run touch three")
    run_dsh("run", "--session", session, *words, home=places.home)
    assert (places.work / "three").exists()
    modes = kinds(only_log(places.home), "sandbox/mode")
    assert [event["data"]["mode"] for event in modes] == ["read-only", "workspace-write"]


def test_a_workspace_that_holds_the_home_is_not_written_to_by_commands(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    run_dsh("run", "-w", str(tmp_path), "run touch home/desktop/planted", home=home)
    assert not (home / "desktop" / "planted").exists()
