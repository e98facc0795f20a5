"""The method ``model/local``: nothing is asked before somebody calls it, and nothing but
loopback is asked then.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
from pydantic import BaseModel, ConfigDict, Field

from dsh.kernel import plugin
from dsh.seams.endpoints import Endpoint, EndpointLimits, Endpoints
from dsh.seams.gateway import Empty, Gateway, Method, Wire
from dsh.seams.llm import LlmError


class Candidate(BaseModel):
    """A port where a server of this kind usually listens."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    port: int = Field(gt=0, lt=65536)
    label: str
    dialect: str


USUAL = (
    Candidate(port=11434, label="Ollama", dialect="ollama"),
    Candidate(port=1234, label="LM Studio", dialect="lmstudio"),
    Candidate(port=8080, label="llama.cpp", dialect="llamacpp"),
    Candidate(port=8000, label="vLLM", dialect="vllm"),
)


class DiscoveryConfig(BaseModel):
    """Which ports are asked, and how long an answer may take (seconds)."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    candidates: tuple[Candidate, ...] = USUAL
    seconds: float = Field(default=1.5, gt=0)


class LocalServer(Wire):
    """A server that answered with a list of models."""

    label: str
    base_url: str
    dialect: str
    models: list[str]


class LocalServers(Wire):
    """All that answered, in the order in which they were asked."""

    servers: list[LocalServer]


@plugin
async def llm_discovery(
    gateway: Gateway, endpoints: Endpoints, config: DiscoveryConfig
) -> AsyncIterator[None]:
    """Add ``model/local``."""

    async def local(_: Empty) -> LocalServers:
        found: dict[int, LocalServer] = {}

        async def ask(place: int, candidate: Candidate) -> None:
            with anyio.move_on_after(config.seconds):
                server = await _asked(endpoints, candidate)
                if server is not None:
                    found[place] = server

        async with anyio.create_task_group() as group:
            for place, candidate in enumerate(config.candidates):
                group.start_soon(ask, place, candidate)
        return LocalServers(servers=[found[place] for place in sorted(found)])

    with gateway.methods(Method("model", "local", Empty, LocalServers, local)):
        yield


async def _asked(endpoints: Endpoints, candidate: Candidate) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{candidate.port}/v1"
    limits = EndpointLimits(connect=1)
    endpoint = Endpoint("local", base_url, candidate.dialect, limits=limits)
    async with endpoints.provider(endpoint) as provider:
        try:
            models = await provider.discover()
        except LlmError:  # nobody there, or something else on that port
            return None
    return LocalServer(
        label=candidate.label,
        base_url=base_url,
        dialect=candidate.dialect,
        models=[info.id for info in models],
    )
