"""The system's keyring: the real one where there is one, and those that fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh.kernel import Events, Kernel
from dsh.seams.credentials import CredentialsUnusable
from dsh_plugins.credentials.keyring_store import KeyringStore
from dsh_plugins.credentials.layered import LayeredCredentials
from dsh_plugins.credentials.secret_file import SecretFile

pytestmark = pytest.mark.anyio

REF = "DSH_TEST_API_KEY"

IN_A_SESSION = f"""
import sys
from pathlib import Path
import anyio
from dsh.seams.credentials import Credentials
from dsh_plugins.credentials import credentials
from support.mounting import mounted

async def main():
    folder = Path(sys.argv[1])
    async with mounted(folder, credentials) as root:
        store = root.get(Credentials)
        assert await store.ready() == "keyring", store.store
        await store.set("{REF}", "sk-secret")
        assert (await store.describe("{REF}")).source == "keyring"
    assert "sk-secret" not in (folder / "desktop/credentials.yaml").read_text()
    async with mounted(folder / "elsewhere", credentials) as root:
        assert await root.get(Credentials).resolve("{REF}") is None
    async with mounted(folder, credentials) as root:
        store = root.get(Credentials)
        assert await store.resolve("{REF}") == "sk-secret"
        await store.unset("{REF}")
        assert await store.resolve("{REF}") is None
        assert not (await store.describe("{REF}")).configured

anyio.run(main)
print("kept")
"""


@pytest.mark.skipif(
    not shutil.which("dbus-run-session") or not shutil.which("gnome-keyring-daemon"),
    reason="needs dbus-run-session and gnome-keyring-daemon",
)
def test_a_real_keyring_keeps_the_secret_and_the_file_does_not(tmp_path: Path) -> None:
    unlock = (
        "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null"
    )
    line = f'{unlock}; exec "$0" -c "$1" "$2"'
    home = tmp_path / "user"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": ":".join(path for path in sys.path if path),
        "XDG_RUNTIME_DIR": str(home),
    }
    words = ["dbus-run-session", "--", "sh", "-c", line, sys.executable, IN_A_SESSION]
    done = subprocess.run(
        [*words, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["kept"], done.stderr


class Vault(KeyringStore):
    """A keyring that behaves as told, below the part that is tested."""

    def __init__(self) -> None:
        super().__init__("test", probe_seconds=0.05)
        self.hangs = threading.Event()
        self.hangs.set()
        self.error: Exception | None = None

    def _probe(self) -> bool:
        self.hangs.wait()
        if self.error is not None:
            raise self.error
        return True


@pytest.fixture
def vault() -> Iterator[Vault]:
    vault = Vault()
    yield vault
    vault.hangs.set()


async def layered(vault: KeyringStore, folder: Path) -> LayeredCredentials:
    async with Kernel() as kernel:
        file = SecretFile(folder / "credentials.yaml")
        return LayeredCredentials({}, file, vault, kernel.root.get(Events))


async def test_a_keyring_that_never_answers_gives_way_to_the_file(
    vault: Vault, tmp_path: Path
) -> None:
    vault.hangs.clear()
    store = await layered(vault, tmp_path)
    await store.set(REF, "sk-x")
    assert store.store == "file"
    assert (await store.describe(REF)).source == "file"
    assert await store.resolve(REF) == "sk-x"


async def test_a_keyring_that_raises_gives_way_to_the_file(
    vault: Vault, tmp_path: Path
) -> None:
    vault.error = RuntimeError("no collection")
    store = await layered(vault, tmp_path)
    assert await store.ready() == "file"


async def test_a_keyring_that_holds_the_key_but_is_silent_is_said_so(
    vault: Vault, tmp_path: Path
) -> None:
    file = tmp_path / "credentials.yaml"
    file.write_text(f"version: 1\nrefs: {{}}\nkeyring: [{REF}]\n")
    file.chmod(0o600)
    vault.error = RuntimeError("locked")
    store = await layered(vault, tmp_path)
    await store.ready()
    with pytest.raises(CredentialsUnusable, match=REF):
        await store.resolve(REF)


async def test_the_libraries_own_placeholders_are_no_keyring(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for backend in ("fail", "null"):
        module = __import__(f"keyring.backends.{backend}", fromlist=["Keyring"])
        monkeypatch.setattr("keyring.get_keyring", module.Keyring)
        store = await layered(KeyringStore("test"), tmp_path)
        assert await store.ready() == "file"
