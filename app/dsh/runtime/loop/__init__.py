"""The loop: turns, steps, requests, and the hooks around them."""

from dsh.runtime.loop.hooks import (
    PRE_STEP,
    REQUEST,
    REQUEST_ERROR,
    TURN_STOPPING,
    Enter,
    FailedRequest,
    PreRequest,
    PreStep,
    Reject,
    StepDecision,
    TurnStopping,
)

__all__ = [
    "PRE_STEP",
    "REQUEST",
    "REQUEST_ERROR",
    "TURN_STOPPING",
    "Enter",
    "FailedRequest",
    "PreRequest",
    "PreStep",
    "Reject",
    "StepDecision",
    "TurnStopping",
]
