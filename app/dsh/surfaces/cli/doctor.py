"""`dsh doctor`: the environment, and what a boot makes of it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator

from dsh import __version__
from dsh.composition.boot import Boot, RowReport, booted
from dsh.composition.patches import switching_off
from dsh.composition.profiles import Composition
from dsh.data.paths import Home
from dsh.data.proxies import Proxies
from dsh.errors import DSHError
from dsh.runtime.models import DefaultModel
from dsh.seams.credentials import Credentials
from dsh.seams.llm import Models
from dsh.seams.sandbox import Sandbox
from dsh.seams.settings import Settings
from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.cli.selection import composition_of, home_of
from dsh.surfaces.loop import run_loop
from dsh.surfaces.services import REGISTRIES
from dsh.surfaces.window.toolkit import find_toolkit, has_screen

# What needs a running host is not booted: the doctor may look while a window is open.
NO_HOST = switching_off("launcher: doctor", "host", "window", "methods")


def execute(options: Options) -> int:
    """Print what was found; 1 when something required does not work."""
    home = home_of(options)
    composition = composition_of(options, home, "desktop", NO_HOST)
    for name, value in _environment(home):
        _say(name, value)
    return run_loop(_boot(composition))


def _environment(home: Home) -> Iterator[tuple[str, str]]:
    frozen = " (built program)" if getattr(sys, "frozen", False) else ""
    yield "program", f"dsh {__version__}{frozen}"
    yield "system", f"{platform.platform()}, Python {platform.python_version()}"
    writable = os.access(home.desktop, os.W_OK | os.X_OK)
    yield "home", f"{home.root}{'' if writable else ' — NOT WRITABLE'}"
    yield "screen", "yes" if has_screen() else "no: the page opens in a browser"
    yield "web view", find_toolkit() or "none: the page opens in a browser"
    yield "bash", shutil.which("bash") or "NOT FOUND"
    for problem in Proxies.read(os.environ).problems:
        yield "proxy", problem


async def _boot(composition: Composition) -> int:
    for warning in composition.warnings:
        if warning.layer != NO_HOST.name:
            _say("warning", f"{warning.layer}: {warning.message}")
    async with booted(
        composition, registries=REGISTRIES, problem=lambda _row, _error: None
    ) as boot:
        await boot.settled()
        await _services(boot)
        rows = boot.report()
        active = sum(row.phase == "active" for row in rows)
        _say("rows", f"{active} of {len(rows)} active")
        failures = boot.failures()
        for row in failures:
            _say(f"row {row.id}", _why(row))
        return 1 if any(row.required for row in failures) else 0


async def _services(boot: Boot) -> None:
    root = boot.kernel.root
    sandbox = root.find(Sandbox)
    if sandbox is None:
        _say("sandbox", "none: confined modes refuse to run")
    else:
        try:
            found = await sandbox.probe()
            gaps = f"; not covered: {', '.join(found.gaps)}" if found.gaps else ""
            _say("sandbox", f"{found.mechanism}, {found.level}{gaps}")
        except DSHError as error:
            _say("sandbox", f"{error.code}: {error}")
    credentials = root.find(Credentials)
    if credentials is not None:
        _say("secrets", f"new ones go to the {await credentials.ready()}")
    settings = root.find(Settings)
    for fault in settings.problems() if settings is not None else []:
        line = f" (line {fault.line})" if fault.line is not None else ""
        _say("settings", f"{fault.namespace or 'file'}: {fault.message}{line}")
    _say("providers", ", ".join(sorted(root.get(Models).items())) or "none")
    default = root.find(DefaultModel)
    if default is not None:
        route = default.current()
        _say("model", f"{route.provider}/{route.model}")


def _why(row: RowReport) -> str:
    if row.message is not None:
        return f"{row.phase}: {row.code}: {row.message}"
    waits = ", ".join(f"{key} ({by or 'nobody'})" for key, by in row.missing.items())
    return f"{row.phase}: needs {waits}"


def _say(name: str, value: str) -> None:
    line = f"{name:<12} {value}\n"
    sys.stdout.buffer.write(line.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
