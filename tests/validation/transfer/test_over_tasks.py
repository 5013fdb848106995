"""Predictions of all tasks before any network, beside predictors that know the weights alone, over tasks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.rules.stats import RoundStats
from validation.recipe.statistics.intervals import mean_of, p_value
from validation.report.both_worlds.transfer import COMMITTED
from validation.transfer.joined import joined
from validation.transfer.over_tasks import MEASURES, PREDICTIONS, RESULT, TRIVIAL, over_tasks, tasks_like, taus_told
from validation.transfer.prediction import digest
from validation.transfer.setting import Setting
from validation.transfer.task_controls import Excluding, corrupted_config

SMALL = Setting(
    dataset="digits",
    split="fractions",
    scaling="none",
    n_clients=4,
    n_rounds=2,
    n_local_steps=2,
    rules=("proportional", "fed-worse", "uniform"),
    n_seeds=2,
)
TASKS = tasks_like(SMALL, ("digits",), (0.3, 1.0), ("softmax-regression",))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], dict[str, Any]]:
    folder, told = tmp_path_factory.mktemp("tasks"), list[str]()
    return folder, told, over_tasks(TASKS, folder, tick=told.append)


def test_eighteen_tasks_by_default() -> None:
    tasks = tasks_like(SMALL)
    assert len(tasks) == 18
    assert len({(task.dataset, task.beta, task.model) for task in tasks}) == 18
    assert all(task.betas == (task.beta,) and task.n_clients == 4 for task in tasks)


def test_all_tasks_are_solved_before_a_network_is_trained(made: tuple[Path, list[str], dict[str, Any]]) -> None:
    _, told, _ = made
    kinds = [words.partition(":")[0] for words in told]
    assert kinds == ["solved"] * 6 + ["network"] * 2 + ["permuted"] * 2 + ["labels"] * 2


def test_theory_stands_beside_predictors_that_know_weights_alone(made: tuple[Path, list[str], dict[str, Any]]) -> None:
    folder, _, found = made
    predictions = json.loads((folder / PREDICTIONS).read_text(encoding="utf-8"))
    assert all(set(orders) == {"bound", "solved", *TRIVIAL} for orders in predictions.values())
    for orders in predictions.values():
        assert orders["chi_square"]["proportional"] == pytest.approx(0, abs=1e-6)
        assert orders["uneven"]["uniform"] == pytest.approx(0, abs=1e-9)
        assert orders["few_clients"]["uniform"] == pytest.approx(-4)
    assert set(found["tau"]) == set(MEASURES)
    for rows in found["tau"].values():
        best = rows["bound"]["beyond"]["than"]
        assert best in TRIVIAL
        assert rows[best]["mean"]["value"] == max(rows[name]["mean"]["value"] for name in TRIVIAL)
        for row in rows.values():
            assert len(row["each"]) == len(TASKS)
            assert row["beyond"]["value"] == pytest.approx(row["mean"]["value"] - rows[best]["mean"]["value"], abs=1e-4)


def test_controls_stand_beside_the_answer(made: tuple[Path, list[str], dict[str, Any]]) -> None:
    _, _, found = made
    labels, blind = found["controls"]["labels"], found["controls"]["permuted"]
    assert set(labels) == {"test_loss", "error"}
    assert all(len(row["each"]) == len(TASKS) for row in labels.values())
    assert set(blind) == set(MEASURES)
    assert all(set(rows) == {"bound", "solved", *TRIVIAL} for rows in blind.values())


def test_three_of_ten_clients_have_wrong_labels_and_are_excluded() -> None:
    config, bad = corrupted_config(replace(TASKS[0], n_clients=10), 0)
    assert len(bad) == 3
    assert config.partition.startswith("flipped(base=dirichlet(beta=0.3")
    stats = RoundStats(np.full(10, 0.1), np.arange(10) > 0)
    weights = Excluding(bad)(stats)
    kept = [k for k in range(1, 10) if k not in bad]
    assert weights[kept] == pytest.approx(1 / len(kept))
    assert weights.sum() == pytest.approx(1)
    assert not weights[list(bad)].any()


def test_a_study_goes_on_and_never_changes_a_prediction(made: tuple[Path, list[str], dict[str, Any]]) -> None:
    folder, _, found = made
    told: list[str] = []
    assert over_tasks(TASKS, folder, tick=told.append) == found == json.loads((folder / RESULT).read_text("utf-8"))
    assert told == []
    kept = (folder / PREDICTIONS).read_bytes()
    (folder / PREDICTIONS).write_bytes(kept.replace(b"0.", b"1.", 1))
    with pytest.raises(ValueError, match="never changed"):
        over_tasks(TASKS, folder)
    (folder / PREDICTIONS).write_bytes(kept)


def test_one_task_has_no_interval(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 2"):
        over_tasks(TASKS[:1], tmp_path)


def test_the_committed_study_has_the_committed_predictions() -> None:
    """One for each data set and partition, whatever the network. The bound orders the rules worse than the distance of
    the weights to the shares; nothing of theory is shown to be better by Holm.
    """
    results = COMMITTED.parent
    predictions = json.loads((results / "over_tasks_predictions.json").read_text(encoding="utf-8"))
    found = json.loads((results / RESULT).read_text(encoding="utf-8"))
    assert digest(predictions) == found["digest"]
    assert list(predictions) == list(found["network"])
    assert len(predictions) == 18
    for name, orders in predictions.items():
        assert orders == predictions[name.rpartition(", ")[0] + ", softmax-regression"]
    for measure in MEASURES:
        bound, solved = (found["tau"][measure][name]["beyond"] for name in ("bound", "solved"))
        assert (bound["than"], solved["than"]) == ("chi_square", "chi_square")
        assert (bound["n"], solved["n"]) == (6, 6)
        assert (bound["high"] < 0) is (measure != "worst")
        assert (solved["low"] > 0) is (measure == "worst")


def test_the_committed_controls_show_what_they_should() -> None:
    """Excluding wrong labels is seen in every task; blind weights leave theory's orders behind every trivial one."""
    found = json.loads((COMMITTED.parent / RESULT).read_text(encoding="utf-8"))["controls"]
    for row in found["labels"].values():
        assert len(row["each"]) == 18
        assert max(row["each"]) < 0
        assert row["high"] < 0
    for rows in found["permuted"].values():
        best_of_theory = max(rows[name]["mean"]["value"] for name in ("bound", "solved"))
        assert best_of_theory < min(rows[name]["mean"]["value"] for name in TRIVIAL)


def test_networks_of_one_data_set_and_partition_are_one_value() -> None:
    each = {name: [0.0, 0.2, 0.4, 0.5] for name in ("bound", *TRIVIAL)} | {"solved": [0.3, 0.5, 0.6, 0.5]}
    told = taus_told(each, ["a", "a", "b", "b"])["solved"]
    assert told["mean"]["n"] == told["beyond"]["n"] == 2
    assert told["each"] == each["solved"]
    assert (told["mean"]["value"], told["beyond"]["value"]) == pytest.approx((0.475, 0.2))
    apart = mean_of([0.3, 0.1])
    assert (told["beyond"]["low"], told["beyond"]["high"]) == pytest.approx((apart.low, apart.high))


def test_what_would_be_found_is_found_in_four_of_five_studies() -> None:
    """Draws of six pairs whose true difference is the one that a study of such a deviation calls detectable."""
    rng = np.random.default_rng(0)
    groups = [str(k) for k in range(6)]
    flat = {name: [0.0] * 6 for name in ("bound", *TRIVIAL)}
    unit = taus_told({**flat, "solved": list(np.sqrt(6 / 5) * np.array([-1.0, 1, -1, 1, -1, 1]))}, groups)["solved"]
    told = [p_value(list(unit["beyond"]["detectable"] / 1.2 + rng.normal(size=6))) for _ in range(4000)]
    assert np.mean([p is not None and p < 0.05 for p in told]) == pytest.approx(0.8, abs=0.03)


def test_the_page_has_the_numbers_of_the_study() -> None:
    page = (Path(__file__).parents[3] / "docs" / "what_is_included.md").read_text(encoding="utf-8")
    found = json.loads((COMMITTED.parent / RESULT).read_text(encoding="utf-8"))
    for measure, title in (("test_loss", "test loss"), ("worst", "worst client's loss"), ("error", "test error")):
        tau = found["tau"][measure]
        cells = [f"{tau[o]['mean']['value']:.2f} ({_beyond(tau[o]['beyond'])})" for o in ("bound", "solved")]
        assert f"| {title} | {' | '.join(cells)} | {tau['chi_square']['mean']['value']:.2f} |" in page
    seen = found["controls"]["labels"]
    loss, error = seen["test_loss"], seen["error"]
    shown = f"{-loss['value']:.2f} [{-loss['high']:.2f}, {-loss['low']:.2f}] of {loss['shares']:.2f}"
    assert shown in page.replace("\n", " ")
    assert f"{-100 * error['value']:.1f} points [{-100 * error['high']:.1f}, {-100 * error['low']:.1f}]" in page


def _beyond(one: dict[str, float]) -> str:
    value, low, high = (f"{one[key]:+.2f}".replace("-", "−") for key in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def test_studies_of_some_tasks_each_join_to_the_study_of_all(
    made: tuple[Path, list[str], dict[str, Any]], tmp_path: Path
) -> None:
    """In the order of the predictions, whatever the order of the studies; numbers but for their last digit."""
    folder, _, found = made
    predictions = json.loads((folder / PREDICTIONS).read_text(encoding="utf-8"))
    other = replace(SMALL, n_local_steps=1, n_rounds=2)
    more = over_tasks(tasks_like(other, ("digits",), (0.5, 2.0), ("softmax-regression",)), tmp_path)
    more_predictions = json.loads((tmp_path / PREDICTIONS).read_text(encoding="utf-8"))
    for both in ([found, more], [more, found]):
        all_of = {**predictions, **more_predictions}
        ours = joined(both, all_of)
        assert list(ours["network"]) == list(all_of)
        assert [task["beta"] for task in ours["tasks"]] == [0.3, 1.0, 0.5, 2.0]
        for measure in MEASURES:
            for name, row in ours["tau"][measure].items():
                parts = [one["tau"][measure][name]["each"] for one in (found, more)]
                assert row["each"] == [*parts[0], *parts[1]]
                assert row["mean"]["value"] == pytest.approx(sum(map(sum, parts)) / 4, abs=1e-4)
        seen, parts = ours["controls"]["labels"]["error"], [d["controls"]["labels"]["error"] for d in (found, more)]
        assert seen["each"] == [*parts[0]["each"], *parts[1]["each"]]
        assert seen["shares"] == pytest.approx((parts[0]["shares"] + parts[1]["shares"]) / 2, abs=1e-4)
    with pytest.raises(ValueError, match="once"):
        joined([found], {**predictions, **more_predictions})
    alone = joined([found], predictions)
    assert alone["tau"]["error"] == found["tau"]["error"]
    assert alone["digest"] == found["digest"]
