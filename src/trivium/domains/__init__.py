"""The roads into the memory; none imports another."""
