"""Robust aggregation, second part: mixing with nearest values, the least κ, one deviation, the best radius, buckets.

Source: Allouah et al. 2023 (nearest-neighbour mixing, least κ); Yin et al. 2018 (median); Karimireddy, He and Jaggi 2021
(radius of clipping); Karimireddy, He and Jaggi 2022 (buckets).
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.robust import VALUES, f, med_off2
from paper_checks.literature.robust import V as V_HONEST
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import Coordinates, Plain, Seen, free, of_sizes
from validation import Instance, LogScale, Signed
from validation.world import at, identity, le, mutant, reading

__all__ = ["CLAIMS"]

N, V, mixed2, alpha, tau, second = LETTERS.symbols("N V mixed2 alpha tau second")
outliers, x, y, z, w, sent = LETTERS.symbols("f x y z w sent")


def mixed(drawn: Instance, *, f: int, more: int) -> Seen:
    """Every honest value becomes the mean of the N − f values that are nearest to it, itself among them."""
    honest, n = drawn["honest"], 2 * f + 1 + more
    everyone = np.concatenate([honest, drawn["outlier"]], axis=1)
    near = np.argsort(np.abs(honest[:, :, None] - everyone[:, None]), axis=-1, kind="stable")[:, :, : n - f]
    after = np.take_along_axis(np.repeat(everyone[:, None], n - f, axis=1), near, axis=-1).mean(axis=-1)
    center, size = honest.mean(axis=1, keepdims=True), (everyone**2).max(axis=1)
    return {
        "f": np.full(len(honest), float(f)),
        "N": np.full(len(honest), float(n)),
        "V": ((honest - center) ** 2).mean(axis=1),
        "mixed2": ((after - center) ** 2).mean(axis=1),
        "sizes": {"V": size, "mixed2": size},
    }


def mixed_plain(drawn: Seen, *, f: int, more: int) -> Plain:
    """The same of one instance; of values equally far the first."""
    honest, everyone, n = drawn["honest"], [*drawn["honest"], *drawn["outlier"]], 2 * f + 1 + more
    center = sum(honest) / (n - f)
    after = [sum(sorted(everyone, key=lambda other: abs(other - one))[: n - f]) / (n - f) for one in honest]
    return {}, {
        "f": f,
        "N": n,
        "V": sum((one - center) ** 2 for one in honest) / (n - f),
        "mixed2": sum((one - center) ** 2 for one in after) / (n - f),
    }


def with_outliers(*, f: int, more: int) -> Coordinates:
    """f outliers among 2f + 1 + more values."""
    return (Signed("honest", 1e-2, 1e2, (f + 1 + more,)), Signed("outlier", 1e-2, 1e2, (f,)))


MIXED = of_sizes(
    "values that are mixed", with_outliers, mixed, mixed_plain, notation=LETTERS, f=(1, 4, 1), more=(0, 20, 2)
)  # fmt: skip

NEAREST = stated(
    "LIT-153",
    "Mixing with the nearest values",
    r"\frac1{N-f}\sum_i(y_i-\bar x)^2\le\frac{8f}{N-f}V",
    "Means of the N − f values nearest to each honest one, f of N being outliers, miss the honest mean by 8f/(N − f) of V.",
    le(mixed2, 8 * outliers / (N - outliers) * V),
    MIXED,
    mutant("f for 8f", le(mixed2, outliers / (N - outliers) * V), "an outlier takes the place of the far honest value"),
    because="""at most f of the nearest are not honest, each no farther than an honest one that it replaces, so a mean
        moves by at most 4f/(N − f)² times the squared distances to the honest values""",
)
TOTAL = outliers * (N - 2 * outliers) / (N - outliers) ** 2
LEAST = stated(
    "LIT-154",
    "No aggregate has a smaller κ",
    r"\left(\frac f{N-f}\right)^2=\frac f{N-2f}\,V,\quad V=\frac{f(N-2f)}{(N-f)^2}",
    "Of N values f are 1, the others 0. What is 0, as if the ones were outliers, misses the mean of N − f with the ones by κV.",
    identity((outliers / (N - outliers)) ** 2, outliers / (N - 2 * outliers) * TOTAL),
    None,
    mutant(
        "N − f below",
        identity((outliers / (N - outliers)) ** 2, outliers / (N - outliers) * TOTAL),
        "f of the zeros may be outliers, too",
        at(N=3, f=1),
    ),
    because="N − f honest values with f ones among them have mean f/(N − f) and variance mean times 1 − mean",
)
FEW = le(f, 1)
ONE = stated(
    "LIT-155",
    "The median is within one deviation of the honest mean",
    r"(\mathrm{med}-\bar x)^2\le V",
    "The median of an odd number of values, fewer than half of them outliers, misses the honest mean by at most a deviation.",
    le(med_off2, V_HONEST),
    VALUES,
    mutant("half of it", le(med_off2, V_HONEST / 2), "an outlier beyond one of two honest values", where=[FEW]),
    because="κ = (N − 1)/(N + 1 − 2f) is at most 1 just where 2f <= 2",
    only=reading("f <= 1", "At most one value is an outlier.", where=[FEW]),
)
LOST = 2 * alpha * tau + second / (4 * tau)
RADIUS = stated(
    "LIT-156",
    "The best radius of centred clipping",
    r"\sqrt{2\alpha B}\le2\alpha\tau+\frac B{4\tau}",
    "What outliers of weight α move and what clipping takes away, 2ατ + B/(4τ), is at least √(2αB) for every radius τ.",
    le(sp.sqrt(2 * alpha * second), LOST),
    free(
        "outliers, a second moment and a radius",
        *(LogScale("alpha", 1e-3, 0.5, at=(0.5,)), LogScale("second", 1e-2, 1e2, at=(1.0,))),
        LogScale("tau", 1e-2, 1e2, at=(1.0,)),
        notation=LETTERS,
    ),
    mutant("twice", le(2 * sp.sqrt(2 * alpha * second), LOST), "the radius √(B/(8α))"),
    because="the arithmetic mean of both terms is at least their geometric mean",
    tight=at(alpha="1/2", second=4, tau=1),
)
PAIRS = tuple(Signed(name, 1e-2, 1e1) for name in ("x", "y", "z", "w"))
BUCKETS = (x + y) / 2, (z + w) / 2
MEDIAN = sp.Max(sp.Min(*BUCKETS), sp.Min(sp.Max(*BUCKETS), sent))
CENTER, SQUARE = (x + y + z + w) / 4, (x**2 + y**2 + z**2 + w**2) / 4
PAIRED = stated(
    "LIT-157",
    "The median of three buckets",
    r"(\mathrm{med}-\bar x)^2\le V",
    "The median of the means of two honest pairs and of whatever else misses the mean of both by at most a deviation.",
    le((MEDIAN - CENTER) ** 2, SQUARE - CENTER**2),
    free("two pairs and what outliers send", *PAIRS, Signed("sent", 1e-2, 1e3), notation=LETTERS),
    mutant("half of it", le((MEDIAN - CENTER) ** 2, (SQUARE - CENTER**2) / 2), "pairs that are alike within"),
    mutant(
        "the mean of buckets",
        le(((sum(BUCKETS) + sent) / 3 - CENTER) ** 2, SQUARE - CENTER**2),
        "a far outlier",
    ),
    because="it lies between both means, and half their distance is the deviation between pairs",
    tight=at(x=0, y=0, z=1, w=1, sent=2),
)

CLAIMS = (NEAREST, LEAST, ONE, RADIUS, PAIRED)
