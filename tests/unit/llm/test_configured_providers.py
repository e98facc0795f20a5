"""Servers in the settings, their keys, and the methods of the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh.data.paths import Home
from dsh.errors import DSHError
from dsh.kernel import Events, Scope, plugin
from dsh.seams.credentials import Credentials
from dsh.seams.endpoints import Endpoints
from dsh.seams.gateway import Gateway, HostEvent
from dsh.seams.llm import ModelRequest, Models
from dsh_plugins.credentials import CredentialsConfig, credentials
from dsh_plugins.default_model import default_model
from dsh_plugins.llm_discovery import DiscoveryConfig, llm_discovery
from dsh_plugins.llm_discovery.plugin import Candidate
from dsh_plugins.llm_offline import llm_offline
from dsh_plugins.llm_openai import openai_chat
from dsh_plugins.llm_providers import llm_providers
from dsh_plugins.llm_providers.methods import model_methods
from dsh_plugins.settings_file import settings_file
from support.asking import Heard, ask, user
from support.mounting import call, mounted
from support.scripted_model import Reply, chunk, event, says, scripted_model

pytestmark = pytest.mark.anyio

KEY = "DSH_MODEL_MINE_API_KEY"


@plugin
async def file_credentials(home: Home, events: Events) -> AsyncIterator[Credentials]:
    """The shipped plugin without the keyring of whoever runs the tests."""
    body = credentials.body(home, events, CredentialsConfig(keyring=False))
    yield await anext(body)


PLUGINS = (
    settings_file,
    file_credentials,
    openai_chat,
    llm_offline,
    llm_providers,
    default_model,
    model_methods,
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DSH_LLM_BASE_URL", raising=False)


@pytest.fixture
async def root(tmp_path: Path) -> AsyncIterator[Scope]:
    async with mounted(tmp_path, *PLUGINS) as scope:
        yield scope


def mine(base_url: str, **more: object) -> dict[str, object]:
    return {
        "id": "mine",
        "label": "Mine",
        "dialect": "generic",
        "baseUrl": base_url,
        "models": ["scripted"],
        **more,
    }


async def asked(root: Scope, name: str = "mine") -> Heard:
    provider = root.get(Models).get(name)
    assert provider is not None
    return await ask(provider)


async def test_a_saved_server_answers_at_once_and_after_a_restart(
    tmp_path: Path,
) -> None:
    async with scripted_model([says("one"), says("two")]) as model:
        async with mounted(tmp_path, *PLUGINS) as root:
            told: list[str] = []
            with root.get(Events).on(HostEvent, lambda fact: told.append(fact.type)):
                view = await call(root, "model/saveProvider", **mine(model.url))
            assert view["address"] == f"{model.url}/chat/completions"
            assert (view["origin"], view["editable"]) == ("settings", True)
            assert view["credential"]["ref"] == KEY
            assert view["error"] is None
            assert "host/models" in told
            assert (await asked(root)).text == "one"
        async with mounted(tmp_path, *PLUGINS) as root:
            assert (await asked(root)).text == "two"
            await call(root, "model/removeProvider", id="mine")
            assert root.get(Models).get("mine") is None
        assert "mine" not in (tmp_path / "desktop/settings.yaml").read_text()


async def test_an_edit_by_hand_applies_while_running(root: Scope, tmp_path: Path) -> None:
    changed = asyncio.Event()
    heard = root.get(Models)
    with heard.watched(changed.set):
        file = tmp_path / "desktop/settings.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text('models: {providers: {mine: {baseUrl: "http://127.0.0.1:9"}}}\n')
        await changed.wait()
    assert heard.get("mine") is not None


async def test_the_list_shows_every_provider_and_the_default(root: Scope) -> None:
    await call(root, "model/saveProvider", **mine("https://api.example.com"))
    listed = await call(root, "model/list")
    shown = {view["id"]: view for view in listed["providers"]}
    assert set(shown) == {"offline", "mine"}
    assert (shown["offline"]["kind"], shown["offline"]["origin"]) == (
        "offline",
        "builtin",
    )
    assert shown["offline"]["editable"] is False
    assert [m["id"] for m in shown["mine"]["models"]] == ["scripted"]
    assert listed["current"] == {"provider": "mine", "model": "scripted", "effort": None}
    assert "deepseek" in [dialect["name"] for dialect in listed["dialects"]]


async def test_the_list_asks_no_server_that_is_not_on_this_machine(root: Scope) -> None:
    for name in ("deepseek", "generic"):
        await call(
            root,
            "model/saveProvider",
            **mine("http://model.invalid", id=name, dialect=name, models=[]),
        )
    listed = await call(root, "model/list")
    shown = {view["id"]: view for view in listed["providers"]}
    assert [m["id"] for m in shown["deepseek"]["models"]] == ["deepseek-v4-flash"]
    assert (shown["generic"]["models"], shown["generic"]["error"]) == ([], None)


async def test_the_default_can_be_chosen(root: Scope) -> None:
    await call(root, "model/setDefault", provider="offline", model="guide")
    listed = await call(root, "model/list")
    assert listed["current"]["provider"] == "offline"
    with pytest.raises(DSHError):
        await call(root, "model/setDefault", provider="gone", model="x")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Bad Id"},
        {"id": "offline"},
        {"baseUrl": "ftp://x"},
        {"baseUrl": "https://u:p@x.org"},
        {"dialect": "klingon"},
    ],
)
async def test_what_cannot_work_is_refused_and_not_stored(
    root: Scope, tmp_path: Path, change: dict[str, str]
) -> None:
    with pytest.raises(DSHError):
        await call(root, "model/saveProvider", **{**mine("http://127.0.0.1:9"), **change})
    assert not (tmp_path / "desktop/settings.yaml").exists()


async def test_a_wrong_entry_of_the_file_is_shown_and_harms_no_other(
    tmp_path: Path,
) -> None:
    async with scripted_model([says("x")]) as model:
        (tmp_path / "desktop").mkdir()
        (tmp_path / "desktop/settings.yaml").write_text(
            "models:\n  providers:\n"
            "    bad: {baseUrl: 'ftp://x'}\n"
            "    odd: {baseUrl: 'http://127.0.0.1:9', dialect: klingon}\n"
            f"    mine: {{baseUrl: '{model.url}', models: [scripted]}}\n"
        )
        async with mounted(tmp_path, *PLUGINS) as root:
            listed = await call(root, "model/list")
            shown = {view["id"]: view["error"] for view in listed["providers"]}
            assert "ftp" in shown["bad"]["message"]
            assert "klingon" in shown["odd"]["message"]
            assert (await asked(root)).text == "x"
            assert (await asked(root, "bad")).code == "ENDPOINT_INVALID"


async def test_a_key_goes_with_requests_without_a_restart(root: Scope) -> None:
    async with scripted_model([says("x")] * 3) as model:
        await call(root, "model/saveProvider", **mine(model.url))
        await asked(root)
        await root.get(Credentials).set(KEY, "sk-one")
        await asked(root)
        await root.get(Credentials).set(KEY, "sk-two")
        await asked(root)
    sent = [chat.headers.get("authorization") for chat in model.chats]
    assert sent == [None, "Bearer sk-one", "Bearer sk-two"]


async def test_a_key_stays_when_the_address_changes_until_it_is_entered_again(
    root: Scope, tmp_path: Path
) -> None:
    async with scripted_model([says("x")]) as good, scripted_model([says("y")]) as other:
        await call(root, "model/saveProvider", **mine(good.url))
        await root.get(Credentials).set(KEY, "sk-secret")
        assert (await asked(root)).text == "x"
        view = await call(root, "model/saveProvider", **mine(other.url))
        assert view["error"]["code"] == "CREDENTIAL_UNCONFIRMED"
        refused = await asked(root)
        assert refused.code == "CREDENTIAL_UNCONFIRMED"
        assert "127.0.0.1" in refused.message
        with pytest.raises(DSHError) as asking:
            await call(root, "model/discover", baseUrl=other.url, credentialRef=KEY)
        assert asking.value.code == "CREDENTIAL_UNCONFIRMED"
        steps = (await call(root, "model/test", providerId="mine"))["steps"]
        assert [(s["name"], s["ok"]) for s in steps][-1] == ("key", False)
        assert other.requests == []
        await root.get(Credentials).set(KEY, "sk-secret")
        assert (await asked(root)).text == "y"
    assert other.chats[0].headers["authorization"] == "Bearer sk-secret"


async def test_an_edited_file_does_not_redirect_a_key_even_after_a_restart(
    tmp_path: Path,
) -> None:
    async with scripted_model([says("x")]) as good, scripted_model([says("y")]) as thief:
        async with mounted(tmp_path, *PLUGINS) as root:
            await call(root, "model/saveProvider", **mine(good.url))
            await root.get(Credentials).set(KEY, "sk-secret")
            assert (await asked(root)).text == "x"
        file = tmp_path / "desktop/settings.yaml"
        file.write_text(file.read_text().replace(good.url, thief.url))
        async with mounted(tmp_path, *PLUGINS) as root:
            assert (await asked(root)).code == "CREDENTIAL_UNCONFIRMED"
            assert thief.requests == []
            saved = mine(thief.url, confirmCredential=True)
            await call(root, "model/saveProvider", **saved)
            assert (await asked(root)).text == "y"


async def test_a_removed_server_takes_its_key_along(root: Scope) -> None:
    await call(root, "model/saveProvider", **mine("http://127.0.0.1:9"))
    await root.get(Credentials).set(KEY, "sk-x")
    await call(root, "model/removeProvider", id="mine")
    assert await root.get(Credentials).resolve(KEY) is None


async def test_an_answer_survives_a_change_of_its_server(root: Scope) -> None:
    gate = asyncio.Event()
    reply = Reply(
        event(chunk({"content": "a"})), gate, event(chunk({"content": "b"}, "stop"))
    )
    async with scripted_model([reply]) as model:
        await call(root, "model/saveProvider", **mine(model.url))
        provider = root.get(Models).get("mine")
        assert provider is not None
        request = ModelRequest("mine", "scripted", [user("hi")])
        async with provider.stream(request) as chunks:
            await anext(chunks)
            more = mine(model.url, models=["scripted", "second"])
            await call(root, "model/saveProvider", **more)
            assert root.get(Models).get("mine") is not provider
            gate.set()
            rest = Heard([chunk async for chunk in chunks][-1:])
        assert rest.reason == "stop"


async def test_a_test_that_works_names_every_step(root: Scope) -> None:
    async with scripted_model([says("OK")]) as model:
        await call(root, "model/saveProvider", **mine(f"{model.url}/"))
        steps = (await call(root, "model/test", providerId="mine"))["steps"]
    assert [s["name"] for s in steps] == [
        "address",
        "key",
        "connection",
        "models",
        "answer",
    ]
    assert all(step["ok"] for step in steps)
    assert steps[0]["message"] == f"{model.url}/chat/completions"


@pytest.mark.parametrize(
    ("status", "names"),
    [
        (401, ["address", "key"]),
        (404, ["address", "connection", "models", "answer"]),
        (500, ["address", "connection", "models", "answer"]),
    ],
)
async def test_a_test_says_which_step_failed(
    root: Scope, status: int, names: list[str]
) -> None:
    listing = Reply(b"{}", status=status, kind="application/json")
    async with scripted_model([says("OK")], models=listing) as model:
        await call(root, "model/saveProvider", **mine(model.url))
        steps = (await call(root, "model/test", providerId="mine"))["steps"]
    assert [s["name"] for s in steps] == names
    failed = [s["name"] for s in steps if not s["ok"]]
    assert failed == (["key"] if status == 401 else ["models"] if status == 500 else [])


async def test_a_server_that_is_not_there_fails_at_the_connection(root: Scope) -> None:
    await call(root, "model/saveProvider", **mine("http://127.0.0.1:9"))
    steps = (await call(root, "model/test", providerId="mine"))["steps"]
    assert [(s["name"], s["ok"]) for s in steps] == [
        ("address", True),
        ("connection", False),
    ]


async def test_the_guide_can_be_tested_too(root: Scope) -> None:
    steps = (await call(root, "model/test", providerId="offline"))["steps"]
    assert [(s["name"], s["ok"]) for s in steps] == [("answer", True)]


async def test_the_address_is_shown_before_anything_is_sent(root: Scope) -> None:
    shown = await call(
        root, "model/preview", baseUrl="localhost:1234", dialect="lmstudio"
    )
    assert shown == {
        "address": "http://localhost:1234/v1/chat/completions",
        "loopback": True,
    }


@pytest.mark.parametrize(
    ("entered", "kept"),
    [
        ("127.0.0.1:9", "http://127.0.0.1:9/v1"),
        ("https://p.ai/chat/completions", "https://p.ai/chat/completions"),
    ],
)
async def test_a_saved_address_is_plain_and_means_the_same(
    root: Scope, entered: str, kept: str
) -> None:
    view = await call(root, "model/saveProvider", **mine(entered))
    shown = await call(root, "model/preview", baseUrl=entered)
    assert (view["baseUrl"], view["address"]) == (kept, shown["address"])


async def test_models_are_discovered_before_anything_is_saved(root: Scope) -> None:
    async with scripted_model() as model:
        host = f"127.0.0.1:{model.port}"
        found = await call(root, "model/discover", baseUrl=host, dialect="generic")
    assert [m["id"] for m in found["models"]] == ["scripted"]
    assert found["address"] == f"http://{host}/v1/chat/completions"


async def test_local_servers_are_found_by_asking_them(tmp_path: Path) -> None:
    page = Reply(b"<html>", kind="text/html")
    async with scripted_model() as one, scripted_model(models=page) as other:
        config = DiscoveryConfig(
            candidates=(
                Candidate(port=9, label="Nobody", dialect="vllm"),
                Candidate(port=other.port, label="A page", dialect="llamacpp"),
                Candidate(port=one.port, label="Ollama", dialect="ollama"),
            )
        )

        @plugin
        async def discovery(
            gateway: Gateway, endpoints: Endpoints
        ) -> AsyncIterator[None]:
            body = llm_discovery.body(gateway, endpoints, config)
            await anext(body)
            yield

        async with mounted(tmp_path, openai_chat, discovery) as root:
            assert one.requests == []
            answer = await call(root, "model/local")
    assert answer["servers"] == [
        {
            "label": "Ollama",
            "baseUrl": one.url,
            "dialect": "ollama",
            "models": ["scripted"],
        }
    ]
