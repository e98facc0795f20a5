"""Token figures, wherever and however a server reports them."""

from __future__ import annotations

from dsh.data.messages import Usage


def count(value: object) -> int | None:
    """A number of tokens, if it is one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1 << 53 else None


def first_count(source: object, *names: str) -> int | None:
    """The first of these fields that holds a number of tokens."""
    if not isinstance(source, dict):
        return None
    found = (count(source.get(name)) for name in names)
    return next((number for number in found if number is not None), None)


def usage_of(chunk: dict[str, object], choice: dict[str, object]) -> Usage | None:
    """The figures that a chunk or its choice brings, if one of them does."""
    for source in (chunk, choice):
        reported = source.get("usage")
        if isinstance(reported, dict):
            return _from_usage(reported)
    timings = chunk.get("timings")
    return _from_timings(timings) if timings is not None else None


def _from_usage(reported: dict[str, object]) -> Usage | None:
    prompt = first_count(reported, "prompt_tokens", "input_tokens")
    output = first_count(reported, "completion_tokens", "output_tokens")
    if prompt is None and output is None:
        return None
    details = reported.get("prompt_tokens_details")
    cached = first_count(details, "cached_tokens")
    if cached is None:
        cached = first_count(reported, "prompt_cache_hit_tokens", "cached_tokens")
    usage: Usage = {
        "inputTokens": max((prompt or 0) - (cached or 0), 0),
        "outputTokens": output or 0,
    }
    if cached is not None:
        usage["cacheReadTokens"] = cached
    reasoning = first_count(reported.get("completion_tokens_details"), "reasoning_tokens")
    if reasoning is not None:
        usage["reasoningTokens"] = reasoning
    return usage


def _from_timings(timings: object) -> Usage | None:
    """llama.cpp reports how much it worked, on its last chunk, also without usage."""
    prompt, output = first_count(timings, "prompt_n"), first_count(timings, "predicted_n")
    if prompt is None or output is None:
        return None
    usage: Usage = {"inputTokens": prompt, "outputTokens": output}
    cached = first_count(timings, "cache_n")
    if cached is not None:
        usage["cacheReadTokens"] = cached
    return usage
