"""The loopback host: serves the page, answers its calls, streams events."""
