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
from validation.world.stated import but, stated
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

R5 = stated(
    r"""EA-R5 (remark; Sec. 3.4): Exponentials are admissible
    Print: \mathcal U(x)=e^{x/\alpha},\ \alpha>0:\quad\mathcal U\ge0\text{ and non-decreasing}
    Plainly: The function e^{x/α} is non-negative and non-decreasing, as Corollary 1.1 asks of 𝒰.
    Assumes: α > 0, as for a temperature
    Reading: at two points | Sign and order at any two arguments, for any α > 0. | part: sign and order
    Reading: derivative | 𝒰' = 𝒰/α. | part: derivative
    Mutant: α of either sign | for α < 0 the function falls: e^{−1} < e^0
    Verdict: True for every α > 0, the only sensible range of a temperature, though Eq. 3 does not print it. For
        such α the weights are even positive, so that unlike other admissible 𝒰 they are always defined (EA-ALG2).""",
    says=_NEVER,
    world=_arguments(),
    readings={"derivative": identity(diff(exp(_X / _T), _X), exp(_X / _T) / _T)},
    mutants={"α of either sign": _arguments(Choice("sign", (1.0, -1.0)))},
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


R7 = stated(
    r"""EA-R7 (remark; Sec. 3.4, after (3)): Limits in α
    Print: \alpha\to\infty:\ \rho_t\to1;
        \qquad\text{small }\alpha\text{ concentrates }\rho_i^t,\ \text{large }\alpha\text{ makes the weights more ev
        enly spread}
    Plainly: A larger α spreads Exp-α's weights more evenly; as α grows without limit they all become equal, «ρₜ →
        1».
    Assumes: α > 0 | loss changes fixed as α varies
    Open (twice) weights: Eq. 2 asks Σρ_i = 1; Algorithm 1 prints the exponentials before they are divided, of which
        alone «ρ_t → 1» makes sense for two clients or more
    Reading: ρ → 1, unnormalised | The exponentials of Algorithm 1, before they are divided by their sum, within
        gap/(α − gap) of 1. | part: the limit | option weights = the exponentials
    Reading: ρ → 1, on the simplex | The weights of Eq. 2, which sum to 1, within gap/(α − gap) of 1. | part: the
        limit | option weights = of sum one
    Reading: larger α, more evenly spread | Neither Σρᵢ² nor the largest weight grows with α; loss changes of either
        sign. | part: the spread
    Reading: ρ → 1/N | Normalised weights within gap/(α − gap) of equal weights, gap the range of the loss changes.
        | part: the limit | option weights = of sum one | edit: 1/N in place of 1 | token | forced by: Eq. 2: the
        weights sum to one
    Mutant: limit the data shares | Eq. 3 knows no data sizes; its limit is 1/N each
    Mutant: smaller α, more evenly spread | as α → 0 all weight goes to one client
    Tight: equal loss changes: all weights 1/N for every α
    Rests on: EA-D7
    Verdict: The exponentials themselves tend to 1, each within |x|/(α − |x|); as weights on the simplex, which Eq.
        2 asks for, they cannot for two or more clients: they tend to 1/N. The concentration is as described: Σρᵢ²
        and the largest weight never grow with α. Note that for unequal data sizes the limit is not proportional
        aggregation.""",
    says=_tends(from_one),
    world=_LIMITS,
    readings={
        "ρ → 1, unnormalised": limits(divided=False),
        "larger α, more evenly spread": but(
            all_of(le(squares_later - rounding, squares_now), le(largest_later - rounding, largest_now)), world=spread()
        ),
        "ρ → 1/N": _tends(from_even),
    },
    mutants={
        "limit the data shares": _tends(from_shares),
        "smaller α, more evenly spread": but(
            all_of(le(squares_now - rounding, squares_later), le(largest_now - rounding, largest_later)), world=spread()
        ),
    },
)

D7 = stated(
    r"""EA-D7 (definition; (3), Sec. 3.4): Exp-α's weights
    Print: \rho_i^T\propto\exp\left(\frac{F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T
        -E})}\alpha\right),\quadT\in\mathcal I_E
    Plainly: Eq. 3 defines weights on the simplex for any losses, larger the less a client's loss fell in the round.
    Assumes: α > 0 | losses of either model finite; loss changes of either sign
    Reading: on the simplex, in order | Non-negative, of sum 1, and in the order of the loss changes.
    Reading: the rule of this package | `theory.rules.ExpAlpha` gives, client by client, 1/Σⱼ exp((xⱼ − xᵢ)/α), xᵢ
        the loss change. | ours: checks the code of this package against (3)
    Mutant: sign in the exponent reversed | then the client whose loss fell most has the largest weight
    Mutant: rule with the sign reversed | two clients with different loss changes swap their weights
    Rests on: EA-C1.1, EA-R5
    Verdict: The weights exist for all finite losses, lie on the simplex and follow the order of the loss changes:
        the client whose loss fell least weighs most, whether because it has little to learn or because it learns
        slowly (EA-R6). The definition covers T >= E only, and no steps inside a round; it has no data-size factor,
        unlike the family of Corollary 1.1. A common offset of a client's two losses drops out; the unit of the loss
        does not, so α carries it.""",
    says=_NEVER,
    world=weights(),
    readings={"the rule of this package": as_printed()},
    mutants={"sign in the exponent reversed": weights(sign=-1.0), "rule with the sign reversed": as_printed(sign=-1.0)},
)

CLAIMS: tuple[Claim, ...] = (R5, R7, D7)
