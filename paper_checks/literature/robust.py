"""Robust aggregation: how far outliers move medians, trimmed means, Krum, geometric medians and clipped means.

Source: Yin et al. 2018 (median, trimmed mean); Blanchard et al. 2017 (Krum); Minsker 2015 and Chen, Su and Xu 2017
(geometric median); Allouah et al. 2023 ((f, κ)-robustness); Karimireddy, He and Jaggi 2021 (centred clipping). The
constants of the median and of the trimmed mean are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import Coordinates, Plain, Seen, free, of_sizes
from validation import Instance, LogScale, Signed, Uniform
from validation.world import World, at, eq, le, mutant

__all__ = ["CLAIMS"]

f, N, V, alpha, r, tau = NOTATION.symbols("f N V alpha r tau")
med_off2, trim_off2, mean_off2, krum_off2, far2 = NOTATION.symbols("med_off2 trim_off2 mean_off2 krum_off2 far2")
twice_med, twice_mean, honest_range = NOTATION.symbols("twice_med twice_mean honest_range")
x, y, z, w, p = NOTATION.symbols("x y z w p")


def scalars(drawn: Instance, *, f: int, more: int) -> Seen:
    """Aggregates of an odd number of values, f of them anything, against the mean and variance of the others."""
    honest, everyone = drawn["honest"], np.sort(np.concatenate([drawn["honest"], drawn["outlier"]], axis=1), axis=1)
    n, center = 2 * (f + more) + 1, honest.mean(axis=1)
    low, high = honest.min(axis=1), honest.max(axis=1)
    median, mean = everyone[:, n // 2], everyone.mean(axis=1)
    size = (everyone**2).max(axis=1)
    return {
        "f": np.full(len(honest), float(f)),
        "N": np.full(len(honest), float(n)),
        "V": ((honest - center[:, None]) ** 2).mean(axis=1),
        "med_off2": (median - center) ** 2,
        "trim_off2": (everyone[:, f : n - f].mean(axis=1) - center) ** 2,
        "mean_off2": (mean - center) ** 2,
        "twice_med": np.abs(2 * median - low - high),
        "twice_mean": np.abs(2 * mean - low - high),
        "honest_range": high - low,
        "far2": (drawn["outlier"].mean(axis=1) - center) ** 2,
        "sizes": dict.fromkeys(("V", "med_off2", "trim_off2", "mean_off2", "far2"), size),
    }


def scalars_plain(drawn: Seen, *, f: int, more: int) -> Plain:
    """The same of one instance, value by value."""
    honest, everyone = drawn["honest"], sorted([*drawn["honest"], *drawn["outlier"]])
    n, center = 2 * (f + more) + 1, sum(honest) / len(honest)
    kept = [value for place, value in enumerate(everyone) if f <= place < n - f]
    median, mean, ends = everyone[(n - 1) // 2], sum(everyone) / n, min(honest) + max(honest)
    return {}, {
        "f": f,
        "N": n,
        "V": sum(value * value for value in honest) / len(honest) - center * center,
        "med_off2": (median - center) ** 2,
        "trim_off2": (sum(kept) / len(kept) - center) ** 2,
        "mean_off2": (mean - center) ** 2,
        "twice_med": abs(2 * median - ends),
        "twice_mean": abs(2 * mean - ends),
        "honest_range": max(honest) - min(honest),
        "far2": (sum(drawn["outlier"]) / f - center) ** 2,
    }


def honest_and_outliers(*, f: int, more: int) -> Coordinates:
    """f outliers among 2(f + more) + 1 values."""
    return (Signed("honest", 1e-2, 1e2, (f + 2 * more + 1,)), Signed("outlier", 1e-2, 1e3, (f,)))


VALUES = of_sizes(
    "values with outliers", honest_and_outliers, scalars, scalars_plain, f=(1, 10, 1), more=(0, 10, 1)
)  # fmt: skip


def selected(drawn: Instance, *, N: int, f: int) -> Seen:
    """The update of least summed squared distance to its N − f nearest, itself among them: Krum."""
    honest = drawn["honest"]
    everyone = np.concatenate([honest, drawn["outlier"]], axis=1)
    apart = ((everyone[:, :, None] - everyone[:, None]) ** 2).sum(axis=-1)
    score = np.sort(apart, axis=-1)[:, :, : N - f].sum(axis=-1)
    chosen = everyone[np.arange(len(honest)), score.argmin(axis=1)]
    center = honest.mean(axis=1)
    return {
        "f": np.full(len(honest), float(f)),
        "N": np.full(len(honest), float(N)),
        "V": ((honest - center[:, None]) ** 2).sum(axis=-1).mean(axis=-1),
        "krum_off2": ((chosen - center) ** 2).sum(axis=-1),
    }


def selected_plain(drawn: Seen, *, N: int, f: int) -> Plain:
    """The same of one instance; the first of equal scores."""
    honest, everyone = drawn["honest"], [*drawn["honest"], *drawn["outlier"]]

    def apart(one: Any, other: Any) -> Any:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    scores = [sum(sorted(apart(one, other) for other in everyone)[: N - f]) for one in everyone]
    center = [sum(entries) / len(honest) for entries in zip(*honest, strict=True)]
    return {}, {
        "f": f,
        "N": N,
        "V": sum(apart(one, center) for one in honest) / len(honest),
        "krum_off2": apart(everyone[scores.index(min(scores))], center),
    }


def updates(*, N: int, f: int) -> Coordinates:
    """N − f honest updates and f others, in the plane."""
    return (Signed("honest", 1e-2, 1e2, (N - f, 2)), Signed("outlier", 1e-2, 1e2, (f, 2)))


def krum(f: int) -> World:
    """Krum among up to fifteen updates with f outliers."""
    return of_sizes(
        f"updates in the plane, {f} outliers",
        updates,
        selected,
        selected_plain,
        N=(2 * f + 1, 15, 2 * f + 1),
        f=(f, f, f),
    )


MEDIAN_WITHIN = stated(
    "LIT-13",
    "The median stays among the honest values",
    r"|2\,\mathrm{med}-l-h|\le h-l",
    "With fewer outliers than honest values, the median lies between the least and the largest honest value.",
    le(twice_med, honest_range),
    VALUES,
    mutant("the mean", le(twice_mean, honest_range), "one outlier moves the mean as far as it likes"),
    mutant("in the middle half", le(twice_med, honest_range / 2), "outliers on one side push the median to an end"),
    because="on either side of the median there is an honest value or the median is one, since outliers are fewer than half",
    tight="outliers all on one side, as many as the honest values without one",
)
MEDIAN = stated(
    "LIT-14",
    "Error of the median with outliers",
    r"(\mathrm{med}-\bar x)^2\le\frac{N-1}{N+1-2f}V",
    "Of an odd number N of values, f of them outliers, the median misses the honest mean by at most √((N − 1)/(N + 1 − 2f)) of their deviations.",
    le(med_off2, (N - 1) / (N + 1 - 2 * f) * V),
    VALUES,
    mutant(
        "no outliers counted", le(med_off2, (N - 1) / (N + 1) * V), "outliers shift which honest value is in the middle"
    ),
    mutant(
        "f for 2f",
        le(med_off2, (N - 1) / (N + 1 - f) * V),
        "an outlier both is on one side and is missing on the other",
    ),
    because="at least (N + 1)/2 − f of N − f honest values lie beyond the median, and Cantelli's inequality bounds that share",
    tight="(N + 1)/2 − f honest values at one point, the others at another, the outliers beyond the first",
)
TRIMMED = stated(
    "LIT-15",
    "Error of the trimmed mean with outliers",
    r"(\mathrm{trim}_f-\bar x)^2\le\frac f{N-2f}V",
    "The mean without the f least and the f largest of N values, f of them outliers, is (f, κ)-robust with κ = f/(N − 2f).",
    le(trim_off2, f / (N - 2 * f) * V),
    VALUES,
    mutant("nothing trimmed", le(mean_off2, f / (N - 2 * f) * V), "the mean follows an outlier to infinity"),
    mutant("N − f below", le(trim_off2, f / (N - f) * V), "outliers above, f honest values below the rest"),
    because="it lies between the means of the N − 2f least and largest honest values, which leave out f of N − f",
    tight="f honest values at one point, the others at another, the outliers beyond these",
)
KRUM = stated(
    "LIT-16",
    "What Krum selects",
    r"\|\mathrm{krum}-\bar x\|^2\le6\frac{N-f}{N-2f}V",
    "With f < N/2 outliers, the update whose N − f nearest are nearest is within √(6(N − f)/(N − 2f)) deviations of the honest mean.",
    le(krum_off2, 6 * (N - f) / (N - 2 * f) * V),
    World(NOTATION, tuple(item for f in (1, 2, 4) for item in krum(f).cases)),
    mutant(
        "half of it", le(krum_off2, 3 * (N - f) / (N - 2 * f) * V), "two honest updates, and an outlier as near to one"
    ),
    because="""its score is at most the honest mean score 2(N − f)V, of its N − f nearest N − 2f are honest, and
        (1 + √2)² < 6""",
)
FARTHER = free(
    "an honest value and an outlier",
    *(Uniform("alpha", 0.0, 0.5, at=(0.25,)), LogScale("r", 1e-1, 1e1, at=(1.0,)), Signed("x", 1e-2, 1e1)),
    *(Signed("z", 1e-2, 1e3), Signed("w", 1e-2, 1e3)),
    where=(
        le(sp.Abs(x), r),
        le((1 - alpha) * sp.Abs(w - x) + alpha * sp.Abs(w - z), (1 - alpha) * sp.Abs(x) + alpha * sp.Abs(z)),
    ),
)
GEOMETRIC = stated(
    "LIT-17",
    "Breakdown of the geometric median",
    r"(1-2\alpha)|w|\le2(1-\alpha)r",
    """Where outliers have weight α < 1/2 and honest values are within r of 0, whatever is no farther from all values
        together than 0 is within 2(1 − α)/(1 − 2α) times r.""",
    le((1 - 2 * alpha) * sp.Abs(w), 2 * (1 - alpha) * r),
    FARTHER,
    mutant(
        "without the 2",
        le((1 - 2 * alpha) * sp.Abs(w), (1 - alpha) * r),
        "without outliers 2x is as far from x as 0 is",
    ),
    mutant("1 − α below", le((1 - alpha) * sp.Abs(w), 2 * (1 - alpha) * r), "outliers far away pull, too"),
    because="the sum of distances rises by (1 − α)(|w| − 2r) or more, and falls by α|w| or less",
    tight=at(alpha="1/4", r=1, x=1, z=3, w=3),
)
CLIP_X, CLIP_Y = (sp.Min(sp.Max(one, -tau), tau) for one in (x, y))
CHANCE = Uniform("p", 0.0, 1.0, at=(0.5,))
TWO_POINTS = (CHANCE, Signed("x", 1e-2, 1e2), Signed("y", 1e-2, 1e2), LogScale("tau", 1e-1, 1e1, at=(1.0,)))
BIAS, SQUARE = p * (CLIP_X - x) + (1 - p) * (CLIP_Y - y), p * x**2 + (1 - p) * y**2
CLIPPED = stated(
    "LIT-18",
    "Bias of clipping",
    r"4\tau\,|\mathbb E\,\mathrm{clip}_\tau(X)-\mathbb EX|\le\mathbb EX^2",
    "Clipping at τ moves the mean by at most the second moment over 4τ.",
    le(4 * tau * sp.Abs(BIAS), SQUARE),
    free("a value with two outcomes", *TWO_POINTS),
    mutant("the first moment", le(sp.Abs(BIAS), sp.Abs(p * x + (1 - p) * y) / 2), "outcomes of both signs have mean 0"),
    mutant("8τ", le(8 * tau * sp.Abs(BIAS), SQUARE), "at 2τ clipping loses τ"),
    because="max(|x| − τ, 0) <= x²/(4τ), since (|x| − 2τ)² >= 0",
    tight=at(p=1, x=2, y=0, tau=1),
)
REPLACED = free(
    "a value and what replaces it",
    *(Uniform("alpha", 0.0, 1.0, at=(0.5,)), LogScale("tau", 1e-2, 1e1, at=(1.0,))),
    *(Signed("x", 1e-2, 1e2), Signed("z", 1e-2, 1e2), Signed("w", 1e-2, 1e1)),
)
CENTRED = stated(
    "LIT-19",
    "What an outlier does to centred clipping",
    r"\left|\alpha\,\mathrm{clip}_\tau(x-w)-\alpha\,\mathrm{clip}_\tau(z-w)\right|\le2\alpha\tau",
    "Replacing clients of weight α moves w + Σ p·clip(x − w) by at most 2ατ, whatever they send.",
    le(sp.Abs(alpha * sp.Min(sp.Max(x - w, -tau), tau) - alpha * sp.Min(sp.Max(z - w, -tau), tau)), 2 * alpha * tau),
    REPLACED,
    mutant(
        "ατ",
        le(sp.Abs(alpha * sp.Min(sp.Max(x - w, -tau), tau) - alpha * sp.Min(sp.Max(z - w, -tau), tau)), alpha * tau),
        "from one end of the ball to the other",
    ),
    mutant("not clipped", le(sp.Abs(alpha * (x - z)), 2 * alpha * tau), "the outlier is as far as it likes"),
    because="both clipped values lie in [−τ, τ]",
    tight=at(alpha="1/2", tau=1, x=1, z=-1, w=0),
)
MEAN = stated(
    "LIT-20",
    "What outliers do to the mean",
    r"(\mathrm{mean}-\bar x)^2=\frac{f^2}{N^2}(\bar z-\bar x)^2",
    "The plain mean moves by the share of the outliers times the distance of their mean from the honest one.",
    eq(mean_off2, f**2 / N**2 * far2),
    VALUES,
    mutant("N − f below", eq(mean_off2, f**2 / (N - f) ** 2 * far2), "all values count, the outliers too"),
    because="the mean is x̄ + (f/N)(z̄ − x̄)",
    tight="always: an identity",
)

CLAIMS = (MEDIAN_WITHIN, MEDIAN, TRIMMED, KRUM, GEOMETRIC, CLIPPED, CENTRED, MEAN)
