"""Notices when an agent makes the same call over and over, says so, and stops it."""

from dsh_plugins.repeat_reminder.plugin import repeat_reminder

__all__ = ["repeat_reminder"]
