"""Flower's strategies as servers of ours: against our own forms, a plain formula, and resumed."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from deep import RunConfig, run
from deep.features import server_of
from theory.rules import make_rule

CONFIG = RunConfig(
    model="mlp(hidden=[6])",
    n_clients=7,
    n_sampled=7,
    n_rounds=3,
    n_local_steps=2,
    partition="dirichlet(beta=0.5, min_size=20)",
    batch_size=16,
    dtype="float64",
    checkpoint_every=1,
)


def final(**changes: Any) -> torch.Tensor:
    rule = changes.pop("rule", "uniform")
    return run(replace(CONFIG, **changes), make_rule(rule)).model


needs_flower = pytest.mark.skipif(find_spec("flwr") is None, reason="the extra flower is not installed")


@needs_flower
@pytest.mark.parametrize(
    ("theirs", "ours", "rule"),
    [
        ("FedAvg", "rate", "proportional"),
        ("FedAvg", "rate", "exp-alpha(alpha=0.7)"),
        ("FedMedian", "aggregate(by=median)", "uniform"),
        ("Krum(num_malicious_nodes=1)", "aggregate(by=krum(f=1))", "uniform"),
        ("MultiKrum(num_malicious_nodes=1, num_nodes_to_select=3)", "aggregate(by=multi-krum(f=1, m=3))", "uniform"),
        ("FedTrimmedAvg(beta=0.15)", "aggregate(by=trimmed-mean(f=1))", "uniform"),
        ("FedAvgM(server_momentum=0.6, server_learning_rate=0.5)", "fed-avg-m(beta=0.6, lr=0.5)", "proportional"),
    ],
)
def test_the_model_is_that_of_our_own_form(theirs: str, ours: str, rule: str) -> None:
    attacked = {"client": "byzantine(attack=sign-flip(scale=3), count=1)"}
    found = final(server=f"flower:{theirs}", rule=rule, **attacked)
    torch.testing.assert_close(found, final(server=ours, rule=rule, **attacked), rtol=1e-6, atol=1e-9)
    assert float((found - final(rule=rule, server="rate(lr=0.25)", **attacked)).abs().max()) > 1e-4


@needs_flower
def test_fed_adam_of_flower_is_its_own_formula_and_not_ours() -> None:
    """Flower corrects the bias with the exponent t + 1, and begins at v = 0; ours, as the paper, at v = τ²."""
    steps: list[torch.Tensor] = []
    models = [final(n_rounds=r, server="flower:FedAdam(eta=0.05, beta_1=0.8)") for r in (1, 2, 3)]
    start = run(replace(CONFIG, n_rounds=1, local_lr=1e-30), make_rule("uniform")).model
    m = v = torch.zeros_like(start)
    for t, model in enumerate(models, start=1):
        before = start if t == 1 else models[t - 2]
        d = _mean_update(t, before)
        m, v = 0.8 * m + 0.2 * d, 0.99 * v + 0.01 * d.square()
        rate = 0.05 * (1 - 0.99 ** (t + 1)) ** 0.5 / (1 - 0.8 ** (t + 1))
        torch.testing.assert_close(model, before + rate * m / (v.sqrt() + 1e-3), rtol=1e-6, atol=1e-9)
        steps.append(model - before)
    ours = final(server="fed-adam(lr=0.05, beta1=0.8, bias_correction=true)")
    assert float((models[-1] - ours).abs().max()) > 1e-3


def _mean_update(t: int, before: torch.Tensor) -> torch.Tensor:
    """Σ (wₖ − w)/n in round t of a run whose model is then `before`: the same batches, from FedAvg's server."""
    from deep.round.play_round import first_state, play_round
    from deep.task.setup import Setup
    from deep.task.task import make_task

    setup = Setup.of(CONFIG, make_rule("uniform"))
    task = make_task(setup, torch.device("cpu"))
    state = replace(first_state(setup, task), round=t - 1, model=before)
    played = play_round(setup, task, state)
    assert played is not None
    return played[0].model - before


@needs_flower
@pytest.mark.parametrize("server", ["FedAdam(eta=0.05)", "FedYogi(eta=0.05)", "FedAvgM(server_momentum=0.6)"])
def test_what_a_strategy_keeps_is_in_the_checkpoint(server: str, tmp_path: Path) -> None:
    config = replace(CONFIG, server=f"flower:{server}")
    run(replace(config, n_rounds=1), make_rule("uniform"), out=tmp_path / "r")
    parts = run(config, make_rule("uniform"), out=tmp_path / "r")
    assert torch.equal(parts.model, run(config, make_rule("uniform")).model)


@needs_flower
@pytest.mark.parametrize(
    ("server", "rule", "message"),
    [
        ("flower:FedAverage", "uniform", "expected one of FedAvg, FedAvgM"),
        ("flower:FedAvg(beta=1)", "uniform", r"has no setting \['beta'\]; its settings are none"),
        ("flower:FedTrimmedAvg(beta=0.7)", "uniform", r"must be in the range|beta=0\.7 is too large"),
        ("flower:Krum(num_malicious_nodes=1)", "exp-alpha(alpha=1)", "counts every client once"),
        ("flower:FedAvg", "fed-aware", "expected one without memory"),
        ("flower:QFedAvg", "uniform", "expected one of FedAvg, FedAvgM"),
    ],
)
def test_what_cannot_stand_here_is_refused(server: str, rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(replace(CONFIG, server=server), make_rule(rule))


def test_without_flower_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flwr.serverapp", None)
    with pytest.raises(ValueError, match=r"needs Flower: pip install 'fedverdict\[flower\]'"):
        server_of("flower:FedAvg")


def test_without_flower_the_strategy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("deep.flower.strategy", "fedverdict.flower"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "flwr.app", None)
    with pytest.raises(ValueError, match=r"RuleStrategy needs Flower: pip install 'fedverdict\[flower\]'"):
        import_module("fedverdict.flower")
