"""SSA-LP8: what scaling the weights does to the losses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.views import (
    exp_fixed,
    float_views,
    slack,
    ssa_parts,
    view_case,
)
from theory.ssa import loss_cos, loss_var
from validation import (
    Bound,
    Choice,
    Claim,
    Inequality,
    Instance,
    LogScale,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
c, s, R, both, tail, a, b = symbols("c s R both tail a b")
_PURE = dict.fromkeys(("c", "s", "R", "both", "tail"), (0, 0))


def _scaled(x: Instance) -> tuple[Any, Any, Any]:
    """(s·w, mixed logits of view 1, of view 2) of the one sample."""
    w, one, two = float_views(x)
    return x["s"][:, None] * w, *(np.einsum("nk,nkc->nc", w, z[:, 0]) for z in (one, two))


def _agreement(x: Instance) -> Mapping[str, Any]:
    """1 + L_cos(s·w), and the range R of the difference of the mixed logits."""
    w, u, v = _scaled(x)
    return {
        "lhs": np.maximum(1 + loss_cos(w, x["view_1"], x["view_2"]), 0.0),
        "s": x["s"],
        "R": np.ptp(u - v, axis=1),
        "magnitude": np.full(len(w), 1e2),
    }


def agreement_exact(x: Mapping[str, Any]) -> Checked:
    """1 + L_cos(s w), s and R."""
    w, classes = x["weights"], range(len(x["view_1"][0][0]))
    mixed = [[sum(p * z[j] for p, z in zip(w, v[0], strict=True)) for j in classes] for v in (x["view_1"], x["view_2"])]
    apart = [p - q for p, q in zip(*mixed, strict=True)]
    loss = ssa_parts([x["s"] * p for p in w], x["view_1"], x["view_2"])[0]
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0, "s > 0": x["s"] > 0}
    return met, {"lhs": 1 + loss - slack(), "s": x["s"], "R": max(apart) - min(apart)}


def _spread(x: Instance) -> Mapping[str, Any]:
    """−L_var(s·w), and R₁² + R₂² of the mixed logits; only where s·Rᵢ <= 1."""
    w, u, v = _scaled(x)
    ranges = np.stack([np.ptp(u, axis=1), np.ptp(v, axis=1)])
    return {
        "lhs": -loss_var(w, x["view_1"], x["view_2"]),
        "s": x["s"],
        "c": np.full(len(w), float(u.shape[1])),
        "both": (ranges**2).sum(axis=0),
        "magnitude": np.ones(len(w)),
        "admissible": x["s"] * ranges.max(axis=0) <= 1,
    }


def spread_exact(x: Mapping[str, Any]) -> Checked:
    """-L_var(s w), s, c and R1^2 + R2^2."""
    w, classes = x["weights"], range(len(x["view_1"][0][0]))
    mixed = [[sum(p * z[j] for p, z in zip(w, v[0], strict=True)) for j in classes] for v in (x["view_1"], x["view_2"])]
    ranges = [max(m) - min(m) for m in mixed]
    loss = ssa_parts([x["s"] * p for p in w], x["view_1"], x["view_2"])[1]
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0, "s R <= 1": x["s"] * max(ranges) <= 1}
    both = ranges[0] ** 2 + ranges[1] ** 2
    return met, {"lhs": -loss - slack(), "s": x["s"], "c": Fraction(len(classes)), "both": both}


def _far(x: Instance) -> Mapping[str, Any]:
    """Large s: what L_var or L_cos lacks of its limit, and `tail` = e^(−s·g), g the smaller of the two margins.

    `looks_at`: 0 L_var, 1 L_cos with one top class in both views, 2 L_cos with two.
    """
    w, u, v = _scaled(x)
    n, what = u.shape[1], x["looks_at"][0]
    ranked = np.sort(np.stack([u, v]), axis=-1)
    margin = (ranked[..., -1] - ranked[..., -2]).min(axis=0)
    tail = np.exp(-np.minimum(x["s"] * margin, 250.0))
    cos, one = -loss_cos(w, x["view_1"], x["view_2"]), u.argmax(axis=1) == v.argmax(axis=1)
    left = [(n - 1) / n**2 + loss_var(w, x["view_1"], x["view_2"]), 1 - cos, cos][int(what)]
    fits = (margin > 1e-6) & (what == 0 or ((n - 1) * tail <= 0.5) & (one if what == 1 else ~one))
    return {
        "lhs": left,
        "c": np.full(len(w), float(n)),
        "tail": tail,
        "magnitude": np.full(len(w), 1e2),
        "admissible": fits,
    }


def far_exact(x: Mapping[str, Any]) -> Checked:
    """What L_var or L_cos lacks of its limit for large s, c and e^(-s margin)."""
    w, n, what = x["weights"], len(x["view_1"][0][0]), int(x["looks_at"])
    mixed = [
        [sum(p * z[j] for p, z in zip(w, v[0], strict=True)) for j in range(n)] for v in (x["view_1"], x["view_2"])
    ]
    margin = min(sorted(m)[-1] - sorted(m)[-2] for m in mixed)
    tail = Fraction(exp_fixed(-min(x["s"] * margin, Fraction(250))) + 2**60, 1 << 320)
    top = [m.index(max(m)) for m in mixed]
    cos, var, _ = ssa_parts([x["s"] * p for p in w], x["view_1"], x["view_2"])
    met = {
        "weights on the simplex": sum(w) == 1 and min(w) >= 0,
        "one top class in each view": margin > 0,
        "far enough out for L_cos": what == 0 or 2 * (n - 1) * tail <= 1,
        "the same top class, or two": what == 0 or (top[0] == top[1]) == (what == 1),
    }
    return met, {"lhs": [Fraction(n - 1, n * n) + var, 1 + cos, -cos][what] - slack(), "c": Fraction(n), "tail": tail}


def near_again(s: Any, R: Any) -> Any:
    """s²R²/8 once more."""
    return (s * R / 2) ** 2 / 2


def spread_again(s: Any, c: Any, both: Any) -> Any:
    """s²(R₁² + R₂²)/(7c²) once more."""
    return both / 7 * (s / c) ** 2


def var_again(c: Any, tail: Any) -> Any:
    """2(c − 1)/c·tail once more."""
    return 2 * tail - 2 * tail / c


def same_again(c: Any, tail: Any) -> Any:
    """16(c − 1)²·tail² once more."""
    return (4 * (c * tail - tail)) ** 2


def other_again(c: Any, tail: Any) -> Any:
    """8(c − 1)·tail once more."""
    return 8 * c * tail - 8 * tail


_SIZES = ((1, 2, 1), (2, 2, 1), (3, 3, 1), (3, 10, 1), (20, 5, 1), (2, 20, 1))


def _all(name: str, measure: Any, exact: Any, low: float, high: float, *more: Choice) -> tuple[Any, ...]:
    scale = LogScale("s", low, high)
    return tuple(view_case(name, size, measure, exact, scale, *more, span=5.0) for size in _SIZES)


def _look(what: float) -> tuple[Any, ...]:
    return _all(f"large s ({int(what)})", _far, far_exact, 1.0, 1e3, Choice("looks_at", (what,)))


LP8 = stated(
    r"""SSA-LP8 (remark; Sec. 4.2, eqs. (4) to (7); derived): Scaling the weights
    Print: \mathcal L_{cos}(sw)\to-1,\ \mathcal L_{var}(sw)\to0\ (s\to0);\quad\mathcal L_{var}(sw)\to-\tfrac{c
      -1}{c^2},\ \mathcal L_{cos}(sw)\to-1\text{ or }0\ (s\to\infty);\quad\mathcal L_{we}(sw)=s\mathcal L_{we}(w)+s
      \log s
    Plainly: Scaling w down makes all views agree on nothing; scaling it up makes every prediction sure, right or
      wrong.
    Assumes: w on the simplex, s > 0 | for s → ∞ a single largest mixed logit in each view
    Reading: L_cos for small s | 1 + L_cos(sw) <= s²R²/8 for all s, R the range of the difference of the two views'
      mixed logits. | part: L_cos for small s
    Reading: L_var for small s | −L_var(sw) <= s²(R₁² + R₂²)/(7c²) where s·Rᵢ <= 1, Rᵢ the range of the mixed logits
      of view i. | part: L_var for small s
    Reading: L_var for large s | Within 2(c − 1)/c·e^(−sg) of −(c − 1)/c², g the smaller margin between the two
      largest mixed logits. | part: L_var for large s
    Reading: L_cos for large s, one top class | Within 16(c − 1)²e^(−2sg) of −1. | part: L_cos for large s, one top
      class
    Reading: L_cos for large s, two top classes | Within 8(c − 1)e^(−sg) of 0. | part: L_cos for large s, two top
      classes
    Reading: L_we | s·L_we(w) + s·log s·Σw, here for two weights a and b. | part: L_we
    Mutant: half the constant of L_cos | for two classes and small s the angle between the outputs is sR/2, so s²R²/8
      is attained
    Mutant: L_var twice as fast | for two classes ‖y‖² = 1 − 2e^(−sg) + O(e^(−2sg)) where both views have the margin g
    Tight: two classes and s → 0 for L_cos
    Rests on: SSA-LP1, SSA-LP2, SSA-LP3, SSA-E02
    Verdict: All limits hold, with rates. They show what (2) needs and does not say: without a constraint on the size
      of w the losses have no minimiser in general. Where the views share their top class, w → sw with s → ∞ lowers
      L_cos and L_var together towards −1 and −(c − 1)/c², whatever the class; s → 0 makes L_cos exactly −1 with no
      prediction.""",
    Inequality(
        Bound(s**2 * R**2 / 8, again=near_again, degrees=_PURE),
        _all("any s", _agreement, agreement_exact, 1e-3, 1e2),
        degrees=(0, 0),
    ),
    readings={
        "L_var for small s": Inequality(
            Bound(s**2 * both / (7 * c**2), again=spread_again, degrees=_PURE),
            _all("small s", _spread, spread_exact, 1e-3, 1.0),
            degrees=(0, 0),
        ),
        "L_var for large s": Inequality(
            Bound(2 * (c - 1) / c * tail, again=var_again, degrees=_PURE), _look(0.0), degrees=(0, 0)
        ),
        "L_cos for large s, one top class": Inequality(
            Bound(16 * (c - 1) ** 2 * tail**2, again=same_again, degrees=_PURE), _look(1.0), degrees=(0, 0)
        ),
        "L_cos for large s, two top classes": Inequality(
            Bound(8 * (c - 1) * tail, again=other_again, degrees=_PURE), _look(2.0), degrees=(0, 0)
        ),
        "L_we": identity(
            s * a * sp.log(s * a) + s * b * sp.log(s * b), s * (a * sp.log(a) + b * sp.log(b)) + s * (a + b) * sp.log(s)
        ),
    },
    mutants={
        "half the constant of L_cos": Inequality(
            Bound(s**2 * R**2 / 16),
            (view_case("any s", (2, 2, 1), _agreement, agreement_exact, LogScale("s", 1e-3, 1e2), span=5.0),),
        ),
        "L_var twice as fast": Inequality(
            Bound(2 * (c - 1) / c * tail**2),
            (
                view_case(
                    "large s",
                    (1, 2, 1),
                    _far,
                    far_exact,
                    LogScale("s", 1.0, 1e3),
                    Choice("looks_at", (0.0,)),
                    span=5.0,
                ),
            ),
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (LP8,)
