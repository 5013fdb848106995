"""Worlds that a statement is about: what is drawn, what is observed, fast and exactly, and claims over them."""
