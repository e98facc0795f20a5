"""What must last of the page: widths, folds, drafts, language, the last session."""

from dsh_plugins.ui_state.plugin import ui_state

__all__ = ["ui_state"]
