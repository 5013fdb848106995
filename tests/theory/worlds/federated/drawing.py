"""Random settings and instances of runs for tests: small fractions, every option that goes with the others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from theory.worlds.federated.options import CHOICES, Options

FORMULAS = (
    {"eta": "2/(mu*(gamma + t))"},
    {"eta": "2/(mu*(gamma + t))", "server": "Fraction(1, 2)"},
    {"eta": "1/(2*L)", "server": "Fraction(3, 2)", "momentum": "Fraction(1, 3)"},
    {"eta": "1/(2*L)", "prox": "mu/2"},
)
LET = (("gamma", "max(8*L/mu, E) - 1"),)


def settings(E: int, R: int) -> list[Options]:
    """Every setting of the options that is no contradiction."""
    found = []
    for words in product(*CHOICES.values()):
        for formulas, short in product(FORMULAS, range(min(E, 2))):
            try:
                found.append(Options(E, R, let=LET, **dict(zip(CHOICES, words, strict=True)), **formulas, short=short))
            except ValueError:
                continue
    return found


def instance(rng: np.random.Generator, N: int, d: int, options: Options) -> dict[str, Any]:
    """One instance in fractions."""

    def some(low: int, high: int, below: int = 8) -> Fraction:
        return Fraction(int(rng.integers(low * below, high * below + 1)), below)

    def simplex(low: int) -> list[Fraction]:
        parts = [Fraction(int(v)) for v in rng.integers(low, 9, N)]
        parts[0] += 1
        return [v / sum(parts) for v in parts]

    x: dict[str, Any] = {
        "curvature": [[Fraction(int(rng.integers(1, 9)), 4) for _ in range(d)] for _ in range(N)],
        "optimum": [[some(-2, 2) for _ in range(d)] for _ in range(N)],
        "share": simplex(1),
        "start": [some(-3, 3) for _ in range(d)],
        "sigma": [some(0, 2) for _ in range(N)],
        "noisy": Fraction(1),
        "begin": Fraction(int(rng.integers(0, 3))),
        "loose": Fraction(int(rng.integers(1, 3))),
        "slack": Fraction(1, 2),
        "extra": Fraction(1, 3),
    }
    if options.weights == "seen":
        x["seen"] = Fraction(int(rng.integers(0, 4)) > 0)
    elif options.weights != "shares":
        x["weights"] = [simplex(0) for _ in range(int(rng.integers(1, 4)))]
        x["mix"] = Fraction(int(rng.integers(1, 5)), 4)
    if options.part in ("by weight", "uniform", "uniform updates"):
        x["drawn"] = Fraction(int(rng.integers(1, N + 1)))
    if options.part == "bernoulli":
        x["present"] = [Fraction(int(rng.integers(1, 5)), 4) for _ in range(N)]
    if options.steps != "alike":
        x["own_steps"] = [Fraction(int(rng.integers(1, options.E + 1))) for _ in range(N)]
    return x
