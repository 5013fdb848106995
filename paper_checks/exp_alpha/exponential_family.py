"""EA-R5, EA-R7: the exponential family of weights, and its limits in α."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_near, exp_weights, slack
from paper_checks.exp_alpha.loss_changes import clients, softmax
from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

alpha, gap, x = symbols("alpha gap x")


def _shape(z: Instance) -> Mapping[str, Any]:
    """By how much 𝒰(x) = e^{x/α} is negative or falls between `low` and `low` + `rise`, in units of the larger."""
    signed = z.get("sign", 1.0)
    first, second = signed * z["low"] / z["alpha"], signed * (z["low"] + z["rise"]) / z["alpha"]
    top = np.maximum(first, second)
    u, v = np.exp(first - top), np.exp(second - top)
    return {"lhs": np.maximum(-np.minimum(u, v), u - v), "nothing": np.zeros_like(u), "magnitude": np.ones_like(u)}


def shape_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """U(x) = e^(x/alpha): by how much U < 0 or U(low) > U(low + rise), in units of the larger of the two."""
    signed = z["sign"] if "sign" in z else Fraction(1)
    first, second = signed * z["low"] / z["alpha"], signed * (z["low"] + z["rise"]) / z["alpha"]
    u, v = exp_near(first - max(first, second)), exp_near(second - max(first, second))
    met = {"|alpha| > 0": z["alpha"] > 0, "rise >= 0": z["rise"] >= 0}
    return met, {"lhs": max(-min(u, v), u - v) - slack(), "nothing": Fraction(0)}


def _shape_case(*more: Choice) -> Case:
    drawn = Space((LogScale("alpha", 1e-3, 1e3, at=(0.2, 1.0)), Signed("low", 1e-3, 1e3), _RISE, *more))
    same = (units({"alpha": (1, 0), "low": (1, 0), "rise": (1, 0)}),)
    name = "α of either sign" if more else "α > 0"
    return Case(name, drawn, _shape, ExactCheck(shape_exact, EXPONENTIAL), symmetries=same)


_RISE = LogScale("rise", 1e-3, 1e3)

R5 = Claim(
    id="EA-R5",
    kind=Kind.PROPERTY,
    source="Sec. 3.4",
    title="Exponentials are admissible",
    statement=r"\mathcal U(x)=e^{x/\alpha},\ \alpha>0:\quad\mathcal U\ge0\text{ and non-decreasing}",
    says="The function e^{x/α} is non-negative and non-decreasing, as Corollary 1.1 asks of 𝒰.",
    assumes=("α > 0, as for a temperature",),
    readings=(
        Reading("at two points", "Sign and order at any two arguments, for any α > 0.", never_missed((_shape_case(),))),
        Reading("derivative", "𝒰' = 𝒰/α.", Identity(sp.diff(sp.exp(x / alpha), x), sp.exp(x / alpha) / alpha)),
    ),
    canaries=(
        Canary(
            "α of either sign",
            never_missed((_shape_case(Choice("sign", (1.0, -1.0))),)),
            "for α < 0 the function falls: e^{−1} < e^0",
        ),
    ),
    verdict_words=(
        "True for every α > 0, the only sensible range of a temperature, though Eq. 3 does not print it. For such α the "
        "weights are even positive, so that unlike other admissible 𝒰 they are always defined (EA-ALG2)."
    ),
)


def _range(z: Instance) -> Any:
    return z["change"].max(axis=1) - z["change"].min(axis=1)


def _limit(of: str) -> Callable[[Instance], Mapping[str, Any]]:
    """How far weights are from their claimed limit as α = (1 + stretch)·gap grows; `of`: which weights and limit."""

    def measure(z: Instance) -> Mapping[str, Any]:
        wide = np.abs(z["change"]).max(axis=1) if of == "unnormalised" else _range(z)
        temperature = wide * (1 + z["stretch"])
        share = z["size"] / z["size"].sum(axis=1, keepdims=True)
        goal = {"to 1/N": 1 / z["change"].shape[1], "to shares": share}.get(of, 1.0)
        with np.errstate(all="ignore"):
            weights = np.exp(z["change"] / temperature[:, None]) if of == "unnormalised" else softmax(z, temperature)
        lhs = np.abs(weights - goal).max(axis=1)
        return {"lhs": lhs, "alpha": temperature, "gap": wide, "admissible": wide > 0, "magnitude": np.ones_like(wide)}

    return measure


def unnormalised_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest |e^(change/alpha) - 1|, alpha beyond the largest change."""
    gap = max(abs(c) for c in z["change"])
    alpha = gap * (1 + z["stretch"])
    lhs = max(abs(exp_near(c / alpha) - 1) for c in z["change"]) - slack()
    return {"alpha > 0": alpha > 0}, {"lhs": lhs, "alpha": alpha, "gap": gap}


def _from_goal(kind: str) -> Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]:
    return {"to 1": to_one_exact, "to 1/N": to_even_exact, "to shares": to_shares_exact}[kind]


def to_one_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest |rho_i - 1| of the normalised weights, alpha beyond the range of the changes."""
    gap = max(z["change"]) - min(z["change"])
    alpha = gap * (1 + z["stretch"])
    lhs = max(abs(a - 1) for a in exp_weights(z["change"], alpha)) - slack()
    return {"alpha > 0": alpha > 0}, {"lhs": lhs, "alpha": alpha, "gap": gap}


def to_even_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest |rho_i - 1/N| of the normalised weights."""
    gap = max(z["change"]) - min(z["change"])
    alpha = gap * (1 + z["stretch"])
    even = Fraction(1, len(z["change"]))
    lhs = max(abs(a - even) for a in exp_weights(z["change"], alpha)) - slack()
    return {"alpha > 0": alpha > 0}, {"lhs": lhs, "alpha": alpha, "gap": gap}


def to_shares_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest |rho_i - share_i| of the normalised weights."""
    gap = max(z["change"]) - min(z["change"])
    alpha = gap * (1 + z["stretch"])
    goal = [s / sum(z["size"]) for s in z["size"]]
    lhs = max(abs(a - b) for a, b in zip(exp_weights(z["change"], alpha), goal, strict=True)) - slack()
    return {"alpha > 0": alpha > 0}, {"lhs": lhs, "alpha": alpha, "gap": gap}


def _spreading(z: Instance) -> Mapping[str, Any]:
    """By how much Σρᵢ² or the largest ρᵢ grows from α to a larger α."""
    before, after = softmax(z, z["alpha"]), softmax(z, z["alpha"] * (1 + z["stretch"]))
    if "sharper" in z:
        before, after = after, before
    squares = (after**2).sum(axis=1) - (before**2).sum(axis=1)
    lhs = np.maximum(squares, after.max(axis=1) - before.max(axis=1))
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": np.ones_like(lhs)}


def spreading_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the sum of squared weights, or the largest weight, grows from alpha to (1 + stretch) alpha."""
    before, after = (exp_weights(z["change"], z["alpha"] * s) for s in (1, 1 + z["stretch"]))
    if "sharper" in z:
        before, after = after, before
    squares = sum(a * a for a in after) - sum(b * b for b in before)
    met = {"alpha > 0, stretch > 0": z["alpha"] > 0 and z["stretch"] > 0}
    return met, {"lhs": max(squares, max(after) - max(before)) - slack(), "nothing": Fraction(0)}


def vanishing_again(alpha: Any, gap: Any) -> Any:
    """What tends to 0 as α grows, once more."""
    return 1 / (alpha / gap - 1)


_VANISHING = Bound(gap / (alpha - gap), again=vanishing_again, degrees={"alpha": (1, 0), "gap": (1, 0)})


def _tends(of: str) -> Inequality:
    check = unnormalised_exact if of == "unnormalised" else _from_goal(of)
    return Inequality(_VANISHING, (clients(of, _limit(of), check),), degrees=(0, 0))


R7 = Claim(
    id="EA-R7",
    kind=Kind.PROPERTY,
    source="Sec. 3.4, after (3)",
    title="Limits in α",
    statement=(
        r"\alpha\to\infty:\ \rho_t\to1;\qquad\text{small }\alpha\text{ concentrates }\rho_i^t,\ "
        r"\text{large }\alpha\text{ makes the weights more evenly spread}"
    ),
    says="A larger α spreads Exp-α's weights more evenly; as α grows without limit they all become equal, «ρₜ → 1».",
    assumes=("α > 0", "loss changes fixed as α varies"),
    readings=(
        Reading(
            "ρ → 1, unnormalised",
            "The exponentials of Algorithm 1, before they are divided by their sum, within gap/(α − gap) of 1.",
            _tends("unnormalised"),
        ),
        Reading(
            "ρ → 1, on the simplex",
            "The weights of Eq. 2, which sum to 1, within gap/(α − gap) of 1.",
            _tends("to 1"),
        ),
        Reading(
            "larger α, more evenly spread",
            "Neither Σρᵢ² nor the largest weight grows with α; loss changes of either sign.",
            never_missed((clients("α and a larger α", _spreading, spreading_exact),)),
        ),
        Reading(
            "ρ → 1/N",
            "Normalised weights within gap/(α − gap) of equal weights, gap the range of the loss changes.",
            _tends("to 1/N"),
            repair="edit",
        ),
    ),
    canaries=(
        Canary("limit the data shares", _tends("to shares"), "Eq. 3 knows no data sizes; its limit is 1/N each"),
        Canary(
            "smaller α, more evenly spread",
            never_missed((clients("α, order reversed", _spreading, spreading_exact, Choice("sharper", (1.0,))),)),
            "as α → 0 all weight goes to one client",
        ),
    ),
    tight="equal loss changes: all weights 1/N for every α",
    depends_on=("EA-D7",),
    verdict_words=(
        "The exponentials themselves tend to 1, each within |x|/(α − |x|); as weights on the simplex, which Eq. 2 asks for, "
        "they cannot for two or more clients: they tend to 1/N. The concentration is as described: Σρᵢ² and the largest "
        "weight never grow with α. Note that for unequal data sizes the limit is not proportional aggregation."
    ),
)


CLAIMS: tuple[Claim, ...] = (R5, R7)
