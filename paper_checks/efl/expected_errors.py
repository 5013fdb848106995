"""The mean of the error term B in EFL's proof, at a step and over a round: (49) and (59), in every reading of the bracket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.efl.round_moments import AT_STEP, NEGATED, SUMMED, errors
from validation import Canary, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

E, mu, L, theta, G2, noise, skew, steps, total, squares = symbols("E mu L theta G2 noise skew steps total squares")

_BASE = noise + 2 * (2 + theta) * L * skew
_DRIFT = (2 + mu / (2 * (1 + theta) * L)) * (E - 1) * G2
_OVER = sp.Max(total - 2, 0)
_BRACKETS = {
    "sum": (steps + (total - 2) + squares, 2 * steps + theta * (total - 2)),
    "product": (steps + (total - 2) * squares, steps + theta * (total - 2) * steps),
    "plus": (steps + _OVER * squares, steps + theta * _OVER * steps),
}


def _at(bracket: str) -> Any:
    return _BASE + _DRIFT * _BRACKETS[bracket][0]


def _summed(bracket: str) -> Any:
    return _BASE + E * _DRIFT * _BRACKETS[bracket][1]


def again(bracket: str, *, whole: bool) -> Callable[..., Any]:
    """The right side of (49), or of (59), once more."""

    def found(**k: Any) -> Any:
        over = k["total"] - 2
        if bracket == "plus":
            over = np.where(over > 0, over, 0.0)
        other = k["theta"] * k["steps"] if whole else k["squares"]
        inside = k["steps"] + over * other
        if bracket == "sum":
            inside = k["steps"] + k["theta"] * over + k["steps"] if whole else k["steps"] + over + k["squares"]
        front = (2 + k["mu"] / (2 * k["L"] * (1 + k["theta"]))) * (k["E"] - 1) * k["G2"]
        return k["noise"] + (4 + 2 * k["theta"]) * k["L"] * k["skew"] + front * inside * (k["E"] if whole else 1)

    return found


_ASSUMES = (
    "A3, A4, A5; σₖ² and G² the exact values of the round",
    "independent clients, activity and coefficients fixed before the batches",
    "all clients start the round at ω̄; η <= 1/(2(1+θ)L)",
)
_LOST = "1/η² before the drift in B (EFL-E47), as Lemma 3 with its η² needs it."

E49 = Claim(
    id="EFL-E49",
    kind=Kind.INEQUALITY,
    source="Eq. (49), A.2.1",
    title="Mean of B at a step",
    statement=(
        r"\mathbb E_\xi[B_{\tau E+j}]\le\sum_k(p_\tau^k)^2\alpha_{\tau E+j}^k\sigma_k^2+2(2+\theta)L\sum_kp_\tau^k\alpha_{\tau E+j}^kD_k"
        r"+\Big(2+\frac\mu{2(1+\theta)L}\Big)(E-1)G^2\Big(\sum_kp_\tau^ks_\tau^k+\Big(\sum_kp_\tau^k-2\Big)+\sum_k"
        r"\frac{(p_\tau^k)^2s_\tau^k}{p^k}\Big)"
    ),
    says="The mean of B is at most noise, heterogeneity and the drift bound of Lemma 3.",
    assumes=_ASSUMES,
    readings=(
        Reading(
            "B and bracket as printed",
            "B of (47); Σps + (Σp − 2) + Σp²s/pᵏ.",
            errors(AT_STEP, _at("sum"), again("sum", whole=False), divided=False),
        ),
        Reading("1/η² in B, bracket as printed", _LOST, errors(AT_STEP, _at("sum"), again("sum", whole=False))),
        Reading(
            "1/η² in B, bracket read as a product",
            "Σps + (Σp − 2)Σp²s/pᵏ, the printed «+» dropped.",
            errors(AT_STEP, _at("product"), again("product", whole=False)),
        ),
        Reading(
            "1/η² in B, positive part",
            "Σps + (Σp − 2)₊Σp²s/pᵏ, the printed «+» read as a subscript.",
            errors(AT_STEP, _at("plus"), again("plus", whole=False)),
        ),
    ),
    canaries=(
        Canary(
            "Σps dropped, positive part",
            errors(AT_STEP, _BASE + _DRIFT * _OVER * squares, least=2),
            "two clients pulled apart drift although Σp = 1 < 2",
        ),
        Canary(
            "noise dropped, positive part",
            errors(AT_STEP, _at("plus") - noise, least=1),
            "for E = 1 nothing else on the right side pays for the noise of one client at ω*",
        ),
    ),
    depends_on=("EFL-E47", "EFL-L2", "EFL-L3"),
    verdict_words=(
        "The noise term is Lemma 2, the heterogeneity is the same on both sides, and the drift is Lemma 3, so the bracket decides: "
        "as printed, or as a product, it can be too small and even negative when few clients take part. With a positive part, "
        "the «+» read as a subscript that came loose, and 1/η² in B, no violation was found. With B exactly as in (47) the two sides have "
        "different units. As for Lemma 3, the activity must not depend on the batches."
    ),
)

E59 = Claim(
    id="EFL-E59",
    kind=Kind.INEQUALITY,
    source="Eq. (59), A.2.1",
    title="Mean of B over a round",
    statement=(
        r"\mathbb E_\xi[B_\tau]=\sum_{j=0}^{E-1}\mathbb E_\xi[B_{\tau E+j}]=\sum_k(p_\tau^k)^2s_\tau^k\sigma_k^2+2(2+\theta)L\sum_kp_\tau^k"
        r"s_\tau^kD_k+\Big(2+\frac\mu{2(1+\theta)L}\Big)E(E-1)G^2\Big(\sum_kp_\tau^ks_\tau^k+\theta\Big(\sum_kp_\tau^k-2\Big)+\sum_k"
        r"p_\tau^ks_\tau^k\Big)"
    ),
    says="The mean of B over a round, with p_τᵏ/pᵏ bounded by θ.",
    assumes=(*_ASSUMES, "1/η² before the drift in B (EFL-E47)"),
    readings=(
        Reading(
            "an equality, as printed",
            "E[B] at least the right side, with its positive part.",
            errors(NEGATED, -_summed("plus"), lambda **k: -again("plus", whole=True)(**k)),
        ),
        Reading(
            "at most, bracket as printed",
            "Σps + θ(Σp − 2) + Σps.",
            errors(SUMMED, _summed("sum"), again("sum", whole=True)),
        ),
        Reading(
            "at most, bracket read as a product",
            "Σps + θ(Σp − 2)Σps, the printed «+» dropped.",
            errors(SUMMED, _summed("product"), again("product", whole=True)),
        ),
        Reading(
            "at most, positive part",
            "Σps + θ(Σp − 2)₊Σps, the printed «+» read as a subscript.",
            errors(SUMMED, _summed("plus"), again("plus", whole=True)),
        ),
    ),
    canaries=(
        Canary(
            "(Σp − 2)₊ dropped",
            errors(SUMMED, _BASE + E * _DRIFT * steps, least=3),
            "one client with p = 10: ω̄ moves ten times as far, so its drift is about 9² times its own move",
        ),
    ),
    depends_on=("EFL-E49", "EFL-A5"),
    verdict_words=(
        "The second «=» can only be «<=», since (49) is a bound. The bracket has the same trouble as in Lemma 3: as printed, with "
        "θ(Σp − 2) added, it may be negative, and as a product too. Summing (49) with a positive part and p_τᵏ <= θpᵏ gives "
        "Σps + θ(Σp − 2)₊Σps, which is what the printed symbols are with the «+» as a subscript; no violation was found."
    ),
)

CLAIMS: tuple[Claim, ...] = (E49, E59)
