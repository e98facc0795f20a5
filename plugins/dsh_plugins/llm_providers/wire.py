"""What the page sees and sends about models."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dsh.seams.credentials import CredentialView
from dsh.seams.gateway import Wire


class ModelView(Wire):
    """A model that can be chosen."""

    id: str
    name: str
    context_window: int | None = None
    efforts: list[str]


class ProviderFault(Wire):
    """Why a provider cannot be used as it is."""

    code: str
    message: str


class ProviderView(Wire):
    """A provider, its models, and where it comes from. ``base_url`` is what was entered,
    ``address`` what requests go to.
    """

    id: str
    label: str
    kind: Literal["remote", "local", "offline"]
    dialect: str
    base_url: str | None = None
    address: str | None = None
    models: list[ModelView]
    error: ProviderFault | None = None
    credential: CredentialView | None = None
    origin: Literal["settings", "environment", "builtin", "discovered"]
    editable: bool


class ModelChoice(Wire):
    """A route: provider, model, effort."""

    provider: str
    model: str
    effort: str | None = None


class DialectView(Wire):
    """A kind of server that can be added."""

    name: str
    label: str
    base_url: str | None = None
    credential_ref: str | None = None


class ModelList(Wire):
    """All providers, the default in force, and the kinds of servers."""

    providers: list[ProviderView]
    current: ModelChoice
    dialects: list[DialectView]


class ModelDiscover(Wire):
    """Ask a server that is not saved yet for its models."""

    base_url: str = Field(max_length=2000)
    dialect: str = "generic"
    credential_ref: str | None = None


class ModelDiscovered(Wire):
    """Its models, and the address that requests would go to."""

    models: list[ModelView]
    address: str


class AddressPreview(Wire):
    """Where requests would go; nothing is sent."""

    base_url: str = Field(max_length=2000)
    dialect: str = "generic"


class AddressPreviewed(Wire):
    """The final address, and whether it is on this computer."""

    address: str
    loopback: bool


class ModelTest(Wire):
    """Which provider, and which of its models."""

    provider_id: str
    model: str | None = None


class TestStep(Wire):
    """One step of a test; the first that is not ok says what to mend."""

    name: Literal["address", "key", "connection", "models", "answer"]
    ok: bool
    message: str | None = None
    ms: int | None = None


class ModelTested(Wire):
    """The steps in order; those that were not reached are left out."""

    steps: list[TestStep]


class ProviderSave(Wire):
    """Add or replace a server. ``confirm_credential`` allows its key to be sent to this
    address, when it was entered for another one.
    """

    id: str = Field(max_length=64)
    label: str = Field(max_length=200)
    dialect: str
    base_url: str = Field(max_length=2000)
    models: list[str] = Field(default=[], max_length=1000)
    context_window: int | None = Field(default=None, gt=0)
    credential_ref: str | None = None
    confirm_credential: bool = False


class ProviderId(Wire):
    """One configured server."""

    id: str
