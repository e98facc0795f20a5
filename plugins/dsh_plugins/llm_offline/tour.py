"""A walk for newcomers: each stop explains itself, does something real, and moves on.

The position follows from the calls made so far, so that the tour survives a restart. A
stop whose tool is missing or that fails is passed with a word about it.
"""

from __future__ import annotations

from dsh_plugins.llm_offline.conversation import Conversation, Done, Say
from dsh_plugins.llm_offline.words import words

FOLDER = "dsh-tour"
FILE = f"{FOLDER}/hello.sh"
_SCRIPT = 'name="${1:-world}"\necho "Helo, $name!"\n'
_COMMAND = f"sh {FILE} tour"
_WITHOUT_FILE = 'echo "Hello, tour!"'
_OUTSIDE = "uname -s && whoami"
_REFUSED = ("refused", "consent", "withdrawn")


class _Walk:
    """Where the tour is: the stops that are behind, and the result of the last one."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.say = words(talk.language)
        self.last: Done | None = talk.done[-1] if talk.done else None

    def can(self, tool: str) -> bool:
        return tool in self.talk.tools

    def worked(self, tool: str) -> bool:
        return any(done.name == tool and not done.error for done in self.talk.done)

    def tried(self, tool: str) -> int:
        return sum(done.name == tool for done in self.talk.done)


def next_stop(talk: Conversation) -> Say:
    """The next stop, with a word about the last one."""
    walk = _Walk(talk)
    remark = _remark(walk)
    stop = _file(walk) or _commands(walk)
    if stop is None:
        end = "tour.end" if walk.worked("write") else "tour.nothing_made"
        stop = Say(walk.say(end, folder=FOLDER))
    stop.text = "\n\n".join(part for part in (remark, stop.text) if part)
    return stop


def _file(walk: _Walk) -> Say | None:
    """The stops at which a file is made and changed."""
    if not walk.can("write"):
        return None
    if not walk.tried("write"):
        text = walk.say("tour.start", file=FILE)
        return Say(text, "write", file_path=FILE, content=_SCRIPT)
    if not walk.worked("write"):
        return _again(walk)
    if walk.can("edit") and not walk.tried("edit"):
        change = {"old_string": "Helo", "new_string": "Hello"}
        return Say(walk.say("tour.edit"), "edit", file_path=FILE, **change)
    return None


def _again(walk: _Walk) -> Say | None:
    """The file could not be written: perhaps it has to be read first."""
    if walk.tried("write") > 1 or not walk.can("read"):
        return None
    if not walk.tried("read"):
        return Say("", "read", file_path=FILE)
    if walk.worked("read"):
        text = walk.say("tour.rewrite")
        return Say(text, "write", file_path=FILE, content=_SCRIPT)
    return None


def _commands(walk: _Walk) -> Say | None:
    """The stops at which something is run, searched, and asked for."""
    made = walk.worked("write")
    if walk.can("bash") and not walk.tried("bash"):
        return Say(
            walk.say("tour.run"),
            "bash",
            command=_COMMAND if made else _WITHOUT_FILE,
            description=walk.say("tour.describe_run"),
        )
    if made and walk.can("grep") and not walk.tried("grep"):
        return Say(walk.say("tour.search"), "grep", pattern="Hello", path=FOLDER)
    modes = walk.talk.options("bash", "sandbox_permissions")
    if modes and walk.tried("bash") == 1:
        return Say(
            walk.say("tour.ask"),
            "bash",
            command=_OUTSIDE,
            description=walk.say("tour.describe_ask"),
            sandbox_permissions=modes[-1],
            justification=walk.say("tour.why"),
        )
    return None


def _remark(walk: _Walk) -> str:
    """A word about the last stop, where one is due."""
    last = walk.last
    if last is None:
        return ""
    if last.name == "bash" and walk.tried("bash") == 2:
        if not last.error:
            return walk.say("tour.allowed")
        if "not wider" in last.text:
            return walk.say("tour.free")
        if any(sign in last.text for sign in _REFUSED):
            return walk.say("tour.declined")
    tries_again = last.name == "write" and _again(walk) is not None
    return walk.say("tour.skipped") if last.error and not tries_again else ""
