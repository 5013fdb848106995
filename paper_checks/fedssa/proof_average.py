"""SSA-E54 to SSA-E56: the descents of all rounds averaged, and the form of Theorem A.5."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedssa.theorem_line import line_runs
from paper_checks.fedssa.theorem_runs import theorem_runs
from validation import (
    Bound,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Size,
    Space,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

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


E54 = stated(
    r"""SSA-E54 (step; Eq. (54), E.2.6): Smallest and mean squared gradient
    Print: \min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2
    Plainly: The smallest of T numbers is at most their mean.
    Assumes: T >= 1
    Reading: as printed | Any T expected squared gradients.
    Mutant: the last in place of the mean times 1/T | for T = 2 equal values the last is halved
    Tight: all equal
    Verdict: Nothing but a minimum and a mean.""",
    Inequality(Bound(1 * mean, again=mean_again, degrees={"mean": (2, -2)}), _ROUNDS, degrees=(2, -2)),
    mutants={
        "the last in place of the mean times 1/T": Inequality(Bound(last / T), _ROUNDS),
    },
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
E55 = stated(
    r"""SSA-E55 (step; Eq. (55), E.2.6): Bound on the mean squared gradient
    Print: \le\frac{2(1-C)(F(\theta^{(0,0)})-F_{inf})}{\tau\eta T[D]}+\frac{(1-C)BW_D}{[D]}+\frac{2(1-C)L\eta\sigma^2
      \sum w_k^2}{[D]}+\frac{2(\tau-1)\sigma^2L^2\eta^2}{[D]}+\frac{2BC}{[D]},\quad D=1-C-2AC-W_D(1-C)
    Plainly: (53) summed over the rounds and divided by the factor of the squared gradient bounds the mean squared
      gradient.
    Assumes: as in Theorem A.5 | noises independent between the clients, as said below (24) | w on the simplex
    Reading: D of any sign | The smallest squared gradient, which is below the mean, on the left; dividing by D needs
      D > 0. | cut denominator = negative | because: ηL <= 1/(2τ) and C < 1, all that is printed, leave the sign of D
      open
    Reading: D positive | Only instances with D > 0. | because: the A lost in (52)
    Reading: weights learned from the local models | Ours: W_D and Σw² at their largest over the noise; A <= 1, D > 0.
      | cut weights = see the round's samples | sees: after the step | ours: the largest W_D and Σw_k² over the noise;
      both are printed outside every expectation, where weights that see the noise are excluded (the gap to Algorithm
      1 is counted at SSA-E17)
    Reading: A <= 1, D positive, w fixed | Clients with different gradients and A = 1; the mean squared gradient. |
      condition: A <= 1 | condition: D > 0 | because: no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A
      > 1 for clients that really differ
    Reading: A·W_D in place of W_D | The factor lost in (52) restored, D > 0, w fixed; the mean squared gradient. |
      condition: D > 0 | edit: A·W_D in place of W_D in D | token | forced by: (30), (31) and the first line of (52)
      print 1 − A·W_D | wrong form in: SSA-TA5 | carries: no
    Mutant: first term dropped from the repaired bound | with T = 1, no noise, w = p and τ = 1 the rest is 0 while the
      start has a gradient
    Mutant: one noise for all clients, A <= 1 | the noises of ten like clients then add up before they are squared: σ²
      in place of σ²/10
    Rests on: SSA-E53, SSA-E54
    Repeats: SSA-TA5
    Verdict: Refuted as printed: as a bound on the gradients it inherits the factor A lost in (52); with A·W_D in
      place of W_D in D it holds for any A where D > 0. (30), (31) and the first line of (52) print 1 − A·W_D. From
      (53) as printed it does follow by telescoping where D > 0, which is never said (SSA-S18). With A <= 1 and D > 0
      it holds as printed, but A.4 forces A >= 1 wherever ∇F is unbounded, and A > 1 for clients that really differ.
      At W_D = 0 nothing is lost. Weights that see the round's noise, a reading of ours, break it as well (SSA-E17).
      The loss is counted once, at SSA-TA5.""",
    _printed(True, *line_runs(any_denominator=True)),
    readings={
        "D positive": _printed(False, *line_runs(any_denominator=False)),
        "weights learned from the local models": _printed(
            False, *theorem_runs(small=True, learned=True, average=False)
        ),
        "A <= 1, D positive, w fixed": _printed(False, *theorem_runs(small=True)),
        "A·W_D in place of W_D": Inequality(Bound(_KEPT, again=kept_again), theorem_runs()),
    },
    mutants={
        "first term dropped from the repaired bound": Inequality(Bound(_KEPT.subs(drop, 0)), theorem_runs()),
        "one noise for all clients, A <= 1": _printed(False, *theorem_runs(small=True, shared=True)),
    },
)

_BRACED = (
    2 * (1 - C) * drop / (tau * eta * T)
    + (1 - C) * B * W_D
    + 2 * (1 - C) * L * eta * noise * square_weights
    + 2 * (tau - 1) * noise * L**2 * eta**2
    + 2 * B * C
)
E56 = stated(
    r"""SSA-E56 (step; Eq. (56), E.2.6): The form of Theorem A.5
    Print: =\frac1{1-C-2AC-W_D(1-C)}(T_1+T_2+T_3+T_4+T_5)
    Plainly: The five fractions of (55) have one denominator.
    Assumes: any constants
    Reading: as printed | Equal to (55), D a symbol. | part: as printed
    Reading: the terms of Theorem A.5 | Against (53) divided by τη(1 − W_D − 2AC/(1 − C))/2 and multiplied out. |
      part: the terms of Theorem A.5
    Mutant: T₅ = BC | the fifth fraction has 2BC
    Rests on: SSA-E53, SSA-E55, SSA-TA5
    Verdict: An identity. The terms are those of the theorem, and those that (53) gives.""",
    identity(_FIVE, _BRACED / D),
    readings={
        "the terms of Theorem A.5": identity(
            _BRACED, _BRACKET * (drop / T + _REST) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))
        ),
    },
    mutants={
        "T₅ = BC": identity(_FIVE, (_BRACED - B * C) / D),
    },
)

CLAIMS: tuple[Claim, ...] = (E54, E55, E56)
