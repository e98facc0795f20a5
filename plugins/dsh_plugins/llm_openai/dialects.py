"""What differs between the servers of one wire, as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from dsh.data.messages import LlmFailure
from dsh.seams.endpoints import DialectInfo
from dsh.seams.llm import LlmError, ModelInfo

Fields = dict[str, object]
Back = Literal["always", "never"]


def _plain_effort(effort: str | None) -> Fields:
    """The effort as asked for; servers without the field ignore it."""
    if effort is None or effort == "off":
        return {}
    return {"reasoning_effort": effort}


def _openai_effort(effort: str | None) -> Fields:
    if effort is None:
        return {}
    return {"reasoning_effort": "none" if effort == "off" else effort}


def _template_effort(effort: str | None) -> Fields:
    """Servers that render the model's own chat template switch thinking there."""
    if effort == "off":
        return {"chat_template_kwargs": {"enable_thinking": False}}
    return _plain_effort(effort)


# Source: the API documentation of DeepSeek, "thinking mode".
_DEEPSEEK_EFFORTS = {
    "minimal": "low",
    "low": "low",
    "medium": "high",
    "high": "high",
    "xhigh": "high",
    "max": "max",
    "ultra": "max",
}


def _deepseek_effort(effort: str | None) -> Fields:
    if effort is None:
        return {}
    if effort == "off":
        return {"thinking": {"type": "disabled"}}
    known = _DEEPSEEK_EFFORTS.get(effort)
    if known is None:
        failure: LlmFailure = {
            "code": "UNSUPPORTED_REASONING_EFFORT",
            "message": f"DeepSeek does not know the effort {effort!r}",
        }
        raise LlmError(failure)
    return {"thinking": {"type": "enabled"}, "reasoning_effort": known}


class Dialect:
    """How one kind of server wants the wire.

    ``reasoning_back`` says whether the model's reasoning is part of later requests.
    ``local`` servers answer below ``/v1`` only and may need minutes for a first token.
    """

    __slots__ = (
        "base_url",
        "efforts",
        "key_ref",
        "label",
        "local",
        "max_tokens",
        "models",
        "name",
        "reasoning_back",
        "thinking",
    )

    def __init__(
        self,
        name: str,
        label: str,
        *,
        base_url: str | None = None,
        key_ref: str | None = None,
        max_tokens: str = "max_tokens",
        reasoning_back: Back = "never",
        thinking: Callable[[str | None], Fields] = _plain_effort,
        efforts: tuple[str, ...] = (),
        models: tuple[ModelInfo, ...] = (),
        local: bool = False,
    ) -> None:
        self.name = name
        self.label = label
        self.base_url = base_url
        self.key_ref = key_ref
        self.max_tokens = max_tokens
        self.reasoning_back = reasoning_back
        self.thinking = thinking
        self.efforts = efforts
        self.models = models
        self.local = local

    @property
    def info(self) -> DialectInfo:
        """For people who choose."""
        return DialectInfo(self.name, self.label, self.base_url, self.key_ref)

    def known(self, model: str) -> ModelInfo:
        """What the table knows of a model that nobody described."""
        listed = next((info for info in self.models if info.id == model), None)
        return listed or ModelInfo(model, efforts=self.efforts)

    def back(self, model: str) -> Back:
        """Whether ``model`` gets its reasoning back."""
        # The first reasoning models of DeepSeek answered 400 to what the later ones ask.
        if model.startswith("deepseek-r1"):
            return "never"
        return self.reasoning_back


def _deepseek_model(name: str, label: str) -> ModelInfo:
    return ModelInfo(
        name,
        label,
        context_window=1_000_000,
        max_output=256_000,
        efforts=("off", "low", "high", "max"),
        default_effort="high",
    )


_ALL = (
    Dialect(
        "deepseek",
        "DeepSeek",
        base_url="https://api.deepseek.com",
        key_ref="DEEPSEEK_API_KEY",
        # DeepSeek answers 400 to a tool call without its reasoning, even if that is "".
        reasoning_back="always",
        thinking=_deepseek_effort,
        efforts=("off", "low", "high", "max"),
        models=(
            _deepseek_model("deepseek-v4-flash", "DeepSeek V4 Flash"),
            _deepseek_model("deepseek-v4-pro", "DeepSeek V4 Pro"),
        ),
    ),
    Dialect(
        "openai",
        "OpenAI",
        base_url="https://api.openai.com/v1",
        key_ref="OPENAI_API_KEY",
        max_tokens="max_completion_tokens",
        thinking=_openai_effort,
    ),
    Dialect(
        "ollama",
        "Ollama",
        base_url="http://127.0.0.1:11434/v1",
        thinking=_openai_effort,
        local=True,
    ),
    Dialect("lmstudio", "LM Studio", base_url="http://127.0.0.1:1234/v1", local=True),
    Dialect(
        "llamacpp",
        "llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        thinking=_template_effort,
        local=True,
    ),
    Dialect(
        "vllm",
        "vLLM",
        base_url="http://127.0.0.1:8000/v1",
        thinking=_template_effort,
        local=True,
    ),
    Dialect("generic", "OpenAI compatible"),
)
DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in _ALL}
# Other spellings that people use in scripts.
ALIASES: Mapping[str, str] = {
    "llama-cpp": "llamacpp",
    "llama.cpp": "llamacpp",
    "lm-studio": "lmstudio",
    "openai-chat": "generic",
    "openai-compatible": "generic",
}
