"""The dependency graph: layers, circles, what falls, links; and how claims are gathered and put in order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from validation.papers.papers import arranged, gathered, select
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.graph import dependency_graph, layers


def claims(**needs: tuple[str, ...]) -> list[Claim]:
    from tests.validation.report.test_report import claim as row

    verdicts = {"B": "refuted"}
    rows: list[dict[str, Any]] = [
        row(name, "toy", "inequality", verdicts.get(name, "holds"), rests_on=list(on)) for name, on in needs.items()
    ]
    return list(read_claims(rows))


def test_everything_stands_right_of_what_it_needs() -> None:
    needs = {"T": ("L", "M"), "L": ("A",), "M": ("A", "B"), "A": (), "B": (), "C": ("T",)}
    columns = layers(needs)
    place = {n: i for i, column in enumerate(columns) for n in column}
    assert all(place[d] < place[n] for n, on in needs.items() for d in on)
    assert sorted(n for column in columns for n in column) == sorted(needs)


def test_a_circle_is_drawn_all_the_same() -> None:
    columns = layers({"A": ("B",), "B": ("A",)})
    assert sorted(n for column in columns for n in column) == ["A", "B"]


def test_a_tall_layer_is_split() -> None:
    columns = layers({f"S{i}": () for i in range(100)} | {"T": tuple(f"S{i}" for i in range(100))})
    assert max(len(column) for column in columns) <= 18
    assert columns[-1] == ["T"]


def test_nodes_are_links_and_lines_from_what_fell_stand_out() -> None:
    drawn = dependency_graph(
        claims(A=(), B=(), T=("A", "B", "elsewhere"), alone=()), "Toy", {n: f"claims/{n}.html" for n in "ABT"}
    )
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    assert [a.get("href") for a in root.iter("a")] == ["claims/A.html", "claims/B.html", "claims/T.html"]
    edges = {(e.get("data-from"), e.get("data-to")): e.get("class") for e in root.iter("path")}
    assert edges == {("A", "T"): "edge", ("B", "T"): "edge over"}
    assert root.get("aria-label") == "Toy: 3 statements and 2 dependencies, 1 of them on a refuted statement"
    assert dependency_graph(claims(A=(), B=()), "Toy", {}) is None


def test_claims_are_read_in_order_results_first_relations_last() -> None:
    named = {c.id: c for _, c in select(["exp_alpha"])}
    shuffled = [named[n] for n in ("EA-P2", "EA-S5", "EA-T2", "EA-S1", "EA-L1", "EA-P1")]
    assert [c.id for c in arranged(*shuffled)] == ["EA-L1", "EA-T2", "EA-S1", "EA-S5", "EA-P1", "EA-P2"]
    steps = [replace(named["EA-S1"], id=f"EA-S{i}") for i in (10, 9, 2)]
    assert [c.id for c in arranged(*steps)] == ["EA-S2", "EA-S9", "EA-S10"]


def test_a_module_of_claims_needs_no_entry_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "toy_paper"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helpers.py").write_text("x = 1\n")
    (package / "one.py").write_text("from paper_checks.exp_alpha.step_sizes import EA_S2\nCLAIMS = (EA_S2,)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert [c.id for c in gathered("toy_paper")] == ["EA-S2"]
    (package / "two.py").write_text("CLAIMS = [1]\n")
    with pytest.raises(ValueError, match=r"toy_paper\.two\.CLAIMS: expected a tuple of Claim, got list"):
        gathered("toy_paper")
