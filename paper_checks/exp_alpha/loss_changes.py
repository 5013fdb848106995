"""The worlds of Sec. 3.4: drawn loss changes, Exp-α's weights of them, and how these change with α."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_near, exp_weights, slack
from paper_checks.exp_alpha.notation import NOTATION
from theory import RoundStats
from theory.rules import ExpAlpha
from validation import Case, Family, Instance, LogScale, Signed, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["as_printed", "limits", "spread", "weights"]


def softmax(x: Instance, temperature: Any, sign: float = 1.0) -> Any:
    """Exp-α's weights at the temperatures given, from the instances' loss changes."""
    scores = sign * x["change"] / temperature[:, None]
    raw = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def _world(name: str, observe: Any, plain: Any, **chosen: Any) -> World:
    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                Signed("change", 1e-3, 1e2, (n,)),
                LogScale("size", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0, 125.0)),
                LogScale("stretch", 1e-3, 1e4, at=(1.0,)),
            )
        )
        same = (units({"change": (1, 0), "alpha": (1, 0)}), permuted_clients({"change": 0, "size": 0}))
        cost, title = max(1.0, n / 40), f"{n} clients, {name}"
        return case(title, space, observe, plain, uses=EXPONENTIAL, cost=cost, symmetries=same, **chosen)

    return World(NOTATION, (Family(name, (Size("N", 2, 300, 3),), at),))


def defined(x: Instance, *, sign: float) -> Mapping[str, Any]:
    """By how much the weights miss the simplex or the order of the loss changes; `sign` in the exponent."""
    a = softmax(x, x["alpha"], sign)
    ranked = np.take_along_axis(a, np.argsort(x["change"], axis=1, kind="stable"), axis=1)
    missed = [np.abs(a.sum(axis=1) - 1), -a.min(axis=1), -np.diff(ranked, axis=1).min(axis=1)]
    return {"missed": np.max(missed, axis=0), "sizes": {"missed": np.full(len(a), 1e3)}}


def defined_exact(x: Mapping[str, Any], *, sign: float) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the weights miss sum 1, sign >= 0, or the order of the loss changes."""
    a = exp_weights([int(sign) * c for c in x["change"]], x["alpha"])
    ranked = [w for _, w in sorted(zip(x["change"], a, strict=True))]
    falls = max(ranked[k] - ranked[k + 1] for k in range(len(ranked) - 1))
    missed = max(abs(sum(a, Fraction(0)) - 1), -min(a), falls) - slack()
    return {"alpha > 0": x["alpha"] > 0}, {"missed": missed}


def weights(*, sign: float = 1.0) -> World:
    """The weights of Eq. 3."""
    return _world("weights", defined, defined_exact, sign=sign)


def rule(x: Instance, *, sign: float) -> Mapping[str, Any]:
    """(rule of `theory` − Eq. 3)², largest client; the formula client by client, the rule at loss_before = 0."""
    scores = x["change"] / x["alpha"][:, None]
    printed = 1 / np.exp(np.clip(scores[:, None, :] - scores[:, :, None], None, 700.0)).sum(axis=2)
    stats = RoundStats(
        share=x["size"] / x["size"].sum(axis=1, keepdims=True),
        present=np.ones_like(scores, dtype=bool),
        loss_before=np.zeros_like(scores),
        loss_after=sign * scores,  # in units of α, so that one rule serves all instances
    )
    gap = ((ExpAlpha(alpha=1.0)(stats) - printed) ** 2).max(axis=1)
    return {"missed": gap, "sizes": {"missed": np.full(len(gap), 1e-10)}}


def rule_exact(x: Mapping[str, Any], *, sign: float) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Softmax of change/alpha against 1/sum_j e^((change_j - change_i)/alpha), client by client, squared."""
    a = exp_weights([int(sign) * c for c in x["change"]], x["alpha"])
    printed = [
        1 / sum((exp_near(min((c - own) / x["alpha"], Fraction(700))) for c in x["change"]), Fraction(0))
        for own in x["change"]
    ]
    missed = max((u - v) * (u - v) for u, v in zip(a, printed, strict=True)) - slack()
    return {"alpha > 0": x["alpha"] > 0}, {"missed": missed}


def as_printed(*, sign: float = 1.0) -> World:
    """The rule of this package beside Eq. 3, client by client."""
    return _world("rule and formula", rule, rule_exact, sign=sign)


def limit(x: Instance, *, divided: bool) -> Mapping[str, Any]:
    """How far weights are from 1, 1/N and the data shares at α = (1 + stretch)·gap, gap the range of the changes.

    Not `divided` by their sum: the exponentials, and gap the largest change.
    """
    most = x["change"].max(axis=1) - x["change"].min(axis=1) if divided else np.abs(x["change"]).max(axis=1)
    alpha, share = most * (1 + x["stretch"]), x["size"] / x["size"].sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        a = softmax(x, alpha) if divided else np.exp(x["change"] / alpha[:, None])
    found = {
        "from_one": np.abs(a - 1).max(axis=1),
        "from_even": np.abs(a - 1 / a.shape[1]).max(axis=1),
        "from_shares": np.abs(a - share).max(axis=1),
    }
    rest = {"alpha": alpha, "gap": most, "admissible": most > 0}
    return {**found, **rest, "sizes": dict.fromkeys(found, np.ones(len(a)))}


def limit_exact(x: Mapping[str, Any], *, divided: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same; distances less what rounding of the exponentials may add."""
    gap = max(x["change"]) - min(x["change"]) if divided else max(abs(c) for c in x["change"])
    alpha, share = gap * (1 + x["stretch"]), [s / sum(x["size"]) for s in x["size"]]
    a = exp_weights(x["change"], alpha) if divided else [exp_near(c / alpha) for c in x["change"]]
    found = {
        "from_one": max(abs(v - 1) for v in a) - slack(),
        "from_even": max(abs(v - Fraction(1, len(a))) for v in a) - slack(),
        "from_shares": max(abs(v - s) for v, s in zip(a, share, strict=True)) - slack(),
    }
    return {"alpha > 0": alpha > 0}, {**found, "alpha": alpha, "gap": gap}


def limits(*, divided: bool = True) -> World:
    """α beyond the loss changes, and what weights, or the exponentials alone, tend to as it grows."""
    return _world("weights" if divided else "exponentials", limit, limit_exact, divided=divided)


def spreading(x: Instance) -> Mapping[str, Any]:
    """Σρᵢ² and the largest ρᵢ at α, and at (1 + stretch)α (`…_later`)."""
    before, after = softmax(x, x["alpha"]), softmax(x, x["alpha"] * (1 + x["stretch"]))
    found = {
        "squares_now": (before**2).sum(axis=1),
        "squares_later": (after**2).sum(axis=1),
        "largest_now": before.max(axis=1),
        "largest_later": after.max(axis=1),
    }
    rounding = {"rounding": np.full(len(before), float(slack()))}
    return {**found, **rounding, "sizes": dict.fromkeys(found, np.ones(len(before)))}


def spreading_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The sum of squared weights and the largest weight at alpha and (1 + stretch) alpha."""
    before, after = (exp_weights(x["change"], x["alpha"] * s) for s in (1, 1 + x["stretch"]))
    met = {"alpha > 0, stretch > 0": x["alpha"] > 0 and x["stretch"] > 0}
    return met, {
        "squares_now": sum((b * b for b in before), Fraction(0)),
        "squares_later": sum((a * a for a in after), Fraction(0)),
        "largest_now": max(before),
        "largest_later": max(after),
        "rounding": slack(),
    }


def spread() -> World:
    """α and a larger α."""
    return _world("α and a larger α", spreading, spreading_exact)
