"""The side-by-side page's numbers: the same quantities, from the same rules, on both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.validation.report.test_report import META, ledger, written
from validation.commands.lists.algorithms import algorithms
from validation.report.both_worlds.compare import (
    COMPARED_RULES,
    QUANTITIES,
    compare,
    demonstration_federation,
    round_quantities,
)


def test_quantities_of_one_round_by_hand() -> None:
    found = round_quantities(
        share=np.asarray([[0.5, 0.5]]),
        present=np.ones((1, 2), bool),
        weights=np.asarray([[1.0, 0.0]]),
        loss_before=np.asarray([[3.0, 1.0]]),
        loss_best=np.asarray([[0.0, 0.0]]),
        loss_at_optimum=np.asarray([[1.0, 0.5]]),
        gram=np.eye(2)[None],
    )
    assert found["gamma_minus_omega"] == [1.0 - 3.0]
    assert found["skew_at_model"] == [3.0 / 2.0]
    assert found["skew_at_optimum"] == [1.0 / 0.75]
    assert found["chi_square"] == [1.0]
    assert found["weight_discrepancy"] == [2.0]
    assert found["update_diversity"] == [pytest.approx(2**0.5)]


def test_absent_clients_do_not_count_in_the_diversity_of_updates() -> None:
    thirds = np.full((1, 3), 1 / 3)
    found = round_quantities(
        share=thirds,
        present=np.asarray([[True, False, True]]),
        weights=np.asarray([[0.5, 0.0, 0.5]]),
        loss_before=thirds,
        loss_best=thirds,
        loss_at_optimum=thirds,
        gram=np.diag([1.0, 0.0, 1.0])[None],
    )
    assert found["update_diversity"] == [pytest.approx(2**0.5)]


def test_undefined_quantities_are_null_not_nan() -> None:
    zero = np.zeros((1, 2))
    half = np.full((1, 2), 0.5)
    everyone = np.ones((1, 2), bool)
    found = round_quantities(
        share=half,
        present=everyone,
        weights=half,
        loss_before=zero,
        loss_best=zero,
        loss_at_optimum=zero,
        gram=zero[..., None] * zero,
    )
    assert found["skew_at_model"] == [None]
    assert found["update_diversity"] == [None]


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return compare(seed=3, n_rounds=3)


def test_both_sides_show_every_rule_and_quantity(table: dict[str, Any]) -> None:
    json.dumps(table, allow_nan=False)
    for side in ("convex", "deep"):
        runs = table["sides"][side]["rules"]
        assert [r["rule"] for r in runs] == [name for name, _, _ in COMPARED_RULES]
        for run in runs:
            assert {q["key"] for q in QUANTITIES} <= set(run["series"])
            assert all(len(values) == 3 for values in run["series"].values())
            np.testing.assert_allclose(np.sum(run["weights"], axis=1), 1, atol=1e-9)
            assert all(sum(row) == 5 for row in run["present"])


def test_compared_rules_share_cohorts(table: dict[str, Any]) -> None:
    for side in ("convex", "deep"):
        cohorts = [run["present"] for run in table["sides"][side]["rules"]]
        assert all(c == cohorts[0] for c in cohorts)


def test_the_convex_gap_starts_where_the_federation_says(table: dict[str, Any]) -> None:
    federation = demonstration_federation(3)
    best = federation.optimum()
    pull = (federation.share[:, None] * federation.gradients(best[None, :])).sum(axis=0)
    assert np.abs(pull).max() < 1e-12
    start = np.ones((1, federation.dim))
    gap = float(federation.share @ (federation.losses(start) - federation.losses(best[None, :])))
    for run in table["sides"]["convex"]["rules"]:
        assert run["series"]["gap"][0] == pytest.approx(gap)


def test_the_variates_decide_where_it_goes_and_not_the_rule(table: dict[str, Any]) -> None:
    limits = table["limits"]
    assert "decide where the method goes: to Σ ωₖ∇Fₖ = 0, whichever rule" in limits["says"]
    assert len(limits["rows"]) == 3 * 3 * 2
    for row in limits["rows"]:
        decided = {"share": "to_share", "uniform": "to_uniform"}
        goes = decided.get(row["variates"]) or ("to_share" if row["rule"] == "proportional" else "to_uniform")
        other = {"to_share": "to_uniform", "to_uniform": "to_share"}[goes]
        assert row[goes] < 1e-3 < 0.1 < row[other], row


def test_too_few_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="n_rounds=1"):
        compare(n_rounds=1)


SOURCE = '''
from dataclasses import dataclass

@dataclass(frozen=True)
class Louder:
    """Those who lose more weigh more."""
    power: float = 1.0
    needs = ("share", "loss_before")
    def __call__(self, stats):
        a = stats.present * stats.share * stats.loss_before ** self.power
        return a / a.sum(-1)[..., None]

class Torn:
    """Not today."""
    needs = ("share",)
    def __call__(self, stats):
        raise RuntimeError("torn\\nin two")
'''


def test_rules_of_ones_own_are_compared_and_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that an entry point brings, one that is named; each of two that fail costs a line."""
    info = tmp_path / "compared-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: compared\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[fedverdict.rules]\nlouder = compared_rules:Louder\ntorn = compared_rules:Torn\n"
    )
    (tmp_path / "compared_rules.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    named = "compared_rules:Louder(power=3)"
    found = compare(seed=3, n_rounds=2, rules=[named, "compared_rules:Torn"])
    faults = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in faults] == ["fedverdict"] * 2
    assert all("in the comparison it raised RuntimeError: torn in two" in line for line in faults)
    ours = [name for name, _, _ in COMPARED_RULES]
    for side in ("convex", "deep"):
        runs = {run["rule"]: run for run in found["sides"][side]["rules"]}
        assert list(runs) == [*ours, "louder", named]
        mild, strong = (np.asarray(runs[name]["weights"]) for name in ("louder", named))
        assert np.abs(mild - strong).max() > 0.01
    page = written(ledger(), found, tmp_path / "report", meta=META)["two-worlds.html"]
    assert "louder" in page.html
    assert named in page.html
    with pytest.raises(ValueError, match="its import raised AttributeError"):
        compare(rules=["compared_rules:Nothing"])


def test_rules_of_ones_own_are_listed_with_the_algorithms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "listed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: listed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fedverdict.rules]\nlouder-listed = listed_rules:Louder\n")
    (tmp_path / "listed_rules.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    shown = CliRunner().invoke(algorithms, []).output
    assert "louder-listed" in shown
    assert "Those who lose more weigh more." in shown
    assert "louder-listed" in json.loads(CliRunner().invoke(algorithms, ["--json"]).output)["rules"]
