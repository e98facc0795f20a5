"""Secrets in a file that only its owner may read, and which of them the keyring holds."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from dsh.data.private_files import edited_alone, write_private
from dsh.seams.credentials import CredentialsUnusable

_HEADER = "# Secrets of DSH Desktop. Keep this file to yourself (mode 0600).\n"


class Secrets:
    """What the file says: values by reference, and references held by the keyring."""

    __slots__ = ("in_keyring", "values")

    def __init__(self, values: dict[str, str], in_keyring: set[str]) -> None:
        self.values = values
        self.in_keyring = in_keyring


class SecretFile:
    """The file; everything here blocks briefly and raises `CredentialsUnusable`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int, int] | None = None
        self._last = Secrets({}, set())

    def current(self) -> Secrets:
        """What is stored now: the same object as before unless the file was written."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            seen = None
        else:
            times = (status.st_mtime_ns, status.st_ctime_ns)
            seen = (*times, status.st_size, status.st_ino)
        if seen != self._seen:
            self._last = self.read()
            self._seen = seen
        return self._last

    def read(self) -> Secrets:
        """What is stored now; nothing when there is no file."""
        try:
            with self.path.open("rb") as file:
                self._refuse_if_exposed(os.fstat(file.fileno()))
                data = file.read(1 << 20)
        except FileNotFoundError:
            return Secrets({}, set())
        except OSError as error:
            message = f"{self.path} cannot be read: {error.strerror}"
            raise CredentialsUnusable(message) from error
        return self._parsed(data)

    def edit(self, change: Callable[[Secrets], None]) -> None:
        """Change it, alone among processes."""
        try:
            with edited_alone(self.path):
                secrets = self.read()
                change(secrets)
                write_private(self.path, _dumped(secrets))
        except OSError as error:
            message = f"{self.path} cannot be written: {error.strerror}"
            raise CredentialsUnusable(message) from error

    def _refuse_if_exposed(self, status: os.stat_result) -> None:
        # Windows keeps a profile's files to its user by access lists, not by mode.
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
            raise CredentialsUnusable(
                f"{self.path} can be read by others, so it is not used",
                remedy=f"chmod 600 {self.path}",
            )

    def _parsed(self, data: bytes) -> Secrets:
        import yaml  # a home without stored secrets does without

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            document = yaml.load(data, loader)  # noqa: S506  # both are safe loaders
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = f" in line {mark.line + 1}" if mark is not None else ""
            # The reason is left out on purpose: it may quote a secret.
            raise CredentialsUnusable(
                f"{self.path} is damaged{line}", remedy="repair it, or move it away"
            ) from None
        document = {} if document is None else document
        refs = document.get("refs", {}) if isinstance(document, dict) else None
        held = document.get("keyring", []) if isinstance(document, dict) else None
        if not isinstance(refs, dict) or not isinstance(held, list):
            raise CredentialsUnusable(
                f"{self.path} does not look as expected",
                remedy="repair it, or move it away",
            )
        values = {
            str(ref): value for ref, value in refs.items() if isinstance(value, str)
        }
        return Secrets(values, {str(ref) for ref in held})


def _dumped(secrets: Secrets) -> bytes:
    import yaml

    document = {
        "version": 1,
        "refs": dict(sorted(secrets.values.items())),
        "keyring": sorted(secrets.in_keyring),
    }
    return (_HEADER + yaml.safe_dump(document, sort_keys=False)).encode()
