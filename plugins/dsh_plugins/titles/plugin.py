"""The title appears with the first request, when the prompt is in the log."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel

from dsh.data.events.vocabulary import RequestConfig
from dsh.data.messages import text_of
from dsh.kernel import Events, Next, plugin
from dsh.runtime.loop import REQUEST, PreRequest
from dsh.runtime.session import Session
from dsh_plugins.titles.fallback import fallback_title


class TitlesConfig(BaseModel, frozen=True, defer_build=True):
    """How long a title may be."""

    max_words: int = 5
    max_bytes: int = 40  # of UTF-8


@plugin
async def titles(events: Events, config: TitlesConfig) -> AsyncIterator[None]:
    """Write a title when a session without one asks its model for the first time."""

    async def entitle(
        draft: PreRequest, call_next: Next[PreRequest, RequestConfig]
    ) -> RequestConfig:
        session = draft.agent.session
        if session.title is None:
            _entitle(session, config)
        return await call_next(draft)

    with events.wrap(REQUEST, entitle):
        yield


def _entitle(session: Session, config: TitlesConfig) -> None:
    for node in session.surface.nodes:
        if node.type != "user/message" or node.data["source"]["kind"] != "user":
            continue
        text = text_of(node.data)  # type: ignore[arg-type]  # validated when written
        title = fallback_title(
            text, max_words=config.max_words, max_bytes=config.max_bytes
        )
        if title:
            data = {
                "title": title,
                "messageSeqs": [node.seq],
                "source": {"kind": "fallback"},
            }
            session.append("session/title", data)
            return
