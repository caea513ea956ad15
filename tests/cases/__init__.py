"""Black-box cases as data, run against the command line and the console."""
