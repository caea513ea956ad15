"""The console: what is stored, served to a browser on this machine for reading."""
