"""The program's own window: screen, native dialogs, one instance, applications menu."""
