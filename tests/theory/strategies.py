"""Hypothesis strategies for small federations and rounds; numbers are short decimals, so that failures read well."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory import QuadraticFederation, RoundStats


def decimals(low: float, high: float) -> st.SearchStrategy[float]:
    """Multiples of 1/16 in [low, high]: exact in binary, so the exact reference sees the very same number."""
    return st.integers(round(low * 16), round(high * 16)).map(lambda k: k / 16)


@st.composite
def shares(draw: st.DrawFn, n_clients: int) -> np.ndarray:
    raw = np.asarray(draw(st.lists(st.integers(1, 16), min_size=n_clients, max_size=n_clients)), dtype=float)
    return raw / raw.sum()


@st.composite
def federations(draw: st.DrawFn, max_clients: int = 3, max_dim: int = 3) -> QuadraticFederation:
    n, d = draw(st.integers(1, max_clients)), draw(st.integers(1, max_dim))
    entries = draw(st.lists(decimals(-1, 1), min_size=n * d * d, max_size=n * d * d))
    lower = np.tril(np.asarray(entries).reshape(n, d, d))
    curvature = lower @ lower.swapaxes(-1, -2) + np.eye(d) * draw(decimals(0.125, 1))
    centers = np.asarray(draw(st.lists(decimals(-4, 4), min_size=n * d, max_size=n * d))).reshape(n, d)
    floor = np.asarray(draw(st.lists(decimals(-2, 2), min_size=n, max_size=n)))
    return QuadraticFederation(curvature, centers, floor, draw(shares(n)))


@st.composite
def rounds(draw: st.DrawFn, max_clients: int = 6, dim: int = 3) -> RoundStats:
    n = draw(st.integers(1, max_clients))
    present = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))

    def losses() -> Any:
        return np.asarray(draw(st.lists(decimals(-8, 8), min_size=n, max_size=n)))

    updates = np.asarray(draw(st.lists(decimals(-4, 4), min_size=n * dim, max_size=n * dim))).reshape(n, dim)
    return RoundStats(
        share=draw(shares(n)),
        present=np.asarray(present),
        loss_before=losses(),
        loss_after=losses(),
        loss_best=losses(),
        updates=updates,
    )
