"""The tables of a vault's space beside those of every space: notes, their parts, facets, names and edges."""
