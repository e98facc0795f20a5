"""Secrets by reference: from the environment, a private file, or the OS keyring."""

from dsh_plugins.credentials.methods import credentials_methods
from dsh_plugins.credentials.plugin import CredentialsConfig, credentials

__all__ = ["CredentialsConfig", "credentials", "credentials_methods"]
