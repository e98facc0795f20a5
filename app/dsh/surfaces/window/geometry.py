"""Size and place of the window, remembered in the home."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from dsh.data.paths import Home

MIN_SIZE = (720, 520)


class Geometry(BaseModel):
    """In logical pixels; without a place the window manager chooses one."""

    width: int = Field(default=1180, ge=MIN_SIZE[0], le=20_000)
    height: int = Field(default=800, ge=MIN_SIZE[1], le=20_000)
    x: int | None = Field(default=None, ge=-20_000, le=20_000)
    y: int | None = Field(default=None, ge=-20_000, le=20_000)


def load(home: Home) -> Geometry:
    """The last geometry, or the first one."""
    try:
        return Geometry.model_validate_json((home.state / "window.json").read_bytes())
    except (OSError, ValidationError):
        return Geometry()


def save(home: Home, geometry: Geometry) -> None:
    """Remember it; a home that cannot be written only costs the memory."""
    path = home.state / "window.json"
    try:
        home.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        staged = path.with_suffix(".new")
        staged.write_text(geometry.model_dump_json(), encoding="utf-8")
        staged.replace(path)
    except OSError:
        return
