"""The noise of `theory.noise.seen_noise` outcome by outcome, and what a server that has seen it, or not, makes of it.

Scripts of counterexamples carry copies of these functions: builtins, `Fraction` and each other only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

__all__ = ["leaning", "outcomes_of_noise", "weighted_noise"]

Number = Any


def outcomes_of_noise(n_clients: int, spread: int) -> list[tuple[Number, list[Number]]]:
    """(probability, noise of each client): spread r > 0 one winner r, the others −1/r; r = 0 independent signs."""
    if spread == 0:
        return [
            (Fraction(1, 2**n_clients), [Fraction(1 if (row >> i) & 1 else -1) for i in range(n_clients)])
            for row in range(2**n_clients)
        ]
    high, low = Fraction(spread), Fraction(-1, spread)
    return [(Fraction(1, n_clients), [high if i == j else low for i in range(n_clients)]) for j in range(n_clients)]


def leaning(noise: Sequence[Number], lean: Number, seen: bool) -> list[Number]:
    """Weight `lean` on the first client of the largest noise (seen) or on the first client, the rest shared equally."""
    first = max(range(len(noise)), key=lambda i: (noise[i], -i)) if seen else 0
    other = (1 - lean) / (len(noise) - 1)
    return [lean if i == first else other for i in range(len(noise))]


def weighted_noise(n_clients: int, spread: int, lean: Number, seen: bool) -> tuple[Number, Number]:
    """(mean, second moment) of Σaᵢnᵢ over all outcomes."""
    mean = second = Fraction(0)
    for chance, noise in outcomes_of_noise(n_clients, spread):
        value = sum(a * n for a, n in zip(leaning(noise, lean, seen), noise, strict=True))
        mean, second = mean + chance * value, second + chance * value**2
    return mean, second
