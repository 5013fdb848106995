"""Rounds of the simulator in compiled code."""
