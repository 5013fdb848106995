"""Beside a verdict: assumptions, constants, phases, where a proof loses, worst cases over a class."""
