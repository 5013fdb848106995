"""Exact sides that are shortened by algebra, against the local steps themselves, client by client and path by path."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from paper_checks.robust_aggregation.long_runs import drifting_exact, long_run_exact
from paper_checks.robust_aggregation.mixed_runs import mixed_exact
from paper_checks.robust_aggregation.seen_runs import judged_exact, seen_exact
from theory.exact.reference.seen_noise import leaning, outcomes_of_noise

F = Fraction


def stepped(models: list[Any], centers: list[Any], x: Any, t: int, noise: list[Any]) -> list[Any]:
    """One step of every client with step size 1/(mu (t + 4 loose))."""
    eta = 1 / (x["mu"] * (t + 4 * x["loose"]))
    moved = zip(models, centers, noise, strict=True)
    return [v - eta * (x["mu"] * (v - c) - x["sigma"] * n) for v, c, n in moved]


def second_moment(x: Any, n: int, spread: int, eq1: bool) -> Any:
    """E w_T² of two groups of n clients over all outcomes of the noise of all rounds."""
    E, R, none = int(x["local_steps"]), int(x["rounds"]), [F(0)] * (2 * n)
    centers = [-x["apart"]] * n + [x["apart"]] * n
    first = [x["start"]] * (2 * n)
    if eq1:  # (1) aggregates in the update 0 -> 1
        first = stepped(first, centers, x, 0, none)
    total, shift = F(0), 1 if eq1 else 0
    for drawn in product(product(outcomes_of_noise(n, spread), repeat=2), repeat=R):
        w, chance = sum(first) / (2 * n), F(1)
        for r, ((p, left), (q, right)) in enumerate(drawn):
            over = eq1 and r == R - 1  # the last round is not aggregated yet, and averaged with p
            models = [w] * (2 * n)
            for t in range(r * E + shift, (r + 1) * E + (0 if over else shift)):
                models = stepped(models, centers, x, t, [*left, *right] if t == r * E + shift else none)
            rows = [leaning(noise, F(1, n) if over else x["lean"], x["sees"] > 1) for noise in (left, right)]
            w, chance = sum(a * v for a, v in zip(rows[0] + rows[1], models, strict=True)) / 2, chance * p * q
        total += chance * w**2
    return total


@pytest.mark.parametrize("eq1", [False, True])
@pytest.mark.parametrize(("n", "spread"), [(2, 1), (2, 0), (5, 2)])
@pytest.mark.parametrize("sees", [1, 2])
def test_weights_that_see_noise_as_every_path(n: int, spread: int, eq1: bool, sees: int) -> None:
    x = {"mu": F(3), "loose": F(7, 3), "sigma": F(2), "apart": F(1, 5), "start": F(4, 7), "lean": F(4, 5)}
    x |= {"local_steps": F(3), "rounds": F(2), "sees": F(sees)}
    met, found = seen_exact(x, n=n, spread=spread, eq1=eq1)
    assert all(met.values())
    assert found["gap"] == x["mu"] / 2 * second_moment(x, n, spread, eq1)


@pytest.mark.parametrize("E", [2, 4])
@pytest.mark.parametrize(("apart", "start", "spread"), [(F(1, 9), F(0), 2), (F(0), F(3, 4), 7), (F(9), F(0), 2)])
def test_worst_local_model_as_its_steps(E: int, apart: Any, start: Any, spread: int) -> None:
    x = {"mu": F(3), "loose": F(5, 3), "sigma": F(2), "apart": apart, "start": start, "spread": F(spread)}
    met, found = judged_exact({**x, "local_steps": F(E), "rounds": F(3)})
    centers, noise, w, worst = [-apart, -apart, apart, apart], [F(spread), F(-1, spread)] * 2, start, True
    for r in range(3):
        models = [w] * 4
        for e in range(E):
            models = stepped(models, centers, x, r * E + e, noise if e == 0 else [F(0)] * 4)
            if e == E - 2:
                losses = [(v - c) ** 2 for v, c in zip(models, centers, strict=True)]
                worst = worst and losses[0] > max(losses[1:] if apart else losses[1::2])
        w = models[0]
    assert found["gap"] == x["mu"] * w**2 / 2
    assert met["the worst local model is the noisy one at -apart, in every round"] == worst


@pytest.mark.parametrize("E", [2, 4])
@pytest.mark.parametrize(("apart", "kept", "spread"), [(F(1, 9), F(1, 3), 2), (F(1, 50), F(3, 4), 3)])
def test_worst_local_model_mixed_with_all_as_its_steps(E: int, apart: Any, kept: Any, spread: int) -> None:
    x = {"mu": F(3), "loose": F(5, 3), "sigma": F(2), "apart": apart, "kept": kept, "spread": F(spread)}
    met, found = mixed_exact({**x, "local_steps": F(E), "rounds": F(4)})
    assert all(met.values())
    half = spread**2 + 1
    centers, w, weights = [-apart] * half + [apart] * half, F(0), []
    for r in range(4):
        noise = [F(spread) if i in (r % half, half + 2 * r % half) else F(-1, spread) for i in range(2 * half)]
        models = [w] * (2 * half)
        for e in range(E):
            if e == E - 1:  # the losses of the local models before the last step
                losses = [(v - c) ** 2 for v, c in zip(models, centers, strict=True)]
            models = stepped(models, centers, x, r * E + e, noise if e == 0 else [F(0)] * (2 * half))
        assert losses.count(max(losses)) == 1
        row = [kept / (2 * half) + (1 - kept) * (v == max(losses)) for v in losses]
        w, weights = sum(a * v for a, v in zip(row, models, strict=True)), [*weights, row]
    ratios = [2 * half * a for row in weights for a in row]
    assert (found["gap"], found["pi"], found["Pi"]) == (x["mu"] * w**2 / 2, min(ratios), max(ratios))


LINE = {
    "spectrum": [F(1), F(3), F(2)],
    "optimum": [F(0), F(1), F(-2)],
    "share": [F(1, 2), F(1, 3), F(1, 6)],
    "weights": [[F(1, 5), F(4, 5), F(0)], [F(2, 3), F(0), F(1, 3)]],
    "loose": F(3, 2),
    "aim": F(5, 4),
    "turn": F(1, 2),
}


def seen_on(points: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """(least skew, largest squared slope) at models with the weights there."""
    h, m, p = LINE["spectrum"], LINE["optimum"], LINE["share"]

    def mean(row: Any, w: Any) -> Any:
        return sum(q * k * (w - c) ** 2 for q, k, c in zip(row, h, m, strict=True))

    slopes = [(k * (w - c)) ** 2 for _, w in points[:-1] for k, c in zip(h, m, strict=True)]
    return min(mean(a, w) / mean(p, w) for a, w in points), max(slopes)


@pytest.mark.parametrize(("T", "E"), [(1, 1), (6, 1), (4, 3)])
def test_long_runs_as_their_steps(T: int, E: int) -> None:
    h, m, p, L = LINE["spectrum"], LINE["optimum"], LINE["share"], LINE["loose"] * 3
    best = sum(q * k * c for q, k, c in zip(p, h, m, strict=True)) / sum(q * k for q, k in zip(p, h, strict=True))
    w, points = best + LINE["aim"], []
    for r in range(T + 1):
        a = LINE["weights"][0 if r < int(LINE["turn"] * T) else 1]
        points.append((a, w))
        if r < T:
            models = [w] * 3
            for t in range(r * E, (r + 1) * E):
                models = [v - (v - c) * k / (t + 4 * L) for v, k, c in zip(models, h, m, strict=True)]
            w = sum(q * v for q, v in zip(a, models, strict=True))
    low, steepest = seen_on(points)
    if E == 1:
        met, found = long_run_exact(LINE, T=T, window="up to")
        assert found["G2"] == steepest
    else:
        met, found = drifting_exact(LINE, E=E, R=T)
    assert all(met.values())
    assert found["rho"] == low
    assert found["gap"] == sum(q * k for q, k in zip(p, h, strict=True)) * (points[-1][1] - best) ** 2 / 2
