"""All sections of one file: reading in step with it, and changing it under a lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from pydantic import BaseModel

from dsh.data.private_files import edited_alone, write_private
from dsh.kernel import DuplicateContribution, Events
from dsh.seams.gateway import HostEvent
from dsh.seams.settings import (
    S,
    Section,
    Settings,
    SettingsConflict,
    SettingsProblem,
    SettingsRejected,
)
from dsh_plugins.settings_file.document import (
    Document,
    Unreadable,
    parse,
    read_text,
    rewritten,
)
from dsh_plugins.settings_file.sections import (
    StoredSection,
    as_base_model,
    merged,
    revision_of,
)


class SettingsChanged(BaseModel):
    """A section was changed; read it again."""

    namespace: str


class FileSettings(Settings):
    """The settings document in a file. A broken file is never written over."""

    def __init__(self, path: Path, events: Events) -> None:
        self.document = Document(path)
        self._events = events
        self._sections: dict[str, StoredSection[Any]] = {}  # Any: each has its own schema
        self._editing = anyio.Lock()

    @contextmanager
    def section(
        self, namespace: str, schema: type[S], base: Mapping[str, object] | None = None
    ) -> Iterator[Section[S]]:
        if namespace in self._sections:
            raise DuplicateContribution(f"settings section {namespace!r} has an owner")
        self.document.refresh()
        section = StoredSection(self, namespace, schema, base or {})
        self._sections[namespace] = section
        try:
            yield section
        finally:
            del self._sections[namespace]

    def sections(self) -> dict[str, Section[BaseModel]]:
        return {name: as_base_model(s) for name, s in sorted(self._sections.items())}

    def problems(self) -> list[SettingsProblem]:
        self.refresh()
        found = [self.document.problem] if self.document.problem is not None else []
        for section in self._sections.values():
            found += section.problems(self.document.text)
        return found

    def refresh(self) -> None:
        """Take over what the file says if it was changed; tell who listens."""
        if not self.document.refresh():
            return
        for name, section in tuple(self._sections.items()):
            if section.load(self.document.sections.get(name)):
                self._events.emit(
                    HostEvent("host/settings", SettingsChanged(namespace=name))
                )

    async def update(
        self,
        # Any: checked against the section's own schema, whichever it is
        section: StoredSection[Any],
        patch: Mapping[str, object],
        revision: str | None,
    ) -> None:
        """Store ``patch``. Raises `SettingsRejected` and `SettingsConflict`."""
        async with self._editing:
            await anyio.to_thread.run_sync(
                partial(_store, self.document.path, section, patch, revision)
            )
            self.refresh()


def _store(
    path: Path,
    section: StoredSection[Any],  # Any: as above
    patch: Mapping[str, object],
    revision: str | None,
) -> None:
    try:
        with edited_alone(path):
            text = read_text(path)
            stored = parse(text).get(section.namespace)
            wanted = _checked(section, stored, patch, revision)
            if wanted != stored:
                new = rewritten(text, section.namespace, wanted)
                write_private(path, new.encode())
    except Unreadable as error:
        raise SettingsRejected(
            f"{path} cannot be read ({error.placed}), so nothing was changed",
            remedy="repair the file by hand; it is left as it is until then",
        ) from error
    except OSError as error:
        raise SettingsRejected(f"{path} cannot be written: {error.strerror}") from error


def _checked(
    section: StoredSection[Any],  # Any: as above
    stored: object,
    patch: Mapping[str, object],
    revision: str | None,
) -> dict[str, object]:
    if revision is not None and revision != revision_of(stored):
        message = f"{section.namespace} was changed by somebody else"
        raise SettingsConflict(message, remedy="read it again and repeat the change")
    if stored is not None and not isinstance(stored, Mapping):
        raise SettingsRejected(
            f"{section.namespace} in the file is not a mapping, so nothing was changed",
            remedy="repair the file by hand",
        )
    wanted = merged(stored, patch)
    assert isinstance(wanted, dict)
    _, before = section.validate(stored)
    known = {fault.text for fault in before if not fault.fatal}
    _, after = section.validate(wanted)
    wrong = [fault.text for fault in after if fault.text not in known]
    if wrong:
        raise SettingsRejected(f"{section.namespace}: {'; '.join(wrong)}")
    return wanted
