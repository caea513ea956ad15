"""Hooks: an agent's host tells what happens, and reads back what to show the agent."""
