"""Whole writes and edits of one file, each in one piece."""

from __future__ import annotations

import os

from dsh.seams.fs import (
    CreateIfAbsent,
    FsEdit,
    FsError,
    FsTarget,
    FsWritten,
    ReplaceIfVersion,
    Version,
    WriteIntent,
)
from dsh_plugins.fs_local.editing import edited
from dsh_plugins.fs_local.encoding import UTF_8, Text, decoded, plain
from dsh_plugins.fs_local.failures import refused
from dsh_plugins.fs_local.fence import Fence
from dsh_plugins.fs_local.folder import identity, is_file, version_of
from dsh_plugins.fs_local.place import Place, place_of
from dsh_plugins.fs_local.publishing import publish
from dsh_plugins.fs_local.reading import content, opened


class Limits:
    """How large a text may be, in bytes: to be edited, and to be compared."""

    __slots__ = ("compared", "text")

    def __init__(self, text: int, compared: int) -> None:
        self.text = text
        self.compared = compared


def write(
    target: FsTarget,
    new: str,
    intent: WriteIntent | None,
    fence: Fence | None,
    limits: Limits,
) -> FsWritten:
    """Create or replace a file; its encoding, BOM and line endings stay."""
    with place_of(target) as place:
        info = _writable(place, fence)
        _check_intent(place, info, intent)
        before = _text_before(place, info, fence, limits) if info else None
        encoding = before.encoding if before else UTF_8
        spelled = new if "\r" in new else encoding.spelled(new)
        data = encoding.bom + encoding.encode(spelled, place.shown)
        with place.made() as folder:
            written = publish(folder, place.name, data, info)
    comparable = before is not None and max(len(data), _size(info)) < limits.compared
    return FsWritten(
        "update" if info else "create",
        version_of(written),
        before.plain if before is not None and comparable else None,
        plain(spelled),
    )


def edit(
    target: FsTarget,
    change: FsEdit,
    version: Version | None,
    fence: Fence | None,
    limits: Limits,
) -> FsWritten:
    """Replace literal text. The version is checked before anything is matched."""
    with place_of(target) as place:
        info = _writable(place, fence)
        if info is None or (version is not None and version_of(info) != version):
            raise _stale(place)
        with opened(place, fence) as (fd, opened_info):
            data = content(fd, opened_info.st_size, limits.text, place.shown)
        if version_of(opened_info) != version_of(info):
            raise _stale(place)
        text = decoded(data, place.shown)
        result, after = edited(data, text, change, place.shown)
        written = publish(place.folder, place.name, result, info)
    comparable = max(len(data), len(result)) < limits.compared
    before = text.plain if comparable else None
    return FsWritten("update", version_of(written), before, plain(after))


def _writable(place: Place, fence: Fence | None) -> os.stat_result | None:
    """Facts about the file, after all that forbids to change it. ``None``: it is new."""
    info = place.info()
    if fence is not None:
        fence.check_write(place, identity(info) if info else None)
    if info is None:
        return None
    if not is_file(info):
        raise refused("FS_NOT_REGULAR_FILE", f"{place.shown} is not a regular file")
    # A rename would get past the rights of the file itself, and root past all of them.
    name, handle = place.folder.name(place.name), place.folder.fd
    if not info.st_mode & 0o222 or not os.access(name, os.W_OK, dir_fd=handle):
        message = f"{place.shown} is read-only"
        remedy = "make it writable first if it is meant to be changed"
        raise refused("FS_PERMISSION_DENIED", message, remedy)
    return info


def _check_intent(
    place: Place, info: os.stat_result | None, intent: WriteIntent | None
) -> None:
    match intent:
        case CreateIfAbsent() if info is not None:
            message = f"{place.shown} exists and was not read yet"
            raise refused("FS_NOT_OBSERVED", message)
        case ReplaceIfVersion(version=wanted):
            if info is None or version_of(info) != wanted:
                raise _stale(place)


def _stale(place: Place) -> FsError:
    return refused("FS_STALE_VERSION", f"{place.shown} changed since it was read")


def _text_before(
    place: Place, info: os.stat_result, fence: Fence | None, limits: Limits
) -> Text | None:
    """The text about to be replaced; ``None`` when it is not text or too large."""
    if info.st_size > limits.text:
        return None
    with opened(place, fence) as (fd, now):
        data = content(fd, now.st_size, limits.text, place.shown)
    try:
        return decoded(data, place.shown)
    except FsError as error:
        if error.code != "FS_NOT_TEXT":
            raise
        return None


def _size(info: os.stat_result | None) -> int:
    return info.st_size if info else 0
