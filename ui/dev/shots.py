"""Screenshots of the page on the host for development: python dev/shots.py FOLDER."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
CHROME = "/usr/bin/chromium"
CASES = {
    # name: (fixture flags, theme, locale, size, what to do)
    "hero-first": (["--no-model", "--first-run"], "light", "en", (1280, 800), []),
    "hero-first-zh-dark": (["--no-model", "--first-run"], "dark", "zh", (1280, 800), []),
    "hero-ready": ([], "light", "en", (1280, 800), []),
    "conversation": ([], "light", "en", (1280, 800), ["open CSV"]),
    "conversation-top": ([], "light", "en", (1280, 2000), ["open CSV", "top"]),
    "conversation-dark": ([], "dark", "en", (1280, 800), ["open CSV"]),
    "conversation-zh": ([], "light", "zh", (900, 700), ["open CSV"]),
    "small": (["--high"], "light", "en", (720, 520), ["open CSV"]),
    "zoomed": (["--high"], "dark", "zh", (400, 300), ["open CSV"]),
    "zoomed-hero": (["--no-model"], "light", "en", (400, 300), []),
    "inbox": ([], "light", "en", (1280, 800), ["inbox"]),
    "menu": ([], "light", "en", (1280, 800), ["click model-chip"]),
    "live": ([], "light", "en", (1280, 800), ["open NOAA", "ask please 5 calls", "wait"]),
    "models": ([], "light", "en", (1280, 860), ["settings models"]),
    "models-form": ([], "dark", "en", (1280, 1100), ["settings models", "add"]),
    "plugins": (["--failed"], "light", "en", (1280, 800), ["settings plugins"]),
    "boot": (["--required-failed"], "light", "en", (1280, 800), []),
    "general-zh": ([], "dark", "zh", (900, 700), ["settings general"]),
    "about": ([], "light", "en", (1280, 800), ["settings about"]),
    "palette": (
        [],
        "light",
        "en",
        (1280, 800),
        ["open CSV", "key Control+k", "type a"],
    ),
    "sheet": ([], "dark", "en", (1280, 800), ["key Control+/"]),
}


def act(page: Page, step: str) -> None:
    verb, _, rest = step.partition(" ")
    if verb == "open":
        page.keyboard.press("Control+k")
        page.keyboard.type(f"@{rest}")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-testid=transcript]")
    elif verb == "settings":
        page.keyboard.press("Control+,")
        page.click(f"[data-testid=settings-{rest}]")
    elif verb == "ask":
        page.fill("[data-testid=composer]", rest)
        page.keyboard.press("Enter")
    elif verb == "click":
        page.click(f"[data-testid={rest}]")
    elif verb == "inbox":
        page.keyboard.press("Control+k")
        page.keyboard.press("Escape")
        page.click(".side-nav .row:nth-child(2)")
    elif verb == "add":
        page.click("[data-testid=add-provider]")
        page.fill("[data-testid=provider-name]", "Harbour gateway")
        page.fill("[data-testid=provider-url]", "https://llm.harbour.example/v1")
    elif verb == "top":
        page.evaluate("document.querySelector('.scroll').scrollTop = 0; ''")
    elif verb == "key":
        page.keyboard.press(rest)
    elif verb == "type":
        page.keyboard.type(rest)
    elif verb == "wait":
        page.wait_for_timeout(1500)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:] or list(CASES)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROME, args=["--no-sandbox"])
        for port, name in enumerate(wanted, 8800):
            flags, theme, locale, (width, height), steps = CASES[name]
            words = ["node", HERE / "fixture.mjs", "--port", str(port), *flags]
            host = subprocess.Popen(words, stdout=subprocess.DEVNULL)
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(5000)
            page.on("console", lambda m: print(f"[{m.type}] {m.text}", flush=True))
            page.on("pageerror", lambda e: print(f"[pageerror] {e}", flush=True))
            try:
                time.sleep(0.5)
                page.goto(f"http://127.0.0.1:{port}/?theme={theme}&locale={locale}")
                page.wait_for_selector("#app > *")
                page.wait_for_timeout(500)
                for step in steps:
                    act(page, step)
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"{name}.png")
            except Exception as error:  # noqa: BLE001  # the other pictures go on
                print(name, error, flush=True)
                page.screenshot(path=folder / f"{name}-failed.png")
            finally:
                page.close()
                host.terminate()
                host.wait()
            print(name)
        browser.close()


if __name__ == "__main__":
    main()
