"""Runs of FedAvg as the theorems and their proofs have them: ηₜ = 2/(μ(γ + t)), γ as printed, of A.9, or larger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from validation.statement.instances.draw import LogScale
from validation.world.federated import Federated, run_letters

__all__ = [
    "AS_IN_A9",
    "AS_PRINTED",
    "FEW",
    "SHORTER",
    "STEP_SIZE",
    "proportional_runs",
    "runs_in_advance",
    "runs_that_see",
    "stopped_runs",
]

L, mu, gamma, t, E = NOTATION.symbols("L mu gamma t E")

STEP_SIZE = 2 / (mu * (gamma + t))
AS_PRINTED, AS_IN_A9 = {gamma: L / mu}, {gamma: Max(8 * L / mu, E) - 1}
SHORTER: Mapping[str, Any] = {
    "let": {gamma: run_letters("stretch") * Max(8 * L / mu, E)},
    "draws": (LogScale("stretch", 1.0, 1e3, at=(1.0,)),),
}
"""γ so large that every step is at most 1/(4L), and at most twice as long as one a round later."""
FEW: Mapping[str, Any] = {"N": (1, 3), "E": (1, 2), "R": (1, 3), "corners": ()}
"""Sizes for what any short run refutes: the instance that is shown is then a small one."""

proportional_runs = Federated(STEP_SIZE, AS_IN_A9, notation=NOTATION, N=(1, 20), E=(1, 20), R=(1, 40), d=(1, 1), far=40)
"""Weights that are the data shares; noisy clients on the line, whole rounds."""

runs_in_advance = proportional_runs.but(weights="a row a round")
"""Weights fixed in advance, one row a round."""

stopped_runs = runs_in_advance.but(N=(1, 100), E=(1, 30), T=(1, 100), corners=())
"""The same, stopped after any step."""

runs_that_see = Federated(
    STEP_SIZE,
    AS_IN_A9,
    notation=NOTATION,
    weights="seen",
    N=(1, 8),
    E=(1, 1),
    R=(1, 40),
    d=(1, 1),
    far=40,
    corners=("alike",),
)
"""One step a round; all weight on a client whose noise is positive, if there is one."""
