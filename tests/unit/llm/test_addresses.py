"""Base URLs as people paste them."""

from __future__ import annotations

import json

import pytest

from dsh.seams.endpoints import EndpointInvalid
from dsh.seams.llm import LlmError
from dsh_plugins.llm_openai.urls import address
from support.asking import ask, endpoint_provider
from support.scripted_model import Reply, says, scripted_model

pytestmark = pytest.mark.anyio

SPELLINGS = [
    "http://{host}",
    "http://{host}/",
    "http://{host}/v1",
    " http://{host}/v1/ \n",
    "http://{host}//v1//",
    "http://{host}/v1/chat/completions",
    "http://{host}/v1/models",
    "http://{host}/chat/completions/",
    "{host}",
    "{host}/v1",
    "HTTP://{host}/v1",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_every_spelling_reaches_the_same_place(spelling: str) -> None:
    async with scripted_model([says("x")]) as model:
        base = spelling.format(host=f"127.0.0.1:{model.port}")
        async with endpoint_provider(base) as provider:
            assert (await ask(provider)).text == "x"
            await provider.discover()
    assert [r.target for r in model.requests] == ["/v1/chat/completions", "/v1/models"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
async def test_loopback_by_any_name_ignores_every_proxy(host: str) -> None:
    listen = "::1" if ":" in host else "127.0.0.1"
    dead = "http://127.0.0.1:1"
    environment = {"HTTP_PROXY": dead, "HTTPS_PROXY": dead, "ALL_PROXY": dead}
    async with scripted_model([says("x")], host=listen) as model:
        base = f"http://{host}:{model.port}"
        async with endpoint_provider(base, environment=environment) as provider:
            assert (await ask(provider)).text == "x"


@pytest.mark.parametrize(
    ("spelling", "chat"),
    [
        ("https://api.deepseek.com", "https://api.deepseek.com/v1/chat/completions"),
        ("api.deepseek.com", "https://api.deepseek.com/v1/chat/completions"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
        (
            "https://host.cn/api/paas/v4/",
            "https://host.cn/api/paas/v4/chat/completions",
        ),
        (
            "https://g.com/v1beta/openai",
            "https://g.com/v1beta/openai/chat/completions",
        ),
        ("https://p.ai/chat/completions", "https://p.ai/chat/completions"),
        ("localhost:1234", "http://localhost:1234/v1/chat/completions"),
        ("https://x.org/v1?a=b#c", "https://x.org/v1/chat/completions?a=b"),
        ("https://bücher.de", "https://xn--bcher-kva.de/v1/chat/completions"),
    ],
)
def test_the_final_address_can_be_shown_before_anything_is_sent(
    spelling: str, chat: str
) -> None:
    assert address(spelling).chat == chat


@pytest.mark.parametrize(
    "spelling",
    [
        "",
        " ",
        "ftp://x.org",
        "socks5://x.org",
        "http://",
        "http://x y.org",
        "http://x.org:port",
        "http://x.org:99999",
        "http://[::1",
        "https://sk-key@x.org",
        "https://u:p@x.org",
        "file:///etc/passwd",
        "http://-",
    ],
)
def test_what_is_no_address_is_refused(spelling: str) -> None:
    with pytest.raises(EndpointInvalid):
        address(spelling)


@pytest.mark.parametrize(
    "listed",
    [
        {"object": "list", "data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]},
        {"models": [{"name": "a", "model": "a"}, {"name": "b"}]},
        {"models": [], "data": [{"id": "a"}, {"id": "b"}]},
        [{"id": "a"}, "b", None, 7],
    ],
)
async def test_lists_of_models_of_every_shape(listed: object) -> None:
    async with (
        scripted_model(models=listed) as model,
        endpoint_provider(model.url) as provider,
    ):
        assert [info.id for info in await provider.discover()] == ["a", "b"]


async def test_what_a_server_says_of_a_model_is_kept() -> None:
    listed = {
        "data": [
            {"id": "a", "context_length": 4096, "max_output_tokens": 512},
            {"id": "b", "max_model_len": 8192, "context_window": "large"},
            {"id": "c", "meta": {"n_ctx": 2048}},
        ]
    }
    async with (
        scripted_model(models=listed) as model,
        endpoint_provider(model.url) as provider,
    ):
        await provider.discover()
        assert provider.info("a").context_window == 4096
        assert provider.info("a").max_output == 512
        assert provider.info("b").context_window == 8192
        assert provider.info("c").context_window == 2048
        assert provider.info("unlisted").context_window is None


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(b"no", status=404, kind="text/plain"), "HTTP_404"),
        (Reply(b"{}", status=401, kind="application/json"), "AUTH"),
        (Reply(b"<html>", kind="text/html"), "MALFORMED_RESPONSE"),
        (Reply(json.dumps({"data": "x"}).encode()), "MALFORMED_RESPONSE"),
    ],
)
async def test_a_list_that_cannot_be_had_is_said_so(reply: Reply, code: str) -> None:
    async with (
        scripted_model(models=reply) as model,
        endpoint_provider(model.url) as provider,
    ):
        with pytest.raises(LlmError) as refused:
            await provider.discover()
        assert refused.value.code == code
