"""Settings: providers with their keys, and the report of the boot."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Response, expect

from support.browser import Desk, desk
from support.plugins import BODY, GOOD, HEAD, add_plugin
from support.scripted_model import says
from support.served import Scripting, served

pytestmark = pytest.mark.browser
SECRET = "sk-a-very-private-key-0123456789"


def provider(opened: Desk, name: str) -> Locator:
    return opened.page.locator(f"[data-testid=provider][data-provider={name}]")


def menu(opened: Desk, name: str, words: str) -> None:
    """An entry of a provider's menu."""
    provider(opened, name).get_by_role("button", name="More").click()
    opened.page.get_by_role("menuitem", name=words).click()


def add(opened: Desk, url: str) -> None:
    """A provider of one's own, with the models that its server lists."""
    opened.settings("models")
    opened.part("add-provider").click()
    opened.part("provider-name").fill("My server")
    opened.part("provider-url").fill(url)
    opened.page.get_by_role("button", name="Fetch list").click()
    form = opened.part("provider-form")
    expect(form.get_by_text("scripted", exact=True)).to_be_visible()
    opened.part("save-provider").click()
    expect(form).to_have_count(0)
    expect(provider(opened, "my-server")).to_contain_text("My server")


def test_a_provider_is_added_tested_used_and_removed(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting(says("ok"), says("From the new model."))
    with served(script) as model, desk(browser, tmp_path) as opened:
        add(opened, model.model.url)
        menu(opened, "my-server", "Test connection")
        result = opened.part("test-result")
        expect(result).to_have_attribute("data-ok", "true")
        menu(opened, "my-server", "Make default")
        expect(provider(opened, "my-server")).to_contain_text("Default")
        del script.replies[:-1]
        opened.press("Escape")
        expect(opened.part("model-chip")).to_contain_text("scripted")
        opened.ask("hello")
        opened.ended()
        expect(opened.part("answer")).to_have_text("From the new model.")
        opened.settings("models")
        menu(opened, "my-server", "Remove")
        opened.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(provider(opened, "my-server")).to_have_count(0)
        opened.reload()
        opened.settings("models")
        expect(opened.part("provider").first).to_be_visible()
        expect(provider(opened, "my-server")).to_have_count(0)


def test_a_server_that_is_not_there_fails_its_test_by_name(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path) as opened:
        opened.call(
            "model/saveProvider",
            id="nowhere",
            label="Nowhere",
            dialect="openai-chat",
            baseUrl="http://127.0.0.1:9/v1",
            models=["m"],
        )
        opened.settings("models")
        menu(opened, "nowhere", "Test connection")
        result = opened.part("test-result")
        expect(result).to_have_attribute("data-ok", "false")
        expect(result).to_contain_text("Connection does not work")


def test_a_key_is_written_once_and_never_seen_again(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting(says("Signed."))
    with served(script) as model, desk(browser, tmp_path) as opened:
        answers: list[str] = []

        def keep(response: Response) -> None:
            if "/api/" in response.url:
                answers.append(response.text())

        opened.page.on("response", keep)
        frames: list[str] = []
        opened.page.on(
            "websocket",
            lambda ws: ws.on("framereceived", lambda data: frames.append(str(data))),
        )
        add(opened, model.model.url)
        menu(opened, "my-server", "Set key")
        field = opened.part("key-input")
        expect(field).to_have_attribute("type", "password")
        field.fill(SECRET)
        field.press("Enter")
        expect(field).to_have_count(0)
        expect(provider(opened, "my-server")).to_contain_text("Private file")
        menu(opened, "my-server", "Make default")
        expect(provider(opened, "my-server")).to_contain_text("Default")
        opened.press("Escape")
        opened.reload()
        opened.ask("hello")
        opened.ended()
        assert model.chats[-1].headers["authorization"] == f"Bearer {SECRET}"
        for page in ("general", "models", "plugins", "about"):
            opened.settings(page)
            assert SECRET not in opened.page.content()
            fields = opened.page.locator("input").evaluate_all(
                "all => all.map(field => field.value)"
            )
            assert SECRET not in fields
        assert answers and frames
        assert not [text for text in (*answers, *frames) if SECRET in text]
        logs = list((opened.home / "desktop").rglob("*.jsonl"))
        assert logs and all(SECRET not in log.read_text() for log in logs)
        opened.settings("models")
        menu(opened, "my-server", "Remove key")
        expect(provider(opened, "my-server")).not_to_contain_text("Private file")


def broken(what: str) -> str:
    return HEAD + BODY.format(before=f"raise ValueError({what!r})", after="pass")


def test_a_plugin_that_raises_is_a_row_with_its_reason_and_ways_on(
    browser: Browser, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", broken("no luck today"))
    with desk(browser, tmp_path) as opened:
        opened.page.get_by_role("contentinfo").get_by_role(
            "button", name="failed"
        ).click()
        row = opened.part("boot-failed")
        expect(row).to_have_attribute("data-row", "mine")
        expect(row).to_contain_text("no luck today")
        expect(row.get_by_role("button", name="Open folder")).to_be_visible()
        row.get_by_role("button", name="Retry").click()
        expect(row).to_contain_text("no luck today")
        add_plugin(home, "my-plugin", broken("another reason"))
        row.get_by_role("button", name="Retry").click()
        expect(row).to_contain_text("another reason")
        add_plugin(home, "my-plugin", GOOD)
        row.get_by_role("button", name="Retry").click()
        expect(row).to_have_count(0)
        expect(opened.page.locator("[data-row=mine]")).to_contain_text("started in")


def test_a_plugin_that_raises_can_be_switched_off_for_good(
    browser: Browser, tmp_path: Path
) -> None:
    add_plugin(tmp_path / "home", "my-plugin", broken("no luck today"))
    with desk(browser, tmp_path) as opened:
        opened.settings("plugins")
        opened.part("boot-failed").get_by_role("button", name="Disable").click()
        expect(opened.part("boot-failed")).to_have_count(0)
        expect(opened.page.locator("[data-row=mine]")).to_contain_text("Off")
    with desk(browser, tmp_path) as again:
        again.settings("plugins")
        expect(again.page.locator("[data-row=mine]")).to_contain_text("Off")
        expect(again.part("boot-failed")).to_have_count(0)
