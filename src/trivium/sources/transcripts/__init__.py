"""Transcripts: what was said and done in sessions of coding agents, as each host writes it down."""
