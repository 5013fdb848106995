"""Noise that a server has seen before it weights the clients: exact mean and second moment of the weighted noise.

Every client's own noise has mean 0 and second moment 1 (in units of σ), as stochastic gradients must have. A server
that leans towards the clients whose noise came out high turns this into a mean that no averaging over rounds undoes.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

from theory.base.arrays import Array

__all__ = ["WeightedNoise", "independent_signs", "one_winner"]


class WeightedNoise(NamedTuple):
    """(E Σaᵢnᵢ, E(Σaᵢnᵢ)²) in units of σ and σ², the shape of the lean."""

    mean: Array
    second: Array


def _checked(what: str, n_clients: int, least: int) -> int:
    if n_clients < least:
        raise ValueError(f"{what}(n_clients={n_clients}): must be >= {least}, to have a choice")
    return n_clients


def one_winner(lean: Array, spread: int, *, seen: bool) -> WeightedNoise:
    """seen: mean (aN − 1)/r, second moment its square; else 0 and (NΣaᵢ² − 1)/r², N = r² + 1.

    One client of N, drawn afresh, has noise r = `spread`, all others −1/r; r = 1 is a mirrored pair. The server gives
    weight a = `lean` to the winner (`seen`) or to a fixed client, and shares the rest equally. Seen, the path is the
    same in every draw, so an expectation is a single run. Raises `ValueError` for a spread below 1.
    """
    n_clients = _checked("one_winner", spread**2 + 1, 2)
    if seen:
        mean = (lean * n_clients - 1) / spread
        return WeightedNoise(mean, mean**2)
    squares = lean**2 + (1 - lean) ** 2 / (n_clients - 1)
    return WeightedNoise(0 * lean, (n_clients * squares - 1) / spread**2)


def independent_signs(lean: Array, n_clients: int, *, seen: bool) -> WeightedNoise:
    """seen: mean (1 − 2^(1−N))(aN − 1)/(N − 1), second moment by the number of +1; else 0 and Σaᵢ².

    N clients with independent noise ±1; weight a = `lean` on the first client whose noise is +1, if any (`seen`), or
    on a fixed client; the rest shared equally. Raises `ValueError` for fewer than two clients.
    """
    n = _checked("independent_signs", n_clients, 2)
    rest = (1 - lean) / (n - 1)
    if not seen:
        return WeightedNoise(0 * lean, lean**2 + (1 - lean) * rest)
    mean, second = 0 * lean, 0 * lean
    for k in range(n + 1):  # k clients have +1
        chosen = 1 if k else -1
        value = lean * chosen + rest * (2 * k - n - chosen)
        mean, second = mean + comb(n, k) / 2**n * value, second + comb(n, k) / 2**n * value**2
    return WeightedNoise(mean, second)
