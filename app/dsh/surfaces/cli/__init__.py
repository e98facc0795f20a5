"""The command line: parses it and hands over to one module a command."""

from __future__ import annotations

import importlib
import sys

from dsh.errors import DSHError
from dsh.surfaces.cli.arguments import USAGE, Usage, parse
from dsh.surfaces.logs import speak_briefly

# Each command's module is imported only when it is asked for: `dsh run` must not pay
# for the window.
_COMMANDS = {
    "config": "dsh.surfaces.cli.config",
    "desktop-entry": "dsh.surfaces.cli.desktop_entry",
    "doctor": "dsh.surfaces.cli.doctor",
    "run": "dsh.surfaces.cli.run",
    "self-test": "dsh.surfaces.cli.self_test",
    "session": "dsh.surfaces.cli.sessions",
    "window": "dsh.surfaces.cli.window",
}


def run_command_line(argv: list[str]) -> int:
    """Do what ``argv`` (without the program's name) asks for; returns the exit code."""
    try:
        options = parse(argv)
    except Usage as usage:
        stream = sys.stdout if usage.code == 0 else sys.stderr
        stream.write(usage.text)
        return usage.code
    speak_briefly()
    module = importlib.import_module(_COMMANDS[options.command])
    try:
        code: int = module.execute(options)
    except DSHError as error:
        sys.stderr.write(f"dsh: {error.code}: {error}\n")
        if error.remedy:
            sys.stderr.write(f"     {error.remedy}\n")
        return USAGE if error.code == "NO_SUCH_FILE" else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has gone, as in `dsh … | head`
        return 1
    except OSError as error:  # a full disk, a closed door: the machine's, not a bug
        sys.stderr.write(f"dsh: {error}\n")
        return 1
    return code
