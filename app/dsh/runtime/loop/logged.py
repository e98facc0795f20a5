"""The law of the loop: what a model is sent is exactly what the log says."""

from __future__ import annotations

from dsh.data.events.vocabulary import EpochHeader, RequestConfig, ToolSchema
from dsh.errors import RunError
from dsh.runtime.session import Session
from dsh.seams.llm import ModelRequest


class NotLogged(RunError):
    """A request differs from the log: some policy changed it behind the log's back."""

    code = "REQUEST_NOT_LOGGED"


def header_of(config: RequestConfig, system: str, tools: list[ToolSchema]) -> EpochHeader:
    """The header of a request in its canonical form: nothing that is empty."""
    header: EpochHeader = {"config": config}
    if system:
        header["system"] = system
    if tools:
        header["tools"] = tools
    return header


def config_of(request: ModelRequest) -> RequestConfig:
    """The settings of a request as the log writes them."""
    config: RequestConfig = {"provider": request.provider, "model": request.model}
    if request.effort is not None:
        config["reasoningEffort"] = request.effort
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.max_tokens is not None:
        config["maxTokens"] = request.max_tokens
    if request.stop is not None:
        config["stop"] = request.stop
    return config


def request_of(header: EpochHeader, session: Session) -> ModelRequest:
    """The request that a header and the surface stand for."""
    config = header["config"]
    return ModelRequest(
        config["provider"],
        config["model"],
        session.surface.messages(),
        system=header.get("system", ""),
        tools=header.get("tools"),
        effort=config.get("reasoningEffort"),
        temperature=config.get("temperature"),
        max_tokens=config.get("maxTokens"),
        stop=config.get("stop"),
        session_id=session.id,
    )


def check(session: Session, request: ModelRequest) -> None:
    """Raise :class:`NotLogged` when the request is not what the log says.

    Cheap enough to stay on: both sides share their objects, so this compares identities.
    """
    if request.messages != session.surface.messages():
        raise NotLogged("the messages of the request are not those of the log")
    header = header_of(config_of(request), request.system, request.tools)
    if header != session.request_header:
        raise NotLogged("the settings of the request are not those of the log")
