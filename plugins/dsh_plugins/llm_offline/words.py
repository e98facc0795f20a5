"""What the guide says, from one file a language."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

Language = Literal["en", "zh"]


class Words:
    """The texts of one language by name, such as ``tour.start``."""

    def __init__(self, language: Language, texts: dict[str, str]) -> None:
        self.language = language
        self.texts = texts

    def __call__(self, name: str, **values: str) -> str:
        return self.texts[name].format(**values)


@cache
def words(language: Language) -> Words:
    """The texts of ``language``, read once."""
    import tomllib  # only the guide needs it, and only when it speaks

    file = resources.files("dsh_plugins.llm_offline") / f"words.{language}.toml"
    texts: dict[str, str] = {}
    for name, value in tomllib.loads(file.read_text(encoding="utf-8")).items():
        if isinstance(value, dict):
            texts.update({f"{name}.{inner}": text for inner, text in value.items()})
        else:
            texts[name] = value
    return Words(language, texts)
