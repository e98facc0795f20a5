"""Settings for the page: every open section with its schema, and changes to one."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel, Field, JsonValue

from dsh.errors import SurfaceError
from dsh.kernel import plugin
from dsh.seams.gateway import Empty, Gateway, Method, Wire
from dsh.seams.settings import Section, Settings


class SettingsNamespace(Wire):
    """One section: the value in force, the schema of its form, a mark for updates."""

    namespace: str
    value: dict[str, JsonValue]
    json_schema: dict[str, JsonValue] = Field(alias="schema")
    revision: str


class SettingsFault(Wire):
    """Something wrong with the stored file. The namespace is empty for all of it."""

    namespace: str
    message: str
    line: int | None = None


class SettingsDescription(Wire):
    """All sections, and what is wrong with the file."""

    namespaces: list[SettingsNamespace]
    problems: list[SettingsFault]


class SettingsUpdate(Wire):
    """A merge patch for one section; ``null`` resets a key."""

    namespace: str
    patch: dict[str, JsonValue]
    revision: str | None = None


class SettingsUpdated(Wire):
    """The section after the change."""

    value: dict[str, JsonValue]
    revision: str


def _plain(value: BaseModel) -> dict[str, JsonValue]:
    plain: dict[str, JsonValue] = value.model_dump(mode="json", by_alias=True)
    return plain


def _described(section: Section[BaseModel]) -> SettingsNamespace:
    return SettingsNamespace(
        namespace=section.namespace,
        value=_plain(section.value),
        schema=section.schema.model_json_schema(),
        revision=section.revision,
    )


@plugin
async def settings_methods(settings: Settings, gateway: Gateway) -> AsyncIterator[None]:
    """Add ``settings/describe`` and ``settings/update``."""

    async def describe(_: Empty) -> SettingsDescription:
        return SettingsDescription(
            namespaces=[_described(s) for s in settings.sections().values()],
            problems=[
                SettingsFault(namespace=p.namespace, message=p.message, line=p.line)
                for p in settings.problems()
            ],
        )

    async def update(request: SettingsUpdate) -> SettingsUpdated:
        section = settings.sections().get(request.namespace)
        if section is None:
            message = f"there are no settings {request.namespace!r}"
            raise SurfaceError(message, code="UNKNOWN_NAMESPACE")
        value = await section.update(request.patch, request.revision)
        return SettingsUpdated(value=_plain(value), revision=section.revision)

    with gateway.methods(
        Method("settings", "describe", Empty, SettingsDescription, describe),
        Method("settings", "update", SettingsUpdate, SettingsUpdated, update),
    ):
        yield
