"""Which model answers when nobody chose one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.kernel import Events
from dsh.runtime.models import DefaultModel, Route
from dsh.seams.endpoints import EndpointInvalid, UnusableProvider
from dsh.seams.gateway import HostEvent
from dsh.seams.llm import Models
from dsh.seams.settings import Settings
from dsh_plugins.credentials import credentials
from dsh_plugins.default_model import default_model
from dsh_plugins.llm_environment import llm_environment
from dsh_plugins.llm_offline import llm_offline
from dsh_plugins.llm_openai import openai_chat
from dsh_plugins.llm_providers import llm_providers
from dsh_plugins.settings_file import settings_file
from support.mounting import mounted

pytestmark = pytest.mark.anyio

PLUGINS = (
    settings_file,
    credentials,
    openai_chat,
    llm_offline,
    llm_environment,
    llm_providers,
    default_model,
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DSH_LLM_BASE_URL", raising=False)


def write(folder: Path, text: str) -> None:
    (folder / "desktop").mkdir()
    (folder / "desktop/settings.yaml").write_text(text)


CONFIGURED = """
models:
  providers:
    broken: {baseUrl: "ftp://x"}
    empty: {baseUrl: "http://127.0.0.1:9"}
    mine: {baseUrl: "http://127.0.0.1:9", models: [small, large]}
"""


async def test_without_anything_the_guide_answers(tmp_path: Path) -> None:
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current() == Route("offline", "guide")


async def test_the_first_usable_server_of_the_settings(tmp_path: Path) -> None:
    write(tmp_path, CONFIGURED)
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current() == Route("mine", "small")


async def test_the_environment_comes_before_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, CONFIGURED)
    monkeypatch.setenv("DSH_LLM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("DSH_LLM_MODEL", "m")
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current() == Route("environment", "m")


async def test_a_wrong_environment_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSH_LLM_BASE_URL", "ftp://x")
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current().provider == "environment"


async def test_the_choice_is_kept_and_told(tmp_path: Path) -> None:
    told: list[str] = []
    write(tmp_path, CONFIGURED)
    async with mounted(tmp_path, *PLUGINS) as root:
        with root.get(Events).on(HostEvent, lambda fact: told.append(fact.type)):
            await root.get(DefaultModel).set(Route("mine", "large", "high"))
        assert "host/models" in told
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current() == Route("mine", "large", "high")


async def test_a_choice_whose_provider_is_gone_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "agent-default-model: {provider: gone, model: x}\n")
    async with mounted(tmp_path, *PLUGINS) as root:
        assert root.get(DefaultModel).current() == Route("offline", "guide")
        error = EndpointInvalid("no")
        gone = UnusableProvider("gone", "Gone", "settings", error)
        with root.get(Models).add("gone", gone):
            assert root.get(DefaultModel).current() == Route("gone", "x")


async def test_without_settings_something_still_answers(tmp_path: Path) -> None:
    async with mounted(tmp_path, llm_offline, default_model) as root:
        assert root.find(Settings) is None
        assert root.get(DefaultModel).current() == Route("offline", "guide")
