"""Rules that weight clients by the geometry or the variance of their updates."""
