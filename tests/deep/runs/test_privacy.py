"""(ε, δ) that a run of DP-FedAvg shows: of which rounds, with which cohorts, and when there is none."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from deep import run
from deep.config.config import RunConfig
from deep.runs.privacy import privacy_of
from theory.algorithms.privacy import chance_alone, gaussian_epsilon, poisson_epsilon
from theory.rules import make_rule

UNIFORM = make_rule("uniform")
CONFIG = RunConfig(
    n_clients=30, n_sampled=30, n_rounds=3, n_local_steps=1, partition="iid", floor="zero", evaluate_every=3,
    losses="none", server="aggregate(by=dp-fed-avg(clip=0.1, noise=2))",
)  # fmt: skip
EXPECTED = "aggregate(by=dp-fed-avg(clip=0.1, noise=2, expected=15))"
COINS = replace(CONFIG, participation="bernoulli(probability=0.5)", server=EXPECTED)


def test_full_cohorts_are_gaussian_sums_of_all_rounds() -> None:
    found = privacy_of(run(CONFIG, UNIFORM))
    assert found is not None
    assert found.epsilon == gaussian_epsilon(2, 3, 30**-1.1)
    assert (found.delta, found.rounds, found.sampling) == (30**-1.1, 3, None)


def test_sampled_cohorts_count_as_known_and_a_client_by_its_rounds() -> None:
    config = replace(CONFIG, n_sampled=5, n_rounds=6)
    done = run(config, UNIFORM)
    most = int(np.sum([record.present for record in done.history], axis=0).max())
    found = privacy_of(done, delta=1e-3)
    assert found is not None
    assert 1 < most < 6
    assert (found.epsilon, found.rounds, found.sampling) == (gaussian_epsilon(2, most, 1e-3), most, None)


def test_poisson_cohorts_amplify_where_sums_are_divided_by_their_expected_size() -> None:
    pytest.importorskip("dp_accounting", reason="the extra 'privacy' is not installed")
    found, alone = privacy_of(run(COINS, UNIFORM), delta=1e-3), chance_alone([0.5] * 30)
    assert found is not None
    assert found.sampling == 0.5
    assert found.epsilon == poisson_epsilon(2, 3, 1e-3 - 3 * alone, 0.5)
    assert found.epsilon < gaussian_epsilon(2, 3, 1e-3)
    late = privacy_of(run(replace(COINS, participation="stragglers(of=bernoulli(probability=0.5))"), UNIFORM), 1e-3)
    assert late == found
    unlike = "bernoulli(probability=[" + ", ".join(["0.2"] * 29 + ["0.5"]) + "])"
    most = privacy_of(run(replace(COINS, participation=unlike), UNIFORM), 1e-3)
    assert most is not None
    assert most.sampling == 0.5  # the client that takes part most often


def test_poisson_cohorts_do_not_amplify_a_mean_over_the_cohort() -> None:
    """Its divisor follows the size of the cohort, and with it who was there."""
    done = run(replace(COINS, server=CONFIG.server), UNIFORM)
    found = privacy_of(done, delta=1e-3)
    assert found is not None
    assert found.sampling is None
    assert found.epsilon == gaussian_epsilon(2, found.rounds, 1e-3)
    assert "expected=…" in found.why
    missing = privacy_of(run(replace(COINS, participation="", n_sampled=15), UNIFORM))
    assert missing is not None
    assert missing.sampling is None  # drawn without replacement


def test_without_the_library_poisson_cohorts_have_no_number(monkeypatch: Any) -> None:
    done = run(COINS, UNIFORM)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    found = privacy_of(done)
    assert found is not None
    assert found.epsilon is None
    assert "pip install 'fedverdict[privacy]'" in str(found)


REFUSED = [
    ({"server": "aggregate(by=dp-fed-avg(clip=1, noise=0))"}, "noise = 0"),
    ({"server": "aware(server=aggregate(by=dp-fed-avg(clip=1, noise=2)))"}, "inside another server"),
    ({"client": "scaffold"}, "something else than their update"),
    ({"client": "elastic(strength=0.1)"}, "something else than their update"),
    ({"client": "byzantine(attack=little-is-enough, count=2)"}, "follows them"),
    ({"client": "byzantine(client=fed-prox(mu=1), count=2)"}, "follows them"),
    ({"cohort": "imbalanced(n_clients=5, size=50)", "n_sampled": 5}, "resampled every round"),
    ({"n_clients": 1, "n_sampled": 1}, "one client alone"),
    ({"model": "digit-model(norm=running)"}, "running statistics"),
]


@pytest.mark.parametrize(("changed", "says"), REFUSED)
def test_what_noise_does_not_protect_has_no_number(changed: dict[str, Any], says: str) -> None:
    found = privacy_of(run(replace(CONFIG, **{"n_rounds": 1, "evaluate_every": 1, **changed}), UNIFORM))
    assert found is not None
    assert found.epsilon is None
    assert says in str(found)


def test_a_diverged_run_and_a_small_delta_have_no_number() -> None:
    done = run(CONFIG, UNIFORM)
    lost = privacy_of(replace(done, status="diverged"))
    assert lost is not None
    assert "diverged" in lost.why
    few = run(replace(COINS, n_clients=4, n_sampled=4, participation="bernoulli(probability=0.2)"), UNIFORM)
    alone = privacy_of(few, delta=1e-3)
    assert alone is not None
    assert alone.epsilon is None
    assert "likely to be alone" in alone.why
    with pytest.raises(ValueError, match="delta"):
        privacy_of(done, delta=-1)


@pytest.mark.parametrize("client", ["sgd", "fed-prox(mu=0.1)", "compressed(keep_fraction=0.1)"])
def test_clients_that_send_their_update_alone_are_accounted(client: str) -> None:
    found = privacy_of(run(replace(CONFIG, client=client, n_rounds=1, evaluate_every=1), UNIFORM))
    assert found is not None
    assert found.epsilon == gaussian_epsilon(2, 1, 30**-1.1)


def test_other_servers_say_nothing() -> None:
    for server in ("rate", "aggregate(by=median)", "fed-avg-m(beta=0.5)"):
        assert privacy_of(run(replace(CONFIG, server=server, n_rounds=1, evaluate_every=1), UNIFORM)) is None


def test_the_output_of_a_run_and_its_summary_show_it(tmp_path: Path) -> None:
    from validation.cli import main

    words = [
        "run",
        "--rule",
        "uniform",
        "--clients",
        "30",
        "--sampled",
        "30",
        "--rounds",
        "2",
        "--local-steps",
        "1",
        "--losses",
        "none",
        "--floor",
        "zero",
    ]
    shown = CliRunner().invoke(main, [*words, "--server", CONFIG.server, "--out", str(tmp_path / "run")])
    assert shown.exit_code == 0, shown.output
    wanted = gaussian_epsilon(2, 2, 30**-1.1)
    assert f"privacy: ε = {wanted:.3g} at δ = 0.024 for one client's updates or 0 in their place" in shown.output
    kept = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["privacy"]
    assert isclose(kept["epsilon"], wanted)
    assert (kept["rounds"], kept["sampling"]) == (2, None)
    plain = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "plain")])
    assert "privacy" not in plain.output
    assert "privacy" not in json.loads((tmp_path / "plain" / "summary.json").read_text(encoding="utf-8"))
