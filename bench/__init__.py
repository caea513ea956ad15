"""Measurements: retrieval quality, cold start, throughput."""
