"""The plugin that offers `DefaultModel`: something always answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack

from pydantic import BaseModel, ConfigDict

from dsh.errors import DataError
from dsh.kernel import Events, plugin
from dsh.runtime.models import DefaultModel, Route
from dsh.seams.endpoints import EndpointProvider, UnusableProvider
from dsh.seams.gateway import Empty, HostEvent
from dsh.seams.llm import Models
from dsh.seams.settings import Section, Settings

NAMESPACE = "agent-default-model"
OFFLINE = Route("offline", "guide")
UNKNOWN = "unknown"
_ORIGINS = ("environment", "settings")  # in this order


class ChosenModel(BaseModel):
    """The stored choice; empty when nobody chose."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    provider: str = ""
    model: str = ""
    effort: str | None = None


class StoredDefault(DefaultModel):
    """The stored choice, else the environment's model, else the first that is
    configured, else the offline guide.
    """

    def __init__(
        self, models: Models, section: Section[ChosenModel] | None, events: Events
    ) -> None:
        self._models = models
        self._section = section
        self._events = events

    def current(self) -> Route:
        chosen = self._section.value if self._section is not None else ChosenModel()
        if chosen.model and self._models.get(chosen.provider) is not None:
            return Route(chosen.provider, chosen.model, chosen.effort)
        providers = self._models.items()
        for origin in _ORIGINS:
            for name, provider in providers.items():
                if isinstance(provider, UnusableProvider):
                    if provider.origin == origin == "environment":
                        return Route(name, UNKNOWN)  # it says why; nobody else answers
                    continue
                if not isinstance(provider, EndpointProvider):
                    continue
                model = provider.first_model()
                if provider.endpoint.origin == origin and model is not None:
                    return Route(name, model)
        return OFFLINE

    async def set(self, route: Route) -> None:
        if self._section is None:
            raise DataError("there are no settings to keep the choice in")
        await self._section.update(
            {"provider": route.provider, "model": route.model, "effort": route.effort}
        )
        self._events.emit(HostEvent("host/models", Empty()))


@plugin
async def default_model(
    models: Models, settings: Settings | None, events: Events
) -> AsyncIterator[DefaultModel]:
    """Offer the default. Without settings it still answers, but keeps no choice."""
    with ExitStack() as stack:
        section = None
        if settings is not None:
            section = stack.enter_context(settings.section(NAMESPACE, ChosenModel))
        yield StoredDefault(models, section, events)
