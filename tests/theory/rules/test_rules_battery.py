"""What holds for every rule: no order of clients, blind to absent ones, right in scale, finite, in every precision."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch

from tests.theory.rule_rounds import SETTINGS, fast_rule, rounds_of
from theory import RoundStats, aggregate, make_rule
from theory.rules import RULES

NAMES = [entry.name for entry in RULES]
BY_INDEX = {
    "power-of-choice": "its candidates are drawn with a clock for each place",
    "sampled-by-weights": "its draws go along the running sum of the weights",
}
FULL = {"everyone", "fed-avg-full"}  # in whose rounds nobody is absent
# With updates times c the weights are those times c to this power; None: no power of c.
POWERS = dict.fromkeys(NAMES, 0) | {"fed-mgda-plus": -1, "q-fed-avg": None, "bound-optimal": None}
LOSSES = ("loss_before", "loss_after", "loss_best")
PER_ROW = {"updates", "view_1", "view_2", "logits", "label_counts"}  # whose last axis is not that of clients
PRECISIONS = {"numpy32": 1e-5, "torch64": 1e-9, "torch32": 1e-5, "torch16": 2e-2}  # a few hundred of their roundings
DTYPES = {"torch64": torch.float64, "torch32": torch.float32, "torch16": torch.bfloat16}


Change = Callable[[str, Any], Any]


def changed(stats: RoundStats, change: Change, *, checked: bool = True) -> RoundStats:
    """The round with `change(name, array)` for every array in it, signals included."""
    values = {f.name: getattr(stats, f.name) for f in fields(stats)}
    moved = {name: change(name, v) if hasattr(v, "shape") else v for name, v in values.items()}
    moved["signals"] = {name: change(name, v) for name, v in stats.signals.items()}
    return RoundStats(**moved) if checked else RoundStats.unchecked(**moved)


def played(name: str, rounds: list[RoundStats]) -> list[tuple[Any, Any]]:
    """(weights, the step Σ aₖvₖ) of every round."""
    rule, state, found = fast_rule(name, SETTINGS.get(name, {})), None, []
    for stats in rounds:
        state, weights, vectors = aggregate(rule, state, stats)
        found.append((weights, weights @ vectors))
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name not in BY_INDEX])
def test_a_step_does_not_depend_on_the_order_of_clients(name: str) -> None:
    for seed in range(3):
        rounds = rounds_of(name, seed)
        order = np.random.default_rng(seed).permutation(5)

        def reordered(of: str, array: Any, order: Any = order) -> Any:
            return np.take(array, order, axis=-2 if of in PER_ROW else -1)

        moved = [changed(stats, reordered) for stats in rounds]
        for (a, d), (b, e) in zip(played(name, rounds), played(name, moved), strict=True):
            # Sums in another order; the learning of weights takes hundreds of them.
            np.testing.assert_allclose(b, a[order], rtol=0, atol=1e-7 if "ssa" in name else 1e-10)
            np.testing.assert_allclose(e, d, rtol=0, atol=1e-7 if "ssa" in name else 1e-10)


def test_rules_that_draw_by_index_do_depend_on_it() -> None:
    for name in BY_INDEX:
        moved = []
        for seed in range(10):
            rounds = rounds_of(name, seed, n_rounds=1)
            back = [changed(stats, lambda of, v: np.flip(v, axis=-2 if of in PER_ROW else -1)) for stats in rounds]
            moved.append(not np.allclose(played(name, rounds)[0][1], played(name, back)[0][1]))
        assert any(moved), name


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_losses_steps_and_signals_of_absent_clients_change_nothing(name: str, value: float) -> None:
    _absent_is_ignored(name, value, {"share", "present", "updates"})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FULL])
def test_updates_of_absent_clients_change_nothing(name: str, value: float) -> None:
    _absent_is_ignored(name, value, {"share", "present"})


def _absent_is_ignored(name: str, value: float, spared: set[str]) -> None:
    """The rounds again with `value` for whatever an absent client says, but for the fields that are `spared`."""
    rounds = rounds_of(name, 1)

    def spoilt(stats: RoundStats) -> RoundStats:
        here = np.asarray(stats.present)

        def change(of: str, array: Any) -> Any:
            if of in spared:
                return array
            return np.where(here[:, None] if of in PER_ROW else here, array, value)

        return changed(stats, change)

    with np.errstate(all="ignore"):
        found = played(name, [spoilt(stats) for stats in rounds])
    for (a, d), (b, e) in zip(played(name, rounds), found, strict=True):
        np.testing.assert_array_equal(b, a)
        np.testing.assert_array_equal(e, d)


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("name", [name for name in NAMES if POWERS[name] is not None])
def test_weights_scale_with_updates_as_the_formula_does(name: str, factor: float) -> None:
    rounds, power = rounds_of(name, 2), POWERS[name] or 0
    moved = [changed(stats, lambda of, v: v * factor if of == "updates" else v) for stats in rounds]
    for (a, d), (b, e) in zip(played(name, rounds), played(name, moved), strict=True):
        np.testing.assert_allclose(b, a * factor**power, rtol=1e-9)
        np.testing.assert_allclose(e, d * factor ** (power + 1), rtol=1e-7, atol=1e-9 * factor ** (power + 1))


def _finite_or_named(name: str, rounds: list[RoundStats]) -> None:
    """Weights are finite, or an error names the rule or the field."""
    with np.errstate(all="ignore"):
        try:
            found = played(name, rounds)
        except (ValueError, RuntimeError) as error:
            found, said = [], str(error)
        else:
            said = ""
    assert found or re.match(r"[A-Z]\w+|aware_projection|weights", said), said
    assert all(np.isfinite(weights).all() for weights, _ in found)


@pytest.mark.parametrize("name", NAMES)
def test_losses_at_the_end_of_the_range_give_finite_weights_or_an_error(name: str) -> None:
    for seed in range(5):
        draw = np.random.default_rng(seed)

        def ends(of: str, array: Any, draw: Any = draw) -> Any:
            return draw.choice([-1.7e308, 1.7e308], array.shape) if of in LOSSES else array

        _finite_or_named(name, [changed(stats, ends) for stats in rounds_of(name, seed)])


@pytest.mark.parametrize("size", [1.7e308, 1e160, 1e-200, 1e-320])
@pytest.mark.parametrize("name", NAMES)
def test_updates_of_any_size_give_finite_weights_or_an_error(name: str, size: float) -> None:
    rounds = [changed(s, lambda of, v: np.sign(v) * size if of == "updates" else v) for s in rounds_of(name, 0)]
    _finite_or_named(name, rounds)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in PRECISIONS for name in NAMES])
def test_every_precision_gives_the_weights_of_its_own_numbers(kind: str, name: str) -> None:
    """Against float64 on the same numbers, rounded beforehand, so that what is left is the rule's own rounding."""

    def low(_: str, array: Any) -> Any:
        if kind == "numpy32":
            return array.astype(np.float32) if array.dtype == np.float64 else array
        tensor = torch.from_numpy(np.array(array))
        return tensor.to(DTYPES[kind]) if tensor.is_floating_point() else tensor

    def back(_: str, array: Any) -> Any:
        if isinstance(array, torch.Tensor):
            array = array.double() if array.is_floating_point() else array
            return array.numpy()
        return array.astype(np.float64) if array.dtype == np.float32 else array

    lower = [changed(stats, low, checked=False) for stats in rounds_of(name, 0)]
    exact = [changed(stats, back, checked=False) for stats in lower]
    for (a, _), (b, _) in zip(played(name, lower), played(name, exact), strict=True):
        assert a.dtype == (np.float32 if kind == "numpy32" else DTYPES[kind])
        np.testing.assert_allclose(back("", a), b, rtol=PRECISIONS[kind], atol=PRECISIONS[kind])


def test_equal_updates_have_equal_minimum_norm_weights() -> None:
    for n in (4, 8, 40):
        rows = np.tile([[1.0, 2.0, -0.5]], (n, 1))
        stats = RoundStats(np.full(n, 1 / n), np.ones(n, bool), updates=rows)
        np.testing.assert_allclose(make_rule("min-norm")(stats), 1 / n, rtol=1e-12)


@pytest.mark.parametrize("name", ["project(rule=proportional, when_zero=zero)", "fed-avg-aware(when_zero=zero)"])
def test_a_projection_reaches_its_case_of_zero_where_the_hull_holds_zero(name: str) -> None:
    draw = np.random.default_rng(0)
    for n in (3, 5, 8):
        rows = draw.normal(size=(n, 2))
        rows[-1] = -rows[:-1].sum(axis=0)
        share = np.arange(1, n + 1) / (n * (n + 1) / 2)
        for _ in range(6):
            order = draw.permutation(n)
            stats = RoundStats(share[order], np.ones(n, bool), updates=rows[order])
            _, weights, vectors = aggregate(make_rule(name), None, stats)
            np.testing.assert_array_equal(weights @ vectors, [0, 0])


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_ties_between_clusters_do_not_go_by_the_order_of_clients(n_clusters: int) -> None:
    """Equally long updates, at right angles or opposite: every first update and every nearest cluster is a tie."""
    rows = np.concatenate([np.eye(3), -np.eye(3)[:1], np.ones((2, 3)) / np.sqrt(3)])
    share = np.arange(1, 7) / 21
    rule = make_rule(f"with-clusters(rule=proportional, n_clusters={n_clusters})")
    steps = []
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(6)
        state, weights, vectors = aggregate(rule, None, RoundStats(share[order], np.ones(6, bool), updates=rows[order]))
        after = RoundStats(share[order], np.ones(6, bool), updates=np.roll(rows, 1, axis=-1)[order], round=1)
        _, then, moved = aggregate(rule, state, after)
        steps.append(np.concatenate([weights @ vectors, then @ moved]))
    np.testing.assert_allclose(steps, np.tile(steps[0], (12, 1)), rtol=0, atol=1e-14)


def test_equally_near_clusters_are_told_apart_by_no_rounding() -> None:
    """Nine clients and their mirror images; sums in another order move the averages by rounding, to either side."""
    one = np.array([1.0, 0.0, 1.0]) + 0.1 * np.random.default_rng(3).normal(size=(9, 3))
    rows = np.concatenate([one, one[:, [1, 0, 2]], [[1.0, 1.0, -1.0]]])  # the last is nearly at right angles to both
    rule, share = make_rule("with-clusters(rule=proportional, n_clusters=2)"), np.full(19, 1 / 19)
    joined = []
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(19)
        here, updates = order == 18, rows[order]
        state, _, _ = aggregate(rule, None, RoundStats(share, ~here, updates=updates))
        _, weights, vectors = aggregate(rule, state, RoundStats(share, here, updates=updates, round=1))
        joined.append(weights @ vectors)
    np.testing.assert_allclose(joined, np.tile(joined[0], (40, 1)), rtol=0, atol=1e-14)
