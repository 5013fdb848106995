"""EA-E18b: the bound on A₁ put together in the proof of Lemma 1, and what it needs of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.bent_space import bent, bent_step, bent_step_exact
from paper_checks.exp_alpha.notation import NOTATION
from validation import Choice, Claim, Instance, LogScale, Space, Switch, units
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

eta, mu, L, before, after, drift, away, local, about = NOTATION.symbols("eta mu L before after drift away local about")


def aside(x: Instance) -> Mapping[str, Any]:
    """Two clients of one curvature: W̄ᵗ is the first's model, and all of ρᵗ⁺¹ is on the second, which stands at W* = 0."""
    h, e, zero = x["curvature"], x["distance"], 0 * x["distance"]
    m = x["tilt"] * e / x["step"]  # at tilt 1 the second client's step ηg is as long as the distance
    both, moved = np.stack([h, h], axis=1)[..., None], np.where(x["unmoved"] > 0, 1.0, 0.0)
    pair = {"low": both, "high": both, "optimum": np.stack([zero, m], axis=1)[..., None]}
    rows = np.stack([np.stack([1 - moved, moved], axis=1), np.stack([zero, zero + 1], axis=1)], axis=1)
    stand = {"local": np.stack([e, zero], axis=1)[..., None], "best": zero[:, None]}
    return bent_step({**pair, **stand, "weights": rows, "step": x["step"]}, kept=False)


def aside_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The client that takes all the weight stands at W* = 0, and W_bar^t is at `distance`."""
    h, e, zero = x["curvature"], x["distance"], Fraction(0)
    rows = [[zero, zero + 1] if x["unmoved"] > 0 else [zero + 1, zero], [zero, zero + 1]]
    pair = {"low": [[h], [h]], "high": [[h], [h]], "optimum": [[zero], [x["tilt"] * e / x["step"]]]}
    rest = {"local": [[e], [zero]], "weights": rows, "best": [zero], "step": x["step"]}
    return bent_step_exact({**pair, **rest}, kept=False)


_ASIDE = case(
    "all the weight passes to a client at W*",
    Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("distance", 1e-2, 1e2, at=(1.0,)),
            LogScale("tilt", 0.5, 2.0, at=(1.0,)),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            Choice("unmoved", (0.0,)),
        )
    ),
    aside,
    aside_exact,
    uses=(bent_step_exact,),
    cost=3.0,
    symmetries=(units({"curvature": (1, -2), "distance": (0, 1)}),),
)


def _unmoved(x: Instance) -> Instance:
    if "unmoved" in x:
        return {**x, "unmoved": np.ones_like(x["unmoved"])}
    return {**x, "weights": np.broadcast_to(x["weights"][:, 1:], x["weights"].shape)}


_SAME = (Switch("one weight vector a round", "ρᵗ is the same at every step of a round", _unmoved),)
_FREE, _KEPT = World(NOTATION, (bent(kept=False),), switches=_SAME), World(NOTATION, (bent(),))


def a1_again(eta: Any, mu: Any, L: Any, before: Any, drift: Any, local: Any, about: Any) -> Any:
    """The right side of the display once more."""
    return before + drift - eta * (mu * before + 2 * local - 2 * about) + (2 * eta) ** 2 * L * local


_A1 = (1 - eta * mu) * before + drift + 4 * L * eta**2 * local + 2 * eta * (about - local)

E18B = stated(
    r"""EA-E18b (step; A.10, proof of Lemma 1, display after (18)): The bound on A₁
    Print: A_1
        \le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2
        +C,\quad C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t
        +1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))
    Plainly: The pieces put together, with the squared distances of the clients to W* replaced by that of their
        mean.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | ηₜ <= 1/(4L), weights ρᵗ on the simplex at every t | W̄ᵗ =
        Σρᵢᵗ Wᵢᵗ; C as (19) repeats it (the display before has Fᵢ(Wᵢ*) where (19) has Fᵢ(Wᵢᵗ))
    Reading: the last inequality alone, weights free at every step | Σρᵢᵗ⁺¹‖W* − Wᵢᵗ‖² >= ‖W̄ᵗ − W*‖². | cut weights
        = change inside a round | because: W̄^t is the mean under ρ^t (Eq. 2), the sums run under ρ^{t+1}; «generic,
        time-varying» weights are indexed by the step
    Reading: the whole, weights free at every step | ρᵗ⁺¹ need not be ρᵗ inside a round. | cut weights = change
        inside a round
    Reading: the whole, one weight vector a round | W̄ᵗ is then the mean of the Wᵢᵗ under the weights of the step. |
        condition: ρ^t is the same at every step of a round | met by: FedAvg with proportional weights (Table 1)
    Mutant: spread dropped | two opposed clients about W* = W̄ whose nearly linear losses rise away from it, ηg half
        their distance: A₁ = 0 and C is negative
    Mutant: Lη² in place of 4Lη² | one client of one curvature, W* its optimum: (1 − ημ)² of the square against 1 −
        2ημ + (ημ)²/2
    Mutant: (1 − 2ημ) | one client of one curvature, W* its optimum: (1 − ημ)² of the square against (1 − ημ)(1 −
        2ημ)
    Tight: one curvature for all, Wᵢᵗ equal: no spread
    Rests on: EA-E13, EA-E15, EA-E16, EA-E17, EA-E18
    Verdict: The last inequality is Jensen's, and Jensen's needs W̄ᵗ to be the mean under the weights it is averaged
        with. W̄ᵗ is the mean under ρᵗ, the average is taken under ρᵗ⁺¹: if the weights change inside a round, a
        client that stands at W* and receives all the weight makes the average 0 while W̄ᵗ is elsewhere, and the
        bound on A₁ fails with it. With one weight vector a round, or at the first step of a round, every piece is
        right and the whole holds. The line before the last prints Fᵢ(Wᵢ*) for Fᵢ(Wᵢᵗ) in one sum; (19) has it right
        again.""",
    says=le(after, _A1, again=a1_again),
    world=_KEPT,
    readings={
        "the last inequality alone, weights free at every step": but(le(before, away), world=_FREE),
        "the whole, weights free at every step": replace(_FREE, cases=(*_FREE.cases, _ASIDE)),
    },
    mutants={
        "spread dropped": le(after, _A1 - drift),
        "Lη² in place of 4Lη²": le(after, _A1 - 3 * L * eta**2 * local),
        "(1 − 2ημ)": le(after, _A1 - eta * mu * before),
    },
)

CLAIMS: tuple[Claim, ...] = (E18B,)
