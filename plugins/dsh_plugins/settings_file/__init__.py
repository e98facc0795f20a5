"""Settings kept in one YAML file of the home, which people may edit as well.

The methods of the page are apart, in `methods`: a run without a page does without them.
"""

from dsh_plugins.settings_file.plugin import settings_file

__all__ = ["settings_file"]
