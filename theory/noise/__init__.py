"""Gradient noise with mean zero and certified variance."""
