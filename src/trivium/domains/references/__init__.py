"""The first road: what an agent has read, as concepts and typed relations."""
