"""Text from models, tools, files and servers is shown, and does nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.canary import canary
from support.scripted_model import Event, Reply, calls, says, tool_call
from support.served import Scripting, bash, served
from support.stored import kinds, logs

pytestmark = pytest.mark.browser

REMOTE = """
![pixel]({url}/markdown.png) ![ref][r] [![link]({url}/inner.png)]({url}/outer)

[r]: {url}/reference.png

<img src="{url}/html.png" srcset="{url}/set.png 2x"> <video poster="{url}/poster.png">
<source src="{url}/source.mp4"></video> <link rel="prefetch" href="{url}/prefetch">
<link rel="dns-prefetch" href="//{host}"> <link rel="preconnect" href="{url}">
<link rel="stylesheet" href="{url}/style.css"> <link rel="icon" href="{url}/icon.png">
<meta http-equiv="refresh" content="0;url={url}/refresh"> <iframe src="{url}/frame">
</iframe> <object data="{url}/object"></object> <embed src="{url}/embed">
<svg><image href="{url}/svg.png"/><use href="{url}/use.svg#a"/></svg>
<div style="background:url({url}/inline.png)">x</div>
<style>@import url({url}/import.css); body {{ background: url({url}/css.png) }}
@font-face {{ font-family: f; src: url({url}/font) }}</style>
<audio src="{url}/audio"></audio> <form action="{url}/form"><button>go</button></form>

| table |
|---|
| ![cell]({url}/cell.png) |

```html
<img src="{url}/code.png">
```
<{url}/auto> {url}/bare
"""


def test_nothing_that_is_shown_is_fetched(browser: Browser, tmp_path: Path) -> None:
    script = Scripting()
    with canary() as bird, served(script) as model:
        text = REMOTE.format(url=bird.url, host=bird.host)
        work = tmp_path / "work"
        work.mkdir()
        (work / "page.html").write_text(text)
        script.replies += [
            calls(
                bash("cat page.html"),
                tool_call("read", {"file_path": "page.html"}, "call_2"),
                tool_call("grep", {"pattern": "png"}, "call_3"),
                tool_call("write", {"file_path": "new.md", "content": text}, "call_4"),
                text=text,
                reasoning=text,
            ),
            says(text),
        ]
        with desk(browser, tmp_path, env=model.variables) as opened:
            opened.ask(f"look at {text}")
            opened.ended()
            assert len(kinds(logs(opened.home)[-1], "tool/result")) == 4
            open_all(opened)
            policy = opened.page.evaluate(
                "fetch('/').then(a => a.headers.get('content-security-policy'))"
            )
            assert "default-src 'none'" in policy
            # An image is named with where it is from, and opened only when one asks.
            named = opened.page.get_by_text(f"Image from {bird.host}")
            expect(named.first).to_be_attached()
            opened.reload()
            opened.page.get_by_test_id("session-row").first.click()
            open_all(opened)
        assert bird.visits == []


def open_all(opened: Desk) -> None:
    """Unfold what is folded."""
    folded = opened.transcript.locator("button[aria-expanded=false]")
    for _ in range(folded.count()):
        folded.first.click()
    expect(opened.page.locator(".turn-foot")).to_have_count(1)


RUN = "window.__pwned=1"
PAYLOADS = (
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<img src=x onerror='{RUN}'>",
    f'"><img src=x onerror="{RUN}">',
    f"'><svg onload={RUN}>",
    f"<svg/onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<math><mtext></mtext><mglyph><style></math><img src=x onerror={RUN}>",
    f"<body onload={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN[7:]}</script>'></iframe>",
    f"<iframe src='javascript:parent.{RUN[7:]}'></iframe>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"[click](javascript:{RUN})",
    f"[click](JaVaScRiPt:{RUN})",
    f"[click](java\tscript:{RUN})",
    f"[click](&#106;avascript:{RUN})",
    f"[click](\x01javascript:{RUN})",
    f"[click](vbscript:{RUN})",
    f"[click](data:text/html,<script>{RUN}</script>)",
    f"![x](javascript:{RUN})",
    f"![x](x' onerror='{RUN})",
    f'![x"onerror="{RUN}](x)',
    f"[x]: javascript:{RUN}\n[x]",
    f"<javascript:{RUN}>",
    f'`"><img src=x onerror={RUN}>`',
    f"```<img src=x onerror={RUN}>\ncode\n```",
    f"```html\n</code></pre><img src=x onerror={RUN}>\n```",
    f"```mermaid\ngraph TD; A[<img src=x onerror={RUN}>]\n```",
    f"| <img src=x onerror={RUN}> |\n|---|\n| a |",
    f"$$\\href{{javascript:{RUN}}}{{x}}$$",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video>",
    f"<object data='javascript:{RUN}'></object>",
    f"<embed src='javascript:{RUN}'>",
    f"<meta http-equiv=refresh content='0;javascript:{RUN}'>",
    f"<base href='javascript:{RUN}//'>",
    f"<form action='javascript:{RUN}'><button>x</button></form>",
    f"<template><script>{RUN}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"\x1b]8;;javascript:{RUN}\x07link\x1b]8;;\x07",
    f"\x1b[31m<img src=x onerror={RUN}>\x1b[0m",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"<!--><img src=x onerror={RUN}>-->",
    f"<![CDATA[<img src=x onerror={RUN}>]]>",
)


def in_every_place(work: Path, texts: Sequence[str]) -> Reply:
    """Calls that bring the texts into commands, output, file names, diffs and errors."""
    joined = "\n".join(texts)
    (work / "hostile.txt").write_text(joined)
    named = [text.replace("/", "_").replace("\n", " ").strip() for text in texts]
    for name in named:
        (work / name[:120]).write_text("needle\n")
    parts: list[Event] = [
        bash("cat hostile.txt", "call_1", description=texts[0]),
        tool_call("read", {"file_path": "hostile.txt"}, "call_2"),
        tool_call("grep", {"pattern": "needle"}, "call_3"),
        tool_call("glob", {"pattern": "*"}, "call_4"),
        tool_call("write", {"file_path": "diff.txt", "content": joined}, "call_5"),
        tool_call("read", {"file_path": texts[1]}, "call_6"),
        bash(f": {texts[1]!r}; exit 3", "call_7"),
        tool_call("no_such_tool", {"text": joined}, "call_8"),
    ]
    return calls(*parts, reasoning=joined, text="\n\n".join(texts))


def test_no_text_runs_whatever_it_says_and_wherever_it_stands(
    browser: Browser, tmp_path: Path
) -> None:
    assert len(PAYLOADS) >= 40
    work = tmp_path / "work"
    work.mkdir()
    wrong = json.dumps({"error": {"message": " ".join(PAYLOADS[:8])}}).encode()
    script = Scripting(
        in_every_place(work, PAYLOADS),
        says("\n\n".join(PAYLOADS)),
        Reply(wrong, status=400, kind="application/json"),
    )
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        opened.ask("\n\n".join(PAYLOADS))
        opened.ended()
        assert len(kinds(logs(opened.home)[-1], "tool/result")) == 8
        open_all(opened)
        for top, place in ((10**6, ".prose"), (0, ".user")):
            opened.page.locator(".scroll").evaluate("(e, y) => e.scrollTo(0, y)", top)
            shown = opened.page.locator(place).filter(has_text="onerror=window")
            expect(shown.first).to_be_attached()
            unharmed(opened)
        unharmed(opened)
        opened.ask("and fail")
        opened.ended(2)
        expect(opened.part("turn-error").last).to_be_visible()
        session = opened.call("session/list")["sessions"][0]["sessionId"]
        for title in PAYLOADS[:6]:
            opened.call("session/rename", sessionId=session, title=title)
            expect(opened.page.locator(".crumb-title")).to_have_text(title)
        unharmed(opened)
        opened.press("Control+k")
        opened.page.keyboard.type("@onerror")
        opened.press("Escape")
        unharmed(opened)


def test_names_of_models_and_folders_and_plugins_are_only_text(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / f"<img src=x onerror={RUN}>"
    folder.mkdir()
    with served(Scripting()) as model, desk(browser, tmp_path, add=False) as opened:
        opened.call("workspace/create", path=str(folder))
        opened.call(
            "model/saveProvider",
            id="hostile",
            label=PAYLOADS[1],
            dialect="openai-chat",
            baseUrl=model.model.url,
            models=[PAYLOADS[3], PAYLOADS[4]],
        )
        opened.reload()
        opened.part("model-chip").click()
        expect(opened.page.get_by_text(PAYLOADS[3]).first).to_be_visible()
        opened.press("Escape")
        opened.settings("models")
        expect(opened.page.get_by_text(PAYLOADS[1]).first).to_be_visible()
        opened.press("Escape")
        expect(opened.page.locator(".group-title")).to_contain_text(folder.name)
        unharmed(opened)


def unharmed(opened: Desk) -> None:
    """Nothing ran, and no element came from a text."""
    opened.page.evaluate("new Promise(requestAnimationFrame)")
    assert opened.page.evaluate("window.__pwned") is None
    foreign = "iframe, object, embed, form[action], img[onerror], meta[http-equiv], base"
    assert opened.page.locator(foreign).count() == 0
    bad = opened.page.locator("a[href]").evaluate_all(
        "all => all.map(a => a.protocol).filter(p => !/^https?:$|^mailto:$/.test(p))"
    )
    assert bad == []
