"""What was shown to agents, what became of it, and what follows from that."""
