"""FedSSA's runs in the report: what is stored is what is shown, and what is malformed is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import paper_checks.fedssa
from paper_checks.fedssa.runs.sections import sections as fedssa_sections
from theory import make_rule
from validation.report import Report, render

COMMITTED = Path(paper_checks.fedssa.__file__).parent / "results"


def between(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n": 5}


MIXTURE: dict[str, Any] = {
    "command": "python -m paper_checks.fedssa.runs mixture",
    "draws": 20,
    "rows": [
        {
            "target": "Mixture",
            "world": world,
            "rule": "FedSSA",
            "l1": between(0.75),
            "l1_over_fedavg": between(0.5),
            "w_d": between(1.25),
            "accuracy": between(0.875),
        }
        for world in ("convex", "deep")
    ],
    "curves": [
        {"target": "Mixture", "world": world, "rule": "FedSSA", "l1": [0.5, 0.7, 0.75]} for world in ("convex", "deep")
    ],
}


def put(folder: Path, name: str, data: Any) -> Path:
    (folder / f"{name}.json").write_text(data if isinstance(data, str) else json.dumps(data))
    return folder


def test_convex_and_deep_stand_side_by_side_with_their_intervals(tmp_path: Path) -> None:
    (section,) = fedssa_sections(put(tmp_path, "mixture", MIXTURE))
    assert [panel.title for panel in section.panels] == ["Mixture, convex", "Mixture, deep"]
    assert "FedSSA 0.75" in str(section.panels[0].svg)
    (table,) = section.tables
    assert table.columns[:4] == ("target", "world", "rule", "‖w − p‖₁")
    assert table.rows[0][2:] == (
        "FedSSA",
        "0.75 (0.65 to 0.85)",
        "0.5 (0.4 to 0.6)",
        "1.25 (1.15 to 1.35)",
        "87.5 (77.5 to 97.5)",
    )
    assert section.command == MIXTURE["command"]


def test_the_paper_s_page_shows_them(tmp_path: Path) -> None:
    entry = {
        "id": "X-1", "paper": "fedssa", "kind": "identity", "verdict": "holds", "title": "t", "plainly": "s",
        "printed": "x = x", "at": "Sec. 1", "readings": [], "mutants": [],
    }  # fmt: skip
    sections = {"fedssa": fedssa_sections(put(tmp_path, "mixture", MIXTURE))}
    page = (
        render(Report([entry], sections=sections), tmp_path / "report").parent / f"paper-{entry['paper']}.html"
    ).read_text("utf-8")
    assert "Distance of learned weights from a known mixture, convex and deep" in page
    assert "0.75 (0.65 to 0.85)" in page
    without = (render(Report([entry]), tmp_path / "other").parent / f"paper-{entry['paper']}.html").read_text("utf-8")
    assert "Distance of learned weights" not in without


def test_nothing_was_run_and_nothing_is_shown(tmp_path: Path) -> None:
    assert fedssa_sections(tmp_path / "nowhere") == ()


def test_what_is_malformed_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"mixture\.json: no JSON"):
        fedssa_sections(put(tmp_path, "mixture", "{"))
    with pytest.raises(ValueError, match=r"mixture\.json: list; expected an object"):
        fedssa_sections(put(tmp_path, "mixture", []))
    broken = json.loads(json.dumps(MIXTURE))
    broken["rows"][0]["l1"] = {"mean": 0.5}
    with pytest.raises(ValueError, match=r"mixture\.json: 'l1' lacks mean, low or high"):
        fedssa_sections(put(tmp_path, "mixture", broken))
    broken["rows"][0]["l1"] = {"mean": "much", "low": 0, "high": 1}
    with pytest.raises(ValueError, match=r"mixture\.json: 'mean' is 'much'"):
        fedssa_sections(put(tmp_path, "mixture", broken))


def test_committed_results_are_shown_and_their_rules_can_be_built() -> None:
    sections = paper_checks.fedssa.PAPER.sections()
    paths = sorted(p for p in COMMITTED.glob("*.json") if p.name != "diagnosis.json")  # of recipes, not of a section
    assert len(sections) == len(paths) > 0
    assert all(table.rows for section in sections for table in section.tables)
    for path in paths:
        data = json.loads(path.read_text("utf-8"))
        plan = data.get("plan")  # of a study that has its own command, and takes data of a folder
        name = path.stem if plan is None else f".{path.stem} --data-root DATA"
        assert data["command"] == f"python -m paper_checks.fedssa.runs{'' if plan else ' '}{name}"
        rules = [plan["default"], *plan["options"].values()] if plan else [{"rule": r} for r in data["rules"].values()]
        for one in rules:
            make_rule(one.get("rule", "fed-ssa-sgd"))


def test_a_check_imports_nothing_of_the_report() -> None:
    code = "import sys; from validation.papers.papers import select; select(['fedssa']);"
    code += "print([m for m in sys.modules if m.startswith('validation.report')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
