"""A task on a real repository: search, read, three edits in one turn, its own tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import run_dsh
from support.repository import BROKEN, git, make_repository
from support.scripted_model import Recorded, Reply, calls, says, tool_call
from support.served import bash, results_of, served
from support.stored import endings, kinds, only_log

OLD, NEW = "in values[1:])", "in values)"

# Not the virtual environment's: it may lie in a temporary folder, which confined
# commands have for themselves.
PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("real") / "repository"
    make_repository(root)
    return root


class Colleague:
    """A model that works from what the tools really answer."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.step = 0

    def __call__(self, request: Recorded) -> Reply:
        self.step += 1
        results = results_of(request)
        match self.step:
            case 1:
                return calls(bash(f"{PYTHON} run_tests.py"))
            case 2:
                assert "3 failed" in results[-1], results[-1][-300:]
                pattern = re.escape("values[1:]")
                return calls(
                    tool_call("grep", {"pattern": pattern, "include": "*.py"}, "g")
                )
            case 3:
                self.found = sorted(
                    set(re.findall(r"\S*pkg_\d\d/part_\d\d\.py", results[-1]))
                )
                return calls(*[self._read(path) for path in self.found])
            case 4:
                assert all("values[1:]" in text for text in results[-3:])
                return calls(*[self._edit(path) for path in self.found])
            case 5:
                return calls(bash(f"{PYTHON} run_tests.py", "t2"))
            case _:
                return says("Fixed.\n", re.findall("RESULT: .*", results[-1])[0])

    def _read(self, path: str) -> dict[str, object]:
        return tool_call(
            "read", {"file_path": path}, f"r{path[-14:-3]}".replace("/", "_")
        )

    def _edit(self, path: str) -> dict[str, object]:
        arguments = {"file_path": path, "old_string": OLD, "new_string": NEW}
        return tool_call("edit", arguments, f"e{path[-14:-3]}".replace("/", "_"))


def test_the_diff_is_exactly_the_three_edits(repository: Path, tmp_path: Path) -> None:
    assert len(git(repository, "ls-files").splitlines()) > 1_950
    home = tmp_path / "home"
    with served(Colleague()) as model:
        words = ("run", "-w", str(repository), "make the tests pass")
        done = run_dsh(*words, home=home, env=model.variables)
        assert model.refusals == []
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"Fixed\.\nRESULT: 1920 run, 0 failed\n", done.stdout)
    changed = git(repository, "diff", "--name-only").splitlines()
    assert changed == list(BROKEN)
    assert git(repository, "diff", "--numstat") == "".join(f"1\t1\t{p}\n" for p in BROKEN)
    lines = [
        line
        for line in git(repository, "diff", "-U0").splitlines()
        if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))
    ]
    wanted = "    return sum(value * FACTOR for value "
    assert lines == [f"-{wanted}{OLD}", f"+{wanted}{NEW}"] * 3
    assert git(repository, "status", "--porcelain", "--untracked-files=all").split() == [
        word for path in BROKEN for word in ("M", path)
    ]
    log = only_log(home)
    assert endings(log) == ["completed"]
    assert [e["data"].get("error") for e in kinds(log, "tool/result")] == [None] * 9
    assert run_dsh("session", "verify", home=home).returncode == 0
    plain = subprocess.run(
        [PYTHON, "run_tests.py"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stdout
