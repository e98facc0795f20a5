"""The plugin that offers `Credentials`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

from pydantic import BaseModel, ConfigDict

from dsh.data.paths import Home
from dsh.kernel import Events, plugin
from dsh.seams.credentials import Credentials
from dsh_plugins.credentials.keyring_store import KeyringStore
from dsh_plugins.credentials.layered import LayeredCredentials
from dsh_plugins.credentials.secret_file import SecretFile


class CredentialsConfig(BaseModel):
    """Where new secrets may go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keyring: bool = True  # false: always the file, e.g. on a machine without a person


@plugin
async def credentials(
    home: Home, events: Events, config: CredentialsConfig
) -> AsyncIterator[Credentials]:
    """Offer the person's secrets. Nothing is read before somebody asks."""
    # The home is part of the name: two homes of one person keep their keys apart.
    keyring = KeyringStore(f"DSH Desktop {home.root}") if config.keyring else None
    file = SecretFile(home.credentials)
    yield LayeredCredentials(os.environ, file, keyring, events)
