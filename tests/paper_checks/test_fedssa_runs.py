"""The runs of FedSSA: intervals, targets of a known mixture, and distances to it by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deep import RunConfig, run
from deep.partition import make_target
from paper_checks.fedssa.runs import mixture, settings
from theory import Proportional


def test_an_interval_is_student_s() -> None:
    values = np.random.default_rng(0).normal(2.0, 1.0, size=40)
    found = settings.interval(values.tolist())
    assert found["n"] == 40
    assert found["mean"] == pytest.approx(values.mean())
    drawn = np.random.default_rng(1).choice(values, (9_999, 40)).mean(axis=1)  # a percentile bootstrap
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert found["low"] == pytest.approx(low, abs=0.06)  # another method, and 9,999 resamples of 40 numbers
    assert found["high"] == pytest.approx(high, abs=0.06)
    assert settings.interval([1.0, 2.0], level=0.5)["low"] == pytest.approx(1.0)  # half the distance at one degree


def test_drawn_mixtures_are_mixtures() -> None:
    found = [make_target(mixture._drawn(seed)).weights for seed in range(20)]  # type: ignore[attr-defined]
    assert all(len(p) == 5 and min(p) >= 0 for p in found)
    assert len(set(found)) == 20


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = settings.config

    def config(*names: Any, **changes: Any) -> RunConfig:
        return plain(*names, **{**changes, "n_rounds": 2, "n_local_epochs": 1})

    monkeypatch.setattr(mixture, "config", config)


@pytest.mark.usefixtures("short")
def test_distances_of_fedavg_by_hand_in_both_worlds() -> None:
    asked = settings.config("NIID-1", "Skew", 3, n_rounds=1, n_local_epochs=1)
    share = np.asarray(run(asked, Proportional()).share)
    apart = np.abs(share - np.eye(5)[0])
    for world in ("convex", "deep"):
        found = mixture._distances("Skew", world, "FedAvg", 3)
        assert found["l1"] == pytest.approx([apart.sum()] * 2)
        assert found["w_d"] == pytest.approx([10 * (apart**2).sum()] * 2)
        assert 0 <= found["accuracy"] <= 1


@pytest.mark.usefixtures("short")
def test_weights_that_are_p_have_no_distance() -> None:
    for world in ("convex", "deep"):
        found = mixture._distances("Mixture", world, "w = p", 4)
        assert found["l1"] == pytest.approx([0.0, 0.0], abs=1e-12)
        assert found["w_d"] == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.usefixtures("short")
def test_learned_weights_move_in_both_worlds() -> None:
    for world in ("convex", "deep"):
        found = mixture._distances("Mixture", world, "FedSSA", 3)
        fedavg = mixture._distances("Mixture", world, "FedAvg", 3)
        assert abs(found["l1"][-1] - fedavg["l1"][-1]) > 1e-3
