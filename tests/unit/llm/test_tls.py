"""Servers behind https: certificates are checked, and the person's own are honoured."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.asking import ask, endpoint_provider
from support.scripted_model import ScriptedModel, says

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not shutil.which("openssl"), reason="makes certificates"),
]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key."""
    file = tmp_path / "own.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1"]
    key = tmp_path / "key.pem"
    subprocess.run(
        [*words, "-out", str(file), "-keyout", str(key)], check=True, capture_output=True
    )
    file.write_text(file.read_text() + key.read_text())
    return file


@asynccontextmanager
async def secure_model(certificate: Path) -> AsyncIterator[ScriptedModel]:
    model = ScriptedModel([says("one"), says("two")], "ignored", {"data": []})
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = await asyncio.start_server(model.handle, "127.0.0.1", 0, ssl=context)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        model.hang_up()
        await server.wait_closed()


async def test_an_unknown_certificate_is_refused_and_named(certificate: Path) -> None:
    async with secure_model(certificate) as model:
        where = f"https://127.0.0.1:{model.port}"
        async with endpoint_provider(where, key="sk-x") as provider:
            answer = await ask(provider)
        assert answer.code == "TRANSPORT"
        assert "certificate" in answer.message.lower()
        assert model.requests == []


async def test_a_certificate_of_the_person_is_trusted(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with secure_model(certificate) as model:
        where = f"https://127.0.0.1:{model.port}"
        async with endpoint_provider(where) as provider:
            assert (await ask(provider)).text == "one"
            assert (await ask(provider)).text == "two"
        assert model.connections == 1
