"""Theory's order of the rules and a network's answer: controls, statistics, the order of events, the page."""

from __future__ import annotations

import json
import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from deep.data import SPLITS, Dataset, Parts, make_split
from theory import ExpAlpha, FedWorse, Proportional, RoundStats
from theory.rules import PowerOfChoice
from validation.cli import main
from validation.report.both_worlds.transfer import COMMITTED, read_study, read_transfer
from validation.transfer.answer import differences, kendall, pairs_of, taus
from validation.transfer.bounds import Known, bound
from validation.transfer.columns import Data, Job, solved, trained
from validation.transfer.controls import OracleWeights, Permuted
from validation.transfer.prediction import digest
from validation.transfer.setting import Setting
from validation.transfer.study import study

SMALL: dict[str, Any] = {
    "dataset": "digits",
    "split": "fractions",
    "scaling": "none",
    "n_clients": 4,
    "n_rounds": 3,
    "n_local_steps": 2,
    "model": "mlp(hidden=[8])",
    "rules": ("proportional", "fed-worse", "min-norm"),
    "n_seeds": 2,
    "betas": (0.3, inf),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("study")
    return folder, study(Setting(**SMALL), folder)


def stats(round_index: int = 0, **given: Any) -> RoundStats:
    share, present = np.array([0.1, 0.2, 0.3, 0.4]), np.array([True, True, False, True])
    return RoundStats(
        share=share,
        present=present,
        loss_before=np.array([1.0, 5.0, 9.0, 2.0]),
        loss_best=np.zeros(4),
        round=round_index,
        **given,
    )


def test_permuted_weights_are_the_rules_own_on_those_present_and_new_every_round() -> None:
    rule = FedWorse()
    blind = [Permuted(rule, seed=1)(stats(r)) for r in range(40)]
    assert all(sorted(w) == sorted(rule(stats())) for w in blind)
    assert all(w[2] == 0 for w in blind)
    assert {int(np.argmax(w)) for w in blind} == {0, 1, 3}
    assert np.array_equal(blind[7], Permuted(rule, seed=1)(stats(7)))
    assert Permuted(ExpAlpha(alpha=0.2)).needs == ExpAlpha(alpha=0.2).needs


def test_oracle_weights_lower_the_loss_they_look_at_more_than_shares_do() -> None:
    goal = np.array([1.0, -2.0, 0.5])

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        return float(((w - goal) ** 2).sum()), 2 * (w - goal)

    updates = np.array([[1.0, 0, 0], [0, -2.0, 0], [9.0, 9.0, 9.0], [-3.0, 1.0, 1.0]])
    seen = stats(updates=updates)
    model, weights, _ = OracleWeights(objective, np.zeros(3)).step(None, seen)
    shares = Proportional()(seen)
    assert weights[2] == 0
    assert weights.sum() == pytest.approx(1)
    assert objective(model)[0] < objective(shares @ updates)[0]
    assert np.allclose(model, weights @ updates)


def test_the_oracle_finds_the_best_weights() -> None:
    """Where these are known: 3/4 and 1/4 cancel updates 1 and −3; and 1, 0 where all weight on one client is best."""
    for updates, best in ((np.array([[1.0], [-3.0]]), [0.75, 0.25]), (np.array([[1.0], [3.0]]), [1.0, 0.0])):
        seen = RoundStats(share=np.array([0.2, 0.8]), present=np.ones(2, dtype=bool), updates=updates)
        oracle = OracleWeights(lambda w: (0.5 * float(w @ w), w), np.zeros(1))
        _, weights, _ = oracle.step(None, seen)
        assert np.allclose(weights, best, atol=1e-3)


def test_an_order_is_answered_by_differences_pairs_and_tau() -> None:
    order = {"a": 1.0, "b": 2.0, "c": 3.0}
    finals = {"a": [1.0, 1.1, 1.2, 1.0, 1.1], "b": [3.0, 3.3, 3.1, 3.1, 3.0], "c": [2.0, 2.1, 2.2, 2.1, 1.9]}
    pairs = {(p.first, p.second): p for p in pairs_of(order, finals)}
    assert [key for key, p in pairs.items() if p.flips] == [("b", "c")]
    assert pairs["b", "c"].beyond_chance
    assert pairs["a", "b"].difference.value == pytest.approx(2.02)
    assert taus(order, finals).of_means == pytest.approx(1 / 3)
    assert kendall([1, 2, 3], [3, 2, 1]) == -1
    assert differences(finals, "a")["c"]["value"] == pytest.approx(0.98)


def test_the_bound_is_above_the_gap_and_asks_for_short_steps(made: tuple[Path, dict[str, Any]]) -> None:
    short = made[1]["short"]
    assert list(short) == ["proportional", "fed-worse"]  # min-norm sees the round's updates
    for row in short.values():
        assert all(b >= g for b, g in zip(row["bound"], row["gap"], strict=True))
    given = {"weights": np.array([[1.0]]), "at_optimum": np.zeros(1), "floor": np.zeros(1), "n_local_steps": 1}
    exact = bound(Known(1.0, 1.0, 0.0, 0.0), distance2=2.0, rate=0.25, **given)
    assert exact.tolist() == [1.0, 0.75]
    with pytest.raises(ValueError, match=r"at most 1/\(4L\) = 0.25"):
        bound(Known(1.0, 1.0, 0.0, 0.0), distance2=2.0, rate=0.3, **given)


def test_the_prediction_stands_before_the_network_runs_and_is_not_changed(made: tuple[Path, dict[str, Any]]) -> None:
    folder, found = made
    keys = [json.loads(json.loads(line)["key"]) for line in (folder / "runs.jsonl").read_text().splitlines()]
    columns = [key[0] for key in keys]
    assert max(i for i, c in enumerate(columns) if c != "network") < columns.index("network")
    written = json.loads((folder / "prediction.json").read_text())
    assert found["prediction"]["digest"] == digest(written)
    before = (folder / "side_by_side.json").read_bytes()
    again = study(Setting(**SMALL), folder)  # nothing is run again, but for the seconds all is the same
    assert {**again, "provenance": 0} == {**json.loads(before), "provenance": 0}
    assert len((folder / "runs.jsonl").read_text().splitlines()) == len(keys)
    written["orders"]["bound"]["less_is_better"]["proportional"] += 1
    (folder / "prediction.json").write_text(json.dumps(written))
    with pytest.raises(ValueError, match="a prediction is never changed"):
        study(Setting(**SMALL), folder)
    with pytest.raises(ValueError, match="runs of another setting"):
        study(Setting(**{**SMALL, "n_rounds": 4}), folder)


def test_columns_a_and_b_are_one_task_and_the_controls_point_as_they_must(made: tuple[Path, dict[str, Any]]) -> None:
    found = made[1]
    assert max(found["apart"].values()) < 1e-4  # float32 against float64
    assert found["controls"]["oracle"]["less_reference"]["value"] < 0
    assert set(found["controls"]["permuted"]) == set(SMALL["rules"])
    assert [row["beta"] for row in found["dose"]] == [0.3, "∞"]
    assert "gap" not in found["columns"]["network"]["rules"][0]["bands"]


def test_what_a_rule_draws_follows_the_seed_of_the_run_in_every_column_unless_a_seed_is_written() -> None:
    """As in `fedverdict run` and `simulate`: else the spread over seeds leaves out what the rule itself draws."""
    drawn, fixed = "power-of-choice(d=2, m=1)", "power-of-choice(d=2, m=1, seed=5)"
    setting = Setting(**{**SMALL, "rules": (drawn, fixed)})
    data = Data.of(setting, None, None)
    for text, seed in ((drawn, 3), (fixed, 5)):
        rule = PowerOfChoice(d=2, m=1, seed=seed)
        assert setting.rule(text, 3) == rule
        for played in (
            solved(setting, text, 3, 0.3, data),
            *trained(setting, "engine", [Job(text, 3, 0.3)], data),
            *trained(setting, "network", [Job(text, 3, 0.3)], data),
        ):
            assert played.run is not None
            assert played.run.rule_settings["seed"] == seed
    (blind,) = trained(setting, "network", [Job(drawn, 3, 0.3, "permuted")], data)
    assert blind.run is not None
    assert (blind.run.rule_settings["seed"], blind.run.rule_settings["rule"]) == (
        3,
        {"class": "PowerOfChoice", "d": 2, "m": 1, "seed": 3},
    )


def test_the_page_of_a_study_and_of_the_committed_one(made: tuple[Path, dict[str, Any]]) -> None:
    page = read_transfer(made[1])
    assert [row.key for row in page.rows][:4] == ["gap", "loss", "worst", "accuracy"]
    assert page.rows[0].panels[2].svg is None
    assert page.short is not None
    assert "bound-line" in str(page.short.svg)
    kept = read_study(COMMITTED)
    assert kept["setting"]["dataset"] == "fashion-mnist"
    assert kept["setting"]["n_seeds"] >= 5
    assert digest({k: v for k, v in kept["prediction"].items() if k != "digest"}) == kept["prediction"]["digest"]
    assert len(read_transfer(kept).asked) == 2
    with pytest.raises(ValueError, match=r"expected side_by_side\.json"):
        read_transfer({k: v for k, v in kept.items() if k != "dose"})


def test_the_command_says_what_came_out_and_what_was_wrong(tmp_path: Path) -> None:
    words = [
        "side-by-side",
        "--dataset",
        "digits",
        "--split",
        "fractions",
        "--rounds",
        "2",
        "--seeds",
        "2",
        "--clients",
        "3",
        "--beta",
        "inf",
        "--betas",
        "inf",
        "--model",
        "mlp(hidden=[4])",
        "--rule",
        "proportional",
        "--rule",
        "fed-worse",
    ]
    said = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "a")])
    assert said.exit_code == 0, said.stderr
    assert re.search(r"Kendall's τ with the network -?\d\.\d\d; by seed", said.stdout)
    assert (tmp_path / "a" / "side_by_side.json").is_file()
    wrong = CliRunner().invoke(main, [*words[:-1], "fedawg", "--out", str(tmp_path / "b")])
    assert wrong.exit_code == 2
    assert "fedawg" in wrong.stderr
    for again in ("proportional", "FedAvg"):  # two names of one rule
        twice = CliRunner().invoke(main, [*words[:-1], again, "--out", str(tmp_path / "c")])
        assert "named twice" in twice.stderr


@pytest.mark.parametrize("betas", ["0.3,-1", "0.3,nan", "0.3,0"])
def test_a_share_of_classes_that_is_no_number_above_zero_is_refused_before_any_work(betas: str, tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["side-by-side", "--betas", betas, "--out", str(tmp_path / "a")])
    assert said.exit_code == 2
    assert "expected each β above 0" in said.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("text", ["", '{"a": 1}', '{"a":', "[]", "3"])
def test_a_report_refuses_a_study_that_is_none_before_any_work(text: str, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text(text, encoding="utf-8")
    said = CliRunner().invoke(main, ["report", str(tmp_path / "site"), "--side-by-side", str(tmp_path / "study.json")])
    assert said.exit_code == 2
    assert "expected side_by_side.json of `fedverdict side-by-side`" in said.stderr
    assert "study.json" in said.stderr
    assert "committed verdicts" not in said.stderr


def test_the_small_split_is_a_thousand_of_each(made: object) -> None:
    import torch

    def images(n: int) -> Dataset:
        return Dataset(torch.zeros(n, 1, 2, 2), torch.arange(n) % 3, 3, "images")

    cut = make_split(Parts(images(1500), images(1200)), "small", seed=3)
    assert (len(cut.train), cut.validation, len(cut.test)) == (1000, None, 1000)
    assert "small" in SPLITS
