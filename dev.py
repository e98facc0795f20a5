#!/usr/bin/env python3
"""The one door to the source tree.

    setup   install what building, checking and testing need
    run     start the program; what follows are its own arguments
    check   lint, types, directions of imports, rules of the repository, start
    test    check, tests of the page, the one-file program, all tests of Python
    types   write the page's types of the wire from the models
    build   make the one-file program, dist/dsh
    bench   measure; what follows are names of scripts in tests/bench

Needs nothing but Python 3.11 or later. Everything it installs goes into .venv and
ui/node_modules, except Debian packages, which it installs only as root on Debian and
names otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent
WINDOWS = sys.platform == "win32"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = BIN / ("python.exe" if WINDOWS else "python")
STAMPS = ROOT / ".setup"
UI = ROOT / "ui"
STATIC = ROOT / "app/dsh/surfaces/static"
WIRE_TYPES = UI / "src/wire.gen.ts"
PROGRAM = ROOT / "dist" / ("dsh.exe" if WINDOWS else "dsh")

# Variables that would change what is run or measured here.
OURS = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "DSH_")
NOTHING_DONE = NONE_MISSING, UP_TO_DATE = "none missing", "up to date"


# -- steps -----------------------------------------------------------------------------


class Failed(Exception):
    """A step ended badly; its output is the message."""


def step(name: str, work: Callable[[], str | None]) -> bool:
    """Run one step, print its line if it did anything, and say whether it went well."""
    started = time.monotonic()
    try:
        note, good = work() or "", True
    except (Failed, OSError) as failure:
        note, good = str(failure), False
    seconds = time.monotonic() - started
    if good and note in NOTHING_DONE:
        return True
    mark = "ok  " if good else "FAIL"
    head, _, rest = note.partition("\n") if good else ("", "", note)
    say(f"{mark} {seconds:6.1f} s  {name}  {head}\n{rest}")
    return good


def say(text: str) -> None:
    """Print at once and in one piece: two steps may be talking."""
    print(text.rstrip(), flush=True)


def must(name: str, work: Callable[[], str | None]) -> None:
    """Run one step and end the program when it fails."""
    if not step(name, work):
        raise SystemExit(1)


def command(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a program quietly; its standard output, or Failed with all it said."""
    try:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise Failed(f"{words[0]} cannot be started: {error}") from error
    if done.returncode:
        line = " ".join(str(word) for word in words)
        output = f"{done.stdout}\n{done.stderr}".strip()
        raise Failed(f"{output}\n{line}: exit {done.returncode}")
    return done.stdout


def environment() -> dict[str, str]:
    """Our tools and the pinned node come first; nothing of another Python leaks in."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
    env["PATH"] = os.pathsep.join([str(BIN), env.get("PATH", os.defpath)])
    env["VIRTUAL_ENV"] = str(VENV)
    return env


def digest(*parts: str | bytes) -> str:
    """One digest over several parts, for deciding what is stale."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() if isinstance(part, str) else part)
        total.update(b"\0")
    return total.hexdigest()


def content(*places: Path) -> str:
    """The digest of every file of these places, names included."""
    files = sorted(file for place in places for file in walk(place))
    return digest(*(p for f in files for p in (str(f.relative_to(ROOT)), f.read_bytes())))


def walk(place: Path) -> Iterator[Path]:
    """Every file of a tree that a build reads."""
    if place.is_file():
        yield place
        return
    for folder, names, files in os.walk(place):
        names[:] = [n for n in names if n != "__pycache__"]
        yield from (Path(folder, file) for file in files)


def unless_fresh(stamp: str, mark: str, present: Path, work: Callable[[], None]) -> bool:
    """Do the work if its inputs changed since it last succeeded; True if it ran."""
    file = STAMPS / stamp
    if present.exists() and file.is_file() and file.read_text() == mark:
        return False
    work()
    STAMPS.mkdir(exist_ok=True)
    file.write_text(mark)
    return True


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Two set-ups of one tree wait for each other."""
    STAMPS.mkdir(exist_ok=True)
    if WINDOWS:
        yield
        return
    import fcntl

    with (STAMPS / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# -- setup -----------------------------------------------------------------------------


def setup(*, tools: bool) -> None:
    """Install what running needs, and with ``tools`` what checks and tests need."""
    with alone():
        if sys.platform == "linux":
            must("system packages", lambda: system_packages(tools=tools))
        if not PYTHON.exists():
            must("virtual environment", make_venv)
        must("python packages", lambda: python_packages(tools=tools))
        if tools:
            must("page packages", page_packages)
        must("page", page)


def system_packages(*, tools: bool) -> str:
    """Bring in the Debian packages that are missing, or say how."""
    known = tomllib.loads((ROOT / "packaging/system.toml").read_text())
    if not shutil.which("dpkg-query") or not shutil.which("apt-get"):
        return other_system(known["others"])
    wanted = [*known["debian"]["window"], *(known["debian"]["tests"] if tools else ())]
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        wanted.append("python3-dev")
    if importlib.util.find_spec("ensurepip") is None:
        wanted.append("python3-venv")
    missing = [name for name in wanted if name not in installed(wanted)]
    if not missing:
        return NONE_MISSING
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        return f"missing; to install them:\n    sudo {' '.join(install)}"
    say(f"installing Debian packages: {' '.join(missing)}")
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    command("apt-get", "update")
    command(*install)
    return f"{len(missing)} installed"


def installed(names: Sequence[str]) -> set[str]:
    """Which of these Debian packages are on the machine."""
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\\n", *names]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    rows = (line.split() for line in done.stdout.splitlines())
    return {row[1] for row in rows if len(row) == 2 and row[0] == "installed"}


def other_system(lines: dict[str, str]) -> str:
    """Say what to install on a system whose packages we do not install."""
    if can_build_window():
        return NONE_MISSING
    known = [line for manager, line in lines.items() if shutil.which(manager)]
    missing = (
        "GTK 3 and WebKitGTK 4.1 with GObject introspection, a C compiler, bubblewrap"
    )
    return f"missing; to install them:\n    {known[0] if known else missing}"


def can_build_window() -> bool:
    """Whether the GTK binding can be compiled here (it has no wheel)."""
    probe = ["pkg-config", "--exists", "gobject-introspection-1.0", "cairo-gobject"]
    return bool(shutil.which("pkg-config") and shutil.which("gcc")) and (
        subprocess.run(probe, check=False).returncode == 0
    )


def make_venv() -> None:
    command(sys.executable, "-m", "venv", "--clear", VENV)


def python_packages(*, tools: bool) -> str:
    """Install the locked packages by hash, then the project itself as paths."""
    window = sys.platform != "linux" or can_build_window()
    left_out = () if window else ("pycairo", "pygobject")
    kinds = ("requirements.lock", "requirements-dev.lock")[: 2 if tools else 1]
    locks = {kind: without((ROOT / kind).read_text(), *left_out) for kind in kinds}
    chosen = kinds[-1]
    mark = {kind: digest(text, platform.python_version()) for kind, text in locks.items()}

    def work() -> None:
        say("installing python packages (the first time takes minutes)")
        install_lock(locks[chosen])
        link_project()
        # The set with tools contains the one without.
        STAMPS.joinpath(kinds[0]).write_text(mark[kinds[0]])

    ran = unless_fresh(chosen, mark[chosen], PYTHON, work)
    note = "installed" if ran else UP_TO_DATE
    return note if window else f"{note}, without the window: the browser shows the page"


def without(lock: str, *names: str) -> str:
    """The lock file's text less some packages."""
    for name in names:
        lock = re.sub(rf"(?m)^{name}==.*\n(?:    .*\n)*", "", lock)
    return lock


def install_lock(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "requirements.txt")
        file.write_text(text)
        words = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        command(PYTHON, *words, "--require-hashes", "--no-deps", "-r", file)


def link_project() -> None:
    """Make the source roots importable and put the ``dsh`` command beside the tools."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(command(PYTHON, "-c", code).strip())
    (packages / "dsh-desktop.pth").write_text(f"{ROOT / 'app'}\n{ROOT / 'plugins'}\n")
    start = "from dsh.__main__ import main\n\nmain()\n"
    if WINDOWS:
        (BIN / "dsh.py").write_text(start)
        (BIN / "dsh.cmd").write_text('@"%~dp0python.exe" "%~dp0dsh.py" %*\n')
        return
    script = BIN / "dsh"
    script.write_text(f"#!{PYTHON}\n{start}")
    script.chmod(0o755)


def npm(*words: str) -> str:
    """Run npm with the node that the lock file pins."""
    return command(BIN / ("npm.cmd" if WINDOWS else "npm"), *words, cwd=UI)


def page_packages() -> str:
    mark = content(UI / "package.json", UI / "package-lock.json")

    def work() -> None:
        npm("ci", "--no-audit", "--no-fund")

    ran = unless_fresh("page-packages", mark, UI / "node_modules", work)
    return "installed" if ran else UP_TO_DATE


def page() -> str:
    """Build the page into the frame's static folder when its sources changed."""

    def work() -> None:
        page_packages()
        npm("run", "build")

    sources = [p for p in UI.iterdir() if p.name not in ("node_modules", "tests", "dev")]
    ran = unless_fresh("page", content(*sources), STATIC / "index.html", work)
    return "built" if ran else UP_TO_DATE


# -- checks ----------------------------------------------------------------------------


def check() -> bool:
    """Run every check, two at a time, the long ones first."""
    started = time.monotonic()
    steps: list[tuple[str, Callable[[], str | None]]] = [
        ("types of python (mypy)", lambda: quiet(PYTHON, "-m", "mypy")),
        ("page: lint and types", lambda: quiet_npm("run", "check")),
        ("start of dsh run", check_start),
        ("repository rules", check_repository),
        ("wire types are fresh", check_wire_types),
        ("directions of imports", lambda: quiet(BIN / "lint-imports")),
        ("lint (ruff)", lambda: quiet(PYTHON, "-m", "ruff", "check")),
        ("format (ruff)", lambda: quiet(PYTHON, "-m", "ruff", "format", "--check")),
    ]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: step(*pair), steps))
    seconds = time.monotonic() - started
    bad = results.count(False)
    say(f"check: {'ok' if not bad else f'{bad} failed'} in {seconds:.0f} s")
    return not bad


def quiet(*words: str | Path) -> None:
    command(*words)


def quiet_npm(*words: str) -> None:
    npm(*words)


def check_repository() -> str:
    text = command(
        PYTHON, "-m", "pytest", "-q", "tests/unit/repository", "-p", "no:xdist"
    )
    return text.strip().splitlines()[-1].strip("= ")


def check_start() -> str:
    return command(PYTHON, "tests/unit/repository/start.py").strip()


def wire_types() -> str:
    return command(PYTHON, "-m", "dsh.surfaces.typescript")


def check_wire_types() -> None:
    if WIRE_TYPES.read_text() != wire_types():
        raise Failed(f"{WIRE_TYPES.relative_to(ROOT)} is stale: python3 dev.py types")


def types() -> str:
    WIRE_TYPES.write_text(wire_types())
    return str(WIRE_TYPES.relative_to(ROOT))


# -- test, build, bench ----------------------------------------------------------------


def build() -> str:
    """Make the one-file program unless nothing that goes into it changed."""
    inputs = [ROOT / name for name in ("app", "plugins", "packaging", "icons")]
    mark = content(*inputs, ROOT / "requirements.lock")

    def work() -> None:
        command(
            *(PYTHON, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"),
            *("--distpath", PROGRAM.parent, "--workpath", ROOT / "build/pyinstaller"),
            ROOT / "packaging/dsh.spec",
        )

    unless_fresh("build", mark, PROGRAM, work)
    return f"{PROGRAM.relative_to(ROOT)}, {PROGRAM.stat().st_size / 1e6:.1f} MB"


def test(arguments: Sequence[str]) -> bool:
    """Everything: checks, the page's tests, the built program, and the tests of it all.

    Tests that need a screen or the built program share one worker (see
    tests/conftest.py), so that they meet nobody else's windows.
    """
    good = check()
    with ThreadPoolExecutor(2) as pool:
        vitest = pool.submit(step, "page: tests", lambda: quiet_npm("test"))
        built = pool.submit(step, "one-file program", build)
        good &= vitest.result() & built.result()
    shutil.rmtree(ROOT / "build/screens", ignore_errors=True)
    (ROOT / "build/screens").mkdir(parents=True)
    workers = ["-n", "2", "--dist", "loadgroup", "--max-worker-restart", "1"]
    words = [str(PYTHON), "-m", "pytest", *workers, *arguments]
    # Exit 5 (no test was run) is a failure here too.
    passed = subprocess.run(words, cwd=ROOT, env=environment(), check=False)
    say("screenshots: build/screens")
    if not good:
        say("test: a step before the tests failed, see above")
    return good and passed.returncode == 0


def bench(arguments: Sequence[str]) -> bool:
    """Run every script of tests/bench, or those whose names are given."""
    scripts = sorted((ROOT / "tests/bench").glob("[!_]*.py"))
    chosen = [s for s in scripts if not arguments or s.stem in arguments]
    good = bool(chosen)
    env = {**environment(), "PYTHONPATH": str(ROOT / "tests")}
    for script in chosen:
        say(f"-- {script.stem}")
        done = subprocess.run([PYTHON, script], cwd=ROOT, env=env, check=False)
        good &= done.returncode == 0
    return good


def run(arguments: Sequence[str]) -> bool:
    """Become the program."""
    words = [str(PYTHON), "-m", "dsh", *arguments]
    if WINDOWS:
        raise SystemExit(subprocess.run(words, check=False).returncode)
    os.execv(words[0], words)


ACTIONS: dict[str, Callable[[Sequence[str]], bool]] = {
    "setup": lambda _: step("everything is in place", lambda: None),
    "run": run,
    "check": lambda _: check(),
    "test": test,
    "types": lambda _: step("wire types", types),
    "build": lambda _: step("one-file program", build),
    "bench": bench,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(ACTIONS))
    parser.add_argument("arguments", nargs="...", help="for run, test and bench")
    chosen = parser.parse_args()
    # The output of `run` is the program's own.
    with contextlib.redirect_stdout(sys.stderr if chosen.what == "run" else sys.stdout):
        setup(tools=chosen.what != "run")
    return 0 if ACTIONS[chosen.what](chosen.arguments) else 1


if __name__ == "__main__":
    raise SystemExit(main())
