"""Both languages and both themes, changed live and kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.program import ROOT

pytestmark = pytest.mark.browser
WORDS = ROOT / "ui/src/i18n"
PAGES = ("general", "models", "plugins", "shortcuts", "about")
# Names and what the program shows as it stands: they are the same in every language.
SAME = re.compile(
    r"DSH Desktop|DeepSeek|OpenAI|Anthropic|Ollama|LM Studio|llama\.cpp|vLLM|English|Git"
    r"|Ctrl|Shift|Alt|Enter|Esc|bubblewrap|landlock|Landlock|XDG|tour|run git status"
    r"|find TODO|work|SIGTERM|Tab|Space|F6|TODO"
)
# What people leave in their own words, and what only the host says.
TEXTS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    const exact = "code, .mono, .exact, .layer, kbd, .item[data-row], pre";
    if (holder.closest(exact)) continue;
    if (holder.checkVisibility()) found.push(node.textContent.trim());
  }
  const named = "[aria-label], [title], [placeholder]";
  for (const element of document.querySelectorAll(named)) {
    for (const name of ["aria-label", "title", "placeholder"]) {
      if (element.checkVisibility()) found.push(element.getAttribute(name) ?? "");
    }
  }
  return found.filter(Boolean);
}"""


def keys(language: str) -> set[str]:
    text = (WORDS / f"{language}.ts").read_text("utf-8")
    return set(re.findall(r'^  "([\w.-]+)":', text, re.MULTILINE))


def screens(opened: Desk) -> dict[str, list[str]]:
    """The words on the main screens."""
    found = {"start": opened.page.evaluate(TEXTS)}
    for page in PAGES:
        opened.settings(page)
        found[page] = opened.page.evaluate(TEXTS)
    opened.press("Control+k")
    expect(opened.part("palette")).to_be_visible()
    found["palette"] = opened.page.evaluate(TEXTS)
    opened.press("Escape", "Escape")
    return found


def test_both_languages_have_the_same_words() -> None:
    assert keys("en") == keys("zh")
    assert len(keys("en")) > 300


def test_the_language_changes_at_once_and_leaves_nothing_behind(guided: Desk) -> None:
    guided.settings("general")
    guided.part("locale-zh").click()
    expect(guided.page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(guided.page.get_by_role("heading", name="通用")).to_be_visible()
    guided.press("Escape")
    known = keys("zh")
    for screen, texts in screens(guided).items():
        for text in texts:
            assert text not in known, f"{screen}: the key {text}"
            left = SAME.sub("", text)
            english = re.findall(r"[A-Za-z]{2,} +[A-Za-z]{2,}", left)
            assert not english, f"{screen}: {text}"
    guided.reload()
    expect(guided.page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    guided.settings("general")
    guided.part("locale-en").click()
    expect(guided.page.get_by_role("heading", name="General")).to_be_visible()
    guided.press("Escape")
    for screen, texts in screens(guided).items():
        for text in texts:
            assert text not in known, f"{screen}: the key {text}"
            left = text.replace("中文", "")
            assert not re.search(r"[\u4e00-\u9fff]", left), f"{screen}: {text}"


def test_a_chinese_system_gets_chinese_without_being_asked(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, locale="zh-CN") as opened:
        expect(opened.page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
        opened.ask("帮助")
        opened.ended()
        expect(opened.part("answer")).to_contain_text("离线")


def test_the_theme_changes_at_once_and_is_there_at_the_first_paint(guided: Desk) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    guided.settings("general")
    guided.part("theme-light").click()
    light = guided.page.evaluate(ground)
    guided.part("theme-dark").click()
    expect(guided.page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = guided.page.evaluate(ground)
    assert light != dark
    expect(guided.part("theme-dark")).to_have_attribute("aria-pressed", "true")
    kept = "() => fetch('/', {cache: 'no-store'}).then(answer => answer.text())"
    guided.page.wait_for_function(
        f"async () => (await ({kept})()).includes('data-theme=\"dark\"')"
    )
    guided.reload()
    assert guided.page.evaluate(ground) == dark
