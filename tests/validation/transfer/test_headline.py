"""What a study comes to beside a predictor that knows nothing, and without rules that nobody disputes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from validation.recipe.statistics.intervals import quantile, two_sided_p
from validation.report.both_worlds.transfer import COMMITTED, read_transfer
from validation.transfer.headline import headline, headroom

RULES = ("proportional", "min-norm", "fed-worse", "fed-better", "fed-soft-better(temperature=0.2)")


def document(bound: list[float], chi_square: list[float], loss: list[float]) -> dict[str, Any]:
    return {
        "prediction": {"orders": {"bound": {"less_is_better": dict(zip(RULES, bound, strict=True))}}},
        "columns": {
            "solved": {
                "rules": [
                    {"rule": rule, "bands": {"chi_square": [[value, None, None], None, [value, None, None]]}}
                    for rule, value in zip(RULES, chi_square, strict=True)
                ]
            }
        },
        "answer": {
            "against": "proportional",
            "last_loss": {rule: {"value": value} for rule, value in zip(RULES, loss, strict=True)},
        },
        "controls": {"oracle": {"less_reference": {"value": -0.1}}},
    }


def test_rules_that_nobody_disputes_carry_no_headline() -> None:
    """The order is wrong among the three that are disputed, and right about the two that everybody knows."""
    found = document(bound=[3, 2, 1, 8, 9], chi_square=[0, 1, 2, 3, 4], loss=[0.5, 0.6, 0.7, 2.0, 3.0])
    bound, trivial = headline(found)
    assert (bound.key, bound.knows_task, trivial.key, trivial.knows_task) == ("bound", True, "chi_square", False)
    assert bound.tau == pytest.approx(0.4)
    assert (bound.disputed_tau, bound.flipped, bound.pairs) == (-1.0, 3, 3)
    assert (trivial.tau, trivial.disputed_tau, trivial.flipped) == (pytest.approx(1.0), pytest.approx(1.0), 0)
    assert headroom(found) == pytest.approx(0.2)


def test_the_committed_study_does_not_beat_the_distance_of_the_weights_to_the_shares() -> None:
    kept = json.loads(COMMITTED.read_text(encoding="utf-8"))
    found = {row.key: row for row in headline(kept)}
    assert found["bound"].tau == pytest.approx(0.5238, abs=1e-4)
    assert (found["bound"].disputed_tau, found["bound"].flipped, found["bound"].pairs) == (0.0, 5, 10)
    assert found["chi_square"].disputed_tau == pytest.approx(1.0)
    page = read_transfer(kept)
    assert not page.beats
    assert page.headroom == "2.2 %"


def test_the_committed_study_has_the_intervals_of_the_calculus() -> None:
    """Mean, interval and p of one comparison determine the degrees of freedom: fewer than Student's."""
    document = json.loads(COMMITTED.read_text(encoding="utf-8"))
    row = document["controls"]["oracle"]["less_reference"]
    error = (row["high"] - row["low"]) / 2 / quantile(row["n"])
    assert float(two_sided_p(np.asarray(row["value"] / error), row["n"])) == pytest.approx(row["p"], rel=1e-3)
