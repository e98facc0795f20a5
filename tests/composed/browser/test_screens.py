"""Pictures of the main screens, for looking at: light, dark, Chinese, and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import SIZE, Desk, desk
from support.plugins import BODY, HEAD, add_plugin
from support.program import ROOT

pytestmark = pytest.mark.browser
SCREENS = ROOT / "build" / "screens"
LOOKS = {
    "light": ({"theme": "light", "locale": "en"}, SIZE),
    "dark": ({"theme": "dark", "locale": "en"}, SIZE),
    "zh": ({"theme": "light", "locale": "zh"}, SIZE),
    "900": ({"theme": "light", "locale": "en"}, (900, 700)),
}
# Elements whose content is wider than they are although they neither scroll nor cut it.
OVERFLOWING = """() => [...document.querySelectorAll("body *")].filter(element => {
  const style = getComputedStyle(element);
  if (style.overflowX !== "visible" || style.display === "inline") return false;
  if (!element.checkVisibility() || element.closest("svg, .sr")) return false;
  const box = element.getBoundingClientRect();
  return box.right > innerWidth + 1 || box.left < -1;
}).map(element => element.className || element.tagName)"""


def taken(opened: Desk, screen: str, look: str) -> None:
    """Take the picture once nothing moves, and see that nothing hangs out of it."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    opened.page.evaluate("document.fonts.ready.then(() => null)")
    assert opened.page.evaluate(OVERFLOWING) == []
    opened.page.screenshot(
        path=SCREENS / f"{screen}-{look}.png", animations="disabled", caret="hide"
    )


def hero(opened: Desk) -> None:
    """The first start, with what was found on the computer."""
    expect(opened.page.locator(".found-row").last).to_be_visible()
    expect(opened.page.locator(".found-row .dot.pending")).to_have_count(0)


def approval(opened: Desk) -> None:
    """The tour's question."""
    opened.ask("导览" if opened.page.locator("html[lang^=zh]").count() else "tour")
    expect(opened.part("approval-allow")).to_be_enabled()


def tour(opened: Desk) -> None:
    """The tour at its end."""
    opened.part("approval-allow").click()
    opened.ended()
    expect(opened.page.locator(".turn-foot")).to_be_in_viewport()


def settings_models(opened: Desk) -> None:
    """The providers, with one of one's own."""
    opened.call(
        "model/saveProvider",
        id="deepseek",
        label="DeepSeek",
        dialect="deepseek",
        baseUrl="https://api.deepseek.com",
        models=["deepseek-chat", "deepseek-reasoner"],
    )
    opened.settings("models")
    expect(opened.part("provider")).to_have_count(2)


def palette(opened: Desk) -> None:
    """Commands and sessions by name."""
    opened.press("Control+k")
    expect(opened.part("palette")).to_be_focused()


def boot_failed(opened: Desk) -> None:
    """A plugin that raised, and what can be done about it."""
    opened.press("Escape")
    opened.settings("plugins")
    expect(opened.part("boot-failed")).to_be_visible()


STEPS: dict[str, Callable[[Desk], None]] = {
    "approval": approval,
    "tour": tour,
    "palette": palette,
    "boot-failed": boot_failed,
    "settings-models": settings_models,
}


@pytest.mark.parametrize("look", LOOKS)
def test_the_main_screens_fit_in_every_look(
    browser: Browser, tmp_path: Path, look: str
) -> None:
    chosen, size = LOOKS[look]
    fault = 'raise ValueError("the file words.txt of this plugin is missing")'
    add_plugin(
        tmp_path / "home", "my-plugin", HEAD + BODY.format(before=fault, after="pass")
    )
    with desk(browser, tmp_path, size=size, add=False) as opened:
        opened.call("ui/saveState", patch=chosen)
        opened.reload()
        hero(opened)
        taken(opened, "hero", look)
        opened.call("workspace/create", path=str(opened.work))
        opened.reload()
        for screen, step in STEPS.items():
            step(opened)
            taken(opened, screen, look)
