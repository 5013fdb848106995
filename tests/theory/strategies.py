"""Hypothesis strategies for small federations and rounds; numbers are short decimals, so that failures read well."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from math import ceil, floor
from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory import QuadraticFederation, RoundStats


@cache  # to build and validate a strategy takes as long as a draw
def decimals(low: float, high: float) -> st.SearchStrategy[float]:
    """Multiples of 1/16 in [low, high]: exact in binary, so the exact reference sees the very same number."""
    return st.integers(ceil(low * 16), floor(high * 16)).map(lambda k: k / 16)


@cache
def shares(n_clients: int) -> st.SearchStrategy[np.ndarray]:
    drawn = st.lists(st.integers(1, 16), min_size=n_clients, max_size=n_clients)
    return drawn.map(lambda raw: np.asarray(raw, dtype=float) / sum(raw))


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
    present = draw(_cohorts(n))

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


def _table(draw: st.DrawFn, low: float, high: float, *shape: int) -> np.ndarray:
    return np.asarray(draw(_lists(low, high, int(np.prod(shape))))).reshape(shape)


@cache
def _lists(low: float, high: float, size: int) -> st.SearchStrategy[list[float]]:
    return st.lists(decimals(low, high), min_size=size, max_size=size)


@cache
def _cohorts(n_clients: int) -> st.SearchStrategy[list[bool]]:
    return st.lists(st.booleans(), min_size=n_clients, max_size=n_clients).filter(any)


@st.composite
def rich_rounds(
    draw: st.DrawFn,
    n_clients: int,
    dim: int = 2,
    full: bool = False,
    round_index: int = 0,
    reads: tuple[str, ...] | None = None,
) -> RoundStats:
    """A round with everything a rule may ask for: losses, steps 0 to 10, updates, and every named signal.

    What is not among `reads` (None: everything is) stands at a fixed value, which makes a draw cheaper.
    """
    n = n_clients
    cohort = [True] * n if full else draw(_cohorts(n))

    def table(name: str, low: float, high: float, *shape: int) -> np.ndarray:
        return _table(draw, low, high, *shape) if reads is None or name in reads else np.full(shape, float(high))

    outputs = {name: table(name, 0.0625, 2, 2, n, 3) for name in ("view_1", "view_2", "logits")}
    outputs["logits"][..., 0] += 3  # never constant over the classes, where a variance is 0
    return RoundStats(
        share=draw(shares(n)),
        present=np.asarray(cohort),
        **{name: table(name, -8, 8, n) for name in ("loss_before", "loss_after", "loss_best")},
        local_steps=np.floor(table("local_steps", 0, 10, n)),
        effective_steps=table("effective_steps", 0, 10, n),
        planned_steps=np.full(n, 10.0),
        updates=_table(draw, -4, 4, n, dim),
        round=round_index,
        signals={
            **outputs,
            "gradient_variance": table("gradient_variance", 0.0625, 4, n),
            "step_size": np.full(n, 0.5),
            "label_counts": table("label_counts", 0.0625, 4, n, 3),
            "accuracy": table("accuracy", 0, 1),
        },
    )


@st.composite
def runs(
    draw: st.DrawFn,
    n_rounds: int = 3,
    max_clients: int = 4,
    n_clients: int | None = None,
    full: bool = False,
    reads: tuple[str, ...] | None = None,
) -> list[RoundStats]:
    """Consecutive rounds of one federation: the same clients and shares, other cohorts, losses and updates."""
    n = draw(st.integers(1, max_clients)) if n_clients is None else n_clients
    found = [draw(rich_rounds(n, full=full, round_index=r, reads=reads)) for r in range(n_rounds)]
    return [replace(stats, share=found[0].share) for stats in found]


def mapped(stats: RoundStats, change: Any) -> RoundStats:
    """The round with `change(name, array)` for every array in it, signals included."""
    values = {f.name: getattr(stats, f.name) for f in fields(stats)}
    changed = {name: change(name, v) if isinstance(v, np.ndarray) else v for name, v in values.items()}
    return RoundStats(**{**changed, "signals": {name: change(name, v) for name, v in stats.signals.items()}})
