"""The word for a statement and its entry in words, from the stored outcomes."""
