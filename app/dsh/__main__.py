"""The program: helper modes first, then the command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run what the command line asks for and leave with its exit code."""
    _ensure_streams()
    if sys.argv[1:2] == ["--dsh-supervisor"]:
        _run_supervisor()
        return
    try:
        code = _run_program()
    except KeyboardInterrupt:  # so early that nothing had begun
        code = 130
    # Everything is released by now; what is left are interpreter-wide teardown and
    # threads that a hung foreign import may have left behind.
    os._exit(code if _flushed() else code or 1)


def _run_program() -> int:
    # Imported here: a helper process must start without the program.
    from dsh.surfaces import start

    start.begin()
    from dsh.surfaces.cli import run_command_line

    return run_command_line(sys.argv[1:])


def _flushed() -> bool:
    """Whether everything said has reached its reader; one that has gone is no error."""
    whole = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            whole = False
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"dsh: the output cannot be written: {error}\n")
    return whole


def _ensure_streams() -> None:
    # A windowed build starts with all three of them None, and print() in a plugin or
    # logging in a library must not end the program for that.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _run_supervisor() -> None:
    import importlib

    # By name: the frame does not import plugins; this is the program starting itself.
    module = importlib.import_module("dsh_plugins.subprocess_local.supervisor")
    module.main(int(sys.argv[2]))


if __name__ == "__main__":
    main()
