"""Rules against their exact versions, closed forms and hand-made rounds; draws against their law."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals, mapped, rich_rounds, rounds
from theory import (
    AFL,
    SSA,
    ExpAlpha,
    FedBetter,
    FedWorse,
    MinNorm,
    Oracle,
    Proportional,
    RoundStats,
    Scheduled,
    make_rule,
)
from theory.exact import ball, rational
from theory.exact.reference import weights as exact
from theory.rules import (
    EFL,
    Confidence,
    FedNova,
    InverseVariance,
    PowerOfChoice,
    SampledByWeights,
    Similarity,
    project_on_simplex,
)
from theory.rules.by_output.ssa_learning import SSALoss
from theory.rules.by_output.ssa_loss import loss_ssa


def round_of(n: int, **fields: Any) -> RoundStats:
    return RoundStats(**{"share": np.full(n, 1 / n), "present": np.ones(n, bool), **fields})


def to_torch(stats: RoundStats) -> RoundStats:
    return mapped(stats, lambda _, value: torch.from_numpy(np.array(value)))


@given(stats=rounds())
def test_rules_match_their_exact_versions(stats: RoundStats) -> None:
    share, before, after, best = (
        [ball(float(v)) for v in x] for x in (stats.share, stats.loss_before, stats.loss_after, stats.loss_best)
    )
    present = [bool(p) for p in stats.present]
    pairs = {
        "proportional": exact.proportional(share, present),
        "exp-alpha": exact.exp_alpha(before, after, present, ball(0.5)),
        "fed-soft-worse": exact.fed_soft_worse(share, before, best, present, ball(0.5)),
        "fed-soft-better": exact.fed_soft_worse(share, best, before, present, ball(0.5)),
        "fed-worse": exact.fed_worse(rational(stats.loss_before.tolist()), rational(stats.loss_best.tolist()), present),
        "fed-better": exact.fed_worse(
            rational(stats.loss_best.tolist()), rational(stats.loss_before.tolist()), present
        ),
    }
    settings = {"exp-alpha": {"alpha": 0.5}, "fed-soft-worse": {"temperature": 0.5}}
    settings["fed-soft-better"] = settings["fed-soft-worse"]
    for name, reference in pairs.items():
        expected = [float(x.p) / float(x.q) if hasattr(x, "q") else float(x) for x in reference]
        np.testing.assert_allclose(make_rule(name, **settings.get(name, {}))(stats), expected, rtol=1e-12, atol=1e-14)


@given(stats=rounds(max_clients=4))
def test_min_norm_matches_exact_enumeration(stats: RoundStats) -> None:
    reference = exact.min_norm(rational(stats.updates.tolist()), [bool(p) for p in stats.present])
    expected = np.asarray([float(w.p) / float(w.q) for w in reference]) @ stats.updates
    scale = max(1.0, float(np.abs(stats.updates).max()))
    np.testing.assert_allclose(MinNorm()(stats) @ stats.updates, expected, atol=1e-6 * scale)


def test_exp_alpha_leans_towards_the_client_whose_loss_fell_least() -> None:
    weights = ExpAlpha(alpha=0.2)(round_of(2, loss_before=np.ones(2), loss_after=np.asarray([0.9, 0.1])))
    assert weights[0] / weights[1] == pytest.approx(np.exp(0.8 / 0.2))


def test_ties_share_as_printed_and_at_the_edge_of_the_kept() -> None:
    stats = round_of(4, loss_before=np.asarray([2.0, 3.0, 2.0, 1.0]), loss_best=np.zeros(4))
    level = replace(stats, loss_before=np.asarray([2.0, 2.0, 1.0, 1.0]))
    assert FedWorse()(level).tolist() == [0.5, 0.5, 0.0, 0.0]
    assert FedBetter()(level).tolist() == [0.0, 0.0, 0.5, 0.5]
    assert FedWorse(k=2)(stats).tolist() == [0.25, 0.5, 0.25, 0.0]  # the second place is split
    assert FedBetter(k=2)(stats).tolist() == [0.25, 0.0, 0.25, 0.5]
    share = np.asarray([0.125, 0.5, 0.25, 0.125])
    kept = FedWorse(k=3, inner="share")(replace(stats, share=share))
    np.testing.assert_allclose(kept, [1 / 7, 4 / 7, 2 / 7, 0])


@pytest.mark.parametrize(
    ("k", "of", "kept"),
    [(29, "count", 29), (0.29, "all", 29), (0.2, "present", 10), (0.01, "present", 1), (60, "count", 50)],
)
def test_what_k_counts(k: float, of: Any, kept: int) -> None:
    stats = round_of(100, present=np.arange(100) < 50, loss_before=np.arange(100.0), loss_best=np.zeros(100))
    weights = FedWorse(k=k, of=of)(stats)
    assert np.flatnonzero(weights).tolist() == list(range(50 - kept, 50))
    np.testing.assert_allclose(weights[50 - kept : 50], 1 / kept)


@given(stats=rich_rounds(4, reads=("loss_before", "loss_best")))
def test_the_oracle_family_as_printed_and_as_in_its_proof(stats: RoundStats) -> None:
    sizes = 4 * stats.share
    x = sizes * (stats.loss_best - stats.loss_before)
    for name, function in {
        "exp": np.exp,
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "constant": np.ones_like,
    }.items():
        raw = np.where(stats.present, sizes * function(x), 0)
        np.testing.assert_allclose(Oracle(U=name)(stats), raw / raw.sum(), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(Oracle(U=function)(stats), raw / raw.sum(), rtol=1e-12, atol=1e-15)
        tilde = np.where(stats.present, function(x), 0)
        proof = Oracle(U=name, reading="proof")
        np.testing.assert_allclose(proof(stats), sizes * tilde / tilde.sum(), rtol=1e-12, atol=1e-15)
        assert not proof.simplex


def test_efl_counts_a_client_with_fewer_steps_for_more() -> None:
    stats = round_of(4, local_steps=np.asarray([10.0, 5.0, 0.0, 2.0]), present=np.asarray([True, True, True, False]))
    weights = EFL(10)(stats)
    assert weights.tolist() == [0.25, 0.5, 0.0, 0.0]
    assert EFL(10).total(stats) == pytest.approx(0.75)
    everybody = replace(stats, local_steps=np.full(4, 10.0), present=np.ones(4, bool))
    np.testing.assert_array_equal(EFL(10)(everybody), Proportional()(everybody))


def test_fed_nova_counts_a_client_by_what_it_did_per_step() -> None:
    """Shares 1/4 each, τ = (8, 4, 0) of those present: p = 1/3, τ_eff = 4, weights 4/(3·8) and 4/(3·4)."""
    stats = round_of(4, effective_steps=np.asarray([8.0, 4.0, 0.0, 2.0]), present=np.asarray([True, True, True, False]))
    np.testing.assert_allclose(FedNova()(stats), [1 / 6, 1 / 3, 0.0, 0.0], rtol=1e-15)
    assert FedNova().total(stats) == pytest.approx(0.5, rel=1e-15)
    np.testing.assert_allclose(FedNova(2.0)(stats), [1 / 12, 1 / 6, 0.0, 0.0], rtol=1e-15)
    even = replace(stats, effective_steps=np.full(4, 7.0), present=np.ones(4, bool))
    np.testing.assert_allclose(FedNova()(even), Proportional()(even), rtol=1e-15)


def test_efl_takes_what_each_client_planned_and_has_three_readings_of_a_sampled_cohort() -> None:
    planned = np.asarray([10.0, 4.0, 8.0, 2.0])
    stats = round_of(
        4,
        local_steps=np.asarray([5.0, 4.0, 2.0, 0.0]),
        planned_steps=planned,
        present=np.asarray([True, True, True, False]),
    )
    by_hand = np.asarray([2.0, 1.0, 4.0, 0.0]) / 4  # E·p/s with p = 1/4
    np.testing.assert_allclose(EFL()(stats), by_hand, rtol=1e-15)
    np.testing.assert_allclose(EFL(over_cohort="scaled")(stats), by_hand * 4 / 3, rtol=1e-15)
    np.testing.assert_allclose(EFL(over_cohort="normalised")(stats), by_hand / by_hand.sum(), rtol=1e-15)
    for over in ("one", "scaled", "normalised"):
        rule = EFL(over_cohort=over)  # type: ignore[arg-type]
        assert float(rule.total(stats)) == pytest.approx(float(np.sum(rule(stats))))
    with pytest.raises(ValueError, match="planned_steps"):
        EFL()(replace(stats, planned_steps=None))


@given(stats=rich_rounds(4, full=True, reads=("local_steps",)))
def test_efl_is_fed_nova_with_effective_steps_e_where_all_are_present(stats: RoundStats) -> None:
    plain = replace(stats, effective_steps=stats.local_steps)
    np.testing.assert_allclose(EFL(10)(plain), FedNova(10.0)(plain), rtol=1e-15, atol=0)


@given(
    values=st.lists(decimals(0.125, 8), min_size=3, max_size=3),
    trial=st.lists(decimals(0.0625, 1), min_size=3, max_size=3),
)
def test_inverse_variance_has_the_least_variance(values: list[float], trial: list[float]) -> None:
    variance, other = np.asarray(values), np.asarray(trial) / np.sum(trial)
    weights = InverseVariance()(round_of(3, signals={"gradient_variance": variance}))
    np.testing.assert_allclose(weights, (1 / variance) / (1 / variance).sum(), rtol=1e-14)
    assert weights**2 @ variance <= other**2 @ variance + 1e-14


def test_similarity_and_confidence_by_hand() -> None:
    first = np.asarray([[[1.0, 0.0], [1.0, 0.0], [3.0, 4.0]]])  # one sample, three clients, two classes
    second = np.asarray([[[2.0, 0.0], [1.0, 1.0], [4.0, 3.0]]])
    cosines = np.asarray([1.0, 0.5**0.5, 0.96])
    stats = round_of(3, signals={"view_1": first, "view_2": second, "logits": first})
    np.testing.assert_allclose(Similarity()(stats), cosines / cosines.sum(), rtol=1e-15)
    np.testing.assert_allclose(Confidence()(stats), [1 / 3, 1 / 3, 1 / 3], rtol=1e-15)
    louder = replace(stats, signals={**stats.signals, "logits": first * np.asarray([3.0, 1.0, 1.0])[:, None]})
    np.testing.assert_allclose(Confidence()(louder), np.asarray([9, 1, 1]) / 11, rtol=1e-15)
    opposed = replace(stats, signals={"view_1": first, "view_2": second * np.asarray([1.0, -1.0, 1.0])[:, None]})
    signed = cosines * np.asarray([1, -1, 1])
    np.testing.assert_allclose(Similarity(when_negative="as_printed")(opposed), signed / signed.sum(), rtol=1e-15)
    np.testing.assert_allclose(Similarity(when_negative="clip")(opposed), [1 / 1.96, 0, 0.96 / 1.96], rtol=1e-15)


@given(stats=rich_rounds(3, reads=("view_1", "view_2")))
def test_ssa_never_ends_above_where_it_began(stats: RoundStats) -> None:
    views = stats.signals["view_1"], stats.signals["view_2"]
    start = SSA(n_steps=0)(stats)
    np.testing.assert_allclose(start, np.where(stats.present, 1 / stats.present.sum(), 0), rtol=1e-12)
    found = [loss_ssa(SSA(n_steps=n)(stats), *views) for n in (0, 5, 40)]
    assert found[0] + 1e-14 >= found[1] >= found[2] - 1e-14


@pytest.mark.parametrize(("share_of_promise", "moves"), [(0.5e-4, False), (2e-4, True), (0.0, False), (1.0, True)])
def test_ssa_takes_a_step_only_for_a_ten_thousandth_of_what_the_slope_promises(
    monkeypatch: pytest.MonkeyPatch, share_of_promise: float, moves: bool
) -> None:
    slope, start = np.asarray([3.0, 0.0, 0.0]), np.full(3, 1 / 3)

    def falls(_: SSALoss, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return share_of_promise * ((weights - start) @ slope), slope

    monkeypatch.setattr(SSALoss, "__call__", falls)
    views = np.zeros((2, 4, 3, 2))
    weights = SSA(lambda_we=0.0, n_steps=1, step_size=0.01)(
        round_of(3, signals={"view_1": views[0], "view_2": views[1]})
    )
    # One step along −slope, projected on the simplex: 0.02 off the first, 0.01 on each other.
    np.testing.assert_allclose(weights, start + (np.asarray([-0.02, 0.01, 0.01]) if moves else 0), rtol=1e-12)


def test_ssa_finds_the_client_that_is_sure_and_stable() -> None:
    noise = np.random.default_rng(1).normal(size=(2, 64, 4, 5))
    noise[:, :, 0] = 0
    noise[:, np.arange(64), 0, np.arange(64) % 5] = 8.0  # client 0: the same confident answer on both views
    stats = round_of(4, signals={"view_1": noise[0], "view_2": noise[1]})
    weights = SSA()(stats)
    assert weights[0] > 0.9
    grid = [
        np.asarray([a, b, c, 12 - a - b - c]) / 12 for a in range(13) for b in range(13 - a) for c in range(13 - a - b)
    ]
    least = min(float(loss_ssa(w, noise[0], noise[1])) for w in grid)
    assert loss_ssa(weights, noise[0], noise[1]) <= least + 1e-6


def test_ssa_without_slope_stays_at_equal_weights() -> None:
    alike = np.broadcast_to(np.random.default_rng(0).normal(size=(8, 1, 3)), (8, 3, 3)).copy()
    weights = SSA()(round_of(3, signals={"view_1": alike, "view_2": alike}))
    np.testing.assert_allclose(weights, 1 / 3, atol=1e-9)


@given(
    vector=st.lists(decimals(-4, 4), min_size=1, max_size=5),
    other=st.lists(decimals(0.0625, 1), min_size=5, max_size=5),
    data=st.data(),
)
def test_the_projection_is_the_nearest_point(vector: list[float], other: list[float], data: st.DataObject) -> None:
    v = np.asarray(vector)
    counted = np.asarray(data.draw(st.lists(st.booleans(), min_size=v.size, max_size=v.size).filter(any)))
    point = project_on_simplex(v, counted)
    assert np.all(point >= 0)
    assert np.all(point[~counted] == 0)
    assert point.sum() == pytest.approx(1, abs=1e-15 * v.size)
    trial = np.where(counted, other[: v.size], 0)
    trial /= trial.sum()
    assert (v - point)[counted] @ (trial - point)[counted] <= 1e-13  # the obtuse angle that marks a projection
    np.testing.assert_allclose(project_on_simplex(point, counted), point, atol=1e-15)


def test_afl_by_hand() -> None:
    rule = AFL(step_size=0.5)
    stats = round_of(2, loss_before=np.asarray([1.0, 0.5]))
    state, weights, _ = rule.step(None, stats)
    assert (weights.tolist(), state.tolist()) == ([0.5, 0.5], [0.625, 0.375])
    alone = replace(stats, present=np.asarray([False, True]))
    state, weights, _ = rule.step(state, alone)  # an absent client's loss counts as 0 in the ascent
    assert (weights.tolist(), state.tolist()) == ([0.0, 1.0], [0.5, 0.5])
    np.testing.assert_array_equal(rule.step(np.asarray([1.0, 0.0]), stats)[1], [1, 0])
    shared = AFL(step_size=0.5, when_zero="share").step(np.asarray([1.0, 0.0]), alone)[1]
    assert shared.tolist() == [0.0, 1.0]


def test_power_of_choice_draws_candidates_by_share() -> None:
    n, share = 40_000, np.asarray([0.5, 0.3, 0.2])
    batch = RoundStats(share=np.tile(share, (n, 1)), present=np.ones((n, 3), bool), loss_before=np.zeros((n, 3)))
    one = PowerOfChoice(d=1, m=1)(batch).mean(axis=0)
    np.testing.assert_allclose(one, share, atol=5 * 0.5 / np.sqrt(n))  # five standard errors
    left_out = 1 - (PowerOfChoice(d=2, m=2)(batch) > 0).mean(axis=0)
    a, b, c = share  # the one left out comes last in two draws without replacement
    last = [b * c / (1 - b) + c * b / (1 - c), a * c / (1 - a) + c * a / (1 - c), a * b / (1 - a) + b * a / (1 - b)]
    np.testing.assert_allclose(left_out, last, atol=5 * 0.5 / np.sqrt(n))


@given(stats=rich_rounds(4, reads=("loss_before",)), m=st.integers(1, 4), seed=st.integers(0, 3))
def test_power_of_choice_with_every_client_a_candidate_is_fed_worse_of_the_loss(
    stats: RoundStats, m: int, seed: int
) -> None:
    everyone = PowerOfChoice(d=4, m=m, seed=seed)(stats)
    np.testing.assert_array_equal(everyone, FedWorse(k=m)(replace(stats, loss_best=np.zeros(4))))
    drawn = PowerOfChoice(d=m, m=m, seed=seed)
    np.testing.assert_array_equal(drawn(to_torch(stats)).numpy(), drawn(stats))
    np.testing.assert_array_equal(drawn(stats), drawn(replace(stats, loss_before=stats.loss_before[::-1].copy())))


def test_scheduled_keeps_its_last_row_and_renormalises_over_the_cohort() -> None:
    rule = Scheduled(np.asarray([[1.0, 0.0], [0.25, 0.75]]))
    stats = round_of(2, round=7)
    assert rule(stats).tolist() == [0.25, 0.75]
    assert rule(replace(stats, present=np.asarray([True, False]))).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="no client with positive weight"):
        rule(replace(stats, round=0, present=np.asarray([False, True])))


@given(stats=rounds(), k=st.integers(1, 5))
def test_sampling_by_weights_draws_multiples_of_one_kth_from_the_cohort(stats: RoundStats, k: int) -> None:
    rule = SampledByWeights(ExpAlpha(1.0), n_sampled=k, seed=3)
    weights = rule(stats)
    np.testing.assert_allclose(weights * k, np.round(weights * k), atol=1e-12)
    assert weights.sum() == pytest.approx(1)
    assert np.all(weights[~stats.present] == 0)
    np.testing.assert_array_equal(rule(stats), weights)
    np.testing.assert_array_equal(rule(to_torch(stats)).numpy(), weights)


def test_sampling_by_weights_is_unbiased_for_the_rule_it_samples() -> None:
    n, share = 40_000, np.asarray([0.5, 0.3, 0.2])
    batch = RoundStats(share=np.tile(share, (n, 1)), present=np.ones((n, 3), bool))
    mean = SampledByWeights(Proportional(), n_sampled=2)(batch).mean(axis=0)
    assert np.all(np.abs(mean - share) < 5 * np.sqrt(share * (1 - share) / (2 * n)))
