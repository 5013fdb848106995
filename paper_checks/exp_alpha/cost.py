"""EA-R8: what Exp-α costs beside local training."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from validation import (
    Bound,
    Canary,
    Case,
    Cell,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Number,
    Reading,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]


epochs = symbols("epochs")


def passes() -> Fraction:
    """Calls of CalculateRisk by one client in one round of Algorithm 1, beside E local steps."""
    calls = {"forward over all local data": 0, "local steps": 0}

    def risk() -> None:
        calls["forward over all local data"] += 1

    risk()  # F_i(W^T), of the broadcast model
    for _ in range(20):
        calls["local steps"] += 1  # ClientUpdate: a forward and a backward pass over one batch each
    risk()  # F_i(W_i^(T+E)), of the local model
    return Fraction(calls["forward over all local data"])


def _cost(x: Instance) -> Mapping[str, Any]:
    """Two forward passes over the data as a share of training for `epochs`, a backward pass costing `backward`."""
    both = 2.0 / (x["epochs"] * (1.0 + x["backward"]))
    return {"lhs": both, "epochs": x["epochs"], "backward": x["backward"]}


def cost_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Cost of two forward passes over the local data over that of the training passes, in forward passes."""
    training = sum((1 + x["backward"] for _ in range(int(x["epochs"]))), Fraction(0))
    met = {"several epochs": x["epochs"] >= 2, "a backward pass costs at least a forward pass": x["backward"] >= 1}
    return met, {"lhs": 2 / training, "epochs": x["epochs"], "backward": x["backward"]}


_COST = Case(
    "2 to 100 epochs",
    Space((Integer("epochs", 2, 100, at=(2, 4, 16)), LogScale("backward", 1.0, 4.0, at=(1.0, 2.0)))),
    _cost,
    ExactCheck(cost_exact),
)
_TWO = Cell("2", "A.2: «two additional inference passes on the local data»")


def fraction_again(epochs: Any) -> Any:
    """The right side once more."""
    return 1 / epochs


R8 = Claim(
    id="EA-R8",
    kind=Kind.NUMBER,
    source="A.2",
    title="Cost of Exp-α",
    statement=r"\text{two additional inference passes over the local data per round, a small fraction of the cost of training}",
    says="Per round and client Exp-α costs two forward passes over the local data, at most 1/epochs of the training itself.",
    assumes=("a backward pass costs at least a forward pass", "several local epochs a round, as A.2 says"),
    readings=(
        Reading(
            "two passes",
            "Calls of CalculateRisk in a round of Algorithm 1.",
            Number(_TWO, passes, Fraction(0), "a count is exact"),
        ),
        Reading(
            "a fraction of training",
            "At most one part in as many as there are local epochs.",
            Inequality(Bound(1 / epochs, again=fraction_again, degrees={"epochs": (0, 0)}), (_COST,), degrees=(0, 0)),
        ),
    ),
    canaries=(
        Canary(
            "one pass", Number(Cell("1", "one pass"), passes, Fraction(0), "a count is exact"), "risk before and after"
        ),
        Canary(
            "at most a tenth of training",
            Inequality(Bound(sp.Rational(1, 10)), (_COST,)),
            "two epochs with a backward pass of two forward passes: a third",
        ),
    ),
    tight="a backward pass that costs as much as a forward pass",
    depends_on=("EA-ALG1",),
    verdict_words=(
        "Two calls of CalculateRisk a round, one at each end of the local training. Against e local epochs with backward passes of "
        "b forward passes that is 2/(e(1 + b)): with b = 2 a third of the training at E = 20 on CIFAR-10 (two epochs), a sixth at E = 16 on the "
        "domain-shift sets (four), a twenty-fourth at E = 160. «Only a small fraction» thus holds for long rounds; for two epochs it is "
        "a third."
    ),
)

CLAIMS: tuple[Claim, ...] = (R8,)
