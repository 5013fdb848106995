"""Combinators and presets equal their parts in the rounds these are in charge of; memory does what eq. (3) prints."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.strategies import mapped, runs
from theory import (
    FedSoftBetter,
    FedSoftWorse,
    MinNorm,
    Proportional,
    QuadraticFederation,
    RoundStats,
    Switch,
    WithMemory,
    aggregate,
    make_rule,
    simulate,
)
from theory.rules import (
    Anneal,
    Mix,
    Project,
    Uniform,
    fed_avg_full,
    fed_aware,
    fed_aware_na,
    fed_soft_better_avg,
    fed_soft_better_avg_soft_worse,
)

PARTS: dict[str, Any] = {
    "uniform": Uniform(),
    "fed-soft-worse": FedSoftWorse(1.0),
    "with-memory": WithMemory(Proportional(), alpha=0.25),
    "afl": make_rule("afl(step_size=0.125, when_zero=share)"),
}
READS = ("loss_before", "loss_best", "accuracy")


def play(rule: Any, run: list[RoundStats]) -> list[tuple[Any, Any]]:
    state, out = None, []
    for stats in run:
        state, weights, vectors = aggregate(rule, state, stats)
        out.append((weights, vectors))
    return out


def step(pair: tuple[Any, Any]) -> Any:
    return (pair[0][..., None] * pair[1]).sum(-2)


def same(got: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("then", PARTS)
@pytest.mark.parametrize("first", PARTS)
@settings(max_examples=15)
@given(run=runs(n_rounds=4, reads=READS), at=st.integers(0, 4))
def test_a_switch_is_its_parts(first: str, then: str, run: list[RoundStats], at: int) -> None:
    """Bit for bit, and a rule with memory has watched since round 0 when its turn comes."""
    one, two = play(PARTS[first], run), play(PARTS[then], run)
    for r, got in enumerate(play(Switch(PARTS[first], PARTS[then], at_round=at), run)):
        same(got, two[r] if r >= at else one[r])
    reached, gate = False, Switch(PARTS[first], PARTS[then], at_accuracy=0.5)
    for r, got in enumerate(play(gate, run)):
        reached = reached or float(run[r].signals["accuracy"]) >= 0.5
        same(got, two[r] if reached else one[r])


@pytest.mark.parametrize("then", PARTS)
@pytest.mark.parametrize("first", PARTS)
@settings(max_examples=15)
@given(run=runs(n_rounds=4, reads=READS), share=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_a_mix_takes_the_mixed_step_and_annealing_ends_at_its_parts(
    first: str, then: str, run: list[RoundStats], share: float
) -> None:
    one, two = play(PARTS[first], run), play(PARTS[then], run)
    for r, got in enumerate(play(Mix(PARTS[first], PARTS[then], share), run)):
        np.testing.assert_allclose(step(got), share * step(one[r]) + (1 - share) * step(two[r]), atol=1e-13)
        np.testing.assert_allclose(got[0], share * one[r][0] + (1 - share) * two[r][0], atol=1e-15)
        if share in (0.0, 1.0):
            same(got, one[r] if share == 1 else two[r])
    for schedule in ("linear", "cosine"):
        annealed = play(Anneal(PARTS[first], PARTS[then], n_rounds=2, schedule=schedule, start_round=1), run)
        for r, end in ((0, one), (1, one), (3, two)):
            same(annealed[r], end[r])
        np.testing.assert_allclose(step(annealed[2]), (step(one[2]) + step(two[2])) / 2, atol=1e-13)


def test_a_switch_is_per_batch_element_and_latched() -> None:
    share, loss = np.full((2, 2), 0.5), np.asarray([[1.0, 0.0], [1.0, 0.0]])
    rule, state, seen = Switch(make_rule("fed-worse"), make_rule("fed-better"), at_accuracy=0.6), None, []
    for accuracy in ([0.5, 0.6], [0.5, 0.2], [0.9, 0.2]):
        stats = RoundStats(
            share, np.ones((2, 2), bool), loss, None, 0 * loss, signals={"accuracy": np.asarray(accuracy)}
        )
        state, weights, _ = rule.step(state, stats)
        seen.append(weights[:, 0].tolist())
    assert seen == [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]


def test_annealing_schedules_grow_from_0_to_1() -> None:
    for name, last in (("linear", 1.0), ("cosine", 1.0), ("exponential", 1 - np.exp(-2))):
        rule = Anneal(Uniform(), Proportional(), n_rounds=10, schedule=name, start_round=3)
        path = [rule.share_of_then(r) for r in range(24)]
        assert path[:4] == [0.0] * 4
        assert all(a <= b for a, b in pairwise(path))
        assert path[23] == pytest.approx(last)
    assert Anneal(Uniform(), Proportional(), schedule=lambda r: r / 8).share_of_then(2) == 0.25


@given(run=runs(n_rounds=4, max_clients=3, reads=()), alpha=st.sampled_from([0.25, 0.5, 1.0]), zeros=st.booleans())
def test_memory_follows_the_printed_recursion(run: list[RoundStats], alpha: float, zeros: bool) -> None:
    rule, state = WithMemory(Uniform(), alpha, "zeros" if zeros else "seen"), None
    n, dim = run[0].updates.shape
    memory: list[Any] = [np.zeros(dim) if zeros else None for _ in range(n)]
    for stats in run:
        for k in np.flatnonzero(stats.present):
            u = stats.updates[k]
            memory[k] = u if memory[k] is None else (1 - alpha) * memory[k] + alpha * u
        state, weights, vectors = rule.step(state, stats)
        known = [k for k in range(n) if memory[k] is not None]
        assert np.flatnonzero(weights).tolist() == known
        np.testing.assert_array_equal(weights[known], 1 / len(known))
        np.testing.assert_array_equal(vectors[known], [memory[k] for k in known])


@given(run=runs(n_rounds=4, max_clients=3, reads=()))
def test_zeros_keep_fed_aware_standing_still_until_every_client_was_seen(run: list[RoundStats]) -> None:
    seen = np.zeros(run[0].n_clients, bool)
    for stats, pair in zip(run, play(fed_aware(init="zeros"), run), strict=True):
        seen |= stats.present
        if not seen.all():
            np.testing.assert_allclose(step(pair), 0, atol=1e-9)


def test_zeros_and_seen_differ_while_a_client_is_missing() -> None:
    ahead = np.asarray([[1.0, 0.0], [1.0, 0.5], [1.0, -0.5]])
    here = np.asarray([[True, True, False], [True, False, True]])
    run = [RoundStats(np.full(3, 1 / 3), present, updates=ahead, round=r) for r, present in enumerate(here)]
    zeros, seen = ([step(pair) for pair in play(fed_aware(init=init), run)] for init in ("zeros", "seen"))
    np.testing.assert_allclose(zeros[0], [0, 0], atol=1e-12)
    np.testing.assert_allclose(seen[0], [1, 0], atol=1e-12)
    assert zeros[1][0] > 0.4
    np.testing.assert_allclose(seen[1], [1, 0], atol=1e-12)


@given(run=runs(n_rounds=3, max_clients=3, full=True, reads=()))
def test_with_full_rounds_and_alpha_one_fed_aware_is_min_norm(run: list[RoundStats]) -> None:
    for init in ("full-round", "zeros", "seen"):
        rule = fed_aware(alpha=1.0, init=init)
        for got, expected in zip(play(rule, run), play(MinNorm(), run), strict=True):
            np.testing.assert_allclose(step(got), step(expected), atol=1e-9)
    whole = zip(play(fed_aware_na(0.5, "full-round"), run), play(fed_aware_na(0.5, "seen"), run), strict=True)
    for one, other in whole:
        same(one, other)
    for got, expected in zip(play(fed_avg_full(), run), play(Proportional(), run), strict=True):
        same(got, expected)


def test_fed_aware_weights_a_client_that_is_away() -> None:
    updates = np.asarray([[1.0, 0.0], [0.0, 1.0]])
    run = [RoundStats(np.full(2, 0.5), np.ones(2, bool), updates=updates)]
    run.append(replace(run[0], present=np.asarray([True, False]), round=1))
    assert play(fed_aware(), run)[1][0].tolist() == pytest.approx([0.5, 0.5])


@given(run=runs(n_rounds=2, max_clients=3, reads=("loss_before", "loss_best")))
def test_project_puts_the_step_on_the_line_of_d(run: list[RoundStats]) -> None:
    onto = WithMemory(Uniform())
    parts = zip(play(FedSoftWorse(1.0), run), play(onto, run), strict=True)
    pairs = [(step(one), step(two)) for one, two in parts]
    for option in ("keep", "zero"):
        rule = Project(FedSoftWorse(1.0), onto, when_zero=option, when_negative="clip")
        for (proposal, d), pair in zip(pairs, play(rule, run), strict=True):
            if not d.any():
                expected = proposal if option == "keep" else 0 * proposal
            else:
                expected = max(0.0, proposal @ d / (d @ d)) * d
            np.testing.assert_allclose(step(pair), expected, atol=1e-12)


def test_project_options_for_zero_and_negative_products() -> None:
    updates = np.asarray([[1.0, 0.0], [-1.0, 0.0]])
    stats = RoundStats(np.asarray([0.25, 0.75]), np.ones(2, bool), updates=updates)
    with pytest.raises(ValueError, match="no line to project on"):
        Project(Proportional()).step(None, stats)
    tilted = replace(stats, updates=np.asarray([[1.0, 0.5], [-1.0, 0.25]]))
    onto = WithMemory(Uniform())
    printed = play(Project(Proportional(), onto), [tilted])[0]
    d, proposal = np.asarray([0.0, 0.375]), np.asarray([-0.5, 0.3125])
    np.testing.assert_allclose(step(printed), proposal @ d / (d @ d) * d)
    against = Project(make_rule("fed-worse"), onto)
    losing = replace(
        tilted, updates=np.asarray([[3.0, 0.0], [-1.0, 0.0]]), loss_before=np.arange(2.0), loss_best=0 * np.arange(2.0)
    )
    np.testing.assert_allclose(step(play(against, [losing])[0]), [-1, 0])
    np.testing.assert_allclose(step(play(replace(against, when_negative="clip"), [losing])[0]), [0, 0])


def test_presets_are_what_they_are_named_after() -> None:
    better, average, worse = FedSoftBetter(0.2), Proportional(), FedSoftWorse(0.2)
    assert fed_soft_better_avg() == Switch(better, average, at_round=20)
    assert make_rule("fed-soft-worse-avg") == Switch(worse, average, at_round=20)
    assert make_rule("fed-avg-soft-worse", at_accuracy=0.6) == Switch(average, worse, at_accuracy=0.6)
    assert make_rule("fed-avg-soft-better", anneal="linear") == Anneal(average, better, 20, "linear")
    three = Switch(better, Switch(average, worse, at_round=40), at_round=20)
    assert fed_soft_better_avg_soft_worse() == three
    assert fed_aware() == WithMemory(MinNorm(), 0.5, "seen")
    assert fed_aware_na(weights="share") == WithMemory(Proportional(), 0.5, "seen")


NESTED = Mix(
    Switch(fed_aware(), PARTS["afl"], at_accuracy=0.5),
    Anneal(PARTS["with-memory"], Project(Uniform(), when_zero="keep")),
)


def plain(value: Any, leaf: type) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and plain(item, leaf) for key, item in value.items())
    return value is None or isinstance(value, leaf)


@settings(max_examples=20)
@given(run=runs(n_rounds=4, max_clients=3, reads=READS))
def test_a_nested_state_is_plain_and_resumes_bit_for_bit(run: list[RoundStats]) -> None:
    moved = [mapped(stats, lambda _, value: torch.from_numpy(np.array(value))) for stats in run]
    whole = play(NESTED, moved)
    state = None
    for stats in moved[:2]:
        state, *_ = NESTED.step(state, stats)
    assert plain(state, torch.Tensor)
    kept = BytesIO()
    torch.save(state, kept)
    kept.seek(0)
    state = torch.load(kept, weights_only=True)
    for stats, expected in zip(moved[2:], whole[2:], strict=True):
        state, weights, vectors = NESTED.step(state, stats)
        assert torch.equal(weights, expected[0])
        assert torch.equal(vectors, expected[1])
    assert plain(NESTED.step(None, run[0])[0], np.ndarray)


@pytest.mark.parametrize(
    "text",
    ["proportional", "exp-alpha", "oracle", "fed-worse(k=2)", "fed-soft-better", "afl", "fed-aware-na", "anneal"],
)
def test_a_simulation_that_diverges_says_so_under_every_rule(text: str) -> None:
    federation = QuadraticFederation(
        np.stack([np.eye(2) * c for c in (1.0, 2.0, 4.0)]), np.eye(3)[:, :2], np.zeros(3), np.full(3, 1 / 3)
    )
    steps = np.full(600, 1e3)
    with np.errstate(all="ignore"):
        run = simulate(federation, make_rule(text), start=np.ones(2), step_sizes=steps, n_local_steps=100)
    assert run.diverged >= 0
