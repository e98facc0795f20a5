"""Processes of this machine. Kept empty: the supervisor is imported from here too."""
