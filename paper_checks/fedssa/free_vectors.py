"""Free vectors with weights: the sums that Cauchy–Schwarz, Jensen and bounded dissimilarity compare, in E.2."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.quantities import weight_discrepancy
from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
)

__all__ = ["drawn_step"]

DEGREES = {
    **dict.fromkeys(("gaps2", "K", "W_D", "A", "tau"), (0, 0)),
    **dict.fromkeys(("all2", "mean2", "B", "grad2"), (2, -2)),
}


def _weights(x: Instance) -> Any:
    """w as drawn; `one`: the last changed so that they sum to 1; `equal`: 1/τ each."""
    w = x["weights"]
    if "one" in x:
        w = np.concatenate([w[:, :-1], 1 - w[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    return np.full_like(w, 1 / w.shape[1]) if "equal" in x else w


def _vectors(x: Instance) -> Mapping[str, Any]:
    """`mixed`: ‖Σwx‖²; `total`: ‖Σx‖²; `apart`: 2‖Σ(p − w)x‖²; `bounded`: 2Σ(p − w)²Σ‖x‖² under A.4 at this point."""
    w, p, v = _weights(x), x["share"], x["vectors"]
    own = (v**2).sum(axis=-1)
    gap2, everyone = ((p - w) ** 2).sum(axis=1), own.sum(axis=1)
    mean = ((p[..., None] * v).sum(axis=1) ** 2).sum(axis=-1)
    if "mixed" in x:
        lhs = ((w[..., None] * v).sum(axis=1) ** 2).sum(axis=-1)
    elif "total" in x:
        lhs = (v.sum(axis=1) ** 2).sum(axis=-1)
    elif "apart" in x:
        lhs = 2 * (((p - w)[..., None] * v).sum(axis=1) ** 2).sum(axis=-1)
    else:
        lhs = 2 * gap2 * everyone
    met = (p * own).sum(axis=1) if "average" in x else own.max(axis=1)
    scale = 1 + np.abs(w).sum(axis=1) + np.abs(p).sum(axis=1)
    return {
        "lhs": lhs,
        "gaps2": gap2,
        "all2": everyone,
        "mean2": (w * own).sum(axis=1),
        "tau": np.full(len(w), float(w.shape[1])),
        "K": np.full(len(w), float(w.shape[1])),
        "W_D": weight_discrepancy(w, p),
        "A": x["A"],
        "grad2": mean,
        "B": np.maximum(met - x["A"] * mean, 0.0) + x["room"] * everyone,
        "magnitude": (scale**2) * everyone * (1 + x["A"]),
    }


def vectors_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Free vectors x_k (gradients, or gradient differences), weights w and coefficients p, at one point."""
    v, p, n, axes = x["vectors"], x["share"], len(x["share"]), range(len(x["vectors"][0]))
    w = list(x["weights"])
    if "one" in x:
        w = [*w[:-1], 1 - sum(w[:-1])]
    if "equal" in x:
        w = [Fraction(1, n) for _ in range(n)]

    def norm2(factors: list[Fraction]) -> Fraction:
        return sum((sum(factors[k] * v[k][j] for k in range(n)) ** 2 for j in axes), Fraction(0))

    own = [sum(c * c for c in row) for row in v]
    gap2 = sum(((p[k] - w[k]) ** 2 for k in range(n)), Fraction(0))
    if "mixed" in x:
        lhs = norm2(w)
    elif "total" in x:
        lhs = norm2([Fraction(1)] * n)
    elif "apart" in x:
        lhs = 2 * norm2([p[k] - w[k] for k in range(n)])
    else:
        lhs = 2 * gap2 * sum(own)
    met = sum(p[k] * own[k] for k in range(n)) if "average" in x else max(own)
    B = max(met - x["A"] * norm2(p), Fraction(0)) + x["room"] * sum(own)
    hypotheses = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w on the simplex where that is asked": "simplex" not in x or (sum(w) == 1 and min(w) >= 0),
        "A.4 at this point where that is asked": "average" in x or all(o <= x["A"] * norm2(p) + B for o in own),
    }
    return hypotheses, {
        "lhs": lhs,
        "gaps2": gap2,
        "all2": sum(own, Fraction(0)),
        "mean2": sum((w[k] * own[k] for k in range(n)), Fraction(0)),
        "tau": Fraction(n),
        "K": Fraction(n),
        "W_D": 2 * n * gap2,
        "A": x["A"],
        "grad2": norm2(p),
        "B": B,
    }


def _drawn(kind: str, *flags: str) -> Family:
    def at(n: float, d: float) -> Case:
        size, dim = int(n), int(d)
        weights = Simplex("weights", size) if "simplex" in flags else Signed("weights", 1e-2, 1e1, (size,))
        drawn = Space(
            (
                Signed("vectors", 1e-2, 1e2, (size, dim)),
                weights,
                Simplex("share", size),
                LogScale("A", 1e-2, 1e2, at=(1.0,)),
                LogScale("room", 1e-6, 1.0),
                *(Choice(flag, (1.0,)) for flag in (kind, *flags)),
            )
        )
        every = {"vectors": 0, "weights": 0, "share": 0}
        same = (rotated_space(("vectors",)), *(() if "one" in flags else (permuted_clients(every),)))
        cost = max(1.0, size * dim / 100)
        return Case(f"{size} vectors, d = {dim}", drawn, _vectors, ExactCheck(vectors_exact), cost, False, same)

    return Family("free vectors", (Size("n", 1, 300, 3), Size("d", 1, 8, 2)), at)


def drawn_step(expression: Any, again: Any, kind: str, *flags: str) -> Inequality:
    """The sum named by `kind` (see `_vectors`) is at most the expression, for up to 300 vectors of up to 8 dimensions."""
    return Inequality(Bound(expression, again, DEGREES), (_drawn(kind, *flags),), degrees=(2, -2))
