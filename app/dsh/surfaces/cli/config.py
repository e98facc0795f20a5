"""`dsh config dump`: what boots."""

from __future__ import annotations

import sys

from dsh.composition.dump import dump_composition
from dsh.composition.profiles import compose, ensure
from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.cli.selection import home_of, selection_of


def execute(options: Options) -> int:
    """Print the composition of a profile (``desktop`` unless another is named)."""
    home = home_of(options)
    selection = selection_of(options, "desktop")
    ensure(home, selection.profile)
    composition = compose(home, selection, bundles_only=options.default)
    sys.stdout.write(dump_composition(composition))
    for warning in composition.warnings:
        sys.stderr.write(f"dsh: {warning.layer}: {warning.message}\n")
    return 0
