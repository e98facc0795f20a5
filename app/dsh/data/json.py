"""JSON as this program writes it: strict UTF-8, no NaN, no lone surrogates."""

from __future__ import annotations

from typing import Union

import msgspec

JsonValue = Union[None, bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]"]

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON.

    Raises ``TypeError`` for what JSON cannot hold and ``UnicodeEncodeError`` for lone
    surrogates.
    """
    return _encoder.encode(value)


def decode(data: bytes | str) -> object:
    """Any JSON value. Raises :class:`msgspec.DecodeError` (also for NaN) or
    ``RecursionError`` for hostile nesting.
    """
    return _decoder.decode(data)
