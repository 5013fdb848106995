"""Smallest constants over whole classes: stated rates of PEPit's examples, and bounds of the papers at fixed numbers.

    python -m tests.benchmarks.classes.constants

A rate is met where both sides are exact and within 1e-4: proved for every member with the constant printed here, and
any smaller one by 1e-5 refuted. Of a bound of the papers the settings, numbers of steps or step sizes, are cuts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tests.benchmarks.classes import composite, operators, others, unconstrained
from tests.benchmarks.classes.example import EXAMPLES
from theory.classes import Form, Problem, Vector, families, number
from theory.classes.numbers import value
from validation.study.tighten.over_classes import OverClass, constants_over_class

__all__ = ["BOUNDS", "drift", "main", "one_step", "rates"]

ROOMS = (unconstrained, composite, operators, others)
_WITHIN, _HARD = (
    1e-4,
    ("partially_inexact", "fixed_point_problems.halpern", "conjugate_gradient_qg"),
)  # long, not decided


def rates() -> Iterator[tuple[str, float, OverClass]]:
    """(name, stated rate, the statement with the rate as a constant) of tight examples with one hypothesis."""
    for example in EXAMPLES:
        if any(name in example.path for name in _HARD):
            continue
        posed = example.posed()
        if posed.rate is None or not posed.tight or len(posed.given) != 1 or not isinstance(posed.measure, Form):
            continue
        start = posed.given[0].form
        if value(start.constant) == -1:
            term = {"start": start + 1}
            yield example.path, value(number(posed.rate)), OverClass(posed.problem, posed.measure, term)


def noise(weights: Sequence[str]) -> OverClass:
    """EA-L2: ‖Σρᵢnᵢ‖² <= c·Σρᵢ²σᵢ², independent noise: as vectors, orthogonal."""
    p = Problem()
    vectors = [p.point(f"n{i}") for i in range(len(weights))]
    apart = [(a * b).equals(0) for i, a in enumerate(vectors) for b in vectors[:i]]
    right = _sum(number(w) ** 2 * n**2 for w, n in zip(weights, vectors, strict=True))
    return OverClass(
        p, _total([number(w) * n for w, n in zip(weights, vectors, strict=True)]) ** 2, {"noise": right}, apart
    )


def drift(weights: Sequence[str], n_local: int) -> OverClass:
    """EA-L3 and RA-L2: Σρᵢ‖W̄ − Wᵢ‖² <= c·η²(E − 1)²G² before the last of E steps; lengths in units of η."""
    p, square = Problem(), None
    square = p.number("G2")
    given, moves = [], []
    for i in range(len(weights)):
        slopes = [p.point(f"g{i}.{s}") for s in range(n_local - 1)]
        given += [g**2 - square <= 0 for g in slopes]
        moves.append(_total(slopes))
    mean = _total([number(w) * m for w, m in zip(weights, moves, strict=True)])
    left = _sum(number(w) * (mean - m) ** 2 for w, m in zip(weights, moves, strict=True))
    return OverClass(p, left, {"(E - 1)**2*G2": (n_local - 1) ** 2 * square}, given)


def one_step(step: str, mu: str = "1/10") -> OverClass:
    """EA-L1 without noise, two clients of equal weight, L = 1: the constants of the drift and of LΩη².

    What is before, (1 − ημ)‖W̄ − W*‖², and 2η(Γ − Ω) stay as printed.
    """
    p, eta = Problem(), number(step)
    clients = [p.function(families.smooth_convex(L=1, mu=mu), f"F{k}") for k in (1, 2)]
    own = [F.minimiser() for F in clients]
    optimum, models = (clients[0] + clients[1]).minimiser("w*"), [p.point("w1"), p.point("w2")]
    mean = (models[0] + models[1]) / 2
    after = mean - eta * (clients[0].gradient(models[0]) + clients[1].gradient(models[1])) / 2
    omega = _sum((F(mean) - F(w)) / 2 for F, w in zip(clients, own, strict=True))
    gamma = _sum((F(optimum) - F(w)) / 2 for F, w in zip(clients, own, strict=True))
    left = (after - optimum) ** 2 - (1 - eta * number(mu)) * (mean - optimum) ** 2 - 2 * eta * (gamma - omega)
    apart = _sum((mean - w) ** 2 / 2 for w in models)
    return OverClass(p, left, {"drift": apart, "L*Omega*eta**2": eta**2 * omega})


def smooth(mu: str) -> OverClass:
    """RA-L1: ‖∇F(w)‖² <= c·L(F(w) − F*)."""
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu=mu), "F")
    best, w = F.minimiser(), p.point("w")
    return OverClass(p, F.gradient(w) ** 2, {"L*excess": F(w) - F(best)})


HALF = ("1/2", "1/2")
BOUNDS = {
    "EA-L1, η = 1/20, 1/10, 1/4 and 1/2": lambda: [one_step(s) for s in ("1/20", "1/10", "1/4", "1/2")],
    "EA-L2, two weight vectors": lambda: [noise(HALF), noise(("1/3", "2/3"))],
    "EA-L3 for weights 1/2, 1/2, E = 2, 3, 5": lambda: [drift(HALF, n) for n in (2, 3, 5)],
    "EA-L3 for weights 1/10, 9/10, E = 2, 3": lambda: [drift(("1/10", "9/10"), n) for n in (2, 3)],
    "RA-L1, μ = 0 and 1/10": lambda: [smooth("0"), smooth("1/10")],
}


def _total(vectors: Sequence[Vector]) -> Vector:
    return sum(vectors[1:], vectors[0])


def _sum(forms: Iterator[Form]) -> Form:
    return sum(forms, Form())


def main() -> int:
    met = n = 0
    for name, rate, setting in rates():
        began = time.process_time()
        found = constants_over_class([setting])
        (constant,) = found.constants.values()
        good = found.proved and constant <= rate * (1 + _WITHIN) and found.at_least >= rate * (1 - _WITHIN)
        met, n = met + good, n + 1
        low, high, seconds = float(found.at_least), float(constant), time.process_time() - began
        word = "met" if good else "MISSED"
        print(f"{name}: stated {rate:.9g}, from {low:.9g} to {high:.9g}: {word}, {seconds:.1f} s", flush=True)
    print(f"{met} of {n} rates within {_WITHIN:g}, both sides exact")
    open_ = 0
    for name, make in BOUNDS.items():
        began = time.process_time()
        found = constants_over_class(make())
        shown = ", ".join(f"{term}: {float(c):.7g}" for term, c in found.constants.items())
        total, low = float(sum(found.constants.values(), Fraction(0))), float(found.at_least)
        open_ += not found.proved
        word = "proved at each setting" if found.proved else "NOT PROVED"
        seconds = time.process_time() - began
        print(f"{name}: {shown}; {word}; their sum {total:.7g}, at least {low:.7g}; {seconds:.1f} s", flush=True)
    return 0 if met >= 12 and not open_ else 1


if __name__ == "__main__":
    sys.exit(main())
