"""A memory that a coding agent can trust: read, taught and written knowledge in one local graph."""

__version__ = "0.1.0"
