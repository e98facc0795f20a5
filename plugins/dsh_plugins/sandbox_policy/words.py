"""A policy as the model reads it."""

from __future__ import annotations

from dsh.seams.sandbox import Policy


def in_words(policy: Policy) -> str:
    """What may be done under ``policy``, in a few plain sentences."""
    match policy.mode:
        case "danger-full-access":
            return (
                "Sandbox: off (danger-full-access). Commands and file tools run with all "
                "the rights of the person you work for. Be careful."
            )
        case "read-only":
            what = (
                "Sandbox: read-only. Files can be read; nothing can be changed except in "
                f"the temporary folder {policy.temp} ($TMPDIR in commands)."
            )
        case _:
            what = (
                f"Sandbox: workspace-write. Files below {policy.workspace} can be "
                "changed, everything else is read-only. Temporary files belong into "
                f"{policy.temp} ($TMPDIR in commands), not into /tmp."
            )
    network = "" if policy.network else " Commands have no network."
    return f"{what}{network} {policy.hidden[0]} is out of bounds."
