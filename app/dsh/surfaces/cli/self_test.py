"""`dsh --self-test`: the program checks that all of its own parts are there and work."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from dsh.composition.boot import Boot, booted
from dsh.composition.profiles import TEMPLATES, Selection, compose
from dsh.data.paths import Home
from dsh.errors import describe
from dsh.seams.shell import Shell, ShellRequest
from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.cli.doctor import NO_HOST
from dsh.surfaces.host.pages import STATIC
from dsh.surfaces.services import REGISTRIES

# Absent on systems they are not for; each says so by its own import error.
ELSEWHERE = ("_windows", "_macos", "windows", "macos")


def execute(options: Options) -> int:
    """Print a line for each part; 0 when all are sound."""
    del options
    failures = 0
    for name, check in _checks():
        try:
            check()
            line = f"ok      {name}"
        except Exception as error:  # noqa: BLE001  # whatever is missing is the finding
            failures += 1
            line = f"FAILED  {name}: {type(error).__name__}: {describe(error)}"
        sys.stdout.write(line + "\n")
    sys.stdout.write(f"{failures} failed\n")
    return 1 if failures else 0


def _checks() -> Iterator[tuple[str, Callable[[], object]]]:
    for package in ("dsh", "dsh_plugins"):
        for name in _modules(package):
            yield f"module {name}", _importing(name)
    yield "page", _page
    yield "certificates", _certificates
    yield "time zones", _time_zones
    yield "full-text search", _search
    for profile in TEMPLATES:
        yield f"profile {profile}", _composing(profile)
    yield "boot", lambda: asyncio.run(_with_boot(_all_active))
    yield "a command in the sandbox", lambda: asyncio.run(_with_boot(_command))


def _modules(package: str) -> list[str]:
    root = importlib.import_module(package)
    found = pkgutil.walk_packages(root.__path__, f"{package}.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    return sorted(name for name in names if name.rsplit(".", 1)[1] not in ELSEWHERE)


def _importing(name: str) -> Callable[[], object]:
    return lambda: importlib.import_module(name)


def _page() -> None:
    assert (STATIC / "index.html").is_file(), f"{STATIC} holds no page"
    assert any(STATIC.glob("assets/*.js")), "the page has no script"


def _certificates() -> None:
    import ssl

    assert ssl.create_default_context().cert_store_stats()["x509_ca"] > 0


def _time_zones() -> None:
    import zoneinfo

    zoneinfo.ZoneInfo("Asia/Shanghai")


def _search() -> None:
    import sqlite3

    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='trigram')")
    db.close()


def _composing(profile: str) -> Callable[[], object]:
    def check() -> None:
        with tempfile.TemporaryDirectory() as folder:
            composition = compose(Home(Path(folder)), Selection(profile))
            assert not composition.warnings, composition.warnings

    return check


async def _with_boot(check: Callable[[Boot], Awaitable[None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.desktop.mkdir()
        selection = Selection("desktop", overlays=(NO_HOST,), safe_mode=True)
        async with booted(
            compose(home, selection),
            registries=REGISTRIES,
            problem=lambda _row, _error: None,
        ) as boot:
            await boot.settled()
            await check(boot)


async def _all_active(boot: Boot) -> None:
    failures = [f"{row.id}: {row.message or row.missing}" for row in boot.failures()]
    assert not failures, "; ".join(failures)


async def _command(boot: Boot) -> None:
    shell = boot.kernel.root.get(Shell)
    command = shell.resolve(
        ShellRequest("echo $((6 * 7))", workdir=boot.home.root.parent)
    )
    result = await shell.run(command)
    assert result.stdout.text.strip() == "42", result.stderr.text
