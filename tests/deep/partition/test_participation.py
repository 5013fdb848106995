"""Who takes part and with how many steps: theory's laws in deep runs, what clients report, what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.partition import PARTICIPATIONS, always_everyone, make_participation, participation_text
from deep.round.play_round import first_state, play_round
from deep.task.setup import Setup
from deep.task.task import make_task, round_cohort
from theory import Momentum, Proportional, WithMemory
from theory.participation.sampling import Plan, RoundContext
from theory.rules import Everyone

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=3, n_clients=6, n_local_steps=4, seed=5)
LAWS = [
    "full",
    "uniform(n_sampled=2)",
    "bernoulli(probability=0.4)",
    "bernoulli(probability=[0.1, 0.2, 0.3, 0.4, 0.5, 1.0])",
    "given-steps(steps=[[4, 0, 1, 2, 3, 4], [1, 1, 1, 1, 1, 1]])",
    "uniform-steps(lowest=1)",
    "stragglers(probability=0.7, of=uniform(n_sampled=4))",
    "arrival(client=2, at_round=1)",
    "departure(client=0, at_round=2)",
    "inactive(client=1, probability=0.5, remove_at=2)",
]


@pytest.mark.parametrize("text", LAWS)
def test_a_run_follows_theorys_plan(text):
    law = make_participation(text)
    assert make_participation(participation_text(law)) == law
    config = replace(SHORT, participation=text)
    task = make_task(Setup.of(config), CPU)
    assert task.population is not None
    state = first_state(Setup.of(config), task)
    share = task.population.share.numpy()
    for r in range(3):
        plan = law.plan(5, r, (6,), RoundContext(None, None, 4, share, np.full(6, 4)))
        state, record = play_round(Setup.of(config, Proportional()), task, state)
        steps = np.full(6, 4) if plan.steps is None else np.asarray(plan.steps)
        assert record.present == (plan.present & (steps > 0)).tolist()
        assert record.local_steps == np.where(record.present, steps, 0).tolist()
        assert record.planned_steps == [4] * 6
        assert record.effective_steps == record.local_steps
        np.testing.assert_allclose(record.share, share if plan.share is None else plan.share, rtol=1e-15)
    if text.startswith("departure"):
        assert record.share[0] == 0
        assert record.weights[0] == 0


def test_every_law_is_tried():
    assert {text.partition("(")[0] for text in LAWS} == set(PARTICIPATIONS)


def test_empty_words_are_the_uniform_draws_of_ever():
    config = replace(SHORT, n_sampled=4)
    spelt = replace(config, participation="uniform(n_sampled=4)", n_sampled=1)
    assert torch.equal(run(config, Proportional()).model, run(spelt, Proportional()).model)


def test_clients_plan_their_epochs_and_report_what_momentum_makes_of_them():
    config = replace(
        SHORT, n_local_steps=0, n_local_epochs=2, momentum=0.9, participation="stragglers(probability=0.6)"
    )
    task = make_task(Setup.of(config), CPU)
    assert task.population is not None
    _, record = play_round(Setup.of(config, Proportional()), task, first_state(Setup.of(config), task))
    assert record.planned_steps == [2 * -(-len(c) // 32) for c in task.population.clients]
    assert any(done < planned for done, planned in zip(record.local_steps, record.planned_steps, strict=True))
    assert record.effective_steps == Momentum(0.9).effective_steps(record.local_steps).tolist()


def test_a_straggler_does_the_first_of_its_steps():
    config = replace(SHORT, participation="given-steps(steps=[[1, 2, 3, 4, 4, 4]])", dtype="float64")
    task = make_task(Setup.of(config), CPU)
    seen = []

    class Watching(Proportional):
        needs = ("updates", "planned_steps", "effective_steps")

        def __call__(self, stats):
            seen.append((stats.updates.clone(), stats.planned_steps.tolist(), stats.effective_steps.tolist()))
            return super().__call__(stats)

    play_round(Setup.of(config, Watching()), task, first_state(Setup.of(config), task))
    short = replace(config, participation="", n_sampled=6, n_local_steps=2)
    play_round(Setup.of(short, Watching()), make_task(Setup.of(short), CPU), first_state(Setup.of(config), task))
    # Client 1 finishes two of four steps: the two that it would have planned alone.
    torch.testing.assert_close(seen[0][0][1], seen[1][0][1], rtol=0, atol=1e-15)
    assert seen[0][1:] == ([4.0] * 6, [1.0, 2.0, 3.0, 4.0, 4.0, 4.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"participation": "bernouli(probability=1)"}, "unknown participation 'bernouli'; nearest: bernoulli"),
        ({"participation": "bernoulli(probability=0)"}, r"Bernoulli\(probability=0\): must lie in"),
        (
            {"participation": "full", "cohort": "imbalanced(n_clients=3)"},
            r"resampled every round all take part; expected",
        ),
        ({"participation": 3}, r"RunConfig\(participation=3\): must be text"),
    ],
)
def test_the_door(change, message):
    with pytest.raises(ValueError, match=message):
        replace(SHORT, **change)


def test_laws_that_do_not_fit_the_population_are_refused():
    for text, message in (
        ("given-steps(steps=[[1, 2]])", r"row \(1, 2\) for 6 clients"),
        ("uniform(n_sampled=7)", r"UniformWithoutReplacement\(n_sampled=7\): only 6 clients"),
        ("arrival(client=6, at_round=1)", r"client=6, 6 shares"),
    ):
        with pytest.raises(ValueError, match=message):
            run(replace(SHORT, participation=text), Proportional())


def test_rules_that_want_everyone_are_told_by_the_law():
    assert always_everyone(make_participation("stragglers(of=uniform(n_sampled=6))"), 6)
    assert not always_everyone(make_participation("bernoulli(probability=0.5)"), 6)
    run(replace(SHORT, participation="stragglers", n_rounds=1), Everyone(Proportional()))
    with pytest.raises(ValueError, match=r"participation='bernoulli\(probability=0.5\)', n_clients=6.*wants everyone"):
        run(replace(SHORT, participation="bernoulli(probability=0.5)"), Everyone(Proportional()))
    with pytest.raises(ValueError, match=r"its first round wants everyone; expected init='seen'"):
        run(
            replace(SHORT, participation="departure(client=0, at_round=1)"),
            WithMemory(Proportional(), init="full-round"),
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("uniform(n_sampled=x)", "n_sampled='x'"),
        ("uniform(n_sampled=1.5)", "n_sampled=1.5"),
        ("bernoulli(probability=x)", "probability='x'"),
        ("bernoulli(probability=[0.5, x])", "one number or one per client"),
        ("given-steps(steps=[1])", r"steps=\(1,\)"),
        ("given-steps(steps=[[]])", "each with one > 0"),
        ("uniform-steps(lowest=none)", "lowest=None"),
        ("arrival(client=x, at_round=1)", "Arrival.client='x'"),
        ("departure(client=0, at_round=none)", "at_round=None"),
        ("departure(client=0, at_round=1, share=[0.5, nan])", "share="),
        ("arrival(client=0, at_round=1, shift=x)", "shift='x'"),
        ("stragglers(of=uniform(n_sampled=x))", r"stragglers\(of=…\): .*n_sampled='x'"),
    ],
)
def test_settings_of_the_wrong_kind_are_refused_by_name_before_anything_is_run(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_participation(text)


def test_shares_that_leave_nothing_to_those_who_are_there_are_refused() -> None:
    law = make_participation("departure(client=0, at_round=1, share=[1, 0])")
    context = RoundContext(None, None, 1)
    law.plan(0, 0, (2,), context)
    with pytest.raises(ValueError, match=r"client=0: the shares .* leave nothing"):
        law.plan(0, 1, (2,), context)


def test_cohorts_drawn_ahead_are_those_of_their_rounds_and_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(SHORT, n_rounds=40, participation="uniform(n_sampled=3)")
    task, other = make_task(Setup.of(config), CPU), make_participation("uniform(n_sampled=2)")
    law, asked = Setup.of(config).law, []
    plan = type(law).plan

    def watched(self, seed, round_index, shape, context):
        asked.append(round_index)
        return plan(self, seed, round_index, shape, context)

    monkeypatch.setattr(type(law), "plan", watched)
    for index in (0, 1, 2, 20, 39, 3):
        cohort = round_cohort(Setup.of(config), task, index)
        assert np.array_equal(cohort.present.numpy(), plan(law, 5, index, (6,), None).present)
        assert cohort.finished_steps.tolist() == [4.0 * here for here in cohort.present.tolist()]
        assert round_cohort(Setup.of(config), task, index) is cohort
    assert asked == [*range(16), *range(20, 36), 39, *range(3, 19)]
    changed = replace(config, participation="uniform(n_sampled=2)")
    assert len(round_cohort(Setup.of(changed), task, 3).slots) == other.n_sampled
    reseeded = round_cohort(Setup.of(replace(config, cohort_seed=9)), task, 3)
    assert np.array_equal(reseeded.present.numpy(), plan(law, 9, 3, (6,), None).present)


@dataclass(frozen=True)
class Faulty:
    """Everyone, until a round in which it has no answer."""

    def plan(self, seed, round_index, shape, context):
        if round_index >= 2:
            raise ArithmeticError(f"no cohort in round {round_index}")
        return Plan(np.ones(shape[-1], dtype=bool))


def test_a_law_that_fails_fails_in_its_own_round(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr("deep.task.setup._law", lambda *_: Faulty())
    with pytest.raises(ArithmeticError, match="no cohort in round 2"):
        run(replace(SHORT, n_rounds=5, n_sampled=6), Proportional(), on_round=lambda record: seen.append(record.round))
    assert seen == [0, 1]
