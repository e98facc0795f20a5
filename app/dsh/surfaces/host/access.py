"""Who may talk to the host: one-use tickets, the cookie, the page token."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from dsh.data.clock import monotonic
from dsh.data.paths import Home

TICKET_SECONDS = 60.0


class Access:
    """The secrets of one run. All are 256 bits, made anew at each start.

    A ticket (in a URL) buys the cookie once. The cookie alone reveals next to nothing,
    because browsers send it to every port of this machine; the page token, which only
    the served page knows, is what privileged methods and the socket ask for.
    """

    def __init__(self, home: Home) -> None:
        # Several homes may run at once on one loopback address: a name for each.
        digest = hashlib.sha256(str(home.root).encode("utf-8", "surrogateescape"))
        self.cookie_name = f"dsh-{digest.hexdigest()[:12]}"
        self.page_token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._tickets: dict[str, float] = {}

    def issue(self) -> str:
        """A ticket that is valid once, for 60 seconds."""
        now = monotonic()
        self._tickets = {t: end for t, end in self._tickets.items() if end > now}
        ticket = secrets.token_urlsafe(32)
        self._tickets[ticket] = now + TICKET_SECONDS
        return ticket

    def redeem(self, ticket: str) -> str | None:
        """The cookie's value for a valid ticket, which is then used up."""
        for known, end in tuple(self._tickets.items()):
            if _same(known, ticket):
                del self._tickets[known]
                return self._cookie if end > monotonic() else None
        return None

    def has_cookie(self, header: str | None) -> bool:
        """Whether a Cookie header carries ours."""
        for part in (header or "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self.cookie_name and _same(self._cookie, value):
                return True
        return False

    def is_page(self, token: str | None) -> bool:
        """Whether the token is the page's."""
        return token is not None and _same(self.page_token, token)

    def cookie_header(self, value: str) -> str:
        """The Set-Cookie header: for this session of the browser, unseen by scripts."""
        return f"{self.cookie_name}={value}; Path=/; HttpOnly; SameSite=Strict"


def _same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))
