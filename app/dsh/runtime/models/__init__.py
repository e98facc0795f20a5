"""Models at work: the route of an agent, one request's stream, and its assembly."""

from dsh.runtime.models.assembler import Answer, Assembler
from dsh.runtime.models.route import DefaultModel, Route
from dsh.runtime.models.stream import STREAM, Chunks, ModelCall, failure_of, streamed

__all__ = [
    "STREAM",
    "Answer",
    "Assembler",
    "Chunks",
    "DefaultModel",
    "ModelCall",
    "Route",
    "failure_of",
    "streamed",
]
