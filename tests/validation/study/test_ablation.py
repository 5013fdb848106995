"""Ablation: assumptions that are used are refuted without, idle ones are not; constants against known suprema."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation import Bound, Case, Inequality, Instance, LogScale, Signed, Space, Switch, Uniform, symbols
from validation.statement.claim import ExactCheck
from validation.statement.forms.studies import Hypothesis
from validation.study.ablation import ablate
from validation.study.constants import _Pool, best_constants

fa, fb, total, spare = symbols("fa fb total spare")


def descent(x: Instance) -> dict[str, Any]:
    """One gradient step on ½hw²: F after against F before, with step fraction s of 1/h."""
    return {"lhs": 0.5 * x["h"] * (1 - x["s"]) ** 2 * x["w"] ** 2, "total": 0.5 * x["h"] * x["w"] ** 2}


def descent_exact(x: Any) -> tuple[dict[str, bool], dict[str, Fraction]]:
    met = {"step at most 2/L": 0 < x["s"] <= 2, "h > 0": x["h"] > 0, "w on the right": x["w"] >= 0}
    return met, {"lhs": x["h"] * (1 - x["s"]) ** 2 * x["w"] ** 2 / 2, "total": x["h"] * x["w"] ** 2 / 2}


WIDE = Case(
    "a step on ½hw²",
    Space((LogScale("h", 0.01, 100.0), Uniform("s", 0.01, 4.0), Signed("w", 0.01, 100.0))),
    descent,
    ExactCheck(descent_exact),
)
SHORT = Switch("step at most 2/L", "s <= 2", lambda x: {**x, "s": np.minimum(x["s"], 2.0)})
RIGHT = Switch("w on the right", "w >= 0", lambda x: {**x, "w": np.abs(x["w"])})
NO_WORSE = Inequality(Bound(1 * total), (WIDE,))
HYPOTHESES = (
    Hypothesis("short steps", "s <= 2", switch=SHORT, forgets=("step at most 2/L",)),
    Hypothesis("start on the right", "w >= 0", switch=RIGHT, forgets=("w on the right",)),
)


def test_a_used_assumption_has_a_witness_and_an_idle_one_an_effort(tmp_path: Path) -> None:
    used, idle = ablate(NO_WORSE, HYPOTHESES, budget=2000)
    assert used.used is True
    assert used.witness is not None
    assert Fraction(used.witness["s"]) > 2
    assert used.script is not None
    script = tmp_path / "script.py"
    script.write_text(used.script)
    assert "not asked for: step at most 2/L" in used.script
    assert subprocess.run([sys.executable, str(script)], check=False, capture_output=True).returncode == 0
    assert "('step at most 2/L', " not in used.script  # what is dropped is not said to be met
    script.write_text(used.script.replace("hypotheses = {k", "dropped = {k"))  # all hypotheses asked for again
    assert subprocess.run([sys.executable, str(script)], check=False, capture_output=True).returncode == 1
    assert idle.used is False
    assert "not seen to be needed" in idle.why
    assert idle.instances > 1000
    json.dumps([used.json(), idle.json()])


def test_wider_cases_drop_an_assumption_too() -> None:
    narrow = replace(
        WIDE, space=Space((LogScale("h", 0.01, 100.0), Uniform("s", 0.01, 2.0), LogScale("w", 0.01, 100.0)))
    )
    wider = replace(
        WIDE, space=Space((LogScale("h", 0.01, 100.0), Uniform("s", 0.01, 4.0), LogScale("w", 0.01, 100.0)))
    )
    by_cases = Hypothesis("short steps", "s <= 2", cases=(wider,), forgets=("step at most 2/L",))
    (found,) = ablate(Inequality(Bound(1 * total), (narrow,)), (by_cases,), budget=2000)
    assert found.used is True


def test_a_hypothesis_the_check_still_asks_for_leaves_the_question_open() -> None:
    keeps = (replace(HYPOTHESES[0], forgets=()), HYPOTHESES[1])
    assert ablate(NO_WORSE, keeps, budget=1000)[0].used is None
    misnamed = (replace(HYPOTHESES[0], forgets=("no such name",)), HYPOTHESES[1])
    with pytest.raises(ValueError, match="no such name"):
        ablate(NO_WORSE, misnamed, budget=1000)


def test_a_false_statement_is_not_ablated() -> None:
    planted = replace(NO_WORSE, bound=Bound(total / 2))
    with pytest.raises(ValueError, match="refuted"):
        ablate(planted, HYPOTHESES, budget=1000)
    with pytest.raises(ValueError, match="one of the two"):
        Hypothesis("nothing", "")


def square_of_sum(x: Instance) -> dict[str, Any]:
    """(a + b)² against a multiple of a² and of b²; `spare` has nothing to do with it."""
    return {"lhs": (x["a"] + x["b"]) ** 2, "fa": x["a"] ** 2, "fb": x["b"] ** 2, "spare": np.abs(x["a"] * x["b"])}


SQUARES = Case("two numbers", Space((Signed("a", 0.01, 100.0), Signed("b", 0.01, 100.0))), square_of_sum)


def test_loose_constants_are_found_and_tight_ones_kept() -> None:
    loose = best_constants(Inequality(Bound(32 * fa + 32 * fb), (SQUARES,)), budget=3000)
    assert loose.factor == pytest.approx(2 / 32, rel=1e-3)  # (a + b)² <= 2a² + 2b²
    assert loose.survived
    assert {t.constant for t in loose.terms} == {32.0}
    # With 32 a² kept, b² needs 1 + 1/31: the inequality (1 − 1/x)(y − 1) >= 1/… of Young.
    assert [t.could_be for t in loose.terms] == pytest.approx([32 / 31] * 2, abs=0.1)
    tight = best_constants(Inequality(Bound(2 * fa + 2 * fb), (SQUARES,)), budget=3000)
    assert tight.factor == pytest.approx(1)
    assert all(t.alone <= 1e-3 and t.jointly <= 1e-3 for t in tight.terms)
    json.dumps(tight.json())


def test_an_idle_term_can_go_entirely() -> None:
    found = best_constants(Inequality(Bound(2 * fa + 2 * fb + 7 * spare), (SQUARES,)), budget=3000)
    by_term = {t.term: t for t in found.terms}
    assert by_term["7*spare"].alone == 1.0
    assert by_term["7*spare"].could_be == 0.0
    assert found.survived


@settings(max_examples=6)
@given(factor=st.integers(2, 40))
def test_the_joint_bound_survives_on_a_grid(factor: int) -> None:
    found = best_constants(Inequality(Bound(factor * fa + factor * fb), (SQUARES,)), budget=1500)
    assert found.joint is not None
    a, b = np.meshgrid(np.linspace(-3, 3, 61), np.linspace(-3, 3, 61))
    rhs, _ = Bound(_parsed(found.joint))({"fa": a**2, "fb": b**2})
    assert np.all((a + b) ** 2 <= rhs * (1 + 5e-3) + 1e-12)


def test_the_last_word_has_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    # A linear program over a handful of instances proposes too much; the search must take it back.
    monkeypatch.setattr(_Pool, "of", staticmethod(_knows_little))
    found = best_constants(Inequality(Bound(32 * fa + 32 * fb), (SQUARES,)), budget=3000)
    assert found.survived
    x, y = (t.constant * (1 - t.jointly) for t in found.terms)
    assert 0.9 < 1 / x + 1 / y < 1.005  # (a + b)² <= x a² + y b² exactly when 1/x + 1/y <= 1
    assert all(1 < t.could_be < 1.3 for t in found.terms)


def _knows_little(*given: Any) -> _Pool:
    named = given[1]
    return _Pool(named, np.asarray([[32.0, 32.0]]), np.asarray([60.0]))


def _parsed(text: str) -> Any:
    import sympy as sp

    return sp.sympify(text, locals={"fa": fa, "fb": fb})


def test_named_terms_must_add_up() -> None:
    test = Inequality(Bound(3 * (fa + fb)), (SQUARES,))
    found = best_constants(test, terms={"a": 3 * fa, "b": 3 * fb}, budget=1000)
    assert [t.term for t in found.terms] == ["a", "b"]
    with pytest.raises(ValueError, match="do not add up"):
        best_constants(test, terms={"a": 3 * fa}, budget=1000)
    with pytest.raises(ValueError, match="violated"):
        best_constants(Inequality(Bound(fa + fb), (SQUARES,)), budget=1000)
