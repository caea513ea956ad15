"""What is known: the journal and the tables folded from it."""
