"""The one error tree: exceptions are for broken promises, expected outcomes are values.

    DSHError
    ├── KernelError           plugins are composed wrongly (a bundle must change)
    ├── CompositionError      a profile, bundle, patch or preset cannot be read or applied
    ├── DataError             something stored is damaged, locked or too new
    ├── RunError              an agent, a tool or a model call cannot go on
    └── SurfaceError          a request from outside is refused

Route on ``code``, never on text. ``str(error)`` says what happened; ``remedy`` says
what the person can do about it.
"""

from __future__ import annotations

from typing import ClassVar


class DSHError(Exception):
    """Base of every error this program raises on purpose.

    ``code`` is stable, upper case and safe to show. A subclass sets the default and a
    raise site may narrow it.
    """

    code: ClassVar[str] = "INTERNAL"

    def __init__(
        self, message: str, *, code: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(message)
        self.remedy = remedy
        if code is not None:
            self.code = code  # type: ignore[misc]  # an instance may narrow its class' code


class KernelError(DSHError):
    """Plugins do not fit together; raised before any side effect."""

    code = "KERNEL"


class CompositionError(DSHError):
    """A profile, bundle, patch or preset is unreadable or contradicts itself."""

    code = "COMPOSITION"


class DataError(DSHError):
    """Stored data is damaged, locked by somebody else, or of a newer format."""

    code = "DATA"


class RunError(DSHError):
    """An agent, tool or model call cannot go on; the session itself stays usable."""

    code = "RUN"


class SurfaceError(DSHError):
    """A request from a client is refused; nothing was changed."""

    code = "BAD_REQUEST"


def describe(error: BaseException) -> str:
    """One line for a person: the message, or the type when there is none."""
    text = str(error).strip()
    return text or type(error).__name__


def code_of(error: BaseException) -> str:
    """The stable code of any exception; foreign ones are ``UNKNOWN``."""
    return error.code if isinstance(error, DSHError) else "UNKNOWN"
