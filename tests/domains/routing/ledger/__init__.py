"""Tests of the ledger, with the records they share."""
