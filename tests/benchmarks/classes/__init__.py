"""Statements over whole classes against PEPit's own examples."""
