"""From records to rows: the effects of each operation, and bringing the tables to what the journal says."""
