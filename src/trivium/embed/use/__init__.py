"""The default: universal sentence encoder, multilingual v3, run from files that are mapped instead of loaded."""
