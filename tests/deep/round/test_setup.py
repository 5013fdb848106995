"""Setup: a run builds its parts from text once, and every way to start one refuses the same pairs in the same words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import deep.task.algorithm
import deep.task.setup
from deep import RunConfig, run
from deep.runs.estimate import estimate
from deep.runs.fleet import Member, run_fleet
from deep.runs.simulated import simulated
from deep.task.setup import Setup
from theory.rules import Everyone, Proportional, make_rule
from theory.rules.stats import RoundStats

CONFIG = RunConfig(
    n_rounds=3,
    n_local_steps=0,
    n_local_epochs=1,
    client="fed-prox(mu=0.1)",
    server="fed-avg-m(beta=0.5)",
    participation="stragglers(probability=0.5, of=uniform(n_sampled=5))",
    local_work="drawn(most=2)",
    target="uniform; skew(client=0)",
)
MAKERS = {
    deep.task.algorithm: ("client_of", "server_of"),
    deep.task.setup: ("make_participation", "make_local_work", "make_target", "make_partition", "Momentum", "by_rows"),
}


def starts(config: RunConfig, rule: Any) -> list[Callable[[], object]]:
    """Every way to start a run, or to ask what it would take."""
    return [
        lambda: run(config, rule),
        lambda: estimate(config, rule),
        lambda: run_fleet([Member(config, rule)]),
        lambda: simulated(config, rule),
    ]


def test_a_run_builds_each_part_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: Counter[str] = Counter()

    def counting(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            built[name] += 1
            return make(*args)

        return counted

    for module, names in MAKERS.items():
        for name in names:
            monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    run(CONFIG, make_rule("fed-aware"))
    assert built == Counter({name: 1 for names in MAKERS.values() for name in names} | {"make_target": 2})


@pytest.mark.parametrize(
    ("changes", "rule", "words"),
    [
        ({}, Proportional, "expected a rule, such as"),
        ({"n_sampled": 5}, Everyone(Proportional()), "n_sampled=5, n_clients=10, rule=.* wants everyone present"),
        ({"losses": "none"}, make_rule("exp-alpha"), "the rule reads loss_before, loss_after; expected losses="),
        ({"server": "fed-adam", "server_lr": 0.5}, Proportional(), "two rates; expected lr inside the server"),
        ({"trains": "weighted"}, make_rule("exp-alpha"), "others weigh by what training came to"),
        ({"client": "fed-ntd", "compiled": True}, Proportional(), "the model's own loss alone is compiled"),
        ({"client": "scaffold", "cohort": "imbalanced(n_clients=4)"}, Proportional(), "expected a fixed population"),
    ],
)
def test_every_start_refuses_a_pair_in_the_same_words(changes: dict[str, Any], rule: Any, words: str) -> None:
    config = replace(RunConfig(n_rounds=1), **changes)
    with pytest.raises(ValueError, match=words) as told:
        Setup.of(config, rule)
    for start in starts(config, rule):
        with pytest.raises(ValueError, match=f"^{re.escape(str(told.value))}$"):
            start()


@dataclass(frozen=True)
class Given:
    """Weights that it holds as an array, so that it has no hash."""

    weights: np.ndarray = field(default_factory=lambda: np.linspace(1, 2, 10))

    def __call__(self, stats: RoundStats) -> Any:
        given = stats.share.new_tensor(self.weights) * stats.present  # type: ignore[attr-defined]
        return given / given.sum()


def test_a_rule_without_a_hash_runs_as_any_other() -> None:
    with pytest.raises(TypeError):
        hash(Given())
    result = run(RunConfig(n_rounds=2), Given())
    assert result.status == "completed"
    for record in result.history:
        assert sum(record.weights) == pytest.approx(1, abs=1e-12)


def test_without_a_rule_the_task_is_that_of_fed_avg() -> None:
    setup = Setup.of(CONFIG)
    assert setup.rule == Proportional()
    assert list(setup.targets) == ["uniform", "skew(client=0)"]
    assert setup.asked == frozenset()
