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
    Uniform,
    symbols,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


root_b, root_e, linear = symbols("root_b root_e linear")


def _tuned(x: Instance) -> Mapping[str, Any]:
    """Ψ at the step min{(r₀/bT)^½, (r₀/eT)^⅓, 1/d}; b and e are given by these roots, so that all is rational.

    `absent`: 1 if b, e or d is 0, whose step then does not count; with all three 0 any step will do.
    """
    R, s, u, d = x["R"], x["by_b"], x["by_e"], x["d"]
    kept = x["absent"] < 0.5 if x["part"][0] == 0 else np.zeros((len(R), 3), dtype=bool)
    sized = np.where(kept, np.stack([s, u, 1 / d], axis=1), np.inf).min(axis=1)
    step = np.where(kept.any(axis=1), sized, s)
    b, e, d = R / s**2 * kept[:, 0], R / u**3 * kept[:, 1], d * kept[:, 2]
    lhs = R / step + b * step + e * step**2
    root_b, root_e, linear = R / s * kept[:, 0], R / u * kept[:, 1], d * R
    some = kept.any(axis=1) | (x["part"] > 0)
    return {"lhs": lhs, "root_b": root_b, "root_e": root_e, "linear": linear, "admissible": some}


def tuned_exact(x: Mapping[str, Any]) -> Exact:
    """R = r0/T, b = R/s^2, e = R/u^3, or 0 where absent; b = e = d = 0, where every step s gives R/s > 0, in part 1."""
    R, s, u, d, nothing = x["R"], x["by_b"], x["by_e"], x["d"], Fraction(0)
    kept = [x["part"] == 0 and 2 * y < 1 for y in x["absent"]]
    step = min((v for v, k in zip((s, u, 1 / d), kept, strict=True) if k), default=s)
    b, e, d = R / s**2 if kept[0] else nothing, R / u**3 if kept[1] else nothing, d if kept[2] else nothing
    met = {
        "r0 > 0, steps positive": R > 0 and min(s, u) > 0,
        "one of b, e and d > 0 where asked": x["part"] > 0 or max(b, e, d) > 0,
    }
    terms = {"root_b": b * s, "root_e": e * u**2, "linear": d * R}
    return met, {"lhs": R / step + b * step + e * step**2, **terms}


def _tuned_case(part: int) -> Case:
    coordinates: tuple[Coordinate, ...] = (
        LogScale("R", 1e-6, 1e6),
        *(LogScale(name, 1e-6, 1e6, at=(1e-6, 1.0, 1e6)) for name in ("by_b", "by_e", "d")),
        Uniform("absent", 0.0, 1.0, (3,), at=(0.0, 1.0)),
        Choice("part", (float(part),)),
    )
    name = "one of b, e and d positive" if part == 0 else "b = e = d = 0"
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
            "r₀ > 0 and one of b, e and d positive",
            "The step of the usual proof; the entries of a minimum over absent parameters do not count.",
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
        "With r₀ > 0 and one of b, e and d positive the usual step proves it. At the boundary that the print includes it fails for a trivial "
        "reason: with b = e = d = 0 and r₀ > 0 the right side is 0, and r₀/(ηT) is not, whatever the step (with r₀ = 0 < b the "
        "least value 0 is not attained by a positive step either). Nothing in the paper depends on that boundary."
    ),
)

CLAIMS: tuple[Claim, ...] = (LA2,)
