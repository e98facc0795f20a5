"""Where the program writes down what goes wrong: a rotating file in the home."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from dsh.data.paths import Home

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def keep_log(home: Home) -> None:
    """Send records to ``desktop/logs/dsh.log`` (5 files of 1 MB), and if that cannot be
    written to standard error. Called once by a launcher.
    """
    # Imported here: it costs more than what a command without a log file does with it.
    import logging.handlers

    handler: logging.Handler
    try:
        home.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            home.logs / "dsh.log", maxBytes=1_000_000, backupCount=4, encoding="utf-8"
        )
    except OSError:
        handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Every request of every client at INFO would fill the file in an afternoon.
    for noisy in ("uvicorn", "httpx", "httpcore", "websockets", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class _Brief(logging.Formatter):
    """One line, for somebody at a terminal: of an error only what it says."""

    def formatException(  # noqa: N802  # the library's own name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        return "     " + "".join(traceback.format_exception_only(ei[1])).strip()


def speak_briefly() -> None:
    """Send warnings to standard error. For commands, which keep no log."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Brief("dsh: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
