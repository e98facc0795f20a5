"""The page's own files: a fixed list made at start, nothing by path of a request."""

from __future__ import annotations

import gzip
import html
import json
import mimetypes
from pathlib import Path

from dsh import __version__
from dsh.data.paths import Home

STATIC = Path(__file__).resolve().parent.parent / "static"
_COMPRESSIBLE = ("text/", "application/j", "image/svg")
_MISSING = (
    "<!doctype html><html><head><title>DSH Desktop</title></head><body>"
    "<p>The page of this program has not been built: run "
    "<code>python3 dev.py build</code>, or take a release.</p></body></html>"
)


class PageFile:
    """One file, as it goes out."""

    __slots__ = ("body", "compressed", "immutable", "media_type")

    def __init__(self, path: Path, *, immutable: bool) -> None:
        self.body = path.read_bytes()
        self.media_type = _media_type(path)
        self.immutable = immutable  # its name holds a hash of its content
        self.compressed: bytes | None = None

    def packed(self) -> bytes | None:
        """The gzip form, made on first use; ``None`` for what is packed already."""
        if self.compressed is None and self.media_type.startswith(_COMPRESSIBLE):
            self.compressed = gzip.compress(self.body, 6, mtime=0)
        return self.compressed


def _media_type(path: Path) -> str:
    guessed = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
    kind = guessed.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    text = kind is not None and kind.startswith("text/")
    return f"{kind}; charset=utf-8" if text else kind or "application/octet-stream"


class Pages:
    """The index page with this run's facts in it, and the files it asks for."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._files: dict[str, PageFile] = {}
        if folder.is_dir():
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_file() and name != "index.html":
                    immutable = name.startswith("assets/")
                    self._files[name] = PageFile(path, immutable=immutable)
        index = folder / "index.html"
        self._index = index.read_text(encoding="utf-8") if index.is_file() else _MISSING

    def file(self, name: str) -> PageFile | None:
        """A file of the list by its exact name."""
        return self._files.get(name)

    def index(self, home: Home, page_token: str, *, native: bool) -> str:
        """The page, with language, theme, token and facts where its script finds them."""
        chosen = _preferences(home)
        locale, theme = chosen.get("locale", "system"), chosen.get("theme", "system")
        facts = {
            "version": __version__,
            "locale": locale,
            "theme": theme,
            "native": native,
        }
        metas = (
            f'<meta name="dsh-page-token" content="{html.escape(page_token)}">'
            f'<meta name="dsh-boot" content="{html.escape(json.dumps(facts))}">'
        )
        attributes = "" if theme == "system" else f' data-theme="{html.escape(theme)}"'
        language = "en" if locale == "system" else locale
        blank = (
            '<meta name="dsh-page-token" content="">\n<meta name="dsh-boot" content="{}">'
        )
        page = self._index.replace(blank, "", 1).replace("<head>", f"<head>{metas}", 1)
        start, _, rest = page.partition("<html")
        _, _, rest = rest.partition(">")
        return f'{start}<html lang="{html.escape(language)}"{attributes}>{rest}'


def _preferences(home: Home) -> dict[str, str]:
    """Language and theme as the page last stored them; nothing when it never did."""
    try:
        document = json.loads((home.state / "ui.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(document, dict):
        return {}
    allowed = {"locale": ("en", "zh", "system"), "theme": ("light", "dark", "system")}
    return {k: document[k] for k, v in allowed.items() if document.get(k) in v}
