"""Tests of the embed room."""
