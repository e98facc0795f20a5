"""Models at work: the route of an agent, one request's stream, and its assembly."""

from dsh.runtime.models.route import DefaultModel, Route

__all__ = ["DefaultModel", "Route"]
