"""Formulas as they are printed: the grammar of the print, and whether a claim says the same."""
