"""A real git repository of some two thousand files, with tests of its own that run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PACKAGES = 40
MODULES = 24  # in each package, with a test for each
BROKEN = ("pkg_03/part_07.py", "pkg_17/part_00.py", "pkg_39/part_23.py")

_MODULE = '''"""Part {part} of package {package}: sums and names."""

from __future__ import annotations

FACTOR = {factor}


def total(values: list[int]) -> int:
    """The sum of the values, each times FACTOR."""
    return sum(value * FACTOR for value in {values})


def name() -> str:
    """How this part is called — in any language: 部件 {part}."""
    return "{package}.part_{part:02d}"
'''
_TEST = '''"""Tests of part {part} of package {package}."""

import unittest

from {package}.part_{part:02d} import FACTOR, name, total


class Part{part:02d}(unittest.TestCase):
    def test_total(self) -> None:
        self.assertEqual(total([1, 2, 3]), 6 * FACTOR)

    def test_name(self) -> None:
        self.assertEqual(name(), "{package}.part_{part:02d}")
'''
_RUNNER = '''"""Runs every test of this repository."""

import sys
import unittest

sys.dont_write_bytecode = True
suite = unittest.defaultTestLoader.discover("tests", top_level_dir=".")
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
print("RESULT:", result.testsRun, "run,", len(result.failures), "failed")
sys.exit(not result.wasSuccessful())
'''


def git(repository: Path, *words: str) -> str:
    """What git says; without any configuration but the repository's own."""
    done = subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words],
        cwd=repository,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def make_repository(root: Path) -> None:
    """Write and commit it. The three BROKEN modules leave out the first value."""
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "__init__.py").touch()
    (root / "run_tests.py").write_text(_RUNNER, "utf-8")
    (root / ".gitignore").write_text("__pycache__/\nbuild/\n", "utf-8")
    for number in range(PACKAGES):
        package = f"pkg_{number:02d}"
        tests = root / "tests" / package
        for folder in (root / package, tests):
            folder.mkdir()
            (folder / "__init__.py").write_text(f'"""{package}."""\n', "utf-8")
        for part in range(MODULES):
            path = f"{package}/part_{part:02d}.py"
            values = "values[1:]" if path in BROKEN else "values"
            facts = {"package": package, "part": part, "values": values}
            text = _MODULE.format(**facts, factor=number + 1)
            (root / path).write_text(text, "utf-8")
            (tests / f"test_part_{part:02d}.py").write_text(
                _TEST.format(**facts), "utf-8"
            )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All of it")
