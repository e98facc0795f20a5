"""Settings kept in one YAML file of the home, which people may edit as well."""

from dsh_plugins.settings_file.methods import settings_methods
from dsh_plugins.settings_file.plugin import settings_file

__all__ = ["settings_file", "settings_methods"]
