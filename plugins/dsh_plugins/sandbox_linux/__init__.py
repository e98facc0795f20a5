"""Confinement of commands on Linux: bubblewrap where it works, Landlock where not."""
