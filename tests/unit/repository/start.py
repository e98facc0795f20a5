"""Runs one offline turn and says what its start imported, and for how long.

Exits 1 when it loaded something that a run on the command line does not use.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

UNUSED = ("httpx", "keyring", "litestar", "ruamel", "uvicorn", "webview")
ROW = re.compile(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", re.MULTILINE)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "dsh", "--home", str(Path(folder, "home")), "run", "-w", folder]
        env = {k: v for k, v in os.environ.items() if not k.startswith("DSH_")}
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *words, "hello"],
            capture_output=True,
            text=True,
            env=env,
            check=False,
        )
        seconds = time.perf_counter() - began
    rows = ROW.findall(done.stderr)
    loaded = {name for _, name in rows}
    heavy = [name for name in UNUSED if name in loaded]
    if done.returncode or heavy:
        lines = done.stderr.splitlines()
        print("\n".join(line for line in lines if not line.startswith("import time:")))
        print(f"exit {done.returncode}; imported without use: {', '.join(heavy) or '-'}")
        return 1
    imports = sum(int(own) for own, _ in rows) / 1e6
    print(f"{len(loaded)} modules, {imports:.2f} s importing, {seconds:.2f} s in all")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
