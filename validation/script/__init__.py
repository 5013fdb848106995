"""Counterexamples as programs that stand alone: a plain function traced, sliced and written as straight lines."""
