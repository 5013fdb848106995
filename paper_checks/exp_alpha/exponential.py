"""Sec. 3.4: the exponential family of weights, its limits in α, and what exponents and Ωᵢ say about a client's shift."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from sympy import diff, exp

from paper_checks.exp_alpha.drawing import drawn, over, positive, ranging, signed
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from theory import RoundStats
from theory.rules import ExpAlpha
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, symbols
from validation.world import World, all_of, at, definition, identity, le, mutant, nowhere, reading, remark, twice

__all__ = ["CLAIMS", "exp_near", "exp_weights", "slack"]

missed, alpha, gap, rounding, from_one = NOTATION.symbols("missed alpha gap rounding from_one")
from_even, from_shares, squares_now = NOTATION.symbols("from_even from_shares squares_now")
squares_later, largest_now, largest_later = NOTATION.symbols("squares_later largest_now largest_later")
by_shift, by_change, by_late, by_weight, left = NOTATION.symbols("by_shift by_change by_late by_weight left")
slowest, Omega_most, now, plain_mean = NOTATION.symbols("slowest Omega_most now plain_mean")
_T, _X = symbols("alpha", positive=True), symbols("x", signed=True)


def slack() -> Fraction:
    """What the rounding of `exp_near` can never add up to, relative to the numbers of an instance."""
    return Fraction(1, 10**30)


def exp_near(x: Fraction) -> Fraction:
    """e^x for rational x <= 700 with a relative error below 10^-100, in 400-bit fixed point; 0 for x < -700.

    The denominator is a power of 2, so that sums over many clients stay short.
    """
    bits = 400
    if x < -700:
        return Fraction(0)
    if x < 0:
        inverse = exp_near(-x)
        shift = bits + inverse.numerator.bit_length()
        return Fraction((inverse.denominator << shift) // inverse.numerator, 1 << shift)
    halvings = int(x).bit_length() + 1
    reduced = (x.numerator << bits) // (x.denominator << halvings)  # x/2^halvings, below 1/2
    term = total = 1 << bits
    k = 0
    while term:
        k += 1
        term = ((term * reduced) >> bits) // k
        total += term
    for _ in range(halvings):
        total = (total * total) >> bits
    return Fraction(total, 1 << bits)


def exp_weights(scores: list[Fraction], alpha: Fraction) -> list[Fraction]:
    """Weights proportional to e^(score/alpha), their sum exactly 1, each with a relative error below 10^-99."""
    top = max(scores)
    raw = [exp_near((s - top) / alpha) for s in scores]
    total = sum(raw)
    return [r / total for r in raw]


def softmax(x: Instance, temperature: Any, sign: float = 1.0) -> Any:
    """Exp-α's weights at the temperatures given, from the instances' loss changes."""
    scores = sign * x["change"] / temperature[:, None]
    raw = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def _world(name: str, observe: Any, plain: Any, **chosen: Any) -> World:
    def at(N: int) -> Case:
        of: Coordinates = (Signed("change", 1e-3, 1e2, (N,)), positive("size", N))
        of += (LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0, 125.0)),)
        told: dict[str, Any] = {"cost": max(1.0, N / 40), **chosen}
        stretch = LogScale("stretch", 1e-3, 1e4, at=(1.0,))
        return drawn(f"{N} clients, {name}", (*of, stretch), observe, plain, **told)

    return ranging(name, at, N=(2, 300, 3))


def defined(x: Instance, *, sign: float) -> Seen:
    """By how much the weights miss the simplex or the order of the loss changes; `sign` in the exponent."""
    a = softmax(x, x["alpha"], sign)
    ranked = np.take_along_axis(a, np.argsort(x["change"], axis=1, kind="stable"), axis=1)
    missed = [np.abs(a.sum(axis=1) - 1), -a.min(axis=1), -np.diff(ranked, axis=1).min(axis=1)]
    return {"missed": np.max(missed, axis=0), "sizes": {"missed": np.full(len(a), 1e3)}}


def defined_exact(x: Seen, *, sign: float) -> Plain:
    """By how much the weights miss sum 1, sign >= 0, or the order of the loss changes."""
    a = exp_weights([int(sign) * c for c in x["change"]], x["alpha"])
    ranked = [w for _, w in sorted(zip(x["change"], a, strict=True))]
    falls = max(ranked[k] - ranked[k + 1] for k in range(len(ranked) - 1))
    missed = max(abs(sum(a, Fraction(0)) - 1), -min(a), falls) - slack()
    return {"alpha > 0": x["alpha"] > 0}, {"missed": missed}


def weights(*, sign: float = 1.0) -> World:
    """The weights of Eq. 3."""
    return _world("weights", defined, defined_exact, sign=sign)


def rule(x: Instance, *, sign: float) -> Seen:
    """(rule of `theory` − Eq. 3)², largest client; the formula client by client, the rule at loss_before = 0."""
    scores = x["change"] / x["alpha"][:, None]
    # Client by client: all pairs of all instances at once are hundreds of megabytes.
    totals = [np.exp(np.minimum(scores - own[:, None], 700.0)).sum(axis=1) for own in scores.T]
    printed = 1 / np.stack(totals, axis=1)
    stats = RoundStats(
        share=x["size"] / x["size"].sum(axis=1, keepdims=True),
        present=np.ones_like(scores, dtype=bool),
        loss_before=np.zeros_like(scores),
        loss_after=sign * scores,  # in units of α, so that one rule serves all instances
    )
    gap = ((ExpAlpha(alpha=1.0)(stats) - printed) ** 2).max(axis=1)
    return {"missed": gap, "sizes": {"missed": np.full(len(gap), 1e-10)}}


def rule_exact(x: Seen, *, sign: float) -> Plain:
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


def limit(x: Instance, *, divided: bool) -> Seen:
    """How far weights are from 1, 1/N and the data shares at α = (1 + stretch)·gap, gap the range of the changes.

    Not `divided` by their sum: the exponentials, and gap the largest change.
    """
    most = x["change"].max(axis=1) - x["change"].min(axis=1) if divided else np.abs(x["change"]).max(axis=1)
    alpha, share = most * (1 + x["stretch"]), x["size"] / x["size"].sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        a = softmax(x, alpha) if divided else np.exp(x["change"] / alpha[:, None])
    found = {"from_one": np.abs(a - 1).max(axis=1), "from_even": np.abs(a - 1 / a.shape[1]).max(axis=1)}
    found |= {"from_shares": np.abs(a - share).max(axis=1)}
    return {**found, "alpha": alpha, "gap": most, "admissible": most > 0}


def limit_exact(x: Seen, *, divided: bool) -> Plain:
    """The same; distances less what rounding of the exponentials may add."""
    gap = max(x["change"]) - min(x["change"]) if divided else max(abs(c) for c in x["change"])
    alpha, total = gap * (1 + x["stretch"]), sum(x["size"])
    a = exp_weights(x["change"], alpha) if divided else [exp_near(c / alpha) for c in x["change"]]
    found = {
        "from_one": max(abs(v - 1) for v in a) - slack(),
        "from_even": max(abs(v - Fraction(1, len(a))) for v in a) - slack(),
        "from_shares": max(abs(v - s / total) for v, s in zip(a, x["size"], strict=True)) - slack(),
    }
    return {"alpha > 0": alpha > 0}, {**found, "alpha": alpha, "gap": gap}


def limits(*, divided: bool = True) -> World:
    """α beyond the loss changes, and what weights, or the exponentials alone, tend to as it grows."""
    return _world("weights" if divided else "exponentials", limit, limit_exact, divided=divided)


def spreading(x: Instance) -> Seen:
    """Σρᵢ² and the largest ρᵢ at α, and at (1 + stretch)α (`…_later`)."""
    before, after = softmax(x, x["alpha"]), softmax(x, x["alpha"] * (1 + x["stretch"]))
    found = {"squares_now": (before**2).sum(axis=1), "squares_later": (after**2).sum(axis=1)}
    found |= {"largest_now": before.max(axis=1), "largest_later": after.max(axis=1)}
    return {**found, "rounding": np.full(len(before), float(slack()))}


def spreading_exact(x: Seen) -> Plain:
    """The sum of squared weights and the largest weight at alpha and (1 + stretch) alpha."""
    before, after = (exp_weights(x["change"], x["alpha"] * s) for s in (1, 1 + x["stretch"]))
    met = {"alpha > 0, stretch > 0": x["alpha"] > 0 and x["stretch"] > 0}
    found = {"squares_now": sum((b * b for b in before), Fraction(0))}
    found |= {"squares_later": sum((a * a for a in after), Fraction(0)), "largest_now": max(before)}
    return met, {**found, "largest_later": max(after), "rounding": slack()}


def spread() -> World:
    """α and a larger α."""
    return _world("α and a larger α", spreading, spreading_exact)


_NEVER = le(missed, 0)


def two_arguments(x: Instance) -> Seen:
    """By how much 𝒰(x) = e^{x/α} is negative or falls between `low` and `low` + `rise`, in units of the larger."""
    signed = x.get("sign", 1.0)
    first, second = signed * x["low"] / x["alpha"], signed * (x["low"] + x["rise"]) / x["alpha"]
    top = np.maximum(first, second)
    u, v = np.exp(first - top), np.exp(second - top)
    return {"missed": np.maximum(-np.minimum(u, v), u - v)}


def two_arguments_exact(x: Seen) -> Plain:
    """U(x) = e^(x/alpha): by how much U < 0 or U(low) > U(low + rise), in units of the larger of the two."""
    signed = x.get("sign", Fraction(1))
    first, second = signed * x["low"] / x["alpha"], signed * (x["low"] + x["rise"]) / x["alpha"]
    u, v = exp_near(first - max(first, second)), exp_near(second - max(first, second))
    met = {"|alpha| > 0": x["alpha"] > 0, "rise >= 0": x["rise"] >= 0}
    return met, {"missed": max(-min(u, v), u - v) - slack()}


def _arguments(*sign: Choice) -> World:
    of = (positive("alpha", decades=3, at=(0.2, 1.0)), signed("low", decades=3), positive("rise", decades=3, at=()))
    told: dict[str, Any] = {"scaled": {"low": (1, 0)}}
    return over(
        drawn("α of either sign" if sign else "α > 0", (*of, *sign), two_arguments, two_arguments_exact, **told)
    )


R5 = remark(
    "EA-R5",
    "Sec. 3.4",
    "Exponentials are admissible",
    printed=r"\mathcal U(x)=e^{x/\alpha},\ \alpha>0:\quad\mathcal U\ge0\text{ and non-decreasing}",
    plainly="The function e^{x/α} is non-negative and non-decreasing, as Corollary 1.1 asks of 𝒰.",
    assumes=["α > 0, as for a temperature"],
    says=identity(exp(_X / _T), exp(_X / (2 * _T)) ** 2),
    readings=[
        reading("a square", "𝒰(x) = 𝒰(x/2)², so that 𝒰 >= 0.", part="𝒰 >= 0"),
        reading(
            "derivative",
            "𝒰' = 𝒰/α, which is at least 0 with 𝒰 >= 0 and α > 0.",
            identity(diff(exp(_X / _T), _X), exp(_X / _T) / _T),
            part="non-decreasing",
        ),
    ],
    mutants=[
        mutant(
            "α of either sign, at two points",
            _NEVER,
            "for α < 0 the function falls: e^{−1} < e^0",
            world=_arguments(Choice("sign", (1.0, -1.0))),
        )
    ],
    verdict="""True for every α > 0, the only sensible range of a temperature, though Eq. 3 does not print it. For such
        α the weights are even positive, so that unlike other admissible 𝒰 they are always defined (EA-ALG2).""",
)

_LIMITS = limits()


def _tends(away: Any) -> Any:
    return le(away, gap / (alpha - gap), again=lambda alpha, gap: 1 / (alpha / gap - 1))


R7 = remark(
    "EA-R7",
    "Sec. 3.4, after (3)",
    "Limits in α",
    printed=r"""\alpha\to\infty:\ \rho_t\to1;\qquad\text{small }\alpha\text{ concentrates }\rho_i^t,\ \text{large }
        \alpha\text{ makes the weights more evenly spread}""",
    plainly="A larger α spreads Exp-α's weights more evenly; as α grows without limit they all become equal, «ρₜ → 1».",
    assumes=["α > 0", "loss changes fixed as α varies"],
    says=_tends(from_one),
    world=_LIMITS,
    open={
        "weights": twice("""Eq. 2 asks Σρ_i = 1; Algorithm 1 prints the exponentials before they are divided, of which
            alone «ρ_t → 1» makes sense for two clients or more""")
    },
    readings=[
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
            options={"weights": "of sum one"},
        ),
        reading(
            "larger α, more evenly spread",
            "Neither Σρᵢ² nor the largest weight grows with α.",
            all_of(le(squares_later - rounding, squares_now), le(largest_later - rounding, largest_now)),
            world=spread(),
            part="the spread",
        ),
        reading(
            "ρ → 1/N",
            "Normalised weights within gap/(α − gap) of equal ones, gap their range.",
            _tends(from_even),
            part="the limit",
            options={"weights": "of sum one"},
            edits=["1/N in place of 1"],
            token=True,
            forced_by="Eq. 2: the weights sum to one",
        ),
    ],
    mutants=[
        mutant("limit the data shares", _tends(from_shares), "Eq. 3 knows no data sizes; its limit is 1/N each"),
        mutant(
            "smaller α, more evenly spread",
            all_of(le(squares_now - rounding, squares_later), le(largest_now - rounding, largest_later)),
            "as α → 0 all weight goes to one client",
            world=spread(),
        ),
    ],
    tight=[
        "equal loss changes: all weights 1/N for every α",
        at("2 clients, α and a larger α", change=[1, 1], size=[1, 1], alpha=1, stretch=1),
    ],
    rests_on=["EA-D7"],
    verdict="""The exponentials themselves tend to 1, each within |x|/(α − |x|), a rate of ours by which the limit is
        tested; as weights on the simplex, which Eq. 2 asks for, they cannot for two or more clients: some weight is at
        most 1/N for every α, and all tend to 1/N. The concentration is as described: Σρᵢ² and the
        largest weight never grow with α. For unequal data sizes the limit is not proportional.""",
)

D7 = definition(
    "EA-D7",
    "(3), Sec. 3.4",
    "Exp-α's weights",
    printed=r"""\rho_i^T\propto\exp\left(\frac{F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})}\alpha\right),\quad
        T\in\mathcal I_E""",
    plainly="Eq. 3 defines weights on the simplex for any losses, larger the less a client's loss fell in the round.",
    assumes=["α > 0", "losses of either model finite; loss changes of either sign"],
    says=_NEVER,
    world=weights(),
    readings=[
        reading("on the simplex, in order", "Non-negative, of sum 1, and in the order of the loss changes."),
        reading(
            "the rule of this package",
            "`theory.rules.ExpAlpha` gives, client by client, 1/Σⱼ exp((xⱼ − xᵢ)/α), xᵢ the loss change.",
            world=as_printed(),
            ours="checks the code of this package against (3)",
        ),
    ],
    mutants=[
        mutant(
            "sign in the exponent reversed",
            None,
            "then the client whose loss fell most has the largest weight",
            world=weights(sign=-1.0),
        ),
        mutant(
            "rule with the sign reversed",
            None,
            "two clients with different loss changes swap their weights",
            world=as_printed(sign=-1.0),
        ),
    ],
    rests_on=["EA-C1.1", "EA-R5"],
    verdict="""The weights exist for all finite losses, lie on the simplex and follow the order of the loss changes: the
        client whose loss fell least weighs most, whether because it has little to learn or because it learns slowly
        (EA-R6). The definition covers T >= E only, and no steps inside a round; it has no data-size factor, unlike the
        family of Corollary 1.1. An offset of a client's losses drops out; their unit does not, so α carries it.""",
)


def _facts(x: Instance, E: int, alike: bool, one_moved: bool, met: bool) -> dict[str, Any]:
    h = np.broadcast_to(x["curvature"][:, :1], x["optimum"].shape) if alike else x["curvature"]
    m = x["optimum"].copy()
    if one_moved:
        m[:, :-1] = 0.0
    start = x["progress"] * m.mean(axis=1) if met else x["start"]
    keep = 1 - (x["step"] / h.max(axis=1))[:, None] * h
    before = 0.5 * h * (start[:, None] - m) ** 2
    mean = (x["weights"] * (m + keep ** (E - 1) * (start[:, None] - m))).sum(axis=1)
    found = {"h": h, "m": m, "before": before, "after": keep ** (2 * E) * before}
    found |= {"late": 0.5 * h * (mean[:, None] - m) ** 2}
    return {**found, "slowest": (1 - x["step"] * h.min(axis=1) / h.max(axis=1)) ** (2 * E)}


def facts_exact(x: Seen, E: int, alike: bool, one_moved: bool, met: bool) -> tuple[Any, Any]:
    """One round of E steps, step size step/L, of clients h/2 (w - m)^2 from `start`, no noise; excess losses."""
    n = len(x["optimum"])
    h = [x["curvature"][0] for _ in range(n)] if alike else x["curvature"]
    m = [Fraction(0) for _ in range(n - 1)] + [x["optimum"][-1]] if one_moved else x["optimum"]
    start = x["progress"] * sum(m) / n if met else x["start"]
    eta, paths = x["step"] / max(h), [[start] for _ in range(n)]
    for i in range(n):
        for _ in range(E):
            paths[i].append(paths[i][-1] - eta * h[i] * (paths[i][-1] - m[i]))
    mean = sum(x["weights"][i] * paths[i][-2] for i in range(n))
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "0 < eta L <= 1": 0 < x["step"] <= 1,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
        "alpha > 0": x["alpha"] > 0,
    }
    found = {"h": h, "m": m, "before": [h[i] * (start - m[i]) ** 2 / 2 for i in range(n)]}
    found |= {"after": [h[i] * (paths[i][-1] - m[i]) ** 2 / 2 for i in range(n)]}
    found |= {"late": [h[i] * (mean - m[i]) ** 2 / 2 for i in range(n)], "slowest": (1 - eta * min(h)) ** (2 * E)}
    return hypotheses, found


def _out_of_order(larger: Any, smaller: Any) -> Any:
    """max over pairs of min(aᵢ − aⱼ, bᵢ − bⱼ): > 0 where the larger a has the larger b too."""
    first, second = larger[:, :, None] - larger[:, None, :], smaller[:, :, None] - smaller[:, None, :]
    return np.minimum(first, second).max(axis=(1, 2))


def misordered(larger: list[Fraction], smaller: list[Fraction]) -> Fraction:
    """The largest min(a_i - a_j, b_i - b_j) over pairs: positive where a larger a comes with a larger b."""
    n = range(len(larger))
    return max(min(larger[i] - larger[j], smaller[i] - smaller[j]) for i in n for j in n)


def orders(x: Instance, *, E: int, alike: bool, one_moved: bool, met: bool, sized: bool) -> Seen:
    """By how much orders of clients are missed, and what a round leaves of the largest Ωᵢ.

    `by_shift`: the one farther off has the larger Ωᵢ. `by_change`, `by_late`: the larger Ωᵢ at W^{T−E}, at W̄^{T−1}, the
    smaller exponent. `by_weight`: the smaller weight of Corollary 1.1, 𝒰(y) = α/(α − y); `sized`: any data sizes.
    `alike`: one curvature; `one_moved`: all optima at 0 but the last; `met`: a start on the way from 0 to the mean.
    """
    f = _facts(x, E, alike, one_moved, met)
    before, change = f["before"], f["after"] - f["before"]
    factor = x["weights"] * x["weights"].shape[1] if sized else np.ones_like(x["weights"])
    raw = factor / (1 + factor * before / x["alpha"][:, None])
    weights = raw / raw.sum(axis=1, keepdims=True)
    missed = {  # in squared lengths, times the largest curvature
        "by_shift": _out_of_order(f["h"].max(axis=1, keepdims=True) * f["m"] ** 2, -before),
        "by_change": _out_of_order(before, change),
        "by_late": _out_of_order(f["late"], change),
        "by_weight": _out_of_order(before, weights * before.max(axis=1, keepdims=True)),
    }
    return {**missed, "left": f["after"].max(axis=1), "slowest": f["slowest"], "Omega_most": before.max(axis=1)}


def orders_exact(x: Seen, *, E: int, alike: bool, one_moved: bool, met: bool, sized: bool) -> Plain:
    """The same, pair by pair."""
    hypotheses, f = facts_exact(x, E, alike, one_moved, met)
    before, n = f["before"], range(len(f["before"]))
    change = [a - b for a, b in zip(f["after"], before, strict=True)]
    factor = [x["weights"][i] * len(before) if sized else Fraction(1) for i in n]
    raw = [factor[i] / (1 + factor[i] * before[i] / x["alpha"]) for i in n]
    largest = max(before) / sum(raw)
    found = {"by_shift": misordered([max(f["h"]) * v * v for v in f["m"]], [-b for b in before])}
    found |= {"by_change": misordered(before, change), "by_late": misordered(f["late"], change)}
    found |= {"by_weight": misordered(before, [r * largest for r in raw])}
    found |= {"left": max(abs(c + b) for c, b in zip(change, before, strict=True)), "slowest": f["slowest"]}
    return hypotheses, {**found, "Omega_most": max(before)}


def weighed(x: Instance, *, E: int, alike: bool, reverse: bool) -> Seen:
    """ΣρᵢΩᵢ with Exp-α's weights and the mean of the Ωᵢ, both at W^{T−E}; `reverse`: the exponent's sign turned."""
    f = _facts(x, E, alike, False, False)
    scores = (-1.0 if reverse else 1.0) * (f["after"] - f["before"]) / x["alpha"][:, None]
    raw = np.exp(np.maximum(scores - scores.max(axis=1, keepdims=True), -700.0))
    return {"now": (raw * f["before"]).sum(axis=1) / raw.sum(axis=1), "plain_mean": f["before"].mean(axis=1)}


def weighed_exact(x: Seen, *, E: int, alike: bool, reverse: bool) -> Plain:
    """sum rho_i Omega_i at W^(T-E), rho of Exp-alpha, less its rounding, and the plain mean of the Omega_i."""
    hypotheses, f = facts_exact(x, E, alike, False, False)
    sign = -1 if reverse else 1
    a = exp_weights([sign * (u - v) for u, v in zip(f["after"], f["before"], strict=True)], x["alpha"])
    now = sum(w * b for w, b in zip(a, f["before"], strict=True)) - slack() * max(f["before"])
    return hypotheses, {"now": now, "plain_mean": sum(f["before"]) / len(f["before"])}


def one_round(*, exp_weights: bool = False, reverse: bool = False, alike: bool = False, **chosen: bool) -> World:
    """Up to 60 clients h/2(w − m)², up to 300 local steps of size `step`/L, equal shares; see `orders` and `weighed`."""
    free = {**dict.fromkeys(("one_moved", "met", "sized"), False), **chosen}
    told: dict[str, Any] = {"observe": orders, "plain": orders_exact, **free}
    if exp_weights:
        told = {"observe": weighed, "plain": weighed_exact, "reverse": reverse}

    def at(N: int, E: int) -> Case:
        of: Coordinates = (positive("curvature", 1 if alike else N), signed("optimum", N), signed("start"))
        of += (LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)), Simplex("weights", N))
        of += (LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0)), LogScale("progress", 1e-3, 1.0))
        permuted, cost = not (alike or free["one_moved"]), max(1.0, N / 8)
        return drawn(f"{N} clients, E = {E}", of, permuted=permuted, cost=cost, E=E, alike=alike, **told)

    return ranging("one round", at, N=(2, 60, 3), E=(1, 300, 5))


_ANY, _ALIKE = one_round(), one_round(alike=True)
_SHIFT, _CHANGE, _WEIGHT = le(by_shift, 0), le(by_change, 0), le(by_weight, 0)

R4 = remark(
    "EA-R4",
    "Sec. 3.3, after Corollary 1.1",
    "More shifted clients have larger Ωᵢ and less weight",
    printed=r"""\text{more severe shift}\ \Rightarrow\ \Omega_i^t=F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*)
        \text{ larger}\ \Rightarrow\ \rho_i^{t+1}\text{ smaller}""",
    plainly="A more severely shifted client has a larger excess loss at the virtual model, and so gets less weight.",
    assumes=[
        "where shift is a distance: that of the client's minimiser from 0",
        "quadratic clients on the line, equal data sizes",
    ],
    says=_SHIFT,
    world=_ANY,
    open={
        "shift": nowhere("""«more severe distribution shift» of a client is not defined: how far its optimum lies, or
            its excess loss Ω_i itself""")
    },
    readings=[
        reading(
            "shift by distance, any model, any curvatures",
            "Of two clients the one shifted further has the larger Ωᵢ at W̄ᵗ, wherever the run is.",
            options={"shift": "distance of its optimum"},
        ),
        reading(
            "any model, one curvature",
            "The same when clients differ in their minimisers only.",
            world=_ALIKE,
            options={"shift": "distance of its optimum"},
            conditions=["one curvature"],
        ),
        reading(
            "larger Ωᵢ at W^{T−E}, smaller weight (3)",
            "Exp-α's exponents in the opposite order of the excess losses, any curvatures.",
            _CHANGE,
            ours="the sentence is about the weights of Corollary 1.1; those of (3) are judged at EA-R6",
        ),
        reading(
            "larger Ωᵢ, smaller weight of Corollary 1.1",
            "The shift measured by Ωᵢ itself; equal data sizes, 𝒰(y) = α/(α − y).",
            _WEIGHT,
            options={"shift": "Ω_i itself"},
        ),
        reading(
            "one shifted client, run from the others' minimiser",
            "Equal curvatures, proportional weights, W̄ᵗ on the way from the common minimiser to W*.",
            world=one_round(alike=True, one_moved=True, met=True),
            options={"shift": "distance of its optimum"},
            conditions=["one shifted client", "one curvature", "a run from the others' minimiser"],
        ),
    ],
    mutants=[
        mutant(
            "one shifted client, other curvatures",
            None,
            "a flat shifted client loses less than a steep one at 0",
            world=one_round(one_moved=True, met=True),
        ),
        mutant(
            "one shifted client, any start",
            None,
            "a run from the shifted client's minimiser begins with its excess loss 0",
            world=one_round(alike=True, one_moved=True),
        ),
        mutant(
            "weights of Corollary 1.1, unequal sizes",
            _WEIGHT,
            "a large client has a large weight at any moderate excess loss",
            world=one_round(sized=True),
        ),
    ],
    tight="two clients, one shifted, at W*: equal excess losses",
    rests_on=["EA-C1.1", "EA-D7"],
    verdict="""Ωᵢ measures how far the current model is from what the client wants, not how far the client is from the
        others. If one client alone is moved, all curvatures agree, and the run comes from the others' minimiser, it
        does have the largest Ωᵢ throughout. But near its own minimiser, after rounds that favoured it, or with several
        shifted clients, a far client may have the smaller Ωᵢ; and a flat one has a small Ωᵢ at any distance. The second
        half is true by construction for the weights of Corollary 1.1 with equal sizes, if «shifted» means a large Ωᵢ.
        For Exp-α itself it needs equal curvatures: a slowly learning client loses little in a round however large its
        Ωᵢ. How shift is to be measured, and at which model, the paper leaves to intuition.""",
)

_MEAN, _SHRUNK = le(now, plain_mean), le(left, slowest * Omega_most)
_WEIGHED, _WEIGHED_ALIKE = one_round(exp_weights=True), one_round(exp_weights=True, alike=True)

R6 = remark(
    "EA-R6",
    "Sec. 3.4, (3)",
    "Loss change of a round in place of −Ωᵢ",
    printed=r"""F_i(\mathbf W_i^T)-F_i(\bar{\mathbf W}^{T-E})\ \approx\ F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^{T-1})=-
        \Omega_i^{T-1}""",
    plainly="The loss change of a round can stand for −Ωᵢ: it orders the clients alike and makes Exp-α lower ΣρᵢΩᵢ.",
    assumes=["quadratic clients on the line, no noise, equal data sizes", "a round of E steps with ηL <= 1"],
    says=_CHANGE,
    world=_ANY,
    open={
        "stands_for": nowhere("""«≈» in Sec. 3.4: alike in order, alike in what the weights achieve, or up to what many
            local steps leave""")
    },
    readings=[
        reading(
            "same order as −Ωᵢ at W^{T−E}",
            "Of two clients the one with the larger Ωᵢ at the broadcast model has the smaller exponent.",
            options={"stands_for": "same order at W^{T−E}"},
        ),
        reading(
            "same order as −Ωᵢ at W̄^{T−1}, one curvature",
            "The model that Corollary 1.1 asks for, one step before the synchronisation, any weights inside the round.",
            le(by_late, 0),
            world=_ALIKE,
            options={"stands_for": "same order at W̄^{T−1}"},
        ),
        reading(
            "ΣρᵢΩᵢ at most the mean",
            "Exp-α's weights in place of Corollary 1.1's, at the broadcast model.",
            _MEAN,
            world=_WEIGHED,
            options={"stands_for": "lowers ΣρᵢΩᵢ as Corollary 1.1 does"},
        ),
        reading(
            "many local steps",
            "The loss change is −Ωᵢ at the broadcast model up to (1 − ημ)^{2E} of the largest Ωᵢ.",
            _SHRUNK,
            options={"stands_for": "up to what many local steps leave"},
        ),
        reading(
            "same order at W^{T−E}, one curvature",
            "Clients that differ in their minimisers only.",
            world=_ALIKE,
            options={"stands_for": "same order at W^{T−E}"},
            conditions=["one curvature"],
        ),
        reading(
            "ΣρᵢΩᵢ at most the mean, one curvature",
            "Clients that differ in their minimisers only.",
            _MEAN,
            world=_WEIGHED_ALIKE,
            options={"stands_for": "lowers ΣρᵢΩᵢ as Corollary 1.1 does"},
            conditions=["one curvature"],
        ),
    ],
    mutants=[
        mutant(
            "exponent reversed",
            _MEAN,
            "weights that grow with Ωᵢ give more than the mean",
            world=one_round(exp_weights=True, alike=True, reverse=True),
        ),
        mutant(
            "(1 − ημ)^{4E}",
            le(left, slowest**2 * Omega_most),
            "a client of curvature μ keeps exactly (1 − ημ)^{2E} of its excess loss",
        ),
    ],
    tight="(1 − ημ)^{2E} is attained by a client of curvature μ",
    rests_on=["EA-C1.1", "EA-D7"],
    verdict="""The loss change of a round is (1 − (1 − ηhᵢ)^{2E})Ωᵢ downwards: it mixes Ωᵢ with how fast the client
        learns. For equal curvatures it orders clients exactly as Ωᵢ at the broadcast model does, and Exp-α then gives
        ΣρᵢΩᵢ no larger than the mean; with many local steps it tends to −Ωᵢ itself. For other curvatures neither is so:
        a flat client with a large Ωᵢ hardly moves and gets the largest weight, so that ΣρᵢΩᵢ can exceed the mean. And
        the order at W̄^{T−1}, which the corollary uses, may differ from that at W^{T−E} even for equal curvatures. The
        paper calls it an approximation and does not say which of this it needs.""",
)

CLAIMS = (R5, R7, D7, R4, R6)
