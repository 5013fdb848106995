"""FA-LA2, the lemma that tunes a constant step size."""

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
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
)
from validation.draw import Coordinate

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


root_b, root_e, linear = symbols("root_b root_e linear")

_CHANCES = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 3), Fraction(9, 10))


def _tuned(x: Instance) -> Mapping[str, Any]:
    """Ψ at the step min{(r₀/bT)^½, (r₀/eT)^⅓, 1/d}; b and e are given by these roots, so that all is rational."""
    R, s, u, d = x["R"], x["by_b"], x["by_e"], x["d"]
    if x["part"][0] > 0:
        nothing = np.zeros_like(R)
        return {"lhs": R / s, "root_b": nothing, "root_e": nothing, "linear": nothing}
    step = np.minimum(np.minimum(s, u), 1 / d)
    return {"lhs": R / step + R * step / s**2 + R * step**2 / u**3, "root_b": R / s, "root_e": R / u, "linear": d * R}


def tuned_exact(x: Mapping[str, Any]) -> Exact:
    """R = r0/T, b = R/s^2, e = R/u^3; or b = e = d = 0, where every step s gives R/s > 0."""
    R, s, u, d = x["R"], x["by_b"], x["by_e"], x["d"]
    met = {"r0 > 0, steps positive": R > 0 and min(s, u, d) > 0}
    if x["part"] > 0:
        return met, {"lhs": R / s, "root_b": Fraction(0), "root_e": Fraction(0), "linear": Fraction(0)}
    b, e, step = R / s**2, R / u**3, min(s, u, 1 / d)
    return met, {"lhs": R / step + b * step + e * step**2, "root_b": b * s, "root_e": e * u**2, "linear": d * R}


def _tuned_case(part: int) -> Case:
    coordinates: tuple[Coordinate, ...] = (
        LogScale("R", 1e-6, 1e6),
        *(LogScale(name, 1e-6, 1e6, at=(1e-6, 1.0, 1e6)) for name in ("by_b", "by_e", "d")),
        Choice("part", (float(part),)),
    )
    name = "all parameters positive" if part == 0 else "b = e = d = 0"
    return Case(name, Space(coordinates), _tuned, ExactCheck(tuned_exact))


_TUNED = Bound(2 * root_b + 2 * root_e + linear, again=lambda root_b, root_e, linear: linear + 2 * (root_b + root_e))

LA2 = Claim(
    id="FA-LA2",
    kind=Kind.INEQUALITY,
    source="Lemma A.2, A.1 (quoted from Koloskova et al. 2020)",
    title="Tuning the step size",
    statement=(
        r"\Psi_T:=\frac{r_0}{\eta T}+b\eta+e\eta^2\le2\Big(\frac{br_0}T\Big)^{1/2}+2e^{1/3}\Big(\frac{r_0}T\Big)^{2/3}+\frac{dr_0}T"
    ),
    says="Some constant step at most 1/d makes the sum as small as a square root, a cube root and dr₀/T.",
    assumes=("r₀, b, e, d >= 0", "η = min{(r₀/bT)^½, (r₀/eT)^⅓, 1/d}"),
    readings=(
        Reading(
            "any parameters >= 0",
            "As printed, zeros allowed: b = e = d = 0 with r₀ > 0, any step.",
            Inequality(_TUNED, (_tuned_case(1),)),
        ),
        Reading(
            "all parameters positive",
            "The step of the usual proof.",
            Inequality(_TUNED, (_tuned_case(0),)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "1 in place of the first 2",
            Inequality(Bound(root_b + 2 * root_e + linear), (_tuned_case(0),)),
            "for e and d near 0 the least value of r₀/(ηT) + bη is 2(br₀/T)^½",
        ),
    ),
    tight="e and d near 0",
    verdict_words=(
        "With positive parameters the usual step proves it. At the boundary that the print includes it fails for a trivial "
        "reason: with b = e = d = 0 and r₀ > 0 the right side is 0, and r₀/(ηT) is not, whatever the step (with r₀ = 0 < b the "
        "least value 0 is not attained by a positive step either). Nothing in the paper depends on that boundary."
    ),
)

CLAIMS: tuple[Claim, ...] = (LA2,)
