"""Aggregators and Byzantine clients in deep runs: resumed, seeded by the run, kept in its folder, refused before it."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from deep import run
from deep.config.config import RunConfig
from deep.task.setup import Setup
from tests.deep.resumed import resumed
from theory.algorithms.aggregators.dp_fed_avg import DPFedAvg
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.clients.scaffold import Scaffold
from theory.algorithms.servers.aggregate import Aggregate
from theory.algorithms.servers.aware import Aware
from theory.rules import make_rule

CONFIG = RunConfig(n_clients=7, n_sampled=5, n_rounds=4, n_local_steps=2, floor="zero", evaluate_every=4)
UNIFORM = make_rule("uniform")


@pytest.mark.parametrize(
    "by", ["centred-clipping(radius=0.1)", "dp-fed-avg(clip=0.1, noise=0.1)", "multi-krum(f=1)", "geometric-median"]
)
def test_a_robust_run_resumed_is_the_run_undisturbed(by: str, tmp_path: Any) -> None:
    client = "byzantine(client=scaffold, attack=gaussian-noise(std=0.1), count=2)"
    server = f"aggregate(by={by}, server=fed-avg-m(beta=0.5))"
    config = replace(CONFIG, client=client, server=server, checkpoint_every=1)
    whole = run(config, UNIFORM, out=tmp_path / "whole")
    assert torch.equal(resumed(config, UNIFORM, tmp_path / "parts", after=1).model, whole.model)
    kept = tomllib.loads((tmp_path / "parts" / "config.toml").read_text(encoding="utf-8"))["run"]
    assert (kept["client"], kept["server"]) == (client, server)


def test_seeds_that_are_not_written_follow_the_run() -> None:
    config = replace(
        CONFIG, client="byzantine(client=scaffold)", server="aware(server=aggregate(by=dp-fed-avg(clip=1, noise=1)))"
    )
    made = Setup.of(replace(config, seed=3, data_seed=5))
    assert made.client == Byzantine(Scaffold(), seed=5)
    assert made.server == Aware(Aggregate(DPFedAvg(clip=1, noise=1, seed=3)))
    written = Setup.of(replace(config, seed=3, client="byzantine(seed=8)"))
    assert written.client == Byzantine(seed=8)
    noisy = replace(
        CONFIG, server="aggregate(by=dp-fed-avg(clip=0.1, noise=1))", n_rounds=1, data_seed=0, cohort_seed=0
    )
    models = [run(replace(noisy, seed=seed, server=server), UNIFORM).model for seed, server in (
        (1, noisy.server), (1, noisy.server), (1, "aggregate(by=dp-fed-avg(clip=0.1, noise=1, seed=4))"),
    )]  # fmt: skip
    assert torch.equal(models[0], models[1])
    assert not torch.equal(models[0], models[2])


def test_a_robust_network_learns_where_the_mean_does_not() -> None:
    config = RunConfig(
        model="mlp(hidden=[16])", partition="iid", n_clients=9, n_sampled=9, n_rounds=8, local_lr=0.3, evaluate_every=8,
        floor="zero", client="byzantine(attack=sign-flip(scale=20), count=2)",
    )  # fmt: skip
    found = {}
    for server in ("rate", "aggregate(by=median)", "aggregate(by=krum(f=2))"):
        done = run(replace(config, server=server), UNIFORM)
        found[server] = done.history[-1].test_accuracy or 0.0 if done.status == "completed" else 0.0
    assert found["rate"] < 0.4 < 0.6 < min(accuracy for server, accuracy in found.items() if server != "rate")


def test_counts_that_cannot_be_are_refused_before_the_run() -> None:
    for server in ("aggregate(by=krum(f=2))", "aware(server=aggregate(by=krum(f=2)))"):
        with pytest.raises(ValueError, match=r"n_sampled=5\): expected n_sampled >= 7"):
            Setup.of(replace(CONFIG, server=server), UNIFORM)
        Setup.of(replace(CONFIG, server=server, n_sampled=7), UNIFORM)
    with pytest.raises(ValueError, match=r"nobody would be honest; expected count < 7"):
        Setup.of(replace(CONFIG, client="byzantine(count=7)"), UNIFORM)
    with pytest.raises(ValueError, match="keeps identity, messages of each client"):
        Setup.of(replace(CONFIG, cohort="imbalanced(n_clients=5)", client="byzantine"), UNIFORM)
    with pytest.raises(ValueError, match="counts every client once and would ignore the rule's weights"):
        Setup.of(replace(CONFIG, server="aggregate"), make_rule("exp-alpha(alpha=1)"))
    with pytest.raises(ValueError, match="combines this round's updates, and the rule others"):
        Setup.of(replace(CONFIG, server="aggregate(by=geometric-median)"), make_rule("fed-aware"))
    assert np.isfinite(run(replace(CONFIG, server="aggregate"), make_rule("fed-avg")).model.numpy()).all()
