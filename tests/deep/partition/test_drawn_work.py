"""Work that is drawn anew: passes and batches within their bounds, steps that records tell, and runs that go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import deep
from deep.config.config import RunConfig
from deep.local import draw_batches, planned_steps
from deep.partition import DrawnWork, make_local_work
from deep.runs.worlds import both_worlds
from deep.task.setup import Setup
from deep.task.task import make_task, round_cohort
from theory.rules import Complete, FedNova, Proportional

CPU = torch.device("cpu")
CONFIG = RunConfig(
    n_clients=6,
    n_sampled=3,
    partition="dirichlet(beta=1, min_size=8)",
    n_rounds=4,
    n_local_steps=0,
    n_local_epochs=3,
    local_work="drawn(fewest=2, most=5, smallest=10)",
    losses="none",
    floor="zero",
)


def test_passes_and_batches_are_uniform_between_their_bounds() -> None:
    drawn = [DrawnWork().drawn(0, r, k, 40) for r in range(100) for k in range(20)]
    passes, sizes = np.array(drawn).T
    assert set(passes) == {2, 3, 4, 5}
    assert set(sizes) == set(range(10, 40))
    assert np.bincount(passes)[2:].min() > 420  # of 2000; 500 are expected, with a deviation of 19
    assert abs(sizes.mean() - 24.5) < 1  # deviation of the mean 0.2
    assert DrawnWork().drawn(0, 0, 0, 10)[1] == 10
    assert DrawnWork().drawn(0, 0, 0, 3)[1] == 3
    assert DrawnWork().drawn(0, 0, 0, 40) == DrawnWork().drawn(0, 0, 0, 40)


@pytest.mark.parametrize("n_samples", [1, 9, 10, 11, 37, 100])
def test_a_client_goes_through_its_samples_as_often_as_drawn(n_samples: int) -> None:
    for r in range(5):
        passes, size = DrawnWork().drawn(CONFIG.seed, r, 4, n_samples)
        batches = draw_batches(Setup.of(CONFIG), r, 4, n_samples)
        assert batches.n_steps == passes * -(-n_samples // size) == planned_steps(Setup.of(CONFIG), n_samples, r, 4)
        taken = np.concatenate([row[:n] for row, n in zip(batches.index, batches.count, strict=True)])
        assert np.bincount(taken, minlength=n_samples).tolist() == [passes] * n_samples


def test_rounds_plan_anew_and_steps_are_those_of_the_round() -> None:
    task = make_task(Setup.of(CONFIG), CPU)
    rounds = [round_cohort(Setup.of(CONFIG), task, r) for r in range(4)]
    assert len({tuple(cohort.planned.tolist()) for cohort in rounds}) == 4
    for r, cohort in enumerate(rounds):
        for place, client in enumerate(cohort.clients):
            n = draw_batches(Setup.of(CONFIG), r, client.number, len(client)).n_steps
            assert cohort.planned[place] == n
            assert cohort.steps[place] == (n if place in cohort.slots else 0)


def test_records_and_rules_see_the_steps_that_were_drawn() -> None:
    history = deep.run(CONFIG, FedNova()).history
    task = make_task(Setup.of(CONFIG), CPU)
    for r, record in enumerate(history):
        cohort = round_cohort(Setup.of(CONFIG), task, r)
        assert list(record.planned_steps) == cohort.planned.tolist()
        assert [record.local_steps[k] for k in cohort.slots] == cohort.steps[cohort.slots].tolist()


def test_the_same_run_whoever_trains_and_where_it_goes_on(tmp_path: Path) -> None:
    whole = deep.run(CONFIG, Proportional())
    turned = deep.run(replace(CONFIG, trainer="in-turn"), Proportional())
    assert np.allclose(whole.model, turned.model, atol=1e-6)
    deep.run(replace(CONFIG, n_rounds=2), Proportional(), out=tmp_path / "run")
    again = deep.run(CONFIG, Proportional(), out=tmp_path / "run")
    assert np.array_equal(whole.model, again.model)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("drawn(most=0)", "most=0"),
        ("drawn(fewest=3, most=2)", "fewest <= most"),
        ("drawn(smallest=2.5)", "smallest=2.5"),
        ("drwan", "drawn"),
        ("drawn(least=2)", "least"),
    ],
)
def test_a_law_that_cannot_be_is_named(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        make_local_work(text)
    with pytest.raises(ValueError, match=match):
        replace(CONFIG, local_work=text)


def test_it_draws_passes_not_steps_and_has_no_convex_twin() -> None:
    with pytest.raises(ValueError, match="expected n_local_epochs >= 1"):
        replace(CONFIG, n_local_steps=3, n_local_epochs=0)
    with pytest.raises(ValueError, match=r"local_work='drawn"):
        both_worlds(replace(CONFIG, losses="auto", floor="auto", l2=0.01), Proportional())


def test_whoever_does_all_that_was_drawn_is_complete() -> None:
    drawn, fixed = (deep.run(config, Complete(Proportional())) for config in (CONFIG, replace(CONFIG, local_work="")))
    for one, other in zip(drawn.history, fixed.history, strict=True):
        assert one.present == other.present
        assert one.weights == other.weights
        assert sum(one.weights) == pytest.approx(1)
