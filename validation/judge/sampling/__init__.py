"""Replicas of a statement in expectation, and intervals for their means."""
