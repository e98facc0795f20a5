"""What can be said on the command line."""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from dsh import __version__
from dsh.seams.sandbox import Mode

COMMANDS = ("run", "config", "session", "doctor", "desktop-entry")
USAGE = 2  # exit code: the words make no sense
MODES = ("read-only", "workspace-write", "danger-full-access")


class Usage(Exception):  # not an error: an answer, with its exit code
    """The help, the version, or what is wrong with the words given."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class Options(argparse.Namespace):
    """The words, parsed. Which fields mean something depends on ``command``."""

    command: str
    home: str | None
    profile: str | None
    patch: list[Path]
    safe_mode: bool
    # window
    headless: bool
    port: int
    folder: Path | None
    # run
    workdir: Path
    model: str | None
    permission: Mode | None
    format: str
    session: str | None
    prompt: str
    # config, session, desktop-entry
    action: str
    default: bool
    id: str | None


def parse(argv: list[str]) -> Options:
    """The options of ``argv``. Raises :class:`Usage` when there is nothing to run."""
    options = Options()
    text = io.StringIO()
    try:
        with redirect_stdout(text), redirect_stderr(text):
            _parser(argv).parse_args(argv, namespace=options)
    except SystemExit as end:
        raise Usage(text.getvalue(), int(end.code or 0)) from None
    if getattr(options, "self_test", False):
        options.command = "self-test"
    return options


def _parser(argv: list[str]) -> argparse.ArgumentParser:
    return _command_parser() if _first_word(argv) in COMMANDS else _window_parser()


def _first_word(argv: list[str]) -> str | None:
    words = iter(argv)
    for word in words:
        if word in ("--home", "--profile", "--patch", "--port"):
            next(words, None)  # its value is no command
        elif not word.startswith("-"):
            return word
    return None


def _common(parser: argparse.ArgumentParser, *, again: bool = False) -> None:
    """The common options; ``again`` after a command, where defaults would overwrite
    what stood before it.
    """
    group = parser.add_argument_group("common")
    missing = argparse.SUPPRESS if again else None
    group.add_argument(
        "--home", metavar="DIR", default=missing, help="instead of $DSH_HOME or ~/.dsh"
    )
    group.add_argument(
        "--profile", metavar="NAME", default=missing, help="which composition to boot"
    )
    group.add_argument(
        "--patch",
        metavar="FILE",
        type=Path,
        action="append",
        default=argparse.SUPPRESS if again else [],
        help="a further patch file; may be given several times",
    )
    group.add_argument(
        "--safe-mode",
        action="store_true",
        default=argparse.SUPPRESS if again else False,
        help="boot only what ships with the program",
    )


def _port(word: str) -> int:
    if not (word.isdecimal() and int(word) <= 65_535):
        raise argparse.ArgumentTypeError(f"{word} is no port")
    return int(word)


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dsh",
        description="Opens the window of DSH Desktop.",
        epilog=f"commands: {', '.join(COMMANDS)} (dsh COMMAND --help)",
    )
    parser.set_defaults(command="window")
    parser.add_argument("folder", nargs="?", type=Path, help="a folder to open")
    parser.add_argument(
        "--headless", action="store_true", help="serve without a window, print the URL"
    )
    parser.add_argument(
        "--port", type=_port, default=0, help="with --headless: 0 lets the system choose"
    )
    parser.add_argument("--version", action="version", version=f"dsh {__version__}")
    parser.add_argument(
        "--self-test", action="store_true", help="check the parts of this program"
    )
    _common(parser)
    return parser


def _command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dsh")
    parser.add_argument("--version", action="version", version=f"dsh {__version__}")
    _common(parser)
    commands = parser.add_subparsers(dest="command", required=True)
    _run(commands.add_parser("run", help="do one task, without a window"))
    _config(commands.add_parser("config", help="show what boots"))
    _session(commands.add_parser("session", help="list, show or verify sessions"))
    _common(commands.add_parser("doctor", help="check the environment"), again=True)
    entry = commands.add_parser("desktop-entry", help="add to the applications menu")
    entry.add_argument("action", choices=["install"])
    _common(entry, again=True)
    return parser


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-w", "--workdir", type=Path, default=Path(), help="the folder to work in"
    )
    parser.add_argument("--model", metavar="PROVIDER/MODEL")
    parser.add_argument("--permission", choices=MODES)
    parser.add_argument("--format", choices=["text", "jsonl"], default="text")
    parser.add_argument("--session", metavar="ID", help="go on with this session")
    parser.add_argument("prompt", help='the task; "-" reads it from standard input')
    _common(parser, again=True)


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["dump"])
    parser.add_argument(
        "--default", action="store_true", help="the shipped bundles only, no patches"
    )
    _common(parser, again=True)


def _session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["list", "show", "verify"])
    parser.add_argument("id", nargs="?", help="which session; all for verify without one")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    _common(parser, again=True)
