"""How often a comparison with a printed table is wrong: drawn papers, their print drawn, too, looked at as planned.

    python -m tests.benchmarks.comparisons [--draws 20000] [--json FILE]

A paper prints the difference of two methods, a mean over its own runs; ours is paired over 5, 10 and 20 seeds and stops
at the first look with a word. All lengths are in deviations of a paired difference. Noise: normal; skewed (an
exponential less half another one); whole numbers; residuals of committed runs, drawn with replacement. Beyond what is
promised: a gamma distribution as skewed, and runs of which one in twenty fails; a quarter of the draws each, and a
quarter as many tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.table import as_table
from validation.recipe.looks import PLAN, two_sided
from validation.recipe.recipe import Arm, Recipe
from validation.recipe.results.by_seed import values_by_seed
from validation.recipe.results.compared import Asked, compare_all
from validation.recipe.results.paired import Paired
from validation.recipe.shelf import shelves
from validation.recipe.statistics.calculus import WORD_OF
from validation.recipe.statistics.contrast import LEAST_OF_COUNTS, Beside, Moments, directions, sign_flip_p, sizes
from validation.recipe.statistics.intervals import quantile

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]
WORDS = ("reproduced", "contradicted", "opposite", "unresolved")
_ROUNDS = 1.3  # deviation of counts of rounds before they are rounded
_GAMMA = 4 / 1.25**2  # shape of skewness 1.25


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.standard_normal(shape)


def skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return (rng.exponential(size=shape) - 0.5 * rng.exponential(size=shape) - 0.5) / sqrt(1.25)


def whole(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.round(_ROUNDS * rng.standard_normal(shape))


def residual(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.choice(_residuals(), size=shape)


def gamma(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return (rng.gamma(_GAMMA, size=shape) - _GAMMA) / sqrt(_GAMMA)


def failing(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    share, size = 0.05, 4.0
    values = 0.6 * rng.standard_normal(shape) + size * ((rng.random(shape) < share) - share)
    return np.asarray(values / sqrt(0.6**2 + size**2 * share * (1 - share)))


_UNIT = {"whole": sqrt(_ROUNDS**2 + 1 / 12)}  # a deviation of the noise
NOISE: Mapping[str, Noise] = {"normal": normal, "skewed": skewed, "whole": whole, "residuals": residual}
STRESS: Mapping[str, Noise] = {"gamma": gamma, "failing": failing}


@cache
def _residuals() -> Floats:
    """Paired differences of committed runs less their mean, in deviations, of every pair with five seeds or more."""
    found: list[float] = []
    for shelf in shelves():
        results = shelf.read()
        for recipe in shelf.recipes():
            for measure in recipe.measures:
                by_arm = [values_by_seed(recipe, arm.name, {}, measure, results) for arm in recipe.arms]
                for one, other in combinations([values for values in by_arm if len(values) >= 5], 2):
                    found += _standard([one[seed] - other[seed] for seed in one if seed in other])
    values = np.asarray(found)
    return np.asarray((values - values.mean()) / values.std(), dtype=np.float64)


def _standard(values: Sequence[float]) -> list[float]:
    if len(values) < 5 or (deviation := stdev(values)) < 1e-12:
        return []
    return [(value - mean(values)) / deviation for value in values]


@dataclass(frozen=True)
class Truth:
    """`effect`: our true difference; `gap`: it less the paper's; `delta`; `n_print` runs behind the print.

    `right`: words that are not wrong here. `known`: whether the print's error is printed.
    """

    what: str
    effect: float
    gap: float
    delta: float
    n_print: int
    right: tuple[str, ...]
    known: bool = False


_KEPT = ("reproduced", "unresolved")
_LARGE = 9.0  # an effect whose sign is found
TRUTHS = (
    Truth("as printed", 3.0, 0.0, 2.0, 3, _KEPT),
    Truth("as printed, error printed", 3.0, 0.0, 2.0, 30, _KEPT, known=True),
    Truth("as printed, ten runs behind the print", 3.0, 0.0, 2.0, 10, _KEPT),
    Truth("as printed, six runs behind the print", 3.0, 0.0, 2.0, 6, _KEPT),
    Truth("as printed, five runs behind the print", 3.0, 0.0, 2.0, 5, _KEPT),
    Truth("as printed, one run behind the print", 3.0, 0.0, 2.0, 1, _KEPT),
    *(
        Truth(f"{side} by δ exactly{of}", _LARGE, sign * delta, delta, n, ("unresolved",), known)
        for sign, side in ((1, "beyond"), (-1, "below"))
        for of, delta, n, known in (
            ("", 2.0, 3, False),
            (", one run behind the print", 4.0, 1, False),
            (", five runs behind the print", 2.0, 5, False),
            (", error printed", 2.0, 30, True),
        )
    ),
    Truth("beyond by δ = 0.5", _LARGE, 0.5, 0.5, 3, ("unresolved",)),
    Truth("beyond by δ = 0.05, error printed", _LARGE, 0.05, 0.05, 30, ("unresolved",), known=True),
    Truth("beyond by 3δ", _LARGE, 6.0, 2.0, 3, ("contradicted", "unresolved")),
    Truth("beyond by 3δ, one run behind the print", _LARGE, 6.0, 2.0, 1, ("contradicted", "unresolved")),
    Truth("no difference where one is printed", 0.0, -3.0, 4.0, 3, ("unresolved",)),
    Truth("a small difference of the same sign", 0.01, -0.99, 1.5, 30, _KEPT, known=True),
    Truth("as printed, error printed over three runs", 3.0, 0.0, 2.0, 3, _KEPT, known=True),
)


@cache
def boundary() -> float:
    """The two-sided p below which a look decides: the largest that is worth 5 %."""
    low, high = 0.0, 0.05
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, PLAN) < 0.05 else (low, middle)
    return low


def played(noise: str, truth: Truth, draws: int, seed: int = 0) -> dict[str, float]:
    """Shares of words at the look that stops, or the last one; coverage of our 95 % interval at each look."""
    kinds = {**NOISE, **STRESS}
    rng = np.random.default_rng([seed, list(kinds).index(noise), [one.what for one in TRUTHS].index(truth.what)])
    unit = _UNIT.get(noise, 1.0)
    effect = float(np.ceil(truth.effect * unit)) if noise == "whole" else truth.effect  # counts stay counts
    values = kinds[noise](rng, (draws, PLAN[-1])) + effect
    printed = kinds[noise](rng, (draws, truth.n_print)).mean(1) + effect - truth.gap * unit
    known = Beside(0.0, 0.0, unit / sqrt(truth.n_print) if truth.known else None, truth.n_print)
    word = np.full(draws, "unresolved", dtype="<U12")
    covered = {}
    for n in PLAN:
        taken = values[:, :n]
        of = Moments.of(taken)
        of = replace(of, deviation=np.maximum(of.deviation, 1e-12))
        half = quantile(n) * of.deviation / sqrt(n)
        covered[f"covered at {n}"] = float(np.mean(np.abs(of.mean - effect) <= half))
        if noise == "whole" and n < LEAST_OF_COUNTS:
            continue
        _, _, _, above_low, below_high, above_high, below_low = sizes(of, known, truth.delta * unit, printed)
        equivalent = 2 * np.maximum(above_low, below_high) < boundary()
        different = 2 * np.minimum(above_high, below_low) < boundary()
        decided = np.asarray([sign_flip_p(row) for row in taken.tolist()]) if noise == "whole" else directions(of)
        direction = np.where(decided >= boundary(), "unresolved", np.where(of.mean * printed > 0, "same", "opposite"))
        size = np.where(equivalent, "equivalent", np.where(different, "different", "unresolved"))
        now = np.asarray([WORD_OF[d, s] for d, s in zip(direction, size, strict=True)])
        word = np.where(word == "unresolved", now, word)
    shares = {name: float(np.mean(word == name)) for name in WORDS}
    wrong = {f"false {name}": share for name, share in shares.items() if name not in truth.right}
    return {**shares, "wrong": sum(wrong.values()), **covered}


def tables(count: int, noise: str = "normal", seed: int = 0) -> float:
    """The share of drawn tables in which any look has any wrong word: five differences, each true at an edge."""
    rng = np.random.default_rng([seed, 99, list(NOISE).index(noise)])
    recipe = Recipe("drawn.table", "drawn", {}, (Arm("a", {}),), plan=PLAN)
    wrong = 0
    for _ in range(count):
        # Three are 0 where 1.5 is printed, within δ of it; two are 4 and printed 2 less, on the edge of δ.
        ours = NOISE[noise](rng, (5, PLAN[-1])) + np.asarray([0, 0, 0, 4, 4])[:, None]
        prints = NOISE[noise](rng, (5, 3)).mean(1) + np.asarray([1.5, 1.5, 1.5, 2, 2])
        wrong += any(
            one.told.word != "unresolved"
            for n in PLAN
            for one in compare_all(recipe, [_asked(o[:n], float(p)) for o, p in zip(ours, prints, strict=True)])
        )
    return wrong / count


def _asked(ours: Floats, printed: float) -> Asked:
    by_seed = Paired(dict(enumerate(ours.tolist())))
    return Asked("final", lambda _: by_seed, Beside(printed, 0.0, None, 3), 2.0, True, ("a",), lambda _: True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = [
        {"noise": noise, **asdict(truth), **played(noise, truth, given.draws // (1 if noise in NOISE else 4))}
        for noise in (*NOISE, *STRESS)
        for truth in TRUTHS
    ]
    shown = ("noise", "what", *WORDS, "wrong", *(f"covered at {n}" for n in PLAN))
    print("\n".join("  ".join(_shown(row[name]) for name in shown) for row in rows))
    family = {noise: tables(given.draws // 4, noise) for noise in ("normal", "skewed")}
    print("tables of five differences with any wrong word:", {noise: f"{share:.2%}" for noise, share in family.items()})
    if given.json:
        document = {"draws": given.draws, "rows": rows, "tables with a wrong word": family}
        given.json.write_text(as_table(document) + "\n", encoding="utf-8")


def _shown(value: object) -> str:
    return f"{value:6.3f}" if isinstance(value, float) else f"{value!s:42}"


if __name__ == "__main__":
    main()
