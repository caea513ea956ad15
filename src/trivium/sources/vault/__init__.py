"""A folder of markdown notes: what is in it, what changed, and what its links mean."""
