"""Composition: which plugins make up this program, and who decided each key."""
