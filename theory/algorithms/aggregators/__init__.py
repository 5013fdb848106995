"""Aggregators, one file each; a file that defines `ENTRY` is found by `theory.algorithms.aggregator_registry`."""
