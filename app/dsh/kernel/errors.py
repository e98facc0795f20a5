"""What can be wrong about the way plugins fit together."""

from __future__ import annotations

from dsh.errors import KernelError


class DuplicateProvider(KernelError):
    """Two mounts would offer one key in one scope; remove or isolate one of them."""

    code = "DUPLICATE_PROVIDER"


class DuplicateMount(KernelError):
    """The id is taken in this scope; close the other mount or choose another id."""

    code = "DUPLICATE_MOUNT"


class DuplicateContribution(KernelError):
    """A registry already holds this key in this layer; rename the contribution."""

    code = "DUPLICATE_CONTRIBUTION"


class ServiceMissing(KernelError):
    """Nobody offers the key now; declare it as a need instead of asking for it."""

    code = "SERVICE_MISSING"


class NotAPlugin(KernelError):
    """The object, its signature or its use of ``yield`` breaks the plugin contract."""

    code = "NOT_A_PLUGIN"


class StartTimedOut(KernelError):
    """The plugin did not reach its ``yield`` in time and was cancelled."""

    code = "START_TIMED_OUT"


class KernelClosed(KernelError):
    """The kernel is stopping; nothing new may be mounted."""

    code = "KERNEL_CLOSED"
