"""Committed verdicts: entries, their evidence, where they come from."""
