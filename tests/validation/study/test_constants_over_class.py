"""Constants as unknowns of a class program: known answers from both sides, several settings, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.benchmarks.classes.constants import drift, noise, one_step, smooth
from theory.classes import Problem, families
from validation.proof.classes import check, decide_class
from validation.study.tighten.over_classes import OverClass, constants_over_class


def test_the_constant_of_smoothness_is_2_from_both_sides() -> None:
    found = constants_over_class([smooth("0"), smooth("1/10")])
    (constant,) = found.constants.values()
    assert found.proved
    assert all(d.proof is not None and check(d.proof) for d in found.decisions)
    assert Fraction(19999, 10_000) < found.at_least < 2 < constant < Fraction(20001, 10_000)


def test_settings_are_cuts_and_the_hardest_one_decides() -> None:
    weights = [("1/2", "1/2"), ("1/10", "9/10")]
    alone = [float(constants_over_class([drift(w, 3)]).value) for w in weights]
    assert alone == pytest.approx([1, 0.36], rel=1e-6)  # Σρ‖W̄ − Wᵢ‖² = ρ₁ρ₂‖W₁ − W₂‖² with ‖W₁ − W₂‖ <= 2(E − 1)
    both = constants_over_class([drift(w, n) for w in reversed(weights) for n in (2, 3)])
    assert both.proved
    assert both.value == pytest.approx(1, rel=1e-6)


def test_two_constants_are_found_together_with_an_exact_lower_bound_of_their_sum() -> None:
    settings = [one_step("1/4"), one_step("1/2")]
    found = constants_over_class(settings)
    assert found.proved
    total = sum(found.constants.values())
    assert found.at_least <= total <= found.at_least * Fraction(10_001, 10_000)
    dearer = constants_over_class(settings, weights={"drift": 100})
    assert dearer.proved
    assert dearer.constants["drift"] < found.constants["drift"]
    assert dearer.constants["L*Omega*eta**2"] > found.constants["L*Omega*eta**2"]
    less = [c * Fraction(999, 1000) for c in found.constants.values()]
    assert any(decide_class(setting.at(less)).word == "refuted" for setting in settings)


def test_a_smaller_sum_is_refuted_by_an_exact_instance_at_its_weights() -> None:
    setting = noise(("1/3", "2/3"))
    assert decide_class(setting.within([Fraction(3)], Fraction(299, 100))).word == "refuted"
    assert decide_class(setting.within([Fraction(3)], Fraction(301, 100))).word == "proved"


def test_what_no_constants_serve_and_what_has_constants_of_its_own_is_refused() -> None:
    p = Problem()
    F = p.function(families.convex(), "F")
    best, w = F.minimiser(), p.point("w")
    with pytest.raises(ValueError, match="no largest value"):
        constants_over_class([OverClass(p, F.gradient(w) ** 2, {"excess": F(w) - F(best)})])
    with pytest.raises(ValueError, match="the left side has the constant 1"):
        constants_over_class([OverClass(p, F(w) - F(best) + 1, {"excess": F(w) - F(best)})])
    with pytest.raises(ValueError, match="no setting"):
        constants_over_class([])
    with pytest.raises(ValueError, match=r"terms \('noise',\); expected \('L\*excess',\)"):
        constants_over_class([smooth("0"), noise(("1/2", "1/2"))])
