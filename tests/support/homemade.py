"""Plugins written into a home for a test, and a boot of rows that name them."""

from __future__ import annotations

import textwrap
from contextlib import AbstractAsyncContextManager

from dsh.composition.boot import Boot, RowReport, booted
from dsh.composition.patches import Layer, Rows
from dsh.composition.profiles import Composition, Selection
from dsh.data.paths import Home
from dsh.kernel import Registry


class Words(Registry[str, str]):
    """What the plugins of these tests contribute to."""


def plugin(home: Home, name: str, body: str) -> None:
    """A plugin in the home, whose module defines ``it``."""
    folder = home.plugins / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text('entry = "code:it"\n')
    head = (
        "from collections.abc import AsyncIterator\n"
        "from dsh.kernel import plugin, Registry, Scope, Events\n"
        "import anyio, time\n"
    )
    (folder / "code.py").write_text(head + textwrap.dedent(body))


def good(home: Home, name: str = "good") -> None:
    plugin(
        home,
        name,
        """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            yield
        """,
    )


def composition(home: Home, *rows: object, safe_mode: bool = False) -> Composition:
    applied = Rows()
    applied.apply(Layer("test", [{"insert": list(rows)}], strict=True))
    return Composition(home, Selection("desktop", safe_mode=safe_mode), applied, ["test"])


def running(
    composition: Composition,
    features: frozenset[str] = frozenset(),
    registries: tuple[type[Registry[str, str]], ...] = (),
) -> AbstractAsyncContextManager[Boot]:
    """Boot it; what plugins fail with is read from the report."""
    return booted(
        composition,
        features=features,
        registries=registries,
        problem=lambda row, error: None,
    )


def row(name: str, **keys: object) -> dict[str, object]:
    return {"id": name, "plugin": name, **keys}


def by_id(boot: Boot) -> dict[str, RowReport]:
    return {report.id: report for report in boot.report()}


BAD = {
    "raises-at-import": "raise ValueError('no such luck')",
    "exits-at-import": "raise SystemExit(3)",
    "hangs-at-import": "time.sleep(2)",
    "broken-syntax": "def (",
    "misses-a-module": "import a_module_that_is_not_there",
    "is-no-plugin": "it = 7",
    "lacks-the-attribute": "other = 7",
    "raises-at-start": """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            raise ValueError("not today")
            yield
        """,
    "hangs-at-start": """
        @plugin
        async def it(events: Events) -> AsyncIterator[None]:
            await anyio.sleep_forever()
            yield
        """,
    "needs-nobody-has": """
        class Unicorn: ...
        @plugin
        async def it(unicorn: Unicorn) -> AsyncIterator[None]:
            yield
        """,
    "takes-no-config": """
        @plugin
        async def it(config: int) -> AsyncIterator[None]:
            yield
        """,
    "has-a-senseless-annotation": """
        @plugin
        async def it(events: "1 / 0") -> AsyncIterator[None]:
            yield
        """,
    "has-an-unreadable-annotation": """
        @plugin
        async def it(events: "not a type (") -> AsyncIterator[None]:
            yield
        """,
}

OFFERS = """
    from dsh.runtime.presets import AgentPresets
    from dsh.seams.permissions import Permissions
    class Offered(AgentPresets):
        default = "x"
        def joined(self, preset): ...
"""
