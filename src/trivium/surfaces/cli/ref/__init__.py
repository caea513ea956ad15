"""The first road on the command line: what was read."""
