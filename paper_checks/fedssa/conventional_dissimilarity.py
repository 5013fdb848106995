"""SSA-D1: Assumption A.4, client by client, against the conventional bound on the weighted mean."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_IMPLIED, _BACK, _SCALED, _HALVED = 0.0, 1.0, 2.0, 3.0


def _constants(x: Instance) -> Mapping[str, Any]:
    """By how much the smallest B of one form exceeds what the other form's B allows, at the same A, in its units.

    ∇F_k = leanₖ·∇F + pullₖ for 1-D quadratics; `way` 0: A.4 gives the conventional form, 1: the reverse,
    2: the reverse with A and B divided by the smallest share, 3: the first with half of B.
    """
    h, m, p = x["curvature"], x["optimum"], x["share"]
    H = (p * h).sum(axis=1, keepdims=True)
    best = (p * h * m).sum(axis=1, keepdims=True) / H
    lean, pull = h / H, h * (best - m)
    A = (lean**2).max(axis=1) * (1 + x["slack"])
    way = x["way"][0]
    least = p.min(axis=1) if way == _SCALED else np.ones(len(p))
    own = (pull**2 / (1 - lean**2 / (A / least)[:, None])).max(axis=1)
    mixed = (p * pull**2).sum(axis=1) + (p * lean * pull).sum(axis=1) ** 2 / (A - (p * lean**2).sum(axis=1))
    size = (pull**2).max(axis=1) + 1e-300
    gap = {_IMPLIED: mixed - own, _HALVED: mixed - own / 2}.get(way, own - mixed / least)
    return {"lhs": gap / size, "magnitude": (own + mixed / least) / size, "admissible": p.min(axis=1) > 0}


def constants_exact(x: Mapping[str, Any]) -> Checked:
    """Smallest B of one form less what the other's allows; both forms for all w at the same A."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    H = sum(p[k] * h[k] for k in clients)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    lean, pull = [h[k] / H for k in clients], [h[k] * (best - m[k]) for k in clients]
    A = max(v * v for v in lean) * (1 + x["slack"])
    way = int(x["way"])
    least = min(p) if way == 2 else Fraction(1)
    own = max(pull[k] ** 2 / (1 - lean[k] ** 2 * least / A) for k in clients)
    mean = sum(p[k] * lean[k] * pull[k] for k in clients)
    mixed = sum(p[k] * pull[k] ** 2 for k in clients) + mean**2 / (A - sum(p[k] * lean[k] ** 2 for k in clients))
    gap = [mixed - own, own - mixed, own - mixed / least, mixed - own / 2][way]
    met = {
        "convex quadratics": min(h) > 0,
        "p positive, of sum 1": sum(p) == 1 and min(p) > 0,
        "A large enough for both forms": max(v * v for v in lean) < A,
        "clients that differ": any(v != 0 for v in pull),
    }
    return met, {"lhs": gap / max(v * v for v in pull)}


def _clients(way: float) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("share", n, interior=True),
                LogScale("slack", 1e-2, 1e3),
                Choice("way", (way,)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0}
        same = (permuted_clients(every), units({"curvature": (1, -2), "optimum": (0, 1)}))
        exact = ExactCheck(constants_exact)
        return Case(f"{n} 1-D clients", drawn, _constants, exact, cost=max(1.0, n / 40), symmetries=same)

    return Family("1-D clients", (Size("K", 2, 300, 3),), at)


D1 = stated(
    r"""SSA-D1 (remark; Appendix A, after Assumption A.4): The modified dissimilarity bound
    Print: \|\nabla F_k\|^2\le A\|\nabla F\|^2+B\ \forall k\quad\text{against}\quad\sum_kp_k\|\nabla F_k\|^2\le A\|
      \nabla F\|^2+B
    Plainly: A.4 modifies the conventional dissimilarity bound slightly, and the modification does not affect the
      convergence rate.
    Assumes: 1-D convex quadratic clients, all pₖ > 0 | each form for all models; B the smallest for the given A
    Reading: A.4 gives the conventional form | With the same A and B. | because: whatever rate the conventional form
      gives, A.4 gives: the modification «does not affect the convergence rate»
    Reading: the conventional form gives A.4 | Ours: equivalence, with the same A and B. | ours: equivalence with the
      same constants: the print says «slightly modify» and that the rate is not affected
    Reading: shares bounded below | The conventional form gives A.4 with A/p_min and B/p_min, if every pₖ >= p_min >
      0. | condition: p_k >= p_min > 0 | edit: A/p_min and B/p_min in place of A and B
    Mutant: conventional form with half of B | two clients of equal curvature and share have the same gradient at the
      optimum, so the mean is the largest
    Rests on: SSA-A4
    Verdict: It holds in the sense that is printed, «does not affect the convergence rate»: A.4 implies the
      conventional form with the same A and B, so whatever rate that form gives A.4 gives. Equivalence would be
      stronger than the print, and it fails: A.4 is the stronger assumption. From the conventional form it follows
      with A/p_min and B/p_min, so the change is slight where all pₖ are comparable. For p one-hot, the paper's own
      example, it is not slight: the conventional form is empty for A >= 1 (F = F₁), while A.4 binds every client with
      pₖ = 0 to the target's gradient.""",
    Property((_clients(_IMPLIED),), degrees=(0, 0)),
    readings={
        "the conventional form gives A.4": Property((_clients(_BACK),), degrees=(0, 0)),
        "shares bounded below": Property((_clients(_SCALED),), degrees=(0, 0)),
    },
    mutants={
        "conventional form with half of B": Property((_clients(_HALVED).at(K=2),)),
    },
)

CLAIMS: tuple[Claim, ...] = (D1,)
