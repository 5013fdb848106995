"""SSA-E54 to SSA-E56: the descents of all rounds averaged, and the form of Theorem A.5."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedssa.equation import asked, equation, proved, same
from paper_checks.fedssa.theorem_line import line_runs
from paper_checks.fedssa.theorem_runs import theorem_runs
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    LogScale,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

tau, eta, L, sigma2, C, A, B, G, W_D, S = symbols("tau eta L sigma2 C A B G W_D S")
NG, W1, N4, T, drop, noise, square_weights, D = symbols("NG W1 N4 T drop noise square_weights D")
_REST = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
_REST = _REST + tau * (tau - 1) * noise * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)


def _rounds(x: Instance) -> Mapping[str, Any]:
    squares = x["squares"]
    return {
        "lhs": squares.min(axis=1),
        "mean": squares.mean(axis=1),
        "last": squares[:, -1],
        "T": 0 * squares[:, 0] + squares.shape[1],
    }


def rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The smallest, the mean and the last of T expected squared gradients."""
    v = x["squares"]
    found = {"lhs": min(v), "mean": sum(v) / len(v), "last": v[-1], "T": Fraction(len(v))}
    return {"squares": min(v) >= 0}, found


def _rounds_case(T: float) -> Case:
    space = Space((LogScale("squares", 1e-4, 1e4, (int(T),)),))
    return Case(f"{int(T)} rounds", space, _rounds, ExactCheck(rounds_exact), cost=max(1.0, T / 200))


_ROUNDS = (Family("rounds", (Size("T", 1, 10_000, 5),), _rounds_case),)
mean, last = symbols("mean last")


def mean_again(mean: float) -> float:
    """The mean, once more."""
    return 1 * mean


E54 = equation(
    54,
    "Eq. (54), E.2.6",
    "Smallest and mean squared gradient",
    r"\min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2",
    "The smallest of T numbers is at most their mean.",
    (
        asked(
            "as printed",
            "Any T expected squared gradients.",
            Inequality(Bound(1 * mean, again=mean_again, degrees={"mean": (2, -2)}), _ROUNDS, degrees=(2, -2)),
        ),
    ),
    (
        Canary(
            "the last in place of the mean times 1/T",
            Inequality(Bound(last / T), _ROUNDS),
            "for T = 2 equal values the last is halved",
        ),
    ),
    "Nothing but a minimum and a mean.",
    (),
    ("T >= 1",),
    tight="all equal",
)

_BRACKET = 1 - C - 2 * A * C - W_D * (1 - C)
_FIVE = (
    2 * (1 - C) * drop / (tau * eta * T * D)
    + (1 - C) * B * W_D / D
    + 2 * (1 - C) * L * eta * noise * square_weights / D
    + 2 * (tau - 1) * noise * L**2 * eta**2 / D
    + 2 * B * C / D
)


def five_again(
    drop: float,
    tau: float,
    eta: float,
    T: float,
    B: float,
    W_D: float,
    L: float,
    noise: float,
    square_weights: float,
    C: float,
    A: float,
) -> float:
    """The right side of (55) once more: (53) divided by the factor of the squared gradient."""
    factor = tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C))
    rest = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
    rest = rest + tau * eta * ((tau - 1) * noise * (L * eta) ** 2 + B * C) / (1 - C)
    return (drop / T + rest) / factor


def kept_again(
    drop: float,
    tau: float,
    eta: float,
    T: float,
    B: float,
    W_D: float,
    L: float,
    noise: float,
    square_weights: float,
    C: float,
    A: float,
) -> float:
    """The repaired right side once more."""
    rest = drop / T / (tau * eta / 2) + 2 * L * eta * noise * square_weights + B * W_D
    rest = rest + 2 * ((tau - 1) * noise * (L * eta) ** 2 + B * C) / (1 - C)
    return rest / (1 - A * W_D - 2 * A * C / (1 - C))


def _printed(again: bool, *cases: Case | Family) -> Inequality:
    """The printed right side on these runs."""
    return Inequality(Bound(_FIVE.subs(D, _BRACKET), again=five_again if again else None), cases)


_KEPT = _FIVE.subs(D, 1 - C - 2 * A * C - A * W_D * (1 - C))
E55 = equation(
    55,
    "Eq. (55), E.2.6",
    "Bound on the mean squared gradient",
    r"\le\frac{2(1-C)(F(\theta^{(0,0)})-F_{inf})}{\tau\eta T[D]}+\frac{(1-C)BW_D}{[D]}+\frac{2(1-C)L\eta\sigma^2\sum w_k^2}{[D]}"
    r"+\frac{2(\tau-1)\sigma^2L^2\eta^2}{[D]}+\frac{2BC}{[D]},\quad D=1-C-2AC-W_D(1-C)",
    "(53) summed over the rounds and divided by the factor of the squared gradient bounds the mean squared gradient.",
    (
        asked(
            "D of any sign",
            "The smallest squared gradient, which is below the mean, on the left; dividing by D needs D > 0.",
            _printed(True, *line_runs(any_denominator=True)),
        ),
        asked(
            "D positive",
            "Only instances with D > 0.",
            _printed(False, *line_runs(any_denominator=False)),
        ),
        asked(
            "weights learned from the local models",
            "Ours: W_D and Σw² at their largest over the noise; A <= 1, D > 0.",
            _printed(False, *theorem_runs(small=True, learned=True, average=False)),
        ),
        asked(
            "A <= 1, D positive, w fixed",
            "Clients with different gradients and A = 1; the mean squared gradient.",
            _printed(False, *theorem_runs(small=True)),
            "condition",
        ),
        asked(
            "A·W_D in place of W_D",
            "The factor lost in (52) restored, D > 0, w fixed; the mean squared gradient.",
            Inequality(Bound(_KEPT, again=kept_again), theorem_runs()),
            "edit",
        ),
    ),
    (
        Canary(
            "first term dropped from the repaired bound",
            Inequality(Bound(_KEPT.subs(drop, 0)), theorem_runs()),
            "with T = 1, no noise, w = p and τ = 1 the rest is 0 while the start has a gradient",
        ),
        Canary(
            "one noise for all clients, A <= 1",
            _printed(False, *theorem_runs(small=True, shared=True)),
            "the noises of ten like clients then add up before they are squared: σ² in place of σ²/10",
        ),
    ),
    "Refuted as printed: as a bound on the gradients it inherits the factor A lost in (52); with A·W_D in place "
    "of W_D in D it holds for any A where D > 0. (30), (31) and the first line of (52) print 1 − A·W_D. From (53) "
    "as printed it does follow by telescoping where D > 0, which is never said (SSA-S18). With A <= 1 and D > 0 "
    "it holds as printed, but A.4 forces A >= 1 wherever ∇F is unbounded, and A > 1 for clients that really "
    "differ. At W_D = 0 nothing is lost. Weights that see the round's noise, a reading of ours, break it as well "
    "(SSA-E17). The loss is counted once, at SSA-TA5.",
    ("E53", "E54"),
    ("as in Theorem A.5", "noises independent between the clients, as said below (24)", "w on the simplex"),
)

_BRACED = (
    2 * (1 - C) * drop / (tau * eta * T)
    + (1 - C) * B * W_D
    + 2 * (1 - C) * L * eta * noise * square_weights
    + 2 * (tau - 1) * noise * L**2 * eta**2
    + 2 * B * C
)
E56 = equation(
    56,
    "Eq. (56), E.2.6",
    "The form of Theorem A.5",
    r"=\frac1{1-C-2AC-W_D(1-C)}(T_1+T_2+T_3+T_4+T_5)",
    "The five fractions of (55) have one denominator.",
    (
        *same(_FIVE, _BRACED / D, "Equal to (55), D a symbol."),
        asked(
            "the terms of Theorem A.5",
            "Against (53) divided by τη(1 − W_D − 2AC/(1 − C))/2 and multiplied out.",
            Identity(
                _BRACED,
                _BRACKET * (drop / T + _REST) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C))),
            ),
        ),
    ),
    (
        proved(
            "T₅ = BC",
            "the fifth fraction has 2BC",
            _FIVE,
            (_BRACED - B * C) / D,
        ),
    ),
    "An identity. The terms are those of the theorem, and those that (53) gives.",
    ("E53", "E55", "TA5"),
    ("any constants",),
)

CLAIMS: tuple[Claim, ...] = (E54, E55, E56)
