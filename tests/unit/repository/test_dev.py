"""The door does work once, leaves out what it must, and tells what failed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from unit.repository.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


@pytest.fixture
def dev(tmp_path: Path) -> ModuleType:
    """A copy of dev.py's code that keeps its notes in a folder of the test."""
    spec = importlib.util.spec_from_file_location("dev_under_test", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["STAMPS"] = tmp_path / "stamps"
    return module


def test_work_is_done_again_only_when_its_inputs_change(
    dev: ModuleType, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    ran = [
        dev.unless_fresh("step", mark, made, made.touch)
        for mark in ("one", "one", "two", "two")
    ]
    assert ran == [True, False, True, False]
    made.unlink()
    assert dev.unless_fresh("step", "two", made, made.touch)


def test_work_that_failed_is_not_taken_for_done(dev: ModuleType, tmp_path: Path) -> None:
    def fail() -> None:
        raise dev.Failed("no")

    with pytest.raises(dev.Failed):
        dev.unless_fresh("step", "one", tmp_path, fail)
    assert dev.unless_fresh("step", "one", tmp_path, lambda: None)


def test_a_package_can_be_left_out_of_the_lock_and_only_that_one(dev: ModuleType) -> None:
    lock = (ROOT / "requirements.lock").read_text()
    rest = dev.without(lock, "pygobject", "pycairo")
    gone = set(lock.splitlines()) - set(rest.splitlines())
    names = {line.split("==")[0] for line in gone if "==" in line}
    assert names == {"pygobject", "pycairo"}
    assert all(line.startswith(("pyg", "pyc", "    --hash")) for line in gone)


def test_a_step_that_fails_shows_the_output_of_what_it_ran(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "import sys; print('what went wrong'); sys.exit(3)"
    assert not dev.step("sums", lambda: dev.command(dev.sys.executable, "-c", program))
    shown = capsys.readouterr().out
    assert shown.startswith("FAIL")
    assert "what went wrong" in shown
    assert "exit 3" in shown


def test_a_step_with_nothing_to_do_is_silent(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.step("sums", lambda: dev.UP_TO_DATE)
    assert capsys.readouterr().out == ""
