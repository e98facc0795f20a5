"""What the guide answers: plain requests become tool calls, results become sentences."""

from __future__ import annotations

import re

from dsh_plugins.llm_offline.conversation import Conversation, Done, Say
from dsh_plugins.llm_offline.intents import Intent, understood
from dsh_plugins.llm_offline.tour import next_stop
from dsh_plugins.llm_offline.words import words

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
_SHOWN = 1200  # characters of a result that are repeated in the answer
_GLOB = re.compile(r"[*?\[{]")


def reply_to(talk: Conversation) -> Say:
    """The answer to the last request, given what was done for it so far."""
    if talk.purpose == "title":
        return Say(_title(talk.prompt))
    intent = understood(talk.prompt)
    if intent.kind == "tour":
        return next_stop(talk)
    say = words(talk.language)
    if intent.kind == "help":
        return Say(say("help"))
    if intent.kind == "other":
        return Say(f"{say('other')}\n\n{say('help')}")
    steps = _steps(intent, talk)
    position = len(talk.done)
    if position and (talk.done[-1].error or position >= len(steps)):
        return Say(_closing(talk, talk.done[-1]))
    tool, arguments = steps[position]
    if tool not in talk.tools:
        return Say(say("missing", tool=tool))
    lead = say(f"doing.{steps[-1][0]}") if position == 0 else ""
    return Say(lead, tool, **arguments)


def _steps(intent: Intent, talk: Conversation) -> list[tuple[str, dict[str, object]]]:
    """The tool calls that a request takes, in order."""
    target = intent.rest.strip().strip("`\"'") or intent.path
    match intent.kind:
        case "run":
            described = words(talk.language)("described")
            return [("bash", {"command": intent.rest, "description": described})]
        case "read":
            return [("read", {"file_path": target})]
        case "find":
            return [("grep", {"pattern": _SPECIAL.sub(r"\\\g<0>", target)})]
        case "list":
            return [("glob", _listing(target))]
        case "write":
            return [("write", {"file_path": intent.path, "content": intent.rest})]
        case _:
            change = {"old_string": intent.old, "new_string": intent.new}
            path = {"file_path": intent.path}
            return [("read", {**path}), ("edit", {**path, **change})]


def _listing(target: str) -> dict[str, object]:
    if not target:
        return {"pattern": "*"}
    if _GLOB.search(target):
        return {"pattern": target}
    return {"pattern": "*", "path": target}


def _closing(talk: Conversation, done: Done) -> str:
    """The sentence after the last call; a short result is repeated for the terminal."""
    say = words(talk.language)
    text = done.text.strip("\n")
    if done.error:
        return f"{say('failed')} {text[:_SHOWN]}"
    if done.name in ("write", "edit") or not text:
        return say("done")
    if len(text) > _SHOWN:
        return say("long")
    fence = "````" if "```" in text else "```"
    return f"{say('result')}\n\n{fence}\n{text}\n{fence}"


def _title(prompt: str) -> str:
    line = next((line.strip() for line in prompt.splitlines() if line.strip()), "")
    return line[:60] or "…"
