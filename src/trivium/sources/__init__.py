"""Where documents come from; sources read and never write."""
