"""Asking people: the question and answer in the log, and the desk where they answer."""

from dsh_plugins.approvals.desk import approvals_host
from dsh_plugins.approvals.provider import approvals

__all__ = ["approvals", "approvals_host"]
