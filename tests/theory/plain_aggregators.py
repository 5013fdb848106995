"""Every aggregator once more, as plain loops over Python floats typed from its source; imports nothing of the project.

`rows`: updates of the clients present, in order of their index; `a`: their weights.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import median
from typing import Any

Row = list[float]


def _distance(one: Row, other: Row) -> float:
    return sqrt(sum((x - y) ** 2 for x, y in zip(one, other, strict=True)))


def _mean(rows: list[Row]) -> Row:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _median(rows: list[Row], a: Row) -> Row:
    return [median(column) for column in zip(*rows, strict=True)]


def _trimmed_mean(rows: list[Row], a: Row, f: int) -> Row:
    kept = [sorted(column)[f : len(rows) - f] for column in zip(*rows, strict=True)]
    return [sum(column) / len(column) for column in kept]


def _around(values: list[float], n_kept: int) -> float:
    middle = median(values)
    near = sorted(sorted(values), key=lambda value: abs(value - middle))[:n_kept]
    return sum(near) / n_kept


def _mean_around_median(rows: list[Row], a: Row, f: int) -> Row:
    return [_around(list(column), len(rows) - f) for column in zip(*rows, strict=True)]


def _geometric_median(rows: list[Row], a: Row, smoothing: float = 1e-6, n_steps: int = 10) -> Row:
    v = _median(rows, a)
    for _ in range(n_steps):
        beta = [weight / max(smoothing, _distance(row, v)) for weight, row in zip(a, rows, strict=True)]
        v = [sum(b * x for b, x in zip(beta, column, strict=True)) / sum(beta) for column in zip(*rows, strict=True)]
    return v


def _krum_order(rows: list[Row], f: int, left: list[int], least: int = 1) -> list[int]:
    """Clients in `left` by score, then by index."""
    scores = {}
    for i in left:
        apart = sorted(_distance(rows[i], rows[j]) ** 2 for j in left if j != i)
        scores[i] = sum(apart[: max(len(left) - f - 2, least)])
    return sorted(left, key=lambda i: (scores[i], i))


def _multi_krum(rows: list[Row], a: Row, f: int, m: int = 0) -> Row:
    return _mean([rows[i] for i in _krum_order(rows, f, list(range(len(rows))))[: m or len(rows) - f - 2]])


def _krum(rows: list[Row], a: Row, f: int) -> Row:
    return _multi_krum(rows, a, f, 1)


def _bulyan(rows: list[Row], a: Row, f: int) -> Row:
    left, chosen = list(range(len(rows))), []
    for _ in range(len(rows) - 2 * f):
        best = _krum_order(rows, f, left, 2)[0]
        left.remove(best)
        chosen.append(rows[best])
    return [_around(list(column), len(chosen) - 2 * f) for column in zip(*chosen, strict=True)]


def _clipped_around(rows: list[Row], a: Row, radius: float, centre: Row) -> Row:
    total = list(centre)
    for weight, row in zip(a, rows, strict=True):
        long = _distance(row, centre)
        factor = 1.0 if long <= radius else radius / long
        total = [t + weight * factor * (x - c) for t, x, c in zip(total, row, centre, strict=True)]
    return total


def _clipped(rows: list[Row], a: Row, radius: float) -> Row:
    return _clipped_around(rows, a, radius, [0.0] * len(rows[0]))


def _centred_clipping(rows: list[Row], a: Row, radius: float, n_steps: int = 1) -> Row:
    centre = [0.0] * len(rows[0])
    for _ in range(n_steps):
        centre = _clipped_around(rows, a, radius, centre)
    return centre


def _dp_fed_avg(rows: list[Row], a: Row, clip: float, noise: float) -> Row:
    """Its mean alone; noise is drawn, and tested by its size."""
    return _clipped_around(rows, [1 / len(rows)] * len(rows), clip, [0.0] * len(rows[0]))


PLAIN: dict[str, Callable[..., Any]] = {
    "bulyan": _bulyan,
    "centred-clipping": _centred_clipping,
    "clipped": _clipped,
    "dp-fed-avg": _dp_fed_avg,
    "geometric-median": _geometric_median,
    "krum": _krum,
    "mean-around-median": _mean_around_median,
    "median": _median,
    "multi-krum": _multi_krum,
    "trimmed-mean": _trimmed_mean,
}
