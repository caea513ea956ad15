"""The commands of the second road; each module holds those that share their imports."""
