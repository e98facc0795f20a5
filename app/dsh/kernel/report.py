"""What the kernel can say about one mount."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsh.kernel.mount import Mount


class MountReport:
    """A snapshot for people: labels only, no live objects."""

    __slots__ = (
        "error",
        "missing",
        "needs",
        "offers",
        "overran",
        "phase",
        "plugin",
        "row",
        "scope",
        "seconds",
    )

    def __init__(
        self, mount: Mount, needs: dict[str, str], missing: dict[str, str], now: float
    ) -> None:
        self.row = mount.row
        self.scope = mount.scope.label
        self.plugin = f"{mount.plugin.body.__module__}:{mount.plugin.name}"
        self.phase = mount.phase.value
        self.offers = mount.plan.offers.__qualname__ if mount.plan.offers else None
        self.needs = needs  # key name → the row that offers it now, or ""
        self.missing = missing  # key name → the row that should offer it, or ""
        self.error = mount.error
        self.overran = mount.overran
        self.seconds = now - mount.since

    @classmethod
    def of(cls, mount: Mount, now: float) -> MountReport:
        """The report of ``mount`` at loop time ``now``."""
        needs: dict[str, str] = {}
        for need in mount.plan.needs.values():
            offer, _ = mount.scope.nearest(need.key)
            needs[need.key.__qualname__] = offer.provider if offer else ""
        return cls(mount, needs, mount.missing(), now)
