"""The moment before the program stops: work ends while everything it uses still works."""

from __future__ import annotations

from dsh.kernel import Hook

# Run by the launcher before any plugin is stopped. Whoever has work under way wraps it,
# ends that work, then calls on. Plugins stop concurrently afterwards, and a turn that
# still ran would find its model or its screen gone.
STOPPING: Hook[None, None] = Hook("program/stopping")
