"""Letters of statements of the literature: those of the catalogue of runs, nothing of their own."""

from __future__ import annotations

from validation.world.federated import RUNS

__all__ = ["NOTATION"]

NOTATION = RUNS
