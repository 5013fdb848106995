"""Rules that weight clients by data shares, classes or steps done, or as given."""
