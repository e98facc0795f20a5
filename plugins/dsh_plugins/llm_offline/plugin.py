"""The plugin that adds the offline guide to the providers."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel, ConfigDict, Field

from dsh.kernel import plugin
from dsh.seams.llm import Models
from dsh_plugins.llm_offline.provider import OfflineGuide


class OfflineConfig(BaseModel):
    """How the guide speaks."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    pause_ms: float = Field(default=3, ge=0, le=1000)  # between two pieces of its text


@plugin
async def llm_offline(models: Models, config: OfflineConfig) -> AsyncIterator[None]:
    """Add the provider ``offline``."""
    guide = OfflineGuide(config.pause_ms / 1000)
    with models.add(guide.id, guide):
        yield
