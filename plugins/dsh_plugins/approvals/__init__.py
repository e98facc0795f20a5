"""Asking people: the question and answer in the log, and the desk where they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsh_plugins.approvals.provider import approvals

if TYPE_CHECKING:
    from dsh_plugins.approvals.desk import approvals_host

__all__ = ["approvals", "approvals_host"]


def __getattr__(name: str) -> object:
    # A run without a window has no desk and need not load one.
    if name == "approvals_host":
        from dsh_plugins.approvals.desk import approvals_host

        return approvals_host
    raise AttributeError(name)
