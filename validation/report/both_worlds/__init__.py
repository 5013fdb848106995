"""The same rules in convex federations and in neural networks, side by side."""
