"""Phase diagrams: cells against a closed form, the first useful T, planted faults, pictures with words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from validation import Bound, Case, Instance, LogScale, Space, Verdict, symbols
from validation.report.pictures.phases import phase_plots
from validation.statement.claim import ExactCheck
from validation.statement.forms.studies import Axis, PhaseMap
from validation.study.phases import phase_diagram

kappa, E, T, start = symbols("kappa E T start")
SPACE = Space((LogScale("start", 0.1, 10.0),))


def contraction(x: Instance, sizes: Mapping[str, float]) -> dict[str, Any]:
    """F after T rounds of E steps along curvature 1/κ, from excess `start`: (1 − 1/κ)^(2ET)·start."""
    one = np.ones_like(x["start"])
    gap = (1 - 1 / sizes["kappa"]) ** (2 * sizes["E"] * sizes["T"]) * x["start"]
    return {"lhs": gap, "start": x["start"], **{k: v * one for k, v in sizes.items()}}


def contraction_exact(x: Mapping[str, Any], sizes: Mapping[str, float]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    exact = {k: Fraction(v) for k, v in sizes.items()}
    gap = (1 - 1 / exact["kappa"]) ** int(2 * exact["E"] * exact["T"]) * x["start"]
    return {"start > 0": x["start"] > 0}, {"lhs": gap, "start": x["start"], **exact}


def at(**sizes: float) -> Case:
    exact = ExactCheck(partial(contraction_exact, sizes=sizes), standalone=False)
    return Case("contraction", SPACE, partial(contraction, sizes=sizes), exact)


AXES = (Axis("kappa", (2.0, 10.0, 100.0)), Axis("E", (1.0, 4.0)), Axis.log_grid("T", 1, 1000))
# (1 − 1/κ)^(2ET) <= κ/(2ET): true for all sizes, and below the start only for T > κ/(2E).
PHASES = PhaseMap(Bound(kappa / (2 * E * T) * start), at, AXES, trivial=Bound(1 * start))


def test_cells_are_useful_exactly_beyond_kappa_over_two_e() -> None:
    found = phase_diagram(PHASES, budget=100)
    assert len(found.cells) == 3 * 2 * 4
    for cell in found.cells:
        useful = 2 * cell.sizes["E"] * cell.sizes["T"] > cell.sizes["kappa"]
        assert cell.phase == ("useful" if useful else "vacuous"), cell
        assert cell.says_something == float(useful)
    assert found.verdict is Verdict.HOLDS
    assert "says something from T = 1 on" in found.why
    json.dumps(found.json())


@settings(max_examples=8)
@example(condition=100, steps=1)  # equality at T = 50, where rounding must not count as useful
@given(condition=st.integers(3, 300), steps=st.integers(1, 5))
def test_the_first_useful_round_is_found_by_bisection(condition: int, steps: int) -> None:
    axes = (Axis("kappa", (float(condition),)), Axis("E", (float(steps),)), Axis("T", (1.0, 1000.0)))
    (first,) = phase_diagram(replace(PHASES, axes=axes), budget=60, refine=True).first_use
    exact = condition // (2 * steps) + 1
    assert first.first == exact
    assert first.exact == (exact > 1)


def test_planted_faults_are_violated_cells_with_exact_witnesses() -> None:
    planted = replace(PHASES, bound=Bound(start / (2 * E * T)))  # κ dropped
    found = phase_diagram(planted, budget=100)
    assert found.verdict is Verdict.REFUTED
    violated = [c for c in found.cells if c.phase == "violated"]
    assert violated
    for c in found.cells:
        size = 2 * c.sizes["E"] * c.sizes["T"]
        assert (c.phase == "violated") == ((1 - 1 / c.sizes["kappa"]) ** size * size > 1)
    assert all(c.witness is not None and Fraction(c.witness["start"]) > 0 for c in violated)


def test_a_bound_that_never_says_anything_is_vacuous() -> None:
    hopeless = phase_diagram(replace(PHASES, bound=Bound(2 * start)), budget=60)
    assert hopeless.verdict is Verdict.VACUOUS
    assert all(f.first is None for f in hopeless.first_use)
    negative = phase_diagram(replace(PHASES, bound=Bound(start * T / (T - 1)), trivial=None), budget=60)
    at_one = [c for c in negative.cells if c.sizes["T"] == 1]
    assert all(c.phase == "vacuous" and c.reasons["undefined"] > 0 for c in at_one)


def test_floats_alone_violate_nothing_and_no_draw_is_no_answer() -> None:
    def unchecked(**sizes: float) -> Case:
        return replace(at(**sizes), exact=None)

    found = phase_diagram(replace(PHASES, at=unchecked, bound=Bound(start / (2 * E * T))), budget=60)
    assert {c.phase for c in found.cells} <= {"undecided", "useful", "vacuous"}
    assert found.verdict is Verdict.INCONCLUSIVE

    def never(**sizes: float) -> Case:
        case = at(**sizes)
        return replace(case, measure=lambda x: {**case.measure(x), "admissible": np.zeros(len(x["start"]), dtype=bool)})

    nothing = phase_diagram(replace(PHASES, at=never), budget=60)
    assert {c.phase for c in nothing.cells} == {"empty"}
    assert nothing.verdict is Verdict.INCONCLUSIVE


def test_a_cell_is_the_same_on_every_grid() -> None:
    whole = phase_diagram(PHASES, budget=60, seed=4)
    axes = (Axis("kappa", (10.0,)), Axis("E", (4.0,)), Axis("T", (10.0,)))
    (cell,) = phase_diagram(replace(PHASES, axes=axes), budget=60, seed=4).cells
    assert cell in whole.cells


def test_the_picture_has_a_label_for_every_cell_and_words_for_the_whole() -> None:
    planted = phase_diagram(replace(PHASES, bound=Bound(start / (2 * E * T))), budget=60).json()
    plots = phase_plots(planted, across="T", down="kappa", name="X")
    assert [title for title, _ in plots] == ["E = 1", "E = 4"]
    for _, svg in plots:
        root = ElementTree.fromstring(str(svg))
        rects, labels = (
            list(root.iter("rect")),
            [t.text or "" for t in root.iter("text") if t.get("class") == "phase-label"],
        )
        assert len(rects) == len(labels) == 12
        violated = sum("violated" in (r.get("class") or "") for r in rects)
        assert violated == sum(label.startswith("×") for label in labels) > 0
        assert f"{violated} violated" in (root.get("aria-label") or "")
    with pytest.raises(ValueError, match="two of the axes"):
        phase_plots(planted, across="T", down="N")


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="growing values"):
        Axis("T", (2.0, 1.0))
    with pytest.raises(ValueError, match="one of the axes"):
        replace(PHASES, rounds="N")
    assert Axis.log_grid("T", 1, 1000, per_decade=2).values == (1, 3, 10, 32, 100, 316, 1000)
