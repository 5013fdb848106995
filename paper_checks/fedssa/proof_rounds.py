"""E.2.7, (53) to (56): the descent of a round summed over the rounds and divided, and the form of Theorem A.5."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.drawn_runs import line_runs, whole_runs
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.proof_total import STEP, steps, steps_exact
from paper_checks.fedssa.settings import COROLLARY
from paper_checks.fedssa.theorem import DENOMINATOR, REPAIRED, TERMS, repaired_again
from validation import Case, Claim, Family, Instance, LogScale, Size, Space, Uniform, units
from validation.world import World, at, case, identity, le, lt, mutant, reading, step

__all__ = ["CLAIMS"]

tau, eta, L, C, A, B, W_D, T, drop, noise, square_weights, D = NOTATION.symbols(
    "tau eta L C A B W_D T drop noise square_weights D"
)
average, low, last = NOTATION.symbols("average low last")
_OVER_D = sum(term / D for term in TERMS)

S19 = step(
    "SSA-S19",
    "(55) to (56)",
    "One denominator",
    printed=r"\sum_{i=1}^5\frac{T_i}{D}=\frac1D\sum_{i=1}^5T_i,\quad D=1-C-2AC-W_D(1-C)",
    plainly="Five fractions over one denominator are one fraction.",
    assumes=["every expectation and norm a number of its own"],
    says=identity(_OVER_D.subs(D, DENOMINATOR), sum(TERMS) / DENOMINATOR),
    readings=[reading("as printed", "Both sides as polynomials.")],
    mutants=[
        mutant(
            "T₅ left out",
            identity(_OVER_D.subs(D, DENOMINATOR), sum(TERMS[:4]) / DENOMINATOR),
            "T₅ = 2BC is positive for τ > 1",
        )
    ],
    rests_on=["SSA-S18"],
    verdict="True wherever D ≠ 0.",
)


def telescoped(x: Instance) -> Mapping[str, Any]:
    """Mean of T squared gradients under (53) with equality up to a slack each round, and F_inf below all F(θᵗ)."""
    c = steps(x)
    near, scale = 1 - c["C"], c["tau"] * c["eta"]
    D = near - 2 * x["A"] * c["C"] - x["W_D"] * near
    rest = c["L"] * scale * c["eta"] * x["noise"] * x["square_weights"] + scale * x["B"] * x["W_D"] / 2
    rest = rest + scale * ((c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"] + x["B"] * c["C"]) / near
    G = x["gradients"]
    change = -(scale * D / (2 * near))[:, None] * G + rest[:, None] - x["slack"] * rest[:, None]
    fall = np.concatenate([np.zeros((len(G), 1)), -np.cumsum(change, axis=1)], axis=1).max(axis=1)
    size = G.mean(axis=1) + (np.abs(change).sum(axis=1) + rest * G.shape[1]) / (scale * np.abs(D) * G.shape[1])
    found = {"average": G.mean(axis=1), "drop": fall + x["room"] * rest, "T": np.full(len(G), float(G.shape[1]))}
    found |= {
        "W_D": x["W_D"],
        "square_weights": x["square_weights"],
        "D": D,
        "admissible": D != 0,
        "resolved": np.abs(D) > 1e-9,
    }
    return {**c, **found, "magnitude": size}


def telescoped_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Any values F_t and gradients G_t that obey (53) round by round, F_inf <= F_t for all t."""
    met, c = steps_exact(x)
    tau, eta, L, C = c["tau"], c["eta"], c["L"], c["C"]
    A, B, W_D, s2, G = x["A"], x["B"], x["W_D"], x["noise"], x["gradients"]
    rest = L * tau * eta**2 * s2 * x["square_weights"] + tau * eta * B * W_D / 2
    rest += tau * (tau - 1) * s2 * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)
    factor, F = 1 - W_D - 2 * A * C / (1 - C), [Fraction(0)]
    for g, slack in zip(G, x["slack"], strict=True):
        F.append(F[-1] - tau * eta / 2 * factor * g + rest - slack * rest)
    low = min(F) - x["room"] * rest
    met |= {
        "(53) in every round": all(F[t + 1] - F[t] <= -tau * eta / 2 * factor * G[t] + rest for t in range(len(G))),
        "F >= F_inf": all(v >= low for v in F),
        "squares": min(G) >= 0,
    }
    found = {"average": sum(G) / len(G), "drop": F[0] - low, "T": Fraction(len(G)), "D": factor * (1 - C)}
    return met, {**c, **found, "W_D": W_D, "square_weights": x["square_weights"]}


def _telescoped(rounds: float) -> Case:
    n = int(rounds)
    drawn = (
        *STEP,
        LogScale("gradients", 1e-4, 1e4, (n,), at=(1.0,)),
        LogScale("A", 1e-2, 1e1, at=(1.0,)),
        LogScale("B", 1e-4, 1e4, at=(1.0,)),
        LogScale("W_D", 1e-4, 5.0, at=(0.5,)),
        LogScale("square_weights", 1e-3, 1.0),
        Uniform("slack", 0.0, 1.0, (n,), at=(0.0, 1.0)),
        LogScale("room", 1e-6, 1.0),
    )
    how: dict[str, Any] = {"uses": (steps_exact,), "cost": max(1.0, n / 50), "symmetries": (_SCALED,)}
    return case(f"{n} rounds", Space(drawn), telescoped, telescoped_exact, **how)


_SCALED = units({**dict.fromkeys(("noise", "B", "gradients"), (2, -2)), "L": (1, -2)})
_SUMMED = World(NOTATION, (Family("rounds that obey (53)", (Size("rounds", 1, 300, 3),), _telescoped),))


def divided_again(
    tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, W_D: Any, T: Any, drop: Any, square_weights: Any
) -> Any:
    """(53) summed, over T and over the divisor τη/2·(1 − W_D − 2AC/(1 − C))."""
    rest = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
    rest = rest + (tau * (tau - 1) * noise * L**2 * eta**3 + tau * eta * B * C) / (1 - C)
    return (drop / T + rest) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))


_LINE55 = _OVER_D.subs(D, DENOMINATOR)
_POSITIVE = lt(0, D)
_NO_START = mutant(
    "starting term left out",
    le(average, _LINE55 - TERMS[0] / DENOMINATOR),
    "one round with a large gradient and a large fall",
    where=[_POSITIVE],
)

S18 = step(
    "SSA-S18",
    "(53) to (55)",
    "Telescoping and division",
    printed=r"""\mathbb E F(\theta^{(t+1,0)})-\mathbb E F(\theta^{(t,0)})\le-\tfrac{\tau\eta}2\big(1-W_D-
        \tfrac{2AC}{1-C}\big)G_t+\dots\ \forall t\ \Rightarrow\ \tfrac1T\sum_tG_t\le(55)""",
    plainly="Summing (53) over the rounds and dividing by the coefficient of the gradient gives (55).",
    assumes=["F >= F_inf", "the sign of 1 − W_D − 2AC/(1−C) is not stated"],
    says=le(average, _LINE55, again=divided_again),
    world=_SUMMED,
    readings=[
        reading("a divisor of any sign", "Nothing is said of its sign.", cuts={"denominator": "any sign"}),
        reading(
            "a positive divisor",
            "1 − C − 2AC − W_D(1−C) > 0.",
            where=[_POSITIVE],
            conditions=["1 − C − 2AC − W_D(1 − C) > 0"],
            met_by=COROLLARY,
        ),
    ],
    mutants=[_NO_START],
    tight="in the limit of equality in every round, ending at F_inf",
    rests_on=["SSA-S17", "SSA-A2"],
    repeats="SSA-E55",
    verdict="""With a positive divisor the step is exact. Where it is negative the division turns the inequality round,
        and the right side is negative while the left is a mean of squares. Nothing in the theorem keeps it positive:
        not ηL <= 1/(2τ) (SSA-S20), and not the weights, since W_D reaches 2K·2 on the simplex and 2(K − 1) for one
        target client and equal weights.""",
)


def squares(x: Instance) -> Mapping[str, Any]:
    """The smallest, the mean and the last of T expected squared gradients."""
    v = x["squares"]
    found = {"low": v.min(axis=1), "average": v.mean(axis=1), "last": v[:, -1]}
    return {**found, "T": np.full(len(v), float(v.shape[1]))}


def squares_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same."""
    v = x["squares"]
    met = {"squares": min(v) >= 0}
    return met, {"low": min(v), "average": sum(v) / len(v), "last": v[-1], "T": Fraction(len(v))}


def _squares(T: float) -> Case:
    space = Space((LogScale("squares", 1e-4, 1e4, (int(T),)),))
    return case(f"{int(T)} rounds", space, squares, squares_exact, cost=max(1.0, T / 200))


def mean_again(average: float) -> float:
    """The mean, once more."""
    return 1 * average


E54 = step(
    "SSA-E54",
    "Eq. (54), E.2.6",
    "Smallest and mean squared gradient",
    printed=r"\min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2",
    plainly="The smallest of T numbers is at most their mean.",
    assumes=["T >= 1"],
    says=le(low, average, again=mean_again),
    world=World(NOTATION, (Family("rounds", (Size("T", 1, 10_000, 5),), _squares),)),
    readings=[reading("as printed", "Any T expected squared gradients.")],
    mutants=[
        mutant(
            "the last in place of the mean times 1/T",
            le(low, last / T),
            "of equal values the last is then divided by T",
            at(squares=[1, 1, 1, 1, 1]),
        )
    ],
    tight="all equal",
    verdict="Nothing but a minimum and a mean.",
)

_KEPT = whole_runs(_POSITIVE)
_SMALL = {"small": True}
_AVERAGED = le(average, _LINE55, again=divided_again)
_OF_RUNS = """runs of the method in place of (53): the A lost in (52), which is counted at SSA-TA5, makes (53) false of
    them, and this line is judged given (53)"""
E55 = step(
    "SSA-E55",
    "Eq. (55), E.2.6",
    "Bound on the mean squared gradient",
    printed=r"""\le\frac{2(1-C)(F(\theta^{(0,0)})-F_{inf})}{\tau\eta T[D]}+\frac{(1-C)BW_D}{[D]}+
        \frac{2(1-C)L\eta\sigma^2\sum w_k^2}{[D]}+\frac{2(\tau-1)\sigma^2L^2\eta^2}{[D]}+\frac{2BC}{[D]},\quad
        D=1-C-2AC-W_D(1-C)""",
    plainly="""(53) summed over the rounds and divided by the factor of the squared gradient bounds the mean squared
        gradient.""",
    assumes=[
        "(53) as printed in every round, and F >= F_inf",
        "of runs: as in Theorem A.5, noises independent between the clients, as said below (24), w on the simplex",
    ],
    says=_AVERAGED,
    world=_SUMMED,
    readings=[
        reading(
            "from (53), D of any sign",
            "(53) summed over the rounds and divided by D.",
            cuts={"denominator": "any sign"},
            because="ηL <= 1/(2τ) and C < 1, all that is printed, leave the sign of D open",
        ),
        reading(
            "from (53), D positive",
            "The same where D > 0.",
            where=[_POSITIVE],
            conditions=["D > 0"],
            met_by=COROLLARY,
        ),
        reading(
            "D positive",
            "The smallest squared gradient of a run, which is below the mean, on the left; D > 0.",
            le(low, _LINE55, again=divided_again),
            world=line_runs(),
            where=[_POSITIVE],
            ours=_OF_RUNS,
        ),
        reading(
            "weights learned from the local models",
            "W_D and Σw² at their largest over the noise; A <= 1, D > 0.",
            le(low, _LINE55, again=divided_again),
            world=whole_runs(_POSITIVE, **_SMALL, learned=True, average=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""the largest W_D and Σw_k² over the noise; both are printed outside every expectation, where weights
                that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)""",
        ),
        reading(
            "A <= 1, D positive, w fixed",
            "Clients with different gradients and A = 1; the mean squared gradient.",
            world=whole_runs(_POSITIVE, **_SMALL),
            ours=_OF_RUNS,
        ),
        reading(
            "A·W_D in place of W_D",
            "The factor lost in (52) restored, D > 0, w fixed; the mean squared gradient.",
            le(average, REPAIRED, again=repaired_again),
            world=_KEPT,
            ours=_OF_RUNS,
        ),
    ],
    mutants=[
        _NO_START,
        mutant(
            "first term dropped from the repaired bound",
            le(average, REPAIRED.subs(drop, 0)),
            "with T = 1, no noise, w = p and τ = 1 the rest is 0 while the start has a gradient",
            world=_KEPT,
        ),
        mutant(
            "one noise for all clients, A <= 1",
            _AVERAGED,
            "the noises of ten like clients then add up before they are squared: σ² in place of σ²/10",
            world=whole_runs(_POSITIVE, **_SMALL, shared=True),
        ),
    ],
    rests_on=["SSA-E53", "SSA-E54"],
    repeats="SSA-TA5",
    verdict="""It needs D > 0, which is never said. From (53) as printed it then follows: the rounds are summed, and both
        sides divided. Where D is negative the division turns the inequality round (SSA-S18). D > 0 is missing in Theorem
        A.5, too, and is counted there (SSA-TA5). As a bound on the gradients of runs, readings of ours, it inherits the
        factor A lost in (52), which is counted at SSA-TA5 as well: with D > 0 alone it fails, with A·W_D in place of W_D
        in D, as (30), (31) and the first line of (52) print it, it holds for any A. With A <= 1 and D > 0 it holds, but
        A.4 forces A >= 1 wherever ∇F is unbounded; A = 1 asks that ⟨∇F, ∇Fₖ − ∇F⟩ is bounded for every client with pₖ > 0 (SSA-A4 has examples). At W_D = 0 nothing is lost.
        Weights that see the round's noise break it as well (SSA-E17).""",
)

_ROUND = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
_ROUND = _ROUND + tau * (tau - 1) * noise * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)
E56 = step(
    "SSA-E56",
    "Eq. (56), E.2.6",
    "The form of Theorem A.5",
    printed=r"=\frac1{1-C-2AC-W_D(1-C)}(T_1+T_2+T_3+T_4+T_5)",
    plainly="The five fractions of (55) have one denominator.",
    assumes=["any constants"],
    says=identity(_OVER_D, sum(TERMS) / D),
    readings=[
        reading("as printed", "Equal to (55), D a symbol.", part="as printed"),
        reading(
            "the terms of Theorem A.5",
            "Against (53) divided by τη(1 − W_D − 2AC/(1 − C))/2 and multiplied out.",
            identity(sum(TERMS), DENOMINATOR * (drop / T + _ROUND) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))),
            part="the terms of Theorem A.5",
        ),
    ],
    mutants=[mutant("T₅ = BC", identity(_OVER_D, (sum(TERMS) - B * C) / D), "the fifth fraction has 2BC")],
    rests_on=["SSA-E53", "SSA-E55", "SSA-TA5"],
    verdict="An identity. The terms are those of the theorem, and those that (53) gives.",
)

CLAIMS: tuple[Claim, ...] = (S19, S18, E54, E55, E56)
