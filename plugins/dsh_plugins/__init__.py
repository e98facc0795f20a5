"""Everything of DSH Desktop that can be swapped."""
