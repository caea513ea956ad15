"""Texts in, unit vectors out; no embedder knows a database."""
