"""Candidates in, ordered hits with reasons out; pure functions."""
