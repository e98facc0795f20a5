"""The frame of DSH Desktop."""

__version__ = "0.1.0"
