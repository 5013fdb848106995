"""Hypothesis strategies for one's own test suite: instances of a space, simplex weights, clients, federations.

Numbers are small rationals before they become floats, so failing examples shrink to something a person can read.
Needs the extra `test` (hypothesis).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theory.federations.federation import QuadraticFederation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["clients", "federations", "instances", "points", "simplex_weights"]

Float = NDArray[np.float64]


class CubeSpace(Protocol):
    """What is drawn from a unit cube, as a `validation.Space` is."""

    @property
    def n_cube(self) -> int: ...
    def decode(self, cube: Float) -> Mapping[str, Float]: ...
    def rationalise(self, instance: Mapping[str, Float], limit: int) -> dict[str, Any]: ...


def _hypothesis() -> Any:
    try:
        from hypothesis import strategies
    except ImportError:
        raise ImportError("the strategies of validation.draw need hypothesis: pip install 'fedverdict[test]'") from None
    return strategies


def _fractions(low: Fraction, high: Fraction, *, denominator: int = 16) -> SearchStrategy[Fraction]:
    st = _hypothesis()
    found: SearchStrategy[Fraction] = st.fractions(min_value=low, max_value=high, max_denominator=denominator)
    return found


def instances(space: CubeSpace, *, limit: int = 1000) -> SearchStrategy[dict[str, Any]]:
    """One instance of a space, every number a Fraction (nested lists) with denominators up to about `limit`."""
    st = _hypothesis()
    cubes = st.lists(st.floats(0, 1, width=32), min_size=space.n_cube, max_size=space.n_cube)

    def decoded(cube: list[float]) -> dict[str, Any]:
        found = space.decode(np.asarray([cube], dtype=np.float64))
        return space.rationalise({name: value[0] for name, value in found.items()}, limit)

    strategy: SearchStrategy[dict[str, Any]] = cubes.map(decoded)
    return strategy


def simplex_weights(n_clients: int, *, interior: bool = False) -> SearchStrategy[Float]:
    """Weights on the simplex, (n_clients,), often on faces and vertices unless `interior`."""
    st = _hypothesis()
    low = 1 if interior else 0

    def normalised(counts: list[int]) -> Float:
        counts = counts if sum(counts) else [1, *counts[1:]]
        return np.asarray([float(Fraction(c, sum(counts))) for c in counts])

    counts = st.lists(st.integers(low, 20), min_size=n_clients, max_size=n_clients)
    strategy: SearchStrategy[Float] = counts.map(normalised)
    return strategy


def points(dim: int, *, size: int = 8) -> SearchStrategy[Float]:
    """Points with rational coordinates in [−size, size], (dim,)."""
    st = _hypothesis()
    entries = st.lists(_fractions(Fraction(-size), Fraction(size)), min_size=dim, max_size=dim)
    strategy: SearchStrategy[Float] = entries.map(lambda row: np.asarray([float(x) for x in row]))
    return strategy


def clients(dim: int, *, mu: float = 0.125, L: float = 8.0) -> SearchStrategy[tuple[Float, Float]]:
    """One quadratic client: curvature A, (dim, dim), with eigenvalues in [mu, L], and its minimiser, (dim,).

    The eigenvectors are those of a reflection with rational entries.

    Raises `ValueError` unless 0 < mu <= L: a client without curvature has no minimiser.
    """
    if not 0 < mu <= L:
        raise ValueError(f"clients(mu={mu}, L={L}): expected 0 < mu <= L")
    st = _hypothesis()
    eigenvalues = st.lists(_fractions(Fraction(mu), Fraction(L)), min_size=dim, max_size=dim)

    place = points(dim)

    @st.composite  # type: ignore[untyped-decorator, unused-ignore]
    def draw_client(draw: Any) -> tuple[Float, Float]:
        spectrum = np.asarray([float(x) for x in draw(eigenvalues)])
        normal = draw(place)
        length = float(normal @ normal)
        basis = np.eye(dim) - (2 / length) * np.outer(normal, normal) if length > 0 else np.eye(dim)
        curvature = basis @ (spectrum[:, None] * basis.T)
        return 0.5 * (curvature + curvature.T), draw(place)

    strategy: SearchStrategy[tuple[Float, Float]] = draw_client()
    return strategy


@cache  # Hypothesis looks a strategy over when it is first drawn from: made anew at each draw, that is most of the time
def _clients(dim: int, mu: float, L: float) -> SearchStrategy[tuple[Float, Float]]:
    return clients(dim, mu=mu, L=L)


@cache
def _shares(n_clients: int, interior: bool) -> SearchStrategy[Float]:
    return simplex_weights(n_clients, interior=interior)


def federations(
    *, max_clients: int = 4, max_dim: int = 3, mu: float = 0.125, L: float = 8.0, interior: bool = True
) -> SearchStrategy[QuadraticFederation]:
    """Quadratic federations of 1 to `max_clients` clients in 1 to `max_dim` dimensions, shares on the simplex."""
    st = _hypothesis()

    @st.composite  # type: ignore[untyped-decorator, unused-ignore]
    def draw_federation(draw: Any) -> QuadraticFederation:
        n, d = draw(st.integers(1, max_clients)), draw(st.integers(1, max_dim))
        drawn = [draw(_clients(d, mu, L)) for _ in range(n)]
        share = draw(_shares(n, interior))
        curvature = np.stack([a for a, _ in drawn])
        centers = np.stack([m for _, m in drawn])
        return QuadraticFederation(curvature=curvature, centers=centers, floor=np.zeros(n), share=share)

    strategy: SearchStrategy[QuadraticFederation] = draw_federation()
    return strategy
