"""From the common options to a home and a composition."""

from __future__ import annotations

from dsh.composition.patches import Layer
from dsh.composition.profiles import Composition, Selection, compose, ensure
from dsh.data.paths import Home
from dsh.errors import CompositionError, DataError
from dsh.surfaces.cli.arguments import Options


class NoSuchFile(CompositionError):
    """A file named on the command line is not there: the words need another look."""

    code = "NO_SUCH_FILE"


class HomeUnusable(DataError):
    """The home cannot hold this program's data."""

    code = "HOME_UNUSABLE"


def home_of(options: Options) -> Home:
    """The home asked for, with our own folder in it.

    Raises :class:`HomeUnusable` naming the path and the remedy.
    """
    try:
        home = Home.resolve(options.home)
        home.desktop.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home for ~
        message = f"{options.home or 'the home'} cannot be used: {error}"
        remedy = "set DSH_HOME to a folder you may write to, or use --home"
        raise HomeUnusable(message, remedy=remedy) from error
    return home


def selection_of(options: Options, profile: str, *overlays: Layer) -> Selection:
    """What to compose; ``profile`` is the command's own unless one was asked for.

    Raises :class:`NoSuchFile` for a ``--patch`` that is not there. What is wrong inside
    of one is a warning, like in any patch.
    """
    for path in options.patch:
        if not path.is_file():
            raise NoSuchFile(f"--patch {path}: there is no such file")
    return Selection(
        options.profile or profile,
        base=profile,
        patches=tuple(options.patch),
        overlays=overlays,
        safe_mode=options.safe_mode,
    )


def composition_of(
    options: Options, home: Home, profile: str, *overlays: Layer
) -> Composition:
    """The composition of a command. Raises ``CompositionError``."""
    selection = selection_of(options, profile, *overlays)
    ensure(home, selection.profile)
    return compose(home, selection)
