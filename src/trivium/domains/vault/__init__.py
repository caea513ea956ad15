"""The second road: a folder of markdown notes becomes a graph with verbatim evidence."""
