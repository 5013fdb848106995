"""What moves FedSSA's collapse: options on the same models, effects paired by seed, and what the page says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paper_checks.fedssa
from deep.runs.ssa import trained, trained_by_round, weights_after
from paper_checks.fedssa.runs.collapse import MEASURES, OWNER, Preferred, effects, learned, plan_of
from paper_checks.fedssa.runs.sections import sections
from paper_checks.fedssa.runs.settings import config
from theory import SSA, Proportional, make_rule
from theory.rules.by_output.ssa_loss import loss_ssa
from validation.recipe.statistics.intervals import holm, mean_of, p_value

FOLDER = Path(paper_checks.fedssa.__file__).parent / "results"
RESULT = json.loads((FOLDER / "collapse.json").read_text("utf-8"))
SMALL = replace(config("NIID-1", "Skew", 3), n_rounds=2, n_local_epochs=1)


def test_each_round_s_models_are_those_of_a_run_that_ends_there() -> None:
    first, second = trained_by_round(SMALL, Proportional())
    assert (first.models.vectors == trained(replace(SMALL, n_rounds=1), Proportional()).models.vectors).all()
    assert (second.models.vectors == trained(SMALL, Proportional()).models.vectors).all()
    assert (first.models.round, second.models.round) == (0, 1)


def test_an_option_changes_weights_and_views_and_nothing_else() -> None:
    run = trained(SMALL, Proportional())
    usual = learned(run, {"rule": "fed-ssa-sgd", "views": ""}, 0)
    weights = weights_after(run, make_rule("fed-ssa-sgd"))
    assert usual["owner"] == float(weights[OWNER])
    assert usual["wrong"] == float(max(weights[1:]))
    still = learned(run, {"rule": "fed-ssa-sgd(lr=0.001)", "views": ""}, 0)
    assert still["owner"] == pytest.approx(0.2, abs=1e-3)
    assert learned(run, {"rule": "fed-ssa-sgd", "views": "views(jitter=0)"}, 0)["owner"] != usual["owner"]


def test_the_printed_loss_at_the_vertices_is_that_of_its_terms() -> None:
    run, seen = trained(SMALL, Proportional()), list[Any]()

    class Looking(Preferred):
        def __call__(self, stats: Any) -> Any:
            seen.append(stats)
            return super().__call__(stats)

    rule = Looking()
    weights_after(run, rule)
    views = [np.asarray(seen[0].need(f"view_{i}", "test"), dtype=np.float64) for i in (1, 2)]
    for place, at in enumerate([*np.eye(5), np.full(5, 0.2)]):
        expected = loss_ssa(at, *views, lambda_var=SSA().lambda_var, lambda_we=SSA().lambda_we)
        assert rule.losses[place] == pytest.approx(float(expected), abs=1e-9)


def test_effects_are_paired_and_corrected_over_the_options_of_a_round() -> None:
    def row(seed: int, shift: float, other: float) -> dict[str, Any]:
        one = dict.fromkeys(MEASURES, 0.1 * seed)
        options = {"default": one}
        options |= {name: {m: v + by for m, v in one.items()} for name, by in (("a", shift), ("b", other))}
        return {"seed": seed, "round": 1, "options": options}

    a, b = (0.1, 0.12, 0.11, 0.13, 0.1), (0.3, -0.2, 0.1, 0.0, 0.2)
    found = {r["option"]: r for r in effects([row(k, a[k], b[k]) for k in range(5)])}
    assert found["a"]["owner, effect"]["value"] == pytest.approx(np.mean(a))
    assert found["a"]["owner, effect"]["low"] == pytest.approx(mean_of(a).low)
    assert "owner, effect" not in found["default"]
    ps = holm([p_value(a) or 0.0, p_value(b) or 0.0])
    assert [found[name]["owner, effect"]["p"] for name in "ab"] == pytest.approx(ps)
    assert [found[name]["collapsed"] for name in ("default", "a", "b")] == [1, 0, 1]  # of 0 … 0.4, 0.1 … 0.5, and so on


def test_the_committed_study_followed_its_plan() -> None:
    plan = plan_of()
    assert RESULT["plan"] == plan
    assert [(r["seed"], r["round"]) for r in RESULT["rows"]] == [(s, t) for s in plan["seeds"] for t in (1, 2)]
    again = effects(RESULT["rows"])
    for mine, kept in zip(again, RESULT["effects"], strict=True):
        assert mine["owner"]["value"] == pytest.approx(kept["owner"]["value"], abs=1e-5)
        assert mine["collapsed"] == kept["collapsed"]


def test_the_report_shows_the_study_with_its_intervals() -> None:
    (section,) = (one for one in sections(FOLDER) if one.title == "What moves the weight of wrong clients")
    (table,) = section.tables
    assert len(table.rows) == len(RESULT["effects"])
    first = next(row for row in table.rows if row[:2] == ("2", "rate 1"))
    kept = next(one for one in RESULT["effects"] if (one["round"], one["option"]) == (2, "rate 1"))
    assert first[6] == str(kept["collapsed"])
    assert first[5].endswith("*") is (kept["wrong, effect"]["p"] < 0.05)
    assert table.rows[0][3] == "—"


def test_the_page_has_the_numbers_of_the_study() -> None:
    page = (Path(__file__).parents[2] / "docs" / "fedssa.md").read_text(encoding="utf-8")
    for one in RESULT["effects"]:
        cells = [str(one["round"]), one["option"]]
        for key in ("owner", "wrong"):
            cells += [f"{one[key]['value']:.2f}", _effect(one.get(f"{key}, effect"))]
        assert f"| {' | '.join(cells)} | {one['collapsed']} of {one['owner']['n']} |" in page
    preferred = [row["loss"]["owner"] - row["loss"]["least of another"] for row in RESULT["rows"]]
    assert f"by {min(preferred):.3f} to {max(preferred):.2f}" in page
    assert min(preferred) > 0
    assert len(preferred) == 10
    assert all(one["collapsed"] == 4 for one in RESULT["effects"] if one["option"] == "default")
    sure = [one for one in RESULT["effects"] for m in MEASURES if one.get(f"{m}, effect", {"p": 1.0})["p"] < 0.05]
    assert [(one["round"], one["option"]) for one in sure] == [(2, "rate 1")]


def _effect(mean: dict[str, float] | None) -> str:
    if mean is None:
        return "–"
    value, low, high = (_signed(mean[key]) for key in ("value", "low", "high"))
    return f"{value} ({low} to {high})"


def _signed(value: float) -> str:
    text = f"{value:+.2f}"
    return (text[1:] if float(text) == 0 else text).replace("-", "−")
