"""Secrets by reference: from the environment, a private file, or the OS keyring.

The methods of the page are apart, in `methods`: a run without a page does without them.
"""

from dsh_plugins.credentials.plugin import CredentialsConfig, credentials

__all__ = ["CredentialsConfig", "credentials"]
