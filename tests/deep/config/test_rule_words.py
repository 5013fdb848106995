"""What a rule draws follows the run's seed, at every depth of its words, unless they name a seed for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from deep import run
from deep.config.seeded_rule import rule_of_run
from deep.config.settings import Layer, read_layer, resolve
from theory.rules import RULES, make_rule
from validation.commands.runs.settings import seeded

RUN: dict[str, Any] = {"n_clients": 6, "n_sampled": 6, "partition": "iid", "n_rounds": 4, "n_local_steps": 1}
DRAWING = ("sampled-by-weights(rule=uniform, n_sampled=2)", "power-of-choice(d=3, m=1)")
NESTED = (
    "switch(first={0}, then=uniform, at_round=9)",
    "mix(first=uniform, second={0})",
    "with-memory(rule={0})",
    "sampled-by-weights(rule={0}, n_sampled=3, seed=0)",
    "anneal(first=everyone(rule={0}), then=uniform)",
)


def chosen(words: str, seeds: int, folder: Path, **settings: object) -> set[tuple[tuple[int, ...], ...]]:
    """Clients with a weight, round by round, in each of the seeds."""
    first = resolve(Layer({**RUN, "seed": 0}, words, settings, out=folder))
    found = [run(one.config, one.rule) for one in seeded(first, seeds)]
    return {tuple(tuple(k for k, a in enumerate(r.weights) if a > 0) for r in result.history) for result in found}


@pytest.mark.parametrize("words", DRAWING)
def test_seeds_choose_clients_anew(tmp_path: Path, words: str) -> None:
    assert len(chosen(words, 3, tmp_path)) == 3


def test_a_seed_that_is_written_stays_in_every_seed(tmp_path: Path) -> None:
    assert len(chosen("sampled-by-weights(rule=uniform, n_sampled=2, seed=5)", 3, tmp_path)) == 1
    assert len(chosen("sampled-by-weights(rule=uniform, n_sampled=2)", 3, tmp_path, seed=5)) == 1


@pytest.mark.parametrize("shape", NESTED)
def test_rules_inside_rules_follow(shape: str) -> None:
    words = shape.format("power-of-choice(d=4, m=2)")
    assert rule_of_run(words, {}, 0) == make_rule(words)
    assert rule_of_run(words, {}, 3) == make_rule(shape.format("power-of-choice(d=4, m=2, seed=3)"))
    assert rule_of_run(shape.format("power-of-choice(d=4, m=2, seed=7)"), {}, 3) == make_rule(
        shape.format("power-of-choice(d=4, m=2, seed=7)")
    )


def test_settings_beside_the_words_are_words_too() -> None:
    found = rule_of_run("mix", {"first": "power-of-choice(d=4, m=2)", "second": "uniform"}, 3)
    assert found == make_rule("mix", first="power-of-choice(d=4, m=2, seed=3)", second="uniform")


@pytest.mark.parametrize("name", [entry.name for entry in RULES])
def test_every_rule_of_its_example_is_made_in_every_seed(name: str) -> None:
    assert rule_of_run(name, {}, 0) == make_rule(name)
    assert type(rule_of_run(name, {}, 2**70)) is type(make_rule(name))


def test_a_rule_of_ones_own_moves_from_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "drawing_rules.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass(frozen=True)\n"
        "class Mine:\n    seed: int = 7\n    def __call__(self, stats):\n        return stats.share\n"
        "@dataclass(frozen=True)\n"
        "class Other:\n    seed: str = 'none'\n    def __call__(self, stats):\n        return stats.share\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        assert [rule_of_run("drawing_rules:Mine", {}, seed).seed for seed in (0, 3)] == [7, 10]  # type: ignore[union-attr]
        assert rule_of_run("drawing_rules:Mine(seed=1)", {}, 3).seed == 1  # type: ignore[union-attr]
        assert rule_of_run("drawing_rules:Other", {}, 3).seed == "none"  # type: ignore[union-attr]
    finally:
        sys.modules.pop("drawing_rules", None)


def test_a_folder_goes_on_with_its_draws(tmp_path: Path) -> None:
    said = resolve(Layer({**RUN, "seed": 2, "n_rounds": 4}, DRAWING[0]))
    whole = run(said.config, said.rule)
    for n_rounds in (2, 4):
        again = resolve(Layer({**RUN, "seed": 2, "n_rounds": n_rounds}, DRAWING[0]))
        result = run(again.config, again.rule, out=tmp_path / "a")
    assert [record.weights for record in result.history] == [record.weights for record in whole.history]
    kept = resolve(read_layer(tmp_path / "a" / "config.toml"))
    assert (kept.config, kept.rule) == (said.config, said.rule)
