"""EA-R5, EA-R7, EA-D7: the exponential family of weights, what Eq. 3 defines, and its limits in α."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import diff, exp

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_near, slack
from paper_checks.exp_alpha.loss_changes import as_printed, limits, spread, weights
from paper_checks.exp_alpha.notation import NOTATION
from validation import Choice, Claim, Instance, LogScale, Signed, Space, symbols, units
from validation.statement.says import all_of, identity, le
from validation.world.front import claim, mutant, reading
from validation.world.world import World, case

__all__ = ["CLAIMS"]

missed, alpha, gap, rounding = NOTATION.symbols("missed alpha gap rounding")
_NEVER = le(missed, 0)


def two_arguments(x: Instance) -> Mapping[str, Any]:
    """By how much 𝒰(x) = e^{x/α} is negative or falls between `low` and `low` + `rise`, in units of the larger."""
    signed = x.get("sign", 1.0)
    first, second = signed * x["low"] / x["alpha"], signed * (x["low"] + x["rise"]) / x["alpha"]
    top = np.maximum(first, second)
    u, v = np.exp(first - top), np.exp(second - top)
    return {"missed": np.maximum(-np.minimum(u, v), u - v), "sizes": {"missed": np.ones_like(u)}}


def two_arguments_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """U(x) = e^(x/alpha): by how much U < 0 or U(low) > U(low + rise), in units of the larger of the two."""
    signed = x.get("sign", Fraction(1))
    first, second = signed * x["low"] / x["alpha"], signed * (x["low"] + x["rise"]) / x["alpha"]
    u, v = exp_near(first - max(first, second)), exp_near(second - max(first, second))
    met = {"|alpha| > 0": x["alpha"] > 0, "rise >= 0": x["rise"] >= 0}
    return met, {"missed": max(-min(u, v), u - v) - slack()}


def _arguments(*sign: Choice) -> World:
    space = Space(
        (LogScale("alpha", 1e-3, 1e3, at=(0.2, 1.0)), Signed("low", 1e-3, 1e3), LogScale("rise", 1e-3, 1e3), *sign)
    )
    same = (units({"alpha": (1, 0), "low": (1, 0), "rise": (1, 0)}),)
    name = "α of either sign" if sign else "α > 0"
    return World(NOTATION, (case(name, space, two_arguments, two_arguments_exact, uses=EXPONENTIAL, symmetries=same),))


_T, _X = symbols("alpha x")

R5 = claim(
    "EA-R5",
    level="remark",
    at="Sec. 3.4",
    title="Exponentials are admissible",
    printed=r"\mathcal U(x)=e^{x/\alpha},\ \alpha>0:\quad\mathcal U\ge0\text{ and non-decreasing}",
    plainly="The function e^{x/α} is non-negative and non-decreasing, as Corollary 1.1 asks of 𝒰.",
    assumes=("α > 0, as for a temperature",),
    says=_NEVER,
    world=_arguments(),
    readings=(
        reading("at two points", "Sign and order at any two arguments, for any α > 0.", part="sign and order"),
        reading("derivative", "𝒰' = 𝒰/α.", says=identity(diff(exp(_X / _T), _X), exp(_X / _T) / _T), part="derivative"),
    ),
    mutants=(
        mutant(
            "α of either sign",
            _NEVER,
            "for α < 0 the function falls: e^{−1} < e^0",
            world=_arguments(Choice("sign", (1.0, -1.0))),
        ),
    ),
    verdict="""
        True for every α > 0, the only sensible range of a temperature, though Eq. 3 does not print it. For such
        α the weights are even positive, so that unlike other admissible 𝒰 they are always defined (EA-ALG2).""",
)

from_one, from_even, from_shares = NOTATION.symbols("from_one from_even from_shares")
squares_now, squares_later, largest_now, largest_later = NOTATION.symbols(
    "squares_now squares_later largest_now largest_later"
)
_LIMITS = limits()


def vanishing_again(alpha: Any, gap: Any) -> Any:
    """What tends to 0 as α grows, once more."""
    return 1 / (alpha / gap - 1)


def _tends(away: Any) -> Any:
    return le(away, gap / (alpha - gap), again=vanishing_again)


_OF_SUM_ONE = {"weights": "of sum one"}

R7 = claim(
    "EA-R7",
    level="remark",
    at="Sec. 3.4, after (3)",
    title="Limits in α",
    printed=(
        r"\alpha\to\infty:\ \rho_t\to1;\qquad\text{small }\alpha\text{ concentrates }\rho_i^t,\ "
        r"\text{large }\alpha\text{ makes the weights more evenly spread}"
    ),
    plainly="A larger α spreads Exp-α's weights more evenly; as α grows without limit they all become equal, «ρₜ → 1».",
    assumes=("α > 0", "loss changes fixed as α varies"),
    says=_tends(from_one),
    world=_LIMITS,
    readings=(
        reading(
            "ρ → 1, unnormalised",
            "The exponentials of Algorithm 1, before they are divided by their sum, within gap/(α − gap) of 1.",
            world=limits(divided=False),
            part="the limit",
            options={"weights": "the exponentials"},
        ),
        reading(
            "ρ → 1, on the simplex",
            "The weights of Eq. 2, which sum to 1, within gap/(α − gap) of 1.",
            part="the limit",
            options=_OF_SUM_ONE,
        ),
        reading(
            "larger α, more evenly spread",
            "Neither Σρᵢ² nor the largest weight grows with α; loss changes of either sign.",
            says=all_of(le(squares_later - rounding, squares_now), le(largest_later - rounding, largest_now)),
            world=spread(),
            part="the spread",
        ),
        reading(
            "ρ → 1/N",
            "Normalised weights within gap/(α − gap) of equal weights, gap the range of the loss changes.",
            says=_tends(from_even),
            part="the limit",
            options=_OF_SUM_ONE,
            edits=("1/N in place of 1",),
            token=True,
            forced_by="Eq. 2: the weights sum to one",
        ),
    ),
    undecided={
        "weights": (
            "twice",
            "Eq. 2 asks Σρ_i = 1; Algorithm 1 prints the exponentials before they are divided, of which alone «ρ_t → 1» "
            "makes sense for two clients or more",
        )
    },
    mutants=(
        mutant("limit the data shares", _tends(from_shares), "Eq. 3 knows no data sizes; its limit is 1/N each"),
        mutant(
            "smaller α, more evenly spread",
            all_of(le(squares_now - rounding, squares_later), le(largest_now - rounding, largest_later)),
            "as α → 0 all weight goes to one client",
            world=spread(),
        ),
    ),
    tight="equal loss changes: all weights 1/N for every α",
    rests_on=("EA-D7",),
    verdict="""
        The exponentials themselves tend to 1, each within |x|/(α − |x|); as weights on the simplex, which Eq. 2
        asks for, they cannot for two or more clients: they tend to 1/N. The concentration is as described: Σρᵢ²
        and the largest weight never grow with α. Note that for unequal data sizes the limit is not proportional
        aggregation.""",
)

D7 = claim(
    "EA-D7",
    level="definition",
    at="(3), Sec. 3.4",
    title="Exp-α's weights",
    printed=(
        r"\rho_i^T\propto\exp\left(\frac{F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})}\alpha\right),\quad"
        r"T\in\mathcal I_E"
    ),
    plainly="Eq. 3 defines weights on the simplex for any losses, larger the less a client's loss fell in the round.",
    assumes=("α > 0", "losses of either model finite; loss changes of either sign"),
    says=_NEVER,
    world=weights(),
    readings=(
        reading("on the simplex, in order", "Non-negative, of sum 1, and in the order of the loss changes."),
        reading(
            "the rule of this package",
            "`theory.rules.ExpAlpha` gives, client by client, 1/Σⱼ exp((xⱼ − xᵢ)/α), xᵢ the loss change.",
            world=as_printed(),
            ours="checks the code of this package against (3)",
        ),
    ),
    mutants=(
        mutant(
            "sign in the exponent reversed",
            _NEVER,
            "then the client whose loss fell most has the largest weight",
            world=weights(sign=-1.0),
        ),
        mutant(
            "rule with the sign reversed",
            _NEVER,
            "two clients with different loss changes swap their weights",
            world=as_printed(sign=-1.0),
        ),
    ),
    rests_on=("EA-C1.1", "EA-R5"),
    verdict="""
        The weights exist for all finite losses, lie on the simplex and follow the order of the loss changes:
        the client whose loss fell least weighs most, whether because it has little to learn or because it
        learns slowly (EA-R6). The definition covers T >= E only, and no steps inside a round; it has no
        data-size factor, unlike the family of Corollary 1.1. A common offset of a client's two losses drops
        out; the unit of the loss does not, so α carries it.""",
)

CLAIMS: tuple[Claim, ...] = (R5, R7, D7)
