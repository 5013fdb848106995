"""A counterexample run again, in numbers, over time and as a picture."""
