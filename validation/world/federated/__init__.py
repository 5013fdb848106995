"""Runs as a world: `Federated` describes them, and a claim observes the letters that its formulas say."""

from __future__ import annotations

from validation.world.federated.letters import RUNS, run_letters
from validation.world.federated.runs import Federated

__all__ = ["RUNS", "Federated", "run_letters"]
