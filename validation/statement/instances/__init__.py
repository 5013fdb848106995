"""How instances are drawn: spaces, domains, symmetries, Hypothesis strategies."""
