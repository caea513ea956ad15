"""Protocol in, domain call, protocol out."""
