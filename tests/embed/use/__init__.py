"""Tests of the default embedder."""
