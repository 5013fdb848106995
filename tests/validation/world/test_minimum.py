"""A hypothesis that letters minimise a formula is solved, in floats and in exact arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from validation.judge.run import run_test
from validation.statement.instances.draw import LogScale, Signed, Space
from validation.statement.minimum import minimises
from validation.statement.notation import letters
from validation.statement.outcome import Outcome
from validation.statement.says import le
from validation.statement.verdict import Verdict
from validation.world.world import World, case, numbers

NOTATION = letters(
    """
    m | m | a curvature | 0 0 positive
    k | k | another | 0 0 positive
    b | b | signed
    c | c | signed
    x | x | signed
    y | y | signed
    h | h | signed
    """
)
m, k, b, c, x, y, h = NOTATION.symbols("m k b c x y h")


def world(*names: str) -> World:
    drawn = {n: LogScale(n, 1e-2, 1e2) for n in "mk"} | {n: Signed(n, 1e-2, 1e2) for n in "bcxy"}
    return numbers(NOTATION, " and ".join(names), *(drawn[n] for n in names))


def judged(test: Any) -> Outcome:
    return run_test(test, claim_id="T", name="t", budget=2000, seed=0)


def one(bound: Any) -> Outcome:
    """x minimises m x²/2 + b x, so that m x² = b²/m."""
    f = m * x**2 / 2 + b * x
    return judged(world("m", "b", "x").where(*minimises(f, x)).test(le(m * x**2, bound)))


def two(bound: Any) -> Outcome:
    """(x, y) minimises m x² + x y + k y² + b x + c y; x = (c − 2 k b)/(4 m k − 1)."""
    f = m * x**2 + x * y + k * y**2 + b * x + c * y
    inside = world("m", "k", "b", "c", "x", "y").where(*minimises(f, x, y))
    return judged(inside.test(le((4 * m * k - 1) * x, bound)))


def test_what_holds_at_a_minimum_holds_on_many_instances() -> None:
    for found in (one(b**2 / m), two(c - 2 * k * b)):
        assert found.verdict in (Verdict.HOLDS, Verdict.PROVED), found.why
        assert found.admissible > 100


def test_what_fails_at_a_minimum_falls() -> None:
    for found in (one(b**2 / m * (1 - (m * x - 3) ** 2 / 10**6)), two(c - 2 * k * b - 1)):
        assert found.verdict is Verdict.REFUTED, found.why
        assert found.script is not None
        with pytest.raises(SystemExit) as ended:
            exec(found.script, {})
        assert ended.value.code == 0


def test_a_number_of_curvature_needs_no_hypothesis() -> None:
    assert len(minimises(x**2 - b * x, x)) == 1
    assert len(minimises(m * x**2 - b * x, x)) == 1  # m is declared positive
    assert len(minimises(b * x**2 - x, x)) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((x**2,), "at least one letter"),
        ((x**2, x, x), "each once"),
        ((x**2, x + 1), "expected letters"),
        ((m * x**4, x), "degree 2"),
        ((1 / x, x), "degree 2"),
        ((-(x**2) + b * x, x), "no single minimum"),
        ((b * x, x), "no single minimum"),
        ((x**2 + 2 * x * y + y**2, x, y), "no single minimum"),
    ],
)
def test_what_has_no_single_minimum_is_refused(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        minimises(*given)


def test_a_letter_that_is_a_formula_of_another_is_refused() -> None:
    """Its derivative would be taken as 0: a true statement fell at m x = 0."""
    conditions = minimises(m * x**2 / 2 + h, x)
    inside = world("m", "b", "x")
    for defined in (inside.defining({h: b * x}).where(*conditions), inside.where(*conditions).defining({h: b * x})):
        with pytest.raises(ValueError, match="h is defined by a formula"):
            defined.test(le(b**2 / m, m * x**2))


def test_a_world_that_observes_its_letters_is_refused() -> None:
    seen = case(
        "runs", Space((LogScale("m", 1.0, 2.0),)), lambda v: {**v, "x": v["m"]}, lambda v: ({}, {**v, "x": v["m"]})
    )
    inside = World(NOTATION, (seen,)).where(*minimises(m * x**2 - x, x))
    with pytest.raises(ValueError, match="are observed in this world"):
        inside.test(le(x, m))
