"""Sessions for the page: lists, windows of events, live facts, methods."""
