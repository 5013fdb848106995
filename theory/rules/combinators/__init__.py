"""Rules made of other rules."""
