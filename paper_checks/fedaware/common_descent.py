"""FA-MN17: along FedAWARE with fresh, full, exact gradients and short steps no client's loss ever rises."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import SHORTEST, Checked, nearest, shortest, squares
from paper_checks.known_truths.exact import reflected, turned
from theory.exact import matvec, quadratic_gradient, quadratic_loss
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["CLAIMS"]


def _losses(x: Instance) -> Mapping[str, Any]:
    """The largest rise of a client's loss in any of the T rounds; step lengths `step`/L; `mean` weighs all alike."""
    h, m, r, at = x["spectrum"], x["optimum"], x["mirror"], x["start"]
    size = np.where(squares(r) > 0, squares(r), 1.0)[..., None]
    eta = x["step"] / np.abs(h).max(axis=(1, 2))

    def mirrored(v: Any) -> Any:
        return v - 2 * (v * r).sum(axis=-1, keepdims=True) * r / size

    def bent(v: Any) -> Any:
        return mirrored(h * mirrored(v))

    worst = np.full(len(h), -np.inf)
    for _ in range(int(x["rounds"][0])):
        away = at[:, None] - m
        slope = bent(away)
        d = slope.mean(axis=1) if "mean" in x else nearest(slope)[1]
        at = at - eta[:, None] * d
        after = at[:, None] - m
        rise = ((after * bent(after)).sum(axis=-1) - (away * slope).sum(axis=-1)) / 2
        worst = np.maximum(worst, rise.max(axis=1))
    reach = squares(x["start"]) + squares(m).max(axis=1)
    return {"lhs": worst, "magnitude": np.abs(h).max(axis=(1, 2)) * reach * 10}


def losses_exact(x: Mapping[str, Any]) -> Checked:
    """FedAWARE with alpha = 1, K = 1, full participation, no noise, on quadratics, convex or not."""
    A = [turned(s, [v]) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
    m, at, L = x["optimum"], x["start"], max(abs(c) for s in x["spectrum"] for c in s)
    worst = []
    for _ in range(int(x["rounds"])):
        slope = [quadratic_gradient(a, c, at) for a, c in zip(A, m, strict=True)]
        d = [sum(c) / len(m) for c in zip(*slope, strict=True)] if "mean" in x else shortest(slope)[1]
        new = [a - x["step"] / L * b for a, b in zip(at, d, strict=True)]
        for a, c in zip(A, m, strict=True):
            worst.append(quadratic_loss(a, c, Fraction(0), new) - quadratic_loss(a, c, Fraction(0), at))
        at = new
    low = Fraction(2) if "long" not in x else Fraction(4)
    return {"0 < eta L <= 2": 0 < x["step"] <= low}, {"lhs": max(worst)}


_USES = (*SHORTEST, reflected, turned, matvec, quadratic_gradient, quadratic_loss)


def _federations(*flags: str) -> Family:
    longest = 4.0 if "long" in flags else 2.0

    def at(N: float, d: float, T: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Signed("spectrum", 1e-2, 1e2, (n, dim)),
                Signed("mirror", 1e-2, 1.0, (n, dim)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Signed("start", 1e-2, 1e2, (dim,)),
                LogScale("step", 1e-3, longest, at=(0.1, 1.0, longest)),
                Choice("rounds", (float(T),)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (
            units({"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients({"spectrum": 0, "mirror": 0, "optimum": 0}),
        )
        name = f"{n} quadratic clients, d = {dim}, T = {int(T)}"
        return Case(name, space, _losses, ExactCheck(losses_exact, _USES), cost=max(1.0, T), symmetries=same)

    return Family("quadratic clients", (Size("N", 1, 4, 2), Size("d", 1, 4, 2), Size("T", 1, 3, 1)), at)


MN17 = Claim(
    id="FA-MN17",
    kind=Kind.PROPERTY,
    source="min-norm points, used by Algorithm 1",
    title="No client gets worse",
    statement=r"\alpha=1,\ S^t=[N],\ K=1,\ \sigma_l=0,\ \eta_g\eta_l\le\tfrac2L\ \Rightarrow\ f_i(x^{t+1})\le f_i(x^t)\ \forall i,t",
    says="With fresh exact gradients of all clients and short steps, FedAWARE raises no client's loss in any round.",
    assumes=(
        "every fᵢ is L-smooth, convex or not",
        "α = 1, everyone takes part, K = 1, no noise",
        "η_gη_l small: at most 2/L",
    ),
    readings=(Reading("η_gη_l <= 2/L", "«Small» made precise.", Property((_federations(),), degrees=(1, 0))),),
    canaries=(
        Canary(
            "steps up to 4/L", Property((_federations("long"),), degrees=(1, 0)), "one client alone diverges beyond 2/L"
        ),
        Canary(
            "the mean in place of the shortest point",
            Property((_federations("mean"),), degrees=(1, 0)),
            "between two minimisers the mean of the gradients is bad for one of the two",
        ),
    ),
    tight="η = 2/L on the steepest client alone",
    depends_on=("FA-MN3", "FA-A4.2"),
    verdict_words=(
        "Smoothness and ⟨∇fᵢ, d⟩ >= ‖d‖² give fᵢ(x − ηd) <= fᵢ(x) − η(1 − ηL/2)‖d‖² for every client, so no loss rises up to "
        "η = 2/L. With moving averages, several local steps or noise, d is no longer made of the current gradients, and "
        "nothing of this is left in general."
    ),
)

CLAIMS: tuple[Claim, ...] = (MN17,)
