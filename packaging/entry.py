"""The built program's first lines."""

from __future__ import annotations

import multiprocessing

if __name__ == "__main__":
    # A worker process of a plugin starts this program again and must end in here.
    multiprocessing.freeze_support()

    from dsh.__main__ import main

    main()
