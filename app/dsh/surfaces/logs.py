"""Where the program writes down what goes wrong: a rotating file in the home."""

from __future__ import annotations

import logging
import logging.handlers
import sys

from dsh.data.paths import Home

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def keep_log(home: Home) -> None:
    """Send records to ``desktop/logs/dsh.log`` (5 files of 1 MB), and if that cannot be
    written to standard error. Called once by a launcher.
    """
    handler: logging.Handler
    try:
        home.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            home.logs / "dsh.log", maxBytes=1_000_000, backupCount=4, encoding="utf-8"
        )
    except OSError:
        handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # Every request of every client at INFO would fill the file in an afternoon.
    for noisy in ("uvicorn", "httpx", "httpcore", "websockets", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
