"""The moments of a run are those of all its paths: signs of the noise, and clients that are drawn, enumerated."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from tests.theory.worlds.federated.drawing import LET, instance
from theory import make_rule, simulate
from theory.exact.reference.enumeration import all_paths, expectation, sign_noise
from theory.exact.reference.plain import local_sgd_round
from theory.federations.federation import QuadraticFederation
from theory.worlds.federated.catalogue import CATALOGUE
from theory.worlds.federated.exact_run import exact_run
from theory.worlds.federated.fast_run import fast_run
from theory.worlds.federated.options import Options
from validation.statement.instances.draw import stack

NAMES = ("after", "excess", "bias", "variance", "low", "mean_excess")
SEEN = (*NAMES, "noise", "Gamma", "Omega", "G2")


def drawn(options: Options, x: dict[str, Any], row: list[Fraction]) -> list[tuple[Fraction, list[Fraction]]]:
    """(chance, factor of every client's update) of each cohort."""
    N, K = len(row), int(x.get("drawn", 0))
    if options.part == "by weight":
        found = []
        for who in product(range(N), repeat=K):
            chance = Fraction(1)
            for i in who:
                chance *= row[i]
            found.append((chance, [Fraction(who.count(i), K) for i in range(N)]))
        return found
    if options.part in ("uniform", "uniform updates"):
        cohorts = list(combinations(range(N), K))
        chance = Fraction(1, len(cohorts))
        return [(chance, [row[i] * Fraction(N * (i in who), K) for i in range(N)]) for who in cohorts]
    if options.part == "bernoulli":
        found = []
        for there in product((0, 1), repeat=N):
            chance = Fraction(1)
            for q, bit in zip(x["present"], there, strict=True):
                chance *= q if bit else 1 - q
            found.append((chance, [w * bit / q for w, bit, q in zip(row, there, x["present"], strict=True)]))
        return found
    return [(Fraction(1), row)]


def walked(options: Options, x: dict[str, Any], etas: list[Fraction]) -> dict[str, Fraction]:
    """The letters over all paths, along one axis."""
    h, m, p, E, R = [v[0] for v in x["curvature"]], [v[0] for v in x["optimum"]], x["share"], options.E, options.R
    table, N = x.get("weights", [p]), len(x["share"])
    if "mix" in x:
        table = [[q + x["mix"] * (w - q) for w, q in zip(row, p, strict=True)] for row in table]
    noise = [(Fraction(1), [[[Fraction(0)] for _ in range(N)] for _ in range(E)])]
    if options.noise != "none":
        noise = sign_noise(x["sigma"], E, shared=options.noise == "common")

    def outcomes(past: list[Any]) -> Any:
        if options.weights == "seen":
            return [(a, (signs, favoured(signs))) for a, signs in noise]
        row = table[min(len(past), len(table) - 1)]
        if options.short and len(past) == R - 1:
            return [(a, (signs, row)) for a, signs in noise]
        return [(a * b, (signs, factors)) for a, signs in noise for b, factors in drawn(options, x, row)]

    def favoured(signs: Any) -> list[Fraction]:
        """All weight on the first client with a plus, or on the first of all."""
        plus = [i for i in range(N) if signs[0][i][0] > 0] if x["seen"] else []
        return [Fraction(int(i == (plus or [0])[0])) for i in range(N)]

    def step(past: list[Any], outcome: Any) -> Any:
        signs, factors = outcome
        w = past[-1][1] if past else x["start"][0]
        steps = etas[len(past) * E : (len(past) + 1) * E]
        _, _, kept = local_sgd_round([w], [[[v]] for v in h], [[v] for v in m], steps, signs, lambda _: p)
        ends = [kept[i][-1][0] for i in range(N)]
        if options.short and len(past) == R - 1:
            ends = [kept[i][E - options.short][0] for i in range(N)]
            return w, sum(f * end for f, end in zip(factors, ends, strict=True))
        if options.part == "uniform":
            return w, sum(f * end for f, end in zip(factors, ends, strict=True))
        return w, w + sum(f * (end - w) for f, end in zip(factors, ends, strict=True)), factors

    paths = list(all_paths(outcomes, step, R))
    H = sum(q * v for q, v in zip(p, h, strict=True))
    best = sum(q * v * o for q, v, o in zip(p, h, m, strict=True)) / H
    squares = [expectation(paths, lambda path, r=r: (path[r][0] - best) ** 2) for r in range(R)]
    after = expectation(paths, lambda path: (path[-1][1] - best) ** 2)
    mean = expectation(paths, lambda path: path[-1][1])
    bias = (mean - best) ** 2
    found = {"after": after, "excess": H * after / 2, "bias": bias, "variance": after - bias}
    if options.weights == "seen":
        rows = [one[2] for _, path in paths for one in path]
        apart = [v * (best - o) ** 2 / 2 for v, o in zip(h, m, strict=True)]

        def weighted(path: Any, r: int) -> Fraction:
            terms = zip(path[r][2], h, m, strict=True)
            return sum((a * v * (path[r][0] - o) ** 2 / 2 for a, v, o in terms), Fraction(0))

        def second(r: int, i: int) -> Fraction:
            return h[i] ** 2 * expectation(paths, lambda path: (path[r][0] - m[i]) ** 2) + x["sigma"][i] ** 2

        found["noise"] = max(sum((a * s) ** 2 for a, s in zip(row, x["sigma"], strict=True)) for row in rows)
        found["Gamma"] = max(sum(a * v for a, v in zip(row, apart, strict=True)) for row in rows)
        found["Omega"] = min(expectation(paths, lambda path, r=r: weighted(path, r)) for r in range(R))
        found["G2"] = max(second(r, i) for r in range(R) for i in range(N))
    return {**found, "low": H**2 * min(squares), "mean_excess": H * sum(squares) / 2 / R}


def problem(weights: str, part: str, noise: str, short: int = 0) -> tuple[Options, dict[str, Any], list[Fraction]]:
    """Options, an instance and its step sizes: few enough clients, steps and rounds for all paths."""
    rng = np.random.default_rng(len(weights) + 7 * len(part) + len(noise))
    N, E, R = (3, 1, 2) if part.startswith("uniform") else (2, 1, 3) if weights != "shares" else (2, 2, 1)
    N, E, R = (3, 2, 2) if noise == "none" else (2, 2, 2) if short else (N, E, R)
    options = Options(E, R, "2/(mu*(gamma + t))", LET, weights=weights, part=part, noise=noise, short=short)
    x = {**instance(rng, N, 1, options), "begin": Fraction(0)}
    if part.startswith("uniform") or part == "by weight":
        x["drawn"] = Fraction(2)
    if weights == "seen":
        return options, {**x, "sigma": [Fraction(i + 2, 3) for i in range(N)]}, steps_of(options, x)
    if weights != "shares":  # fewer rows than rounds
        rest = [Fraction(0)] * (N - 2)
        x["weights"] = [[Fraction(1, 4), Fraction(3, 4), *rest], [Fraction(2, 3), Fraction(1, 3), *rest]][: R - 1]
    return options, x, steps_of(options, x)


def steps_of(options: Options, x: dict[str, Any]) -> list[Fraction]:
    h = [v[0] for v in x["curvature"]]
    gamma = max(8 * max(h) * x["loose"] / min(h), Fraction(options.E)) - 1
    return [2 / (min(h) * (gamma + t)) for t in range(options.E * options.R)]


@pytest.mark.parametrize("weights", ["shares", "a row a round"])
@pytest.mark.parametrize("part", ["all", "by weight", "uniform", "uniform updates", "bernoulli"])
@pytest.mark.parametrize("noise", ["independent", "common", "none"])
def test_moments_are_those_of_all_paths(weights: str, part: str, noise: str) -> None:
    options, x, etas = problem(weights, part, noise)
    met, found = exact_run(x, letters=[CATALOGUE[name].exact for name in NAMES], **options.chosen)
    assert all(met.values())
    assert found == walked(options, x, etas)


@pytest.mark.parametrize("part", ["all", "by weight"])
@pytest.mark.parametrize("seen", [0, 1])
def test_weights_that_see_the_noise_are_those_of_all_its_outcomes(part: str, seen: int) -> None:
    options, x, etas = problem("seen", part, "independent")
    x |= {"seen": Fraction(seen)}
    letters = [CATALOGUE[name] for name in SEEN]
    met, found = exact_run(x, letters=[one.exact for one in letters], **options.chosen)
    assert all(met.values())
    assert found == walked(options, x, etas)
    runs = fast_run(stack([x]), options, within=True)
    assert {one.name: float(one.fast(runs)[0]) for one in letters} == pytest.approx(
        {k: float(v) for k, v in found.items()}
    )


def test_with_weights_that_see_the_noise_the_mean_rests_where_a_run_may_begin() -> None:
    options = Options(1, 3, "1/(2*L)", weights="seen")
    _, x, _ = problem("seen", "all", "independent")
    letters = [CATALOGUE[name].exact for name in ("bias", "first", "variance")]
    _, found = exact_run({**x, "begin": Fraction(2)}, letters=letters, **options.chosen)
    assert found["bias"] == found["first"] > 0
    assert found["variance"] > 0


@pytest.mark.parametrize("part", ["all", "by weight", "uniform updates", "bernoulli"])
def test_a_run_that_stops_inside_a_round_is_that_of_all_paths(part: str) -> None:
    options, x, etas = problem("a row a round", part, "independent", short=1)
    met, found = exact_run(x, letters=[CATALOGUE[name].exact for name in NAMES], **options.chosen)
    assert all(met.values())
    assert found == walked(options, x, etas)


@pytest.mark.parametrize("d", [1, 3])
def test_without_chance_it_is_the_simulator(d: int) -> None:
    options = Options(3, 4, "1/(2*L)", noise="none")
    x = {**instance(np.random.default_rng(d), 3, d, options), "begin": Fraction(0)}
    batch = stack([x])
    runs = fast_run(batch, options)
    h, m, p = batch["curvature"][0], batch["optimum"][0], batch["share"][0]
    federation = QuadraticFederation(curvature=np.stack([np.diag(v) for v in h]), centers=m, share=p, floor=np.zeros(3))
    steps = np.full(12, float(runs.eta[0, 0, 0]))
    run = simulate(federation, make_rule("proportional"), start=batch["start"][0], step_sizes=steps, n_local_steps=3)
    models = runs.center[..., 0].T + runs.best[:, 0]
    assert models == pytest.approx(np.asarray(run.models), rel=1e-12, abs=1e-12)
    assert not runs.full.any()
