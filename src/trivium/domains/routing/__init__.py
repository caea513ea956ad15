"""What was taught: the entries that matter to a prompt, found, fitted into what a host takes, and remembered."""
