"""Statements in expectation by replicas: verdicts on real statements, planted faults, the level that is promised."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory import ExpAlpha, QuadraticFederation, SignNoise, simulate
from theory.base.streams import stream
from theory.exact import dot, local_sgd_round, matvec, quadratic_gradient, weighted_sum
from theory.exact.reference.enumeration import (
    all_paths,
    expectation,
    fedavg_paths,
    path_extremes,
    sign_noise,
    sign_patterns,
)
from validation import Bound, Choice, LogScale, Simplex, Space, Uniform, Verdict, symbols
from validation.judge.expectation import judge_expectation
from validation.judge.sampling.replicas import Budget, decided, replicas, searched
from validation.statement.claim import ExactCheck
from validation.statement.forms.expectation import Expectation, SampledCase

A2, spread, weighted, ceiling, one = symbols("A2 spread weighted ceiling one")


def judged(test: Expectation, budget: int = 40_000, seed: int = 0, name: str = "toy", **more: Any) -> Any:
    return judge_expectation(test, claim_id="TOY", name=name, budget=budget, seed=seed, **more)


# K9 by sampling: E‖Σ aᵢnᵢ‖² <= Σ aᵢ²σᵢ² for independent noise nᵢ = ±σᵢ; with one sign for all it is false.


def averaged_exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """E(Σ a_i n_i)^2 over every outcome of the signs."""
    a, sizes = x["weights"], x["sigma"]
    outcomes = sign_noise(sizes, 1, 1, shared=x["shared"] > 0)
    lhs = expectation(outcomes, lambda noise: dot(a, [n[0] for n in noise[0]]) ** 2)
    met = {"weights on the simplex": sum(a) == 1 and min(a) >= 0}
    return met, {"lhs": lhs, "A2": sum(w * w * s * s for w, s in zip(a, sizes, strict=True))}


AVERAGED = ExactCheck(averaged_exactly, (sign_patterns, sign_noise, expectation, dot))


def averaged(*, shared: bool, exact: ExactCheck | None = None, n_clients: int = 3, bias: float = 0.0) -> SampledCase:
    """Averages of the clients' noise; `bias` is a planted fault of the sampler."""

    def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
        up = rng.random((n, 1 if shared else n_clients)) < 0.5 + bias
        return {"lhs": ((x["weights"] * x["sigma"] * np.where(up, 1.0, -1.0)).sum(axis=1)) ** 2}

    space = Space(
        (
            Simplex("weights", n_clients),
            LogScale("sigma", 0.1, 10.0, (n_clients,)),
            Choice("shared", (float(shared),)),
        )
    )
    return SampledCase(
        "averaged noise",
        space,
        sample,
        support=lambda x: (0.0, float((x["weights"] * x["sigma"]).sum() ** 2)),
        constants=lambda x: {"A2": (x["weights"] ** 2 * x["sigma"] ** 2).sum()},
        exact=exact,
    )


def test_a_bound_with_room_holds_by_sampling() -> None:
    outcome = judged(Expectation(Bound(2 * A2), (averaged(shared=False),)))
    assert outcome.verdict is Verdict.HOLDS
    assert outcome.worst_ratio < 0.8
    found = outcome.detail["expectation"]
    assert found["interval"][0] <= found["left"] - found["right"] <= found["interval"][1] < 0
    assert found["below"] == found["candidates"] == 8
    assert "8 intervals together at confidence 0.99" in outcome.why
    assert outcome.detail["evaluations"] == sum(outcome.detail["stages"].values()) <= 40_000
    assert set(outcome.detail["stages"]) == {"first looks", "halving", "climbing", "fresh streams"}


def test_an_attained_bound_straddles_holds_up_to_a_margin_or_is_cleared_exactly() -> None:
    bare, exact = averaged(shared=False), averaged(shared=False, exact=AVERAGED)
    open_ended = judged(Expectation(Bound(A2), (bare,)), budget=20_000)
    assert open_ended.verdict is Verdict.INCONCLUSIVE
    assert "straddle" in open_ended.why
    assert not open_ended.detail["expectation"]["violated"]
    low, high = open_ended.detail["expectation"]["interval"]
    assert low <= 0 <= high
    up_to = judged(Expectation(Bound(A2), (bare,), margin=0.25), budget=400_000)
    assert up_to.verdict is Verdict.HOLDS
    assert "up to 0.25 of the right side" in up_to.why
    cleared = judged(Expectation(Bound(A2), (exact,)), budget=20_000)
    assert cleared.verdict is Verdict.HOLDS
    assert "exact arithmetic cleared" in cleared.why


def test_shared_noise_violates_and_monte_carlo_alone_refutes_nothing() -> None:
    outcome = judged(Expectation(Bound(A2), (averaged(shared=True),)))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "violated at confidence 0.99 on fresh streams; Monte Carlo alone refutes nothing" in outcome.why
    assert outcome.script is None
    assert outcome.detail["expectation"]["violated"]
    assert outcome.detail["expectation"]["interval"][0] > 0


def confirms(script: str, folder: Path) -> bool:
    """Whether a counterexample's script, run alone, confirms it."""
    file = folder / "counterexample.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(file)], capture_output=True, text=True, check=False, cwd=folder)
    return done.returncode == 0 and "violated" in done.stdout


def test_shared_noise_is_refuted_by_full_enumeration(tmp_path: Path) -> None:
    test = Expectation(Bound(A2), (averaged(shared=True, exact=AVERAGED),))
    outcome = judged(test, statement="E‖Σ a n‖² <= Σ a²σ²")
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.stage == "fresh streams"
    assert outcome.witness.lhs > outcome.witness.rhs
    assert outcome.robustness > 0.9
    assert confirms(outcome.script, tmp_path)
    early = judged(test, stop_at_witness=True)
    assert early.verdict is Verdict.REFUTED
    assert early.detail["evaluations"] <= outcome.detail["evaluations"]


def test_a_narrow_violation_is_found() -> None:
    """A coin whose chance rises to 1 at one point of three dimensions: above 0.9 only on 1/8000 of the volume."""
    place = np.asarray([0.3, 0.6, 0.55])

    def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
        return {"lhs": (rng.random(n) < 1 - 4 * np.abs(x["u"] - place).max()) * 1.0}

    case = SampledCase("peak", Space((Uniform("u", 0.0, 1.0, (3,)),)), sample, lambda _: (0.0, 1.0), lambda _: {})
    found = [judged(Expectation(Bound(0.9 + 0 * one), (case,)), 200_000, seed) for seed in range(5)]
    assert sum(outcome.detail["expectation"]["violated"] for outcome in found) >= 4


# FedAvg with Exp-α: the weights see the round's noise through the losses after training, so no moments close.


def exp_alpha_case(**more: Any) -> SampledCase:
    """Two equal clients ½w², one local step from w = 1 with noise ±σ; lhs (Σ aₖnₖ)², a from the noisy losses."""

    def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
        federation = QuadraticFederation(np.ones((2, 1, 1)), np.zeros((2, 1)), np.zeros(2), np.full(2, 0.5))
        sigma, eta = float(x["sigma"]), 0.5
        run = simulate(
            federation,
            ExpAlpha(alpha=float(x["alpha"])),
            start=np.ones((n, 1)),
            step_sizes=np.asarray([eta]),
            n_local_steps=1,
            noise=SignNoise((sigma, sigma)),
            seed=int(rng.integers(2**31)),
            record=("weights", "updates"),
        )
        noise = -run.updates[0, :, :, 0] / eta - 1.0  # an update is −η(∇F(1) + n) with ∇F(1) = 1
        a = run.weights[0]
        return {
            "lhs": (a * noise).sum(axis=1) ** 2,
            "spread": sigma**2 * (a**2).sum(axis=1),
            "weighted": sigma**2 * (a * np.asarray([1.0, 1.0 + x["unequal"]])).sum(axis=1),
        }

    space = Space((LogScale("sigma", 0.3, 3.0), LogScale("alpha", 0.5, 5.0), Uniform("unequal", 0.1, 1.0)))
    top = lambda x: (0.0, 2.0 * float(x["sigma"]) ** 2)  # noqa: E731
    case = SampledCase("Exp-α", space, sample, top, lambda _x: {}, rhs_support=lambda x: (0.0, 2 * top(x)[1]))
    return replace(case, **more)


def test_exp_alpha_weights_break_the_rule_of_squared_weights() -> None:
    """E‖Σ aₖnₖ‖² <= E Σ aₖ²σ²: false by hand, since weights lean to one client when signs differ."""
    outcome = judged(Expectation(Bound(spread), (exp_alpha_case(),), random_rhs="expectation"), budget=60_000)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.detail["expectation"]["violated"]
    # Then the weights are b and 1 − b, else ½ and ½: ½σ²(1 + q) against ½σ²(1 + q/2) with q = (2b − 1)² in (0, 1].
    assert 1.0 < outcome.worst_ratio < 4 / 3 + 0.05  # the estimate of thousands of replicas


def test_exp_alpha_weights_keep_convexity_in_every_reading() -> None:
    """‖Σ aₖnₖ‖² <= Σ aₖσₖ² for any weights on the simplex."""
    for reading in ("expectation", "essential supremum"):
        outcome = judged(Expectation(Bound(weighted), (exp_alpha_case(),), random_rhs=reading), budget=200_000)  # type: ignore[arg-type]
        assert outcome.verdict is Verdict.HOLDS, outcome.why
    pathwise = judged(Expectation(Bound(weighted), (exp_alpha_case(),), random_rhs="pathwise"))
    assert pathwise.verdict is Verdict.HOLDS
    assert "a path violates with chance in [0," in pathwise.why


def unlucky_exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """All weight on the first client whose noise is positive, if there is one: the limit of Exp-alpha as alpha -> 0."""

    def weigh(past: Any, noise: Any, local_models: Any) -> Any:
        lucky = [k for k in range(len(local_models)) if noise[0][k][0] > 0]
        return [Fraction(int(k == (lucky[0] if lucky else 0))) for k in range(len(local_models))]

    half, zero, sigma = Fraction(1, 2), Fraction(0), x["sigma"]
    noise = sign_noise([sigma, sigma], 1)
    paths = fedavg_paths([x["start"]], [[[Fraction(1)]]] * 2, [[zero]] * 2, [[half], [half]], noise, weigh)
    lhs = expectation(paths, lambda path: path[-1]["next"][0] ** 2)
    # With weights 1/2 fixed in advance: the mean halves twice, each round adds variance (1/2)(1/4) sigma^2.
    fixed = (x["start"] / 4) ** 2 + sigma**2 * (1 + Fraction(1, 4)) / 8
    return {"sigma >= 0": sigma >= 0}, {"lhs": lhs, "ceiling": fixed}


def test_an_adaptive_rule_over_two_rounds_is_refuted_by_its_paths(tmp_path: Path) -> None:
    """E w² after two rounds is at most that of weights fixed in advance: false for weights that see the noise."""

    def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
        w = np.full(n, float(x["start"]))
        for _ in range(2):
            noise = np.where(rng.random((n, 2)) < 0.5, 1.0, -1.0) * x["sigma"]
            w = w / 2 - noise.max(axis=1) / 2
        return {"lhs": w**2}

    space = Space((LogScale("start", 0.1, 10.0), LogScale("sigma", 0.1, 10.0)))
    uses = (dot, matvec, weighted_sum, quadratic_gradient, local_sgd_round, sign_patterns, sign_noise, all_paths)
    exact = ExactCheck(unlucky_exactly, (*uses, fedavg_paths, expectation))
    case = SampledCase(
        "two rounds",
        space,
        sample,
        support=lambda x: (0.0, float(x["start"] + x["sigma"]) ** 2),
        constants=lambda x: {"ceiling": (x["start"] / 4) ** 2 + x["sigma"] ** 2 * 1.25 / 8},
        exact=exact,
        cost=2.0,
    )
    outcome = judged(Expectation(Bound(ceiling), (case,)), budget=20_000)
    assert outcome.verdict is Verdict.REFUTED
    assert confirms(outcome.script, tmp_path)


# The readings of a random right side differ.


def coins(rhs_chance: float) -> SampledCase:
    """lhs is 1 or 2 with equal chances; the right side 2 with `rhs_chance`, else 1, and 2 whenever lhs is not."""

    def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
        u = rng.random(n)
        return {"lhs": np.where(u < 0.5, 2.0, 1.0), "one": np.where(u > 1 - rhs_chance, 2.0, 1.0)}

    return SampledCase(
        "coins",
        Space((Uniform("nothing", 0.0, 1.0),)),
        sample,
        lambda _: (1.0, 2.0),
        lambda _: {},
        rhs_support=lambda _: (1.0, 2.0),
    )


@pytest.mark.parametrize(
    ("chance", "reading", "verdict", "violated"),
    [
        (0.2, "expectation", "inconclusive", True),
        (0.9, "expectation", "holds", False),
        (0.2, "essential supremum", "holds", False),
        (0.0, "essential supremum", "inconclusive", False),  # 2 is possible by the support, but never seen
        (0.9, "pathwise", "inconclusive", True),
        (1.0, "pathwise", "holds", False),
    ],
)
def test_the_reading_of_a_random_right_side_decides(chance: float, reading: Any, verdict: str, violated: bool) -> None:
    outcome = judged(Expectation(Bound(one), (coins(chance),), random_rhs=reading), budget=60_000)
    assert outcome.verdict == verdict
    assert outcome.detail["expectation"]["violated"] is violated


def test_a_path_that_violates_is_refuted_by_its_exact_extreme() -> None:
    def exactly(_x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        paths = all_paths(lambda _: [(Fraction(1, 2), 1), (Fraction(1, 2), 2)], lambda _, drawn: drawn, 1)
        return {}, {"lhs": Fraction(path_extremes(paths, lambda path: path[0])[1]), "one": Fraction(1)}

    case = replace(coins(0.3), exact=ExactCheck(exactly, standalone=False))
    outcome = judged(Expectation(Bound(one), (case,), random_rhs="pathwise"))
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.script is None


def test_a_condition_on_the_past_is_an_instance_that_contains_it() -> None:
    """E[(1 + s₁ + s₂)² | s₁] is 5 for s₁ = 1 and 1 for s₁ = −1; its mean is 3."""

    def case(past: tuple[float, ...]) -> SampledCase:
        def sample(x: Any, rng: np.random.Generator, n: int) -> dict[str, Any]:
            s = np.where(rng.random(n) < 0.5, 1.0, -1.0)
            known = np.where(rng.random(n) < 0.5, 1.0, -1.0) if x["past"] == 0 else x["past"]
            return {"lhs": (1 + known + s) ** 2}

        return SampledCase("walk", Space((Choice("past", past),)), sample, lambda _: (0.0, 9.0), lambda _: {})

    at_most_four = Bound(4 + 0 * one)
    assert judged(Expectation(at_most_four, (case((0.0,)),))).verdict is Verdict.HOLDS
    given = judged(Expectation(at_most_four, (case((-1.0, 1.0)),)))
    assert given.detail["expectation"]["violated"]
    assert given.detail["worst_instance"]["past"] == 1.0


# Candidates are only candidates, and planted faults are caught.


def lottery(win: float = 50.0) -> SampledCase:
    """`win` with chance 1/50, else 0."""
    return SampledCase(
        "lottery",
        Space((Uniform("nothing", 0.0, 1.0),)),
        lambda _x, rng, n: {"lhs": np.where(rng.random(n) < 0.02, win, 0.0)},
        lambda _: (0.0, 50.0),
        lambda _: {"one": 1.0},
    )


def test_the_luck_of_a_search_does_not_survive_fresh_streams() -> None:
    test = Expectation(Bound(sum([one] * 2)), (lottery(),))
    looks = [replicas(test, test.cases[0], {}, stream(i, "look"), 64).lhs.mean() for i in range(200)]
    assert max(looks) > 2.5  # cheap means "violate" E[lhs] = 1 <= 2 all the time
    outcome = judged(test, budget=400_000)
    assert outcome.verdict is Verdict.HOLDS
    assert outcome.worst_ratio < 0.9


def test_together_the_intervals_keep_their_level() -> None:
    """An attained statement judged again and again: whether any interval ever lies above it."""
    test, repetitions = Expectation(Bound(one), (lottery(),), miscoverage=0.2), 120
    wrong = sum(judged(test, 8_000, seed).detail["expectation"]["violated"] for seed in range(repetitions))
    assert wrong / repetitions <= 0.2 + 3 * sqrt(0.2 * 0.8 / repetitions)


def test_every_candidate_gets_its_part_of_the_level_and_fresh_streams_of_its_own() -> None:
    test, purse = Expectation(Bound(one), (lottery(),), miscoverage=0.03), Budget(10_000.0)
    points = searched(test, purse, stream(0, "search/x")).candidates
    drawn: list[bytes] = []

    def sample(x: Any, rng: np.random.Generator, n: int) -> Any:
        found = lottery().sample(x, rng, n)
        drawn.append(rng.bytes(16))  # the state of the stream it came from
        return found

    spied = [replace(p, case=replace(p.case, sample=sample)) for p in points]
    candidates = decided(test, spied, Budget(50_000.0), 0, "x", stop_at_witness=False)
    assert sum(c.sequence.miscoverage for c in candidates) == pytest.approx(0.03)
    assert max(c.count for c in candidates) > 2000
    assert len(set(drawn)) == len(drawn) > 3 * len(candidates)  # one stream for each candidate and each doubling
    assert all(c.sequence.count == c.count for c in candidates)


def test_a_tiny_budget_decides_nothing_and_the_details_are_plain_json() -> None:
    outcome = judged(Expectation(Bound(2 * A2), (averaged(shared=True),)), budget=100)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert json.loads(json.dumps(outcome.detail)) == outcome.detail


def test_same_seed_and_budget_give_the_same_outcome_and_every_replica_is_told() -> None:
    told: list[int] = []
    test = Expectation(Bound(2 * A2), (averaged(shared=False), exp_alpha_like()))
    first = judged(test, tick=told.append)
    second = judged(test)
    assert (first.why, first.detail) == (second.why, second.detail)
    assert sum(told) == first.detail["evaluations"]
    other = judged(test, seed=1)
    assert other.detail != first.detail


def exp_alpha_like() -> SampledCase:
    """A second case beside the first: two clients, half the noise."""
    return replace(averaged(shared=False, n_clients=2), name="two clients", cost=0.5)


def test_every_case_has_a_candidate() -> None:
    test = Expectation(Bound(2 * A2), (averaged(shared=True), exp_alpha_like()))
    outcome = judged(test)
    assert outcome.detail["expectation"]["violated"]
    assert outcome.detail["expectation"]["below"] > 0  # of the case that never violates


def test_without_an_exact_mean_holds_says_what_was_bounded() -> None:
    outcome = judged(Expectation(Bound(2 * A2), (averaged(shared=False),)))
    assert outcome.verdict is Verdict.HOLDS
    words = "averaged noise: bounded over the whole support at the 8 candidates alone, elsewhere by 64 replicas or more"
    assert words in outcome.why
