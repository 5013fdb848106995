"""Updates whose minimum-norm point is easy to get wrong, and the exact answer for few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.theory.strategies import decimals
from theory.exact import rational
from theory.exact.reference.plain import dot
from theory.exact.reference.weights import min_norm

__all__ = ["FAMILIES", "exact_direction", "problem", "vectors_of_up_to_six"]

vectors_of_up_to_six = st.integers(1, 4).flatmap(
    lambda dim: st.lists(st.lists(decimals(-4, 4), min_size=dim, max_size=dim), min_size=1, max_size=6)
)


def exact_direction(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """d and ‖d‖² of the very numbers in `vectors`, computed in rationals and rounded once."""
    rows = rational(vectors.tolist())
    weights = min_norm(rows, [True] * len(rows))
    d = [sum((w * row[k] for w, row in zip(weights, rows, strict=True)), weights[0] * 0) for k in range(len(rows[0]))]
    squared = dot(d, d)
    return np.asarray([float(x.p) / float(x.q) for x in d]), float(squared.p) / float(squared.q)


def _random(n: int, rng: Any) -> Any:
    return rng.normal(size=(n, max(3, n // 4))) + 0.5


def _heterogeneous(n: int, rng: Any) -> Any:
    return (rng.normal(size=(n, 400)) + rng.normal(size=400)) * np.exp(rng.normal(size=(n, 1)))


def _full(n: int, rng: Any) -> Any:
    return rng.normal(size=(n, 4 * n + 3))


def _near(n: int, rng: Any) -> Any:
    vectors = rng.normal(size=(n, 2 * n + 3))
    return vectors - (1 - 10.0 ** -rng.integers(1, 12)) * (rng.dirichlet(np.ones(n)) @ vectors)


def _zero_inside(n: int, rng: Any) -> Any:
    return rng.normal(size=(n, max(1, n // 8)))


def _duplicated(n: int, rng: Any) -> Any:
    half = rng.normal(size=((n + 1) // 2, max(2, n // 3))) + 0.3
    return np.concatenate([half, half])[:n]


def _collinear(n: int, rng: Any) -> Any:
    return rng.normal(size=6) + rng.normal(size=(n, 1)) * rng.normal(size=6)


def _one_line(n: int, rng: Any) -> Any:
    return rng.normal(size=(n, 1)) * rng.normal(size=6)


def _nearly_equal(n: int, rng: Any) -> Any:
    return rng.normal(size=20) + 10.0 ** -rng.uniform(4, 12) * rng.normal(size=(n, 20))


def _integers(n: int, rng: Any) -> Any:
    rows = rng.integers(-2, 3, size=(n, 5)).astype(float)
    rows[:, 0] += 1.0 * (np.abs(rows).sum(axis=1) == 0)
    return rows


def _wild(n: int, rng: Any) -> Any:
    return (rng.normal(size=(n, 20)) + 0.2) * 10.0 ** rng.uniform(-12, 12, size=(n, 1))


def _wild_near(n: int, rng: Any) -> Any:
    vectors = rng.normal(size=(n, 20)) * 10.0 ** rng.uniform(-4, 4, size=(n, 1))
    if n > 1:
        weights = rng.dirichlet(np.ones(n))
        vectors[-1] = -(weights[:-1] @ vectors[:-1]) / weights[-1]
    return vectors


_MAKERS = {
    "random": _random,
    "heterogeneous": _heterogeneous,
    "full support": _full,
    "near stationary": _near,
    "zero inside": _zero_inside,
    "duplicated": _duplicated,
    "collinear": _collinear,
    "one line": _one_line,
    "nearly equal": _nearly_equal,
    "small integers": _integers,
    "tiny": lambda n, rng: 1e-12 * _random(n, rng),
    "huge": lambda n, rng: 1e12 * _heterogeneous(n, rng),
    "wild scales": _wild,
    "wild scales, near stationary": _wild_near,
}
FAMILIES = tuple(_MAKERS)


def problem(family: str, n: int, seed: int) -> Any:
    """Updates (n, dim) of the family."""
    return _MAKERS[family](n, np.random.default_rng([seed, n, FAMILIES.index(family)]))
