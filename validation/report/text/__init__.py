"""Numbers, formulas and source as a reader sees them."""
