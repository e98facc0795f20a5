"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast
import statistics
from typing import TYPE_CHECKING

from unit.repository.tracked import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

MEDIAN, MOST, LONGEST = 120, 350, 500
FUNCTION = 40


def percentile_95(sizes: list[int]) -> int:
    return sorted(sizes)[max(0, round(len(sizes) * 0.95) - 1)]


def file_sizes() -> dict[str, int]:
    """Lines of every source file that somebody wrote and that is not empty."""
    files = tracked("*.py", "*.ts", "*.tsx", "*.css", ":!*.gen.ts")
    lines = {str(f.relative_to(ROOT)): len(f.read_text().splitlines()) for f in files}
    return {name: count for name, count in lines.items() if count}


def function_sizes() -> Iterator[int]:
    for file in tracked("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_file_is_longer_than_500_lines() -> None:
    assert {n: c for n, c in file_sizes().items() if c > LONGEST} == {}


def test_files_are_short_as_a_rule() -> None:
    sizes = list(file_sizes().values())
    assert statistics.median(sizes) <= MEDIAN
    assert percentile_95(sizes) <= MOST


def test_functions_are_short_as_a_rule() -> None:
    assert percentile_95(list(function_sizes())) <= FUNCTION
