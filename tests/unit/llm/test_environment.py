"""The provider that the program's own environment names, and nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh.seams.endpoints import EndpointProvider
from dsh.seams.llm import Models
from dsh_plugins.llm_environment import llm_environment
from dsh_plugins.llm_openai import openai_chat
from support.asking import ask
from support.mounting import mounted
from support.scripted_model import says, scripted_model

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("DSH_LLM_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


async def test_without_the_variable_there_is_no_provider(tmp_path: Path) -> None:
    async with mounted(tmp_path, openai_chat, llm_environment) as root:
        assert root.get(Models).items() == {}


async def test_the_variables_make_a_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_model([says("hello")]) as model:
        monkeypatch.setenv("DSH_LLM_BASE_URL", f"127.0.0.1:{model.port}/")
        monkeypatch.setenv("DSH_LLM_API_KEY", "sk-x\n")
        monkeypatch.setenv("DSH_LLM_MODEL", "scripted")
        monkeypatch.setenv("DSH_LLM_DIALECT", "DeepSeek")
        async with mounted(tmp_path, openai_chat, llm_environment) as root:
            provider = root.get(Models).get("environment")
            assert isinstance(provider, EndpointProvider)
            assert provider.endpoint.dialect == "deepseek"
            assert [info.id for info in await provider.models()] == ["scripted"]
            assert (await ask(provider)).text == "hello"
    assert model.chats[0].headers["authorization"] == "Bearer sk-x"


@pytest.mark.parametrize(
    ("base_url", "dialect"),
    [
        ("https://api.deepseek.com/v1", "deepseek"),
        ("api.openai.com", "openai"),
        ("http://127.0.0.1:11434", "ollama"),
        ("http://127.0.0.1:9999", "generic"),
    ],
)
async def test_the_dialect_is_guessed_by_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base_url: str, dialect: str
) -> None:
    monkeypatch.setenv("DSH_LLM_BASE_URL", base_url)
    async with mounted(tmp_path, openai_chat, llm_environment) as root:
        provider = root.get(Models).get("environment")
        assert isinstance(provider, EndpointProvider)
        assert provider.endpoint.dialect == dialect


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [("BASE_URL", "ftp://x", "ftp://"), ("DIALECT", "klingon", "klingon")],
)
async def test_a_wrong_variable_makes_each_request_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, part: str
) -> None:
    monkeypatch.setenv("DSH_LLM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv(f"DSH_LLM_{name}", value)
    async with mounted(tmp_path, openai_chat, llm_environment) as root:
        provider = root.get(Models).get("environment")
        assert provider is not None
        answer = await ask(provider)
    assert answer.code == "ENDPOINT_INVALID"
    assert part in answer.message


async def test_a_remote_server_without_its_key_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSH_LLM_BASE_URL", "https://api.deepseek.com")
    async with mounted(tmp_path, openai_chat, llm_environment) as root:
        provider = root.get(Models).get("environment")
        assert provider is not None
        assert (await ask(provider)).code == "MISSING_CREDENTIAL"


async def test_a_file_in_the_working_folder_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_model([says("x")]) as model, scripted_model() as thief:
        (tmp_path / ".env").write_text(
            f"DSH_LLM_BASE_URL={thief.url}\nHTTPS_PROXY={thief.url}\n"
            f"DEEPSEEK_BASE_URL={thief.url}\nOPENAI_BASE_URL={thief.url}\n"
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("DSH_LLM_BASE_URL", model.url)
        async with mounted(tmp_path, openai_chat, llm_environment) as root:
            provider = root.get(Models).get("environment")
            assert provider is not None
            assert (await ask(provider)).text == "x"
        assert (thief.requests, thief.connections) == ([], 0)


async def test_proxy_variables_that_cannot_be_used_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with scripted_model([says("x")]) as model:
        monkeypatch.setenv("DSH_LLM_BASE_URL", model.url)
        monkeypatch.setenv("ALL_PROXY", "socks5://u:secret@127.0.0.1:1")
        monkeypatch.setenv("HTTP_PROXY", "http://u:secret a@h:port")
        monkeypatch.setenv("NO_PROXY", "[zz")
        async with mounted(tmp_path, openai_chat, llm_environment) as root:
            provider = root.get(Models).get("environment")
            assert provider is not None
            assert (await ask(provider)).text == "x"
    warnings = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert len(warnings) == 3
    assert "secret" not in caplog.text
