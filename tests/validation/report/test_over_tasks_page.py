"""The side-by-side page says over tasks what the committed study has: which orders beat a trivial one, by Holm."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from html import unescape
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from validation.report import Report, render
from validation.report.both_worlds.over_tasks import read_over_tasks
from validation.report.both_worlds.transfer import COMMITTED, read_study
from validation.report.text.readable import num

FOUND: dict[str, Any] = json.loads((COMMITTED.parent / "over_tasks.json").read_text(encoding="utf-8"))


def with_p(p: float, value: float) -> dict[str, Any]:
    """The committed study with one p in all places, and one difference."""
    found = deepcopy(FOUND)
    for tau in found["tau"].values():
        for order in ("bound", "solved"):
            tau[order]["beyond"] |= {"p": p, "value": value}
    return found


@pytest.mark.parametrize(
    ("p", "value", "beats", "loses"), [(0.009, 0.1, 0, 0), (0.008, 0.1, 6, 0), (0.008, -0.1, 0, 6)]
)
def test_an_order_beats_or_loses_by_holm_over_all_six(p: float, value: float, beats: int, loses: int) -> None:
    shown = read_over_tasks(with_p(p, value))
    assert (len(shown.beats), len(shown.loses)) == (beats, loses)


def test_rows_are_those_of_the_study_and_of_each_network() -> None:
    shown = read_over_tasks()
    assert shown.n == len(FOUND["tasks"])
    assert len(shown.rows) == 6
    models = list(dict.fromkeys(task["model"] for task in FOUND["tasks"]))
    assert [row[0] for row in shown.networks[::3]] == [f"{model}, {shown.n // len(models)} tasks" for model in models]
    last = [k for k, task in enumerate(FOUND["tasks"]) if task["model"] == models[-1]]
    tau = FOUND["tau"]["error"]
    best = tau["bound"]["beyond"]["than"]
    apart = [tau["solved"]["each"][k] - tau[best]["each"][k] for k in last]
    assert shown.networks[-1][4].startswith(num(fmean(apart), 2))
    assert shown.networks[-1][2] == num(fmean(tau[best]["each"][k] for k in last), 2)


def test_the_page_has_the_section(tmp_path: Path) -> None:
    render(Report([], None, read_study(COMMITTED)), tmp_path)
    html = re.sub(r"\s+", " ", unescape((tmp_path / "side-by-side.html").read_text(encoding="utf-8")))
    shown = read_over_tasks()
    assert f"<h2>Over {shown.n} tasks</h2>" in html
    assert "differences. Theory is below" in html
    assert f"intervals are over these {shown.pairs} pairs" in html
    assert ("On no measure is theory shown to be above" in html) is (not shown.beats)
    assert all(order in html for order in shown.loses)
    assert html.count("robust-cnn-flattened, 6 tasks") == 3
