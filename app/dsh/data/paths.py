"""Where things are in ``$DSH_HOME``.

The folder may already belong to the original harness; what is ours lives in
``desktop/`` and in files whose names the original does not use.
"""

from __future__ import annotations

import os
from pathlib import Path

HOME_VARIABLE = "DSH_HOME"


class Home:
    """The paths of one home. Nothing is created by asking for a path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.desktop = root / "desktop"
        self.settings = self.desktop / "settings.yaml"
        self.credentials = self.desktop / "credentials.yaml"
        self.sessions = self.desktop / "sessions"
        self.attachments = self.desktop / "attachments"
        self.index = self.desktop / "index.db"
        self.state = self.desktop / "state"
        self.trash = self.desktop / "trash"
        self.logs = self.desktop / "logs"
        self.lock = self.desktop / "lock"
        self.profiles = root / "profiles"
        self.bundles = root / "bundles"
        self.presets = root / "presets"
        self.plugins = root / "plugins"
        self.patch = root / "patch.yaml"

    @classmethod
    def resolve(cls, explicit: str | None = None) -> Home:
        """``explicit``, else ``$DSH_HOME`` unless blank, else ``~/.dsh``; absolute."""
        chosen = explicit or os.environ.get(HOME_VARIABLE, "").strip() or "~/.dsh"
        return cls(Path(chosen).expanduser().absolute())
