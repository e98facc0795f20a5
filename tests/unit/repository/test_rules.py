"""Rules about the repository that no linter knows."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING, Any

from packaging.requirements import Requirement

from dsh import __version__
from unit.repository.tracked import ROOT, text_of, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

# Put together from parts, so that this file does not match itself.
MACHINE_PATHS = re.compile(
    r"(?<![\w.})$-])/(?:" + "|".join(["work", "root", "farm"]) + r")/"
)
REGISTRY = re.compile(
    "|".join(
        [
            r'"resolved": *"http',
            r"-index-" + r"url [=\w]",
            r"regi" + r"stry\.npmjs",
            r"py" + r"pi\.org/simple",
            r"files\.python" + r"hosted",
        ]
    )
)


def project() -> dict[str, Any]:  # Any: TOML has no narrower type
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def lines_matching(pattern: re.Pattern[str], *names: str) -> list[str]:
    """Where the pattern stands in files that are text."""
    return [
        f"{file.relative_to(ROOT)}:{number}"
        for file in tracked(*names)
        for number, line in enumerate((text_of(file) or "").splitlines(), 1)
        if pattern.search(line)
    ]


def none_of(places: list[str]) -> None:
    assert not places, "\n" + "\n".join(places)


def test_packaging_is_not_a_python_package() -> None:
    """It would shadow the library of that name for everything that starts here."""
    assert not (ROOT / "packaging/__init__.py").exists()


def test_no_file_names_a_path_of_some_machine() -> None:
    none_of(lines_matching(MACHINE_PATHS))


def test_no_file_names_the_host_of_a_registry() -> None:
    none_of(lines_matching(REGISTRY))


def test_the_version_is_the_same_everywhere() -> None:
    assert project()["project"]["version"] == __version__
    assert f'"{__version__}"' in (ROOT / "packaging/version_info.txt").read_text()
    assert f'"version": "{__version__}"' in (ROOT / "ui/package.json").read_text()


def test_every_dependency_is_locked_in_a_version_that_satisfies_it() -> None:
    wanted = project()["project"]
    tools = wanted["optional-dependencies"]
    runtime = [*wanted["dependencies"], *tools["page"]]
    for lock, requirements in {
        "requirements.lock": runtime,
        "requirements-dev.lock": [*runtime, *tools["dev"][1:]],
    }.items():
        rows = re.findall(r"(?m)^([\w.-]+)==([\w.+]+)", (ROOT / lock).read_text())
        locked = {name.lower(): version for name, version in rows}
        for requirement in map(Requirement, requirements):
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            assert requirement.specifier.contains(locked[name]), f"{name} in {lock}"


def test_both_locks_agree() -> None:
    """What is tested is what runs."""
    rows = re.compile(r"(?m)^[\w.-]+==[\w.+]+")
    runtime = set(rows.findall((ROOT / "requirements.lock").read_text()))
    assert runtime <= set(rows.findall((ROOT / "requirements-dev.lock").read_text()))


def test_a_switched_off_check_says_which_and_a_type_ignore_also_why() -> None:
    silent = re.compile(r"#\s*(?:type: ignore(?:\[[\w, -]+\])?|noqa)\s*$")
    none_of(lines_matching(silent, "*.py"))


def test_a_file_that_uses_any_says_why() -> None:
    found = []
    for file in tracked("*.py"):
        text = file.read_text()
        uses = any(
            isinstance(node, ast.Name) and node.id == "Any"
            for node in ast.walk(ast.parse(text))
        )
        if uses and not re.search(r"#.*\bAny\b|\bAny: ", text):
            found.append(str(file.relative_to(ROOT)))
    none_of(found)


def test_what_catches_everything_says_why_or_raises_again() -> None:
    found = []
    for file in tracked("*.py"):
        lines = file.read_text().splitlines()
        for handler in broad_handlers(ast.parse("\n".join(lines))):
            nearby = "\n".join(lines[handler.lineno - 2 : handler.lineno + 1])
            if not re.search(r"# *\S", nearby):
                found.append(f"{file.relative_to(ROOT)}:{handler.lineno}")
    none_of(found)


def broad_handlers(tree: ast.Module) -> Iterator[ast.ExceptHandler]:
    """Handlers of every exception that do not end by raising it again."""
    for node in ast.walk(tree):
        match node:
            case ast.ExceptHandler(
                type=None | ast.Name(id="Exception" | "BaseException")
            ):
                if not isinstance(node.body[-1], ast.Raise):
                    yield node
