"""Runs of FedAvg as Theorem 1 and its proof have them: ηₜ = 2/(μ(γ + t)) with γ as printed, or as in A.9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from validation.world.federated import Federated

__all__ = ["AS_IN_A9", "AS_PRINTED", "FEW", "STEP_SIZE", "proportional_runs", "runs_in_advance"]

L, mu, gamma, t, E = NOTATION.symbols("L mu gamma t E")

STEP_SIZE = 2 / (mu * (gamma + t))
AS_PRINTED, AS_IN_A9 = {gamma: L / mu}, {gamma: Max(8 * L / mu, E) - 1}
FEW: Mapping[str, Any] = {"N": (1, 3), "E": (1, 2), "R": (1, 3), "corners": ()}
"""Sizes for what any short run refutes: the instance that is shown is then a small one."""

proportional_runs = Federated(STEP_SIZE, AS_IN_A9, notation=NOTATION, N=(1, 20), E=(1, 20), R=(1, 40), d=(1, 1), far=40)
"""Weights that are the data shares; noisy clients on the line, whole rounds."""

runs_in_advance = proportional_runs.but(weights="a row a round")
"""Weights fixed in advance, one row a round."""
