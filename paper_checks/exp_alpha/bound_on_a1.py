"""EA-E18b: the bound on A₁ put together in the proof of Lemma 1, and what it needs of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.bent_space import DEGREES, KEPT, bent_family, bent_values, bent_values_exact
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Space,
    Switch,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

eta, mu, L, before, spread, at_local, at_best = symbols("eta mu L before spread at_local at_best")


def after_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A_1 = |W_bar - W* - eta g_bar|^2."""
    met, found = bent_values_exact(x)
    return met, {**found, "lhs": found["after"]}


def jensen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|W_bar^t - W*|^2 against sum rho_i^(t+1) |W* - W_i|^2."""
    met, found = bent_values_exact(x)
    return met, {**found, "lhs": found["before"], "spread": found["away"]}


def _after(x: Instance) -> Mapping[str, Any]:
    found = bent_values(x)
    return {**found, "lhs": found["after"], "magnitude": found["reach"]}


def _a1(*, kept: bool) -> Family:
    return bent_family(_after, after_exact, kept=kept)


def _aside(x: Instance) -> Mapping[str, Any]:
    """Two clients of one curvature: W̄ᵗ is the first's model, and all of ρᵗ⁺¹ is on the second, which stands at W* = 0."""
    h, e, zero = x["curvature"], x["distance"], 0 * x["distance"]
    m = x["tilt"] * e / x["step"]  # at tilt 1 the second client's step ηg is as long as the distance
    both, flat = np.stack([h, h], axis=1)[..., None], np.stack([zero, zero], axis=1)
    moved = np.where(x["unmoved"] > 0, 1.0, 0.0)
    rows = np.stack([np.stack([1 - moved, moved], axis=1), np.stack([zero, zero + 1], axis=1)], axis=1)
    found = bent_values(
        {
            "low": both,
            "high": both,
            "optimum": np.stack([zero, m], axis=1)[..., None],
            "local": np.stack([e, zero], axis=1)[..., None],
            "weights": rows,
            "best": flat[:, :1],
            "step": x["step"],
            "kept": zero,
        }
    )
    return {**found, "lhs": found["after"], "magnitude": found["reach"]}


def aside_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A_1 where the client that takes all the weight stands at W* = 0, and W_bar^t is at `distance`."""
    h, e, zero = x["curvature"], x["distance"], Fraction(0)
    before = [zero, zero + 1] if x["unmoved"] > 0 else [zero + 1, zero]
    pair = {
        "low": [[h], [h]],
        "high": [[h], [h]],
        "optimum": [[zero], [x["tilt"] * e / x["step"]]],
        "local": [[e], [zero]],
    }
    rest = {"weights": [before, [zero, zero + 1]], "best": [zero], "step": x["step"], "kept": zero}
    met, found = bent_values_exact({**pair, **rest})
    return met, {**found, "lhs": found["after"]}


_ASIDE = Case(
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
    _aside,
    ExactCheck(aside_exact, (bent_values_exact,)),
    cost=3.0,
    symmetries=(units({"curvature": (1, -2), "distance": (0, 1)}),),
)
_UNMOVED = Switch(
    KEPT.name,
    KEPT.says,
    lambda x: {**x, "unmoved": np.ones_like(x["unmoved"])} if "unmoved" in x else KEPT.project(x),
)


def _jensen(x: Instance) -> Mapping[str, Any]:
    found = bent_values(x)
    return {**found, "lhs": found["before"], "spread": found["away"], "magnitude": found["reach"]}


_A1 = (1 - eta * mu) * before + spread + 4 * L * eta**2 * at_local + 2 * eta * (at_best - at_local)
A1 = Bound(
    _A1,
    again=lambda eta, mu, L, before, spread, at_local, at_best: (
        before + spread - eta * (mu * before + 2 * at_local - 2 * at_best) + (2 * eta) ** 2 * L * at_local
    ),
    degrees=DEGREES,
)
_MEAN_FIRST = Bound(1 * spread, again=lambda spread: spread + 0, degrees=DEGREES)

E18B = Claim(
    id="EA-E18b",
    kind=Kind.INEQUALITY,
    source="A.10, proof of Lemma 1, display after (18)",
    title="The bound on A₁",
    statement=(
        r"A_1\le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+C,\quad C=4L"
        r"\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t+1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))"
    ),
    says="The pieces put together, with the squared distances of the clients to W* replaced by that of their mean.",
    assumes=(
        "every Fᵢ μ-strongly convex and L-smooth",
        "ηₜ <= 1/(4L), weights ρᵗ on the simplex at every t",
        "W̄ᵗ = Σρᵢᵗ Wᵢᵗ; C as (19) repeats it (the display before has Fᵢ(Wᵢ*) where (19) has Fᵢ(Wᵢᵗ))",
    ),
    readings=(
        Reading(
            "the last inequality alone, weights free at every step",
            "Σρᵢᵗ⁺¹‖W* − Wᵢᵗ‖² >= ‖W̄ᵗ − W*‖².",
            Inequality(_MEAN_FIRST, (bent_family(_jensen, jensen_exact, kept=False),), (KEPT,), degrees=(0, 2)),
        ),
        Reading(
            "the whole, weights free at every step",
            "ρᵗ⁺¹ need not be ρᵗ inside a round.",
            Inequality(A1, (_a1(kept=False), _ASIDE), (_UNMOVED,), degrees=(0, 2)),
        ),
        Reading(
            "the whole, one weight vector a round",
            "W̄ᵗ is then the mean of the Wᵢᵗ under the weights of the step.",
            Inequality(A1, (_a1(kept=True),), degrees=(0, 2)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "spread dropped",
            Inequality(Bound(_A1 - spread, degrees=DEGREES), (_a1(kept=True),), degrees=(0, 2)),
            "two opposed clients about W* = W̄ whose nearly linear losses rise away from it, ηg half their distance: "
            "A₁ = 0 and C is negative",
        ),
        Canary(
            "Lη² in place of 4Lη²",
            Inequality(Bound(_A1 - 3 * L * eta**2 * at_local, degrees=DEGREES), (_a1(kept=True),), degrees=(0, 2)),
            "one client of one curvature, W* its optimum: (1 − ημ)² of the square against 1 − 2ημ + (ημ)²/2",
        ),
        Canary(
            "(1 − 2ημ)",
            Inequality(Bound(_A1 - eta * mu * before, degrees=DEGREES), (_a1(kept=True),), degrees=(0, 2)),
            "one client of one curvature, W* its optimum: (1 − ημ)² of the square against (1 − ημ)(1 − 2ημ)",
        ),
    ),
    tight="one curvature for all, Wᵢᵗ equal: no spread",
    depends_on=("EA-E13", "EA-E15", "EA-E16", "EA-E17", "EA-E18"),
    verdict_words=(
        "The last inequality is Jensen's, and Jensen's needs W̄ᵗ to be the mean under the weights it is averaged with. W̄ᵗ is the "
        "mean under ρᵗ, the average is taken under ρᵗ⁺¹: if the weights change inside a round, a client that stands at W* and "
        "receives all the weight makes the average 0 while W̄ᵗ is elsewhere, and the bound on A₁ fails with it. With one weight "
        "vector a round, or at the first step of a round, every piece is right and the whole holds. The line before the last "
        "prints Fᵢ(Wᵢ*) for Fᵢ(Wᵢᵗ) in one sum; (19) has it right again."
    ),
)

CLAIMS: tuple[Claim, ...] = (E18B,)
