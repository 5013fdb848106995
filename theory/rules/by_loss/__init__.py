"""Rules that weight clients by their losses."""
