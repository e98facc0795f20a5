"""Profiles and bundles: which layers make up a composition, in which order."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from dsh.composition.documents import Missing, Unreadable, parse, read
from dsh.composition.patches import Layer, Notice, Rows
from dsh.composition.rows import Row
from dsh.data.paths import Home
from dsh.errors import CompositionError

# By name only: nothing in the frame imports the plugins.
SHIPPED = "dsh_plugins.bundles"
TEMPLATES = {"desktop": ["base", "desktop"], "cli": ["base", "cli"]}
PATCH_TEMPLATE = (
    "# Changes to this profile, as a list of operations, for example:\n"
    "# - {id: retry, disabled: true}\n"
    "# - insert: [{id: mine, plugin: my-plugin}]\n"
    "[]\n"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


class UnknownProfile(CompositionError):
    """There is no such profile; the message lists those there are."""

    code = "UNKNOWN_PROFILE"


class Selection:
    """What was asked for on the command line.

    ``base`` is the shipped profile to fall back on, where that is not ``profile``.
    """

    __slots__ = ("overlays", "patches", "profile", "safe_mode", "template")

    def __init__(
        self,
        profile: str,
        *,
        base: str = "desktop",
        patches: tuple[Path, ...] = (),
        overlays: tuple[Layer, ...] = (),
        safe_mode: bool = False,
    ) -> None:
        self.profile = profile
        self.template = TEMPLATES.get(profile, TEMPLATES[base])
        self.patches = patches
        self.overlays = overlays
        self.safe_mode = safe_mode


class Composition:
    """The rows that boot, and what in the layers had no effect."""

    __slots__ = ("home", "layers", "rows", "selection", "warnings")

    def __init__(
        self, home: Home, selection: Selection, rows: Rows, layers: list[str]
    ) -> None:
        self.home = home
        self.selection = selection
        self.rows: list[Row] = rows.rows
        self.warnings: list[Notice] = rows.warnings
        self.layers = layers


def compose(
    home: Home, selection: Selection, *, bundles_only: bool = False
) -> Composition:
    """Apply every layer in order: bundles, profile patch, home patch, ``--patch`` files,
    overlays of the launcher.

    A broken layer of the person's becomes a warning; nothing of it is applied. Raises
    ``CompositionError`` for a broken shipped bundle and for an unknown profile.
    """
    rows = Rows()
    shipped_only = selection.safe_mode or bundles_only
    names = selection.template if shipped_only else _bundle_names(home, selection, rows)
    layers = [_shipped(name) or _own_bundle(home, name, rows) for name in names]
    if not shipped_only:
        folder = home.profiles / selection.profile
        layers += [
            _patch(folder / "patch.yaml", "profile", rows),
            _patch(home.patch, "home", rows),
            *(_patch(path, str(path), rows, named=True) for path in selection.patches),
        ]
    if not bundles_only:
        layers += selection.overlays
    applied = [layer for layer in layers if layer is not None]
    for layer in applied:
        rows.apply(layer)
    return Composition(home, selection, rows, [layer.name for layer in applied])


def ensure(home: Home, profile: str) -> None:
    """Create a shipped profile on first use. Raises :class:`UnknownProfile`.

    An unwritable home is no reason not to start: the template is used all the same.
    """
    folder = home.profiles / profile
    if not _NAME.match(profile) or not (profile in TEMPLATES or folder.is_dir()):
        known = sorted({*TEMPLATES, *_folders(home.profiles)})
        message = f"there is no profile {profile!r}; there are: {', '.join(known)}"
        raise UnknownProfile(message)
    if profile not in TEMPLATES:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_new(folder / "profile.yaml", _profile_text(profile))
        _write_new(folder / "patch.yaml", PATCH_TEMPLATE)
    except OSError:  # read-only or full: reported by whatever has to write there
        return


def _profile_text(profile: str) -> str:
    return f"bundles: [{', '.join(TEMPLATES[profile])}]\n"


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return
    except OSError:
        path.unlink(missing_ok=True)  # half of it would be read as the person's own
        raise


def _folders(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _bundle_names(home: Home, selection: Selection, rows: Rows) -> list[str]:
    template = selection.template
    path = home.profiles / selection.profile / "profile.yaml"
    try:
        document = read(path)
    except Unreadable as error:
        # A home that cannot be written has none of ours, and that is no fault in it.
        if not (isinstance(error, Missing) and selection.profile in TEMPLATES):
            rows.warnings.append(Notice("profile", str(error)))
        return template
    names = document.get("bundles") if isinstance(document, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        message = f"{path}: `bundles` must be a list of names; using {template}"
        rows.warnings.append(Notice("profile", message))
        return template
    return names


def _shipped(name: str) -> Layer | None:
    if not _NAME.match(name):
        return None
    file = resources.files(SHIPPED).joinpath(f"{name}.yaml")
    if not file.is_file():
        return None
    document = parse(file.read_text(encoding="utf-8"), f"bundle {name}")
    if not isinstance(document, list):
        raise Unreadable(f"bundle {name} must be a list of operations")
    return Layer(f"bundle {name}", document, strict=True)


def _own_bundle(home: Home, name: str, rows: Rows) -> Layer | None:
    if not _NAME.match(name):
        rows.warnings.append(Notice("profile", f"{name!r} cannot name a bundle"))
        return None
    path = home.bundles / name / "bundle.yaml"
    return _patch(path, f"bundle {name}", rows, named=True)


def _patch(path: Path, name: str, rows: Rows, *, named: bool = False) -> Layer | None:
    """The layer of a file of the person's; a missing one matters only if it was named."""
    try:
        document = read(path)
    except Unreadable as error:
        if named or not isinstance(error, Missing):
            rows.warnings.append(Notice(name, str(error)))
        return None
    if not isinstance(document, list):
        message = f"{path} must be a list of operations; write [] for none"
        rows.warnings.append(Notice(name, message))
        return None
    return Layer(name, document, strict=False)
