"""K23: the variance of identical one-dimensional clients over one round of E noisy local steps."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

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
    Simplex,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

eta, c, contraction, V, A2, U2, geometric = symbols("eta c contraction V A2 U2 geometric")


def variance_again(eta: Any, contraction: Any, V: Any, A2: Any, geometric: Any) -> Any:
    """K23 once more."""
    return A2 * geometric * eta * eta + V * contraction * contraction


_BEFORE = contraction**2 * V
VARIANCE = Bound(
    _BEFORE + eta**2 * A2 * geometric,
    again=variance_again,
    degrees={
        "eta": (-1, 2),
        "contraction": (0, 0),
        "V": (0, 2),
        "A2": (2, -2),
        "geometric": (0, 0),
    },
)


def _round(x: Instance) -> Mapping[str, Any]:
    """Variance and covariance of the local models, step by step, then of their weighted mean."""
    a, sigma, E = x["weights"], x["sigma"], x["local_steps"]
    eta = x["step"] / x["curvature"]
    turn = 1 - eta * x["curvature"]
    together, apart = x["variance"], np.zeros_like(sigma)  # the part all clients share, each one's own part
    shared = "shared" in x
    for _ in range(int(E[0])):
        together = turn**2 * together
        apart = turn[:, None] ** 2 * apart + eta[:, None] ** 2 * sigma**2
    own = (a * np.sqrt(apart)).sum(axis=1) ** 2 if shared else (a**2 * apart).sum(axis=1)
    powers = (x["step"] - 1)[:, None] ** (2 * np.arange(int(E[0])))
    return {
        "lhs": a.sum(axis=1) ** 2 * together + own,
        "eta": eta,
        "c": x["curvature"],
        "contraction": np.abs(1 - x["step"]) ** E,
        "V": x["variance"],
        "A2": (a**2 * sigma**2).sum(axis=1),
        "U2": (sigma**2).mean(axis=1) / a.shape[1],
        "geometric": powers.sum(axis=1),
    }


def round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients carry w_i as a linear form in the start and the noises; the variance of the mean is Σ coefficients²."""
    a, sigma, E, n = x["weights"], x["sigma"], int(x["local_steps"]), len(x["weights"])
    eta = x["step"] / x["curvature"]
    turn = 1 - eta * x["curvature"]
    # The coefficient of the start, and that of the noise of each step, times each client's σ and weight.
    start = Fraction(1)
    noises: list[Fraction] = []
    for _ in range(E):
        start, noises = turn * start, [*[turn * k for k in noises], -eta]
    total = (sum(a) * start) ** 2 * x["variance"]
    squares = sum(k * k for k in noises)
    total += squares * (sum(u * s for u, s in zip(a, sigma, strict=True)) ** 2 if "shared" in x else 0)
    total += squares * (0 if "shared" in x else sum((u * s) ** 2 for u, s in zip(a, sigma, strict=True)))
    power_sum = Fraction(0)
    for _ in range(E):
        power_sum = 1 + turn**2 * power_sum
    constants = {
        "lhs": total,
        "eta": eta,
        "c": x["curvature"],
        "contraction": abs(1 - x["step"]) ** E,
        "V": x["variance"],
        "A2": sum(u * u * s * s for u, s in zip(a, sigma, strict=True)),
        "U2": sum(s * s for s in sigma) / n**2,
        "geometric": power_sum,
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "curvature, step size and variance positive": x["curvature"] > 0 and eta > 0 and x["variance"] > 0,
    }
    return hypotheses, constants


_EXACT = ExactCheck(round_exact)


def _space(N: float, E: float, shared: bool) -> Space:
    return Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1e-2, 1.0, 1e2)),
            Uniform("step", 1e-3, 2.0, at=(1e-3, 0.1, 0.5, 1.0, 2.0)),
            LogScale("variance", 1e-6, 1e6, at=(1e-6, 1.0)),
            Simplex("weights", int(N)),
            LogScale("sigma", 1e-3, 1e3, (int(N),), at=(1e-3, 1.0, 1e3)),
            Choice("local_steps", (float(E),)),
            *((Choice("shared", (1.0,)),) if shared else ()),
        )
    )


def _independent(N: float, E: float) -> Case:
    cost = max(1.0, N * E / 2000)
    return Case(
        f"identical clients in one dimension, N = {int(N)}, E = {int(E)}", _space(N, E, False), _round, _EXACT, cost
    )


def _shared(N: float, E: float) -> Case:
    cost = max(1.0, N * E / 2000)
    name = f"one noise for all clients, N = {int(N)}, E = {int(E)}"
    return Case(name, _space(N, E, True), _round, _EXACT, cost)


_SIZES = (Size("N", 1, 300, 3), Size("E", 1, 300, 2))
_CASES = (Family("identical clients in one dimension", _SIZES, _independent),)
_SHARED = (Family("one noise for all clients", _SIZES, _shared),)

K23 = Claim(
    id="K23",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Variance over a round of local steps",
    statement=(
        r"\mathrm{Var}\,w^+\le(1-\eta c)^{2E}\,\mathrm{Var}\,w"
        r"+\eta^2\sum_ia_i^2\sigma_i^2\sum_{e<E}(1-\eta c)^{2e}"
    ),
    says="Over a round of E local steps the variance contracts by (1 − ηc)^(2E) and gains the averaged local noise.",
    assumes=(
        "identical one-dimensional clients c/2·w²; all take E local steps of size η; fixed weights a on the simplex",
        "noise of mean 0 and variance σ_i², independent over clients, over steps and of the start",
    ),
    readings=(
        Reading(
            "as stated",
            "Up to 300 clients and 300 local steps; V the variance before the round, A2 = Σ a_i²σ_i², contraction "
            "|1 − ηc|^E, geometric the sum over e.",
            Inequality(VARIANCE, _CASES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "noise need not be independent over the clients",
            Inequality(VARIANCE, _SHARED),
            "one noise for all gives (Σ a_iσ_i)² in place of Σ a_i²σ_i², more as soon as two clients have weight",
        ),
        Canary(
            "only the last local step's noise",
            Inequality(Bound(_BEFORE + eta**2 * A2), _CASES),
            "both sides agree with the whole sum, which exceeds 1 for E >= 2 and ηc ≠ 1",
        ),
        Canary(
            "the sum runs from e = 1 to E",
            Inequality(Bound(_BEFORE + eta**2 * A2 * geometric * (1 - eta * c) ** 2), _CASES),
            "each term gains the factor (1 − ηc)² < 1, and both sides agree without it",
        ),
        Canary(
            "σ_i² weighted by 1/N² in place of a_i²",
            Inequality(Bound(_BEFORE + eta**2 * U2 * geometric), _CASES),
            "with all weight on the noisiest client the left side gains η²σ²Σ…, the right side 1/N² of it and less",
        ),
    ),
    tight="always: the variance after a round equals the right side",
    verdict_words=(
        "It holds, with equality. Every local step multiplies a model by 1 − ηc and adds −η times a fresh noise; the "
        "start is common to all clients, their noises are not, so those enter the mean with a_i²."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K23,)
