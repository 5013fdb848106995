"""A fleet leaves what its runs leave by themselves: the same files, whoever was stopped, resumed or diverged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import deep.round.work
from deep import RunConfig, run
from deep.runs.fleet import Member, run_fleet
from deep.storage.folder import FILES
from theory.rules import make_rule

CONFIG = RunConfig(n_clients=6, n_sampled=3, n_rounds=3, n_local_steps=3, checkpoint_every=1, client_test=0.1)
RULES = ("proportional", "exp-alpha(alpha=0.5)", "fed-worse", "min-norm", "with-memory(rule=fed-soft-worse)")


def members(folder: Path, config: RunConfig = CONFIG, rules: tuple[str, ...] = RULES, seeds: int = 2) -> list[Member]:
    return [
        Member(replace(config, seed=seed), make_rule(text), folder / f"{place}-{seed}")
        for place, text in enumerate(rules)
        for seed in range(seeds)
    ]


def left_by(folder: Path) -> dict[str, bytes]:
    """All that identical runs share; times are nobody's."""
    names = [*FILES, "config.toml", "partition.svg"]
    return {
        name: (folder / name).read_bytes() for name in names if name != "timings.jsonl" and (folder / name).exists()
    }


def the_same(fleet: list[Member], alone: list[Member]) -> None:
    for one, other in zip(fleet, alone, strict=True):
        assert one.out is not None
        assert other.out is not None
        found, expected = left_by(one.out), left_by(other.out)
        assert found.keys() == expected.keys() >= {"metrics.jsonl", "checkpoint.safetensors", "result.json"}
        for name in expected:
            assert found[name] == expected[name], (one.rule, name)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"model": "mlp(hidden=[8])", "n_local_steps": 0, "n_local_epochs": 1, "momentum": 0.5, "l2": 0.01},
        {"model": "small-cnn", "n_rounds": 2},
        {"client": "scaffold", "server": "fed-adam(lr=0.05)", "dtype": "float64"},
    ],
    ids=["softmax", "mlp", "cnn", "scaffold"],
)
def test_a_fleet_leaves_the_files_of_its_runs_one_by_one(tmp_path: Path, changed: dict[str, object]) -> None:
    """Batched products of linear layers were seen to give the same bits, here and for 12 rules × 5 seeds."""
    config = replace(CONFIG, **changed)  # type: ignore[arg-type]
    fleet, alone = (members(tmp_path / name, config, RULES[:4], 1 + (not changed)) for name in ("fleet", "alone"))
    results = run_fleet(fleet)
    for member, found in zip(alone, results, strict=True):
        assert torch.equal(found.model, run(member.config, member.rule, out=member.out).model)
    the_same(fleet, alone)


def test_what_runs_have_in_common_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are drawn for each of the two seeds, not for ten runs, and all of a seed's clients train at once."""
    drawn, trained = [], []
    draw, train = deep.round.work.draw_batches, deep.round.work.train_dense
    monkeypatch.setattr(deep.round.work, "draw_batches", lambda *a: (drawn.append(a[1:3]), draw(*a))[1])
    monkeypatch.setattr(deep.round.work, "train_dense", lambda *a: (trained.append(len(a[4])), train(*a))[1])
    run_fleet([replace(member, out=None) for member in members(Path())])
    assert len(drawn) == 2 * CONFIG.n_rounds * CONFIG.n_sampled
    assert trained == [len(RULES) * CONFIG.n_sampled] * 2 * CONFIG.n_rounds


def test_a_fleet_that_was_stopped_goes_on_to_the_same_files(tmp_path: Path) -> None:
    """Members stand at different rounds then, one of them at its end and one begun by a run of its own."""
    fleet, alone = members(tmp_path / "fleet", seeds=1), members(tmp_path / "alone", seeds=1)
    run(fleet[1].config, fleet[1].rule, out=fleet[1].out)

    def stop(place: int, record: object) -> None:
        if place == 2 and record.round == 1:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_fleet(fleet, on_round=stop)
    run_fleet(fleet)
    for member in alone:
        run(member.config, member.rule, out=member.out)
    the_same(fleet, alone)


def test_one_that_diverges_leaves_the_others_alone() -> None:
    wild = Member(replace(CONFIG, local_lr=1e38), make_rule("proportional"))
    tame = Member(CONFIG, make_rule("fed-worse"))
    first, second = run_fleet([wild, tame])
    assert (first.status, second.status) == ("diverged", "completed")
    assert torch.equal(second.model, run(CONFIG, make_rule("fed-worse")).model)


def test_what_cannot_be_played_is_refused_before_any_round(tmp_path: Path) -> None:
    one = Member(CONFIG, make_rule("proportional"), tmp_path / "a")
    with pytest.raises(
        ValueError, match=r"Proportional\(\) in seed \d+ and Uniform\(\) in seed \d+ .*a folder of its own"
    ):
        run_fleet([one, replace(one, rule=make_rule("uniform"))])
    with pytest.raises(ValueError, match="at least one"):
        run_fleet([])
    everyone = Member(CONFIG, make_rule("everyone(rule=uniform)"), tmp_path / "b")
    with pytest.raises(ValueError, match="wants everyone present"):
        run_fleet([one, everyone])
    assert not (tmp_path / "a").exists()
