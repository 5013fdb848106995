"""A paper's system in both worlds: what its JSON must hold, what the page shows, and the one that is committed."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from paper_checks.efl import PAPER
from validation.report import Report, render
from validation.report.both_worlds.systems import committed_systems, read_system

DATA: dict[str, Any] = {
    "title": "A system",
    "says": "Two methods.",
    "command": "python -m somewhere",
    "sides": {"convex": "quadratics", "deep": "networks <small>"},
    "curves": [
        {
            "title": "Drift",
            "says": "Exactly zero for one.",
            "log": True,
            "sides": {"convex": [{"name": "closing", "values": [0.0, 0.0]}, {"name": "printed", "values": [0.5, 2.0]}]},
        }
    ],
    "intervals": [
        {
            "title": "Bias",
            "side": "deep",
            "unit": "loss",
            "rows": [{"name": "a − b", "mean": 0.5, "low": 0.25, "high": 0.75, "n": 10}],
        }
    ],
    "tables": [{"title": "Judged", "says": "", "columns": ["Method", "Model"], "rows": [["EFL", "the server's"]]}],
}


def test_the_page_shows_curves_intervals_and_tables(tmp_path: Path) -> None:
    entry = {"id": "X-1", "paper": "x", "kind": "definition", "printed": "", "title": "t", "verdict": "holds"}
    html = (render(Report([entry], systems={"x": DATA}), tmp_path).parent / "paper-x.html").read_text(encoding="utf-8")
    for shown in ("A system", "python -m somewhere", "networks &lt;small&gt;", "Judged", "the server&#39;s", "a − b"):
        assert shown in html
    assert "0.5 (0.25 to 0.75), 10 seeds" in html
    assert "Not measured in this setting." in html
    assert "cannot be shown on the log axis" not in html  # a side whose values are all zero has no line to hide
    assert "A system" not in (render(Report([entry]), tmp_path).parent / "paper-x.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("title",), "", "'title' is ''"),
        (("sides",), {"convex": ""}, "expected convex and deep"),
        (("curves", 0, "sides", "convex", 0, "values"), ["much"], "'values' is 'much'"),
        (("intervals", 0, "rows", 0, "low"), 0.6, "expected low <= mean <= high"),
        (("intervals", 0, "rows", 0, "mean"), None, "expected low <= mean <= high"),
        (("tables", 0, "rows", 0), ["EFL"], "another length than the 2 columns"),
    ],
)
def test_what_is_malformed_is_refused_by_its_place(path: tuple[Any, ...], value: object, says: str) -> None:
    data = deepcopy(DATA)
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match=says):
        read_system(data, "system of x")


def test_the_committed_system_of_efl_is_read_and_says_what_was_measured() -> None:
    found = committed_systems({"efl": PAPER.folder, "none": PAPER.folder / "published"})
    assert set(found) == {"efl"}
    system = read_system(found["efl"], "efl")
    assert len(system.rows) == 4
    assert {table.title for table in system.tables} == {
        "Best mean testing accuracy, and which model it is of",
        "Kilobytes of a client's messages in one round",
    }
    data = json.loads(json.dumps(found["efl"]))
    for side in ("convex", "deep"):
        drift = {run["name"]: run["values"] for run in data["curves"][1]["sides"][side]}
        assert max(drift["closing"]) == 0.0
        assert len(drift["closing"]) == 200
        assert max(drift["as printed"]) > 1e-3
    for row in data["intervals"]:
        paired = row["rows"][-1]
        assert paired["n"] == 10
        # FedAvg, which drops stragglers, ends higher in the objective and lower in their accuracy.
        apart = (paired["low"] > 0) if "objective" in row["title"] else (paired["high"] < 0)
        assert apart, (row["title"], row["side"])
