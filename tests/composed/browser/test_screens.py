"""Pictures of the main screens, light, dark, Chinese and narrow, to be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.program import ROOT

pytestmark = pytest.mark.browser

SCREENS = ROOT / "build/screens"
WIDE, NARROW = (1280, 800), (900, 700)
BROKEN = "raise ValueError('broken on purpose')\n"


def picture(opened: Desk, name: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    path = SCREENS / f"{name}.png"
    opened.page.evaluate("document.fonts.ready.then(() => true)")
    opened.page.screenshot(path=path, animations="disabled")
    assert path.stat().st_size > 10_000, "an empty page"


@pytest.mark.parametrize(
    ("kind", "theme", "locale", "size"),
    [
        ("light", "light", "en", WIDE),
        ("dark", "dark", "en", WIDE),
        ("zh", "dark", "zh", WIDE),
        ("900", "light", "en", NARROW),
    ],
)
def test_the_main_screens_can_be_looked_at(
    browser: Browser,
    tmp_path: Path,
    kind: str,
    theme: str,
    locale: str,
    size: tuple[int, int],
) -> None:
    plugin = tmp_path / "home/plugins/broken"
    plugin.mkdir(parents=True)
    (plugin / "plugin.toml").write_text('entry = "code:it"\n')
    (plugin / "code.py").write_text(BROKEN)
    (tmp_path / "home/patch.yaml").write_text("- insert: [{id: mine, plugin: broken}]\n")
    with desk(browser, tmp_path, size=size) as opened:
        opened.call("ui/saveState", patch={"theme": theme, "locale": locale})
        opened.reload()
        expect(opened.composer).to_be_visible()
        picture(opened, f"hero-{kind}")
        opened.ask("tour")
        expect(opened.approval).to_be_visible()
        picture(opened, f"approval-{kind}")
        opened.part("approval-allow").click()
        opened.ended()
        picture(opened, f"tour-{kind}")
        opened.page.keyboard.press("Control+k")
        expect(opened.page.get_by_role("dialog")).to_be_visible()
        picture(opened, f"palette-{kind}")
        opened.page.keyboard.press("Escape")
        opened.page.keyboard.press("Control+,")
        for place in ("models", "plugins"):
            opened.part(f"settings-{place}").click()
            expect(opened.page.locator("h1, h2").first).to_be_visible()
            picture(opened, f"settings-{place}-{kind}")
