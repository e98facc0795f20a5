"""Edits of the person's composition files that keep their comments."""

from __future__ import annotations

from dsh.composition.profiles import PATCH_TEMPLATE
from dsh.data.paths import Home
from dsh.errors import CompositionError


def disable_row(home: Home, profile: str, row: str) -> None:
    """Append ``{id: row, disabled: true}`` to the profile's patch file.

    Raises ``CompositionError`` when the file cannot be read or written; it is then left
    as it is.
    """
    # Imported here: only an edit needs the comment-keeping library, a start never does.
    import io

    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    path = home.profiles / profile / "patch.yaml"
    yaml = YAML()
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else PATCH_TEMPLATE
        document = yaml.load(text) or []
        if not isinstance(document, list):
            raise CompositionError(f"{path} must be a list of operations")
        document.append({"id": row, "disabled": True})
        out = io.StringIO()
        if hasattr(document, "fa"):
            document.fa.set_block_style()
        yaml.dump(document, out)
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_name(f".{path.name}.new")
        staged.write_text(out.getvalue(), encoding="utf-8")
        staged.replace(path)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        message = f"{path} cannot be changed: {error}"
        raise CompositionError(message, remedy="correct the file by hand") from error
