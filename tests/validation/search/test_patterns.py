"""Patterns along the axes of arrays: what they look like, and bounds that fall only where many numbers follow one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import Bound, Case, Inequality, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.search import search as searching
from validation.search.patterns import has_patterns, moved, patterned, tied
from validation.search.search import search
from validation.world.federated.coordinates import Equal

SPACE = Space(
    (LogScale("s", 1e-2, 1e2, (4, 3)), Signed("g", 1e-2, 1e1, (5, 2, 1)), Simplex("p", 3, (2,)), Integer("n", 1, 9))
)
ROWS = np.arange(400)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def alike(x: Any, axis: int) -> Any:
    """Which arrays have all entries alike along an axis and along no other."""
    others = tuple(i for i in range(1, x.ndim) if i != axis)
    along, apart = np.ptp(x, axis=axis), np.ptp(x, axis=others)
    return (along.reshape(len(x), -1) == 0).all(axis=1) & (apart.reshape(len(x), -1) > 0).any(axis=1)


@pytest.mark.parametrize("axis", [1, 2])
def test_ties_are_along_any_one_axis_or_all(axis: int) -> None:
    cube = rng().random((400, SPACE.n_cube))
    before = SPACE.decode(cube)
    tied(SPACE, cube, ROWS, rng())
    after = SPACE.decode(cube)
    for name in ("s", "g"):
        assert np.count_nonzero(alike(after[name], axis)) > 10
        assert np.count_nonzero(np.ptp(after[name].reshape(400, -1), axis=1) == 0) > 10
        assert not alike(before[name], axis).any()
    changed = sum((after[name] != before[name]).reshape(400, -1).any(axis=1).astype(int) for name in before)
    assert changed.max() == 1  # one coordinate of each point


def test_a_move_keeps_what_varies_along_the_other_axes() -> None:
    cube = np.full((400, SPACE.n_cube), 0.6)
    moved(SPACE, cube, ROWS, rng(), 0.1)
    rows = cube[:, :12].reshape(400, 4, 3)
    gone = (rows != 0.6).any(axis=(1, 2))
    assert np.count_nonzero(gone) > 50
    assert (alike(rows, 1) | alike(rows, 2) | (np.ptp(rows, axis=(1, 2)) == 0)).all()


def test_patterns_have_equal_entries_powers_two_values_and_two_signs() -> None:
    x = SPACE.decode(patterned(SPACE, rng(), 4000))
    logs = np.log(x["s"][:, :, 0])
    steps = np.diff(logs, axis=1) / np.diff(np.log1p(np.arange(4)))
    power = (np.ptp(steps, axis=1) < 1e-9) & (np.abs(steps[:, 0]) > 0.1)
    two = np.array([len(set(row)) == 2 for row in np.round(logs, 9).tolist()])
    signs = (x["g"][:, :, 0, 0] == -x["g"][:, :, 1, 0]).all(axis=1) & (x["g"][:, 0, 0, 0] != 0)
    even = (np.abs(x["p"] - 1 / 3) < 1e-12).all(axis=(1, 2))
    vertex = (x["p"].max(axis=2) == 1).all(axis=1)
    for found in (power, two, signs, even, vertex):
        assert np.count_nonzero(found) > 40
    assert np.count_nonzero(alike(x["s"], 1)) > 40
    assert np.count_nonzero(alike(x["s"], 2)) > 40


def test_a_space_of_single_numbers_has_no_patterns() -> None:
    assert not has_patterns(Space((Uniform("a", 0, 1), Integer("n", 1, 9))))
    assert has_patterns(SPACE)


T = 40
square = sp.Symbol("square", nonnegative=True)


def sums(x: Any) -> Any:
    """(Σ gₜ/t)², which Σ gₜ² bounds with Σ 1/t² alone, for gₜ in proportion to 1/t."""
    return {"lhs": (x["g"] / np.arange(1, T + 1)).sum(axis=1) ** 2, "square": (x["g"] ** 2).sum(axis=1)}


def turned(x: Any) -> Any:
    """The squared sum of differences between two clients, which (T − 1)T times their squares bound, but for one T."""
    apart = x["g"][:, :, 0] - x["g"][:, :, 1]
    return {"lhs": apart.sum(axis=1) ** 2, "square": (x["g"] ** 2).sum(axis=(1, 2))}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("sides", "shape", "constant"),
    [(sums, (T,), sum(1 / t**2 for t in range(1, T + 1)) * 0.98), (turned, (T, 2), 2 * T * 0.98)],
)
def test_a_bound_that_falls_where_many_numbers_are_in_proportion_is_found(
    seed: int, sides: Any, shape: tuple[int, ...], constant: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case("gradients", Space((Signed("g", 1e-3, 1e1, shape),)), sides, None)
    test = Inequality(Bound(sp.Float(constant) * square), (case,))
    assert search(test, budget=20_000, seed=seed, label="p").worst_ratio > 1
    monkeypatch.setattr(searching, "has_patterns", lambda space: False)
    monkeypatch.setattr("validation.search.points.moved", lambda *a: None)
    monkeypatch.setattr("validation.search.points.tied", lambda *a: None)
    assert search(test, budget=20_000, seed=seed, label="p").worst_ratio < 1


def test_a_coordinate_of_which_nothing_is_drawn_has_its_place_beside_the_others() -> None:
    of = (Equal("share", 3), LogScale("curvature", 1e-2, 1e2, (3, 2), at=(1.0,)), Equal("weights", 2))
    space = Space(of)
    points = patterned(space, np.random.default_rng(0), 50)
    assert points.shape == (50, space.n_cube) == (50, 6)
    assert has_patterns(space)
    assert (np.diff(space.decode(points)["share"]) == 0).all()
