"""What can be found: lexical, dense and graph indexes, all derived and rebuildable."""
