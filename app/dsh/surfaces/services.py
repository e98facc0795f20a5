"""What a launcher itself offers to the plugins it boots: the frame's registries."""

from __future__ import annotations

from typing import Any, Final

from dsh.kernel import Registry
from dsh.runtime.prompt import Contexts, Sections
from dsh.runtime.tools import Tools
from dsh.seams.gateway import Gateway, Snapshots
from dsh.seams.llm import Models

# Any: registries of different kinds stand side by side here.
REGISTRIES: Final[tuple[type[Registry[Any, Any]], ...]] = (
    Tools,
    Sections,
    Contexts,
    Models,
    Gateway,
    Snapshots,
)
