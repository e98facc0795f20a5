"""The settings section ``models``: the servers by id."""

from __future__ import annotations

import re
from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from dsh.seams.endpoints import EndpointLimits
from dsh.seams.llm import ModelInfo

NAMESPACE: Final = "models"
ID = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")


class _Stored(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        validate_by_alias=True,
        validate_by_name=True,
    )


class StoredModel(_Stored):
    """A model of which more than its name is known."""

    id: str = Field(min_length=1)
    name: str | None = None
    context_window: int | None = Field(default=None, gt=0)  # tokens
    max_output: int | None = Field(default=None, gt=0)  # tokens
    efforts: list[str] = []


class StoredLimits(_Stored):
    """How long the server may be silent, in seconds."""

    connect: float | None = Field(default=None, gt=0)
    first: float | None = Field(default=None, gt=0)
    idle: float | None = Field(default=None, gt=0)


class StoredProvider(_Stored):
    """One server."""

    label: str | None = None
    dialect: str = "generic"
    base_url: str
    models: list[str | StoredModel] = []
    context_window: int | None = Field(
        default=None, gt=0
    )  # tokens, for models without their own
    credential_ref: str | None = None
    limits: StoredLimits = StoredLimits()

    def infos(self) -> tuple[ModelInfo, ...]:
        """The models as the runtime knows them."""
        return tuple(self._info(model) for model in self.models)

    def endpoint_limits(self) -> EndpointLimits:
        """The limits as the wire knows them."""
        return EndpointLimits(self.limits.connect, self.limits.first, self.limits.idle)

    def _info(self, model: str | StoredModel) -> ModelInfo:
        if isinstance(model, str):
            return ModelInfo(model, context_window=self.context_window)
        return ModelInfo(
            model.id,
            model.name,
            context_window=model.context_window or self.context_window,
            max_output=model.max_output,
            efforts=tuple(model.efforts),
        )


class StoredProviders(_Stored):
    """All of them."""

    providers: dict[str, StoredProvider] = {}
