"""Secrets: where they are found, where they go, and that they never leak."""

from __future__ import annotations

import logging
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh.data.paths import Home
from dsh.errors import SurfaceError
from dsh.kernel import Events, Scope, plugin
from dsh.seams.credentials import (
    CredentialChanged,
    CredentialRejected,
    Credentials,
    CredentialsUnusable,
)
from dsh.seams.native_shell import NativeShell
from dsh_plugins.credentials import CredentialsConfig, credentials
from dsh_plugins.credentials.methods import credentials_methods
from support.mounting import call, mounted

pytestmark = pytest.mark.anyio

REF = "DSH_TEST_API_KEY"


@plugin
async def file_only(home: Home, events: Events) -> AsyncIterator[Credentials]:
    """The shipped plugin with the keyring switched off."""
    body = credentials.body(home, events, CredentialsConfig(keyring=False))
    yield await anext(body)
    await anext(body, None)


@pytest.fixture
async def root(tmp_path: Path) -> AsyncIterator[Scope]:
    async with mounted(tmp_path, file_only, credentials_methods) as scope:
        yield scope


@pytest.fixture
def store(root: Scope) -> Credentials:
    return root.get(Credentials)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "desktop" / "credentials.yaml"


async def test_a_secret_is_kept_trimmed_for_its_owner_only(
    store: Credentials, file: Path
) -> None:
    await store.set(REF, "  sk-x\n")
    assert await store.resolve(REF) == "sk-x"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    status = await store.describe(REF)
    assert (status.configured, status.source, status.writable) == (True, "file", True)


async def test_an_unknown_reference_is_absent(store: Credentials) -> None:
    assert await store.resolve(REF) is None
    status = await store.describe(REF)
    assert (status.configured, status.source, status.writable) == (False, None, True)


async def test_the_environment_wins_and_is_read_only(
    store: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.set(REF, "stored")
    monkeypatch.setenv(REF, "inherited\n")
    assert await store.resolve(REF) == "inherited"
    assert (await store.describe(REF)).writable is False
    with pytest.raises(CredentialRejected, match="environment"):
        await store.set(REF, "other")
    with pytest.raises(CredentialRejected, match="environment"):
        await store.unset(REF)
    monkeypatch.setenv(REF, " ")
    assert await store.resolve(REF) == "stored"


@pytest.mark.parametrize("value", ["", " \n", "sk-密钥", "sk a", "sk\x00", "k" * 9000])
async def test_what_cannot_be_a_key_is_refused_without_quoting_it(
    store: Credentials, value: str, file: Path
) -> None:
    with pytest.raises(CredentialRejected) as refused:
        await store.set(REF, value)
    assert not value.strip() or value.strip() not in str(refused.value)
    assert not file.exists()


@pytest.mark.parametrize("ref", ["lower", "", "A-B", "../A", "1A", "A" * 200])
async def test_what_is_no_reference_is_refused(store: Credentials, ref: str) -> None:
    with pytest.raises(CredentialRejected):
        await store.set(ref, "sk-x")
    assert await store.resolve(ref) is None


async def test_forgetting_works_and_twice_is_harmless(store: Credentials) -> None:
    await store.set(REF, "sk-x")
    await store.unset(REF)
    await store.unset(REF)
    assert await store.resolve(REF) is None


async def test_a_change_is_told(root: Scope, store: Credentials) -> None:
    heard: list[str] = []
    with root.get(Events).on(CredentialChanged, lambda fact: heard.append(fact.ref)):
        await store.set(REF, "sk-x")
        await store.unset(REF)
        await store.unset(REF)
    assert heard == [REF, REF]


async def test_a_file_that_others_can_read_is_not_used(
    store: Credentials, file: Path
) -> None:
    await store.set(REF, "sk-x")
    file.chmod(0o640)
    with pytest.raises(CredentialsUnusable) as refused:
        await store.resolve(REF)
    assert refused.value.remedy == f"chmod 600 {file}"
    file.chmod(0o600)
    assert await store.resolve(REF) == "sk-x"


@pytest.mark.parametrize(
    "text", ["refs: {A: sk-secret", "- sk-secret", "refs: sk-secret"]
)
async def test_a_damaged_file_is_named_but_not_quoted_or_overwritten(
    store: Credentials, file: Path, text: str
) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(CredentialsUnusable) as refused:
        await store.set(REF, "sk-x")
    assert str(file) in str(refused.value)
    assert "sk-secret" not in str(refused.value)
    assert file.read_text() == text


async def test_a_key_changed_by_another_program_is_seen(
    store: Credentials, tmp_path: Path
) -> None:
    await store.set(REF, "one")
    assert await store.resolve(REF) == "one"
    async with mounted(tmp_path, file_only) as other:
        await other.get(Credentials).set(REF, "two")
    assert await store.resolve(REF) == "two"


async def test_the_page_never_receives_a_secret(
    root: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert await call(root, "credentials/set", ref=REF, value="sk-secret") == {
        "configured": True
    }
    described = await call(root, "credentials/describe", refs=[REF, "OTHER"])
    assert described == {
        "credentials": [
            {"ref": REF, "configured": True, "source": "file", "writable": True},
            {"ref": "OTHER", "configured": False, "source": None, "writable": True},
        ],
        "store": "file",
    }
    assert await call(root, "credentials/unset", ref=REF) == {"configured": False}
    assert "sk-secret" not in caplog.text


class Dialog(NativeShell):
    """A desktop whose person types a fixed answer."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def ask_secret(self, title: str, prompt: str) -> str | None:
        self.asked.append(f"{title}/{prompt}")
        return self.answer

    async def choose_folder(self, title: str, start: Path | None = None) -> Path | None:
        raise NotImplementedError

    async def choose_file(self, title: str, start: Path | None = None) -> Path | None:
        raise NotImplementedError

    async def save_file(self, title: str, name: str) -> Path | None:
        raise NotImplementedError

    async def open_path(self, path: Path) -> bool:
        raise NotImplementedError

    async def open_url(self, url: str) -> bool:
        raise NotImplementedError

    def focus(self) -> None:
        raise NotImplementedError


async def test_with_a_window_secrets_come_from_its_dialog_only(tmp_path: Path) -> None:
    dialog = Dialog("sk-typed ")
    services = ((NativeShell, dialog),)
    async with mounted(
        tmp_path, file_only, credentials_methods, services=services
    ) as root:
        with pytest.raises(SurfaceError) as refused:
            await call(root, "credentials/set", ref=REF, value="sk-x")
        assert refused.value.code == "USE_NATIVE_DIALOG"
        prompt = {"ref": REF, "label": "Key for DeepSeek"}
        assert await call(root, "credentials/prompt", **prompt) == {"configured": True}
        assert dialog.asked == [f"Key for DeepSeek/{REF}"]
        assert await root.get(Credentials).resolve(REF) == "sk-typed"
        dialog.answer = None
        assert await call(root, "credentials/prompt", **prompt) == {"configured": True}


async def test_without_a_window_there_is_no_dialog(root: Scope) -> None:
    with pytest.raises(SurfaceError) as refused:
        await call(root, "credentials/prompt", ref=REF, label="x")
    assert refused.value.code == "NO_NATIVE"


def test_looking_for_a_secret_does_not_load_the_keyring(tmp_path: Path) -> None:
    script = f"""
import anyio, sys
from pathlib import Path
from support.mounting import mounted
from dsh.seams.credentials import Credentials
from dsh_plugins.credentials import credentials

async def main():
    async with mounted(Path({str(tmp_path)!r}), credentials) as root:
        assert await root.get(Credentials).resolve("{REF}") is None
    assert "keyring" not in sys.modules and "yaml" not in sys.modules

anyio.run(main)
"""
    paths = ":".join(path for path in sys.path if path)
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": paths})
