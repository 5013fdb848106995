"""What people use in their own projects: assertions, strategies, the pytest plugin."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import validation
from theory.federations.federation import QuadraticFederation
from validation import (
    Bound,
    Case,
    Inequality,
    LogScale,
    Signed,
    Space,
    assert_holds,
    find_counterexample,
    recomputed,
    symbols,
)
from validation.papers.papers import select
from validation.statement.claim import ExactCheck, Identity
from validation.statement.notation import Notation, Quantity
from validation.world import le, numbers

L, gap = symbols("L gap")


def measure(c):
    return {"lhs": (c["c"] * c["w"]) ** 2, "L": c["c"], "gap": c["c"] * c["w"] ** 2 / 2}


CASE = Case("one client", Space((LogScale("c", 1e-3, 1e3), Signed("w", 1e-3, 1e3))), measure, recomputed(measure))


def test_a_true_bound_is_asserted_and_says_how_hard_it_was_tried() -> None:
    outcome = assert_holds(Inequality(Bound(2 * L * gap), (CASE,)), budget=2000)
    assert outcome.admissible >= 1900
    assert outcome.worst_ratio == pytest.approx(1.0)
    assert find_counterexample(Inequality(Bound(2 * L * gap), (CASE,)), budget=2000) is None


def test_a_false_bound_fails_with_its_exact_counterexample() -> None:
    with pytest.raises(AssertionError, match=r"is refuted: exact counterexample[\s\S]*c = 1\n  w = -?1\n  left side 1"):
        assert_holds(Inequality(Bound(L * gap), (CASE,)), budget=2000)
    found = find_counterexample(Inequality(Bound(L * gap), (CASE,)), budget=2000)
    assert found is not None
    assert found.lhs == 2 * found.rhs == Fraction(found.instance["c"]) ** 2 * found.instance["w"] ** 2
    assert found.robustness == 1


def test_what_holds_prints_as_two_lines_and_keeps_the_rest() -> None:
    outcome = assert_holds(Inequality(Bound(2 * L * gap), (CASE,)), budget=2000)
    first, second = str(outcome).splitlines()
    assert first.startswith(f"holds: no violation on {outcome.admissible:,} admissible instances; largest left/right 1")
    assert second.startswith("a search, no proof")
    assert "histogram" in outcome.detail
    assert len(repr(outcome)) < 1_000
    assert "histogram" not in repr(outcome)
    proved = assert_holds(Identity(L + L, 2 * L))
    assert str(proved) == f"proved: {proved.why}"


def test_a_counterexample_with_units_that_differ_says_so() -> None:
    letters = Notation((Quantity("x", "x", "a length", (0, 1)), Quantity("h", "h", "a curvature", (1, -2))))
    x, h = letters.symbols("x h")
    world = numbers(letters, "x and h", LogScale("x", 0.1, 10), LogScale("h", 0.1, 10))
    units = r"units differ: left side length, right side loss/length²;"
    with pytest.raises(AssertionError, match=units):
        assert_holds(world.test(le(x, h)), budget=500)
    with pytest.raises(AssertionError, match=r"is refuted") as alike:
        assert_holds(world.test(le(2 * x, x)), budget=500)
    assert "units differ" not in str(alike.value)
    assert "find_counterexample(…).script recomputes it" in str(alike.value)


def test_undecided_is_neither_true_nor_false() -> None:
    test = Inequality(Bound(L * gap), (Case("no exact check", CASE.space, measure),))
    with pytest.raises(AssertionError, match="inconclusive"):
        assert_holds(test, budget=1000)
    with pytest.raises(RuntimeError, match="inconclusive"):
        find_counterexample(test, budget=1000)


def test_claims_of_a_paper_can_be_asserted() -> None:
    claims = {claim.id: claim for _, claim in select(["RA-L1", "FA-CHIW"])}
    holds, refuted = claims["RA-L1"], claims["FA-CHIW"]
    assert_holds(holds, budget=2000)
    found = find_counterexample(refuted, budget=4000)
    assert found is not None
    assert found.script is not None


@given(federation=validation.statement.instances.draw.federations())
@settings(max_examples=50)
def test_federations_are_well_formed(federation: QuadraticFederation) -> None:
    best = federation.optimum()
    gradient = federation.gradients(np.broadcast_to(best, federation.centers.shape))
    total = (federation.share[:, None] * gradient).sum(axis=0)
    assert np.abs(total).max() <= 1e-8 * max(1.0, np.abs(federation.centers).max())
    assert np.linalg.eigvalsh(federation.curvature).min() >= 0.125 * (1 - 1e-9)


@given(data=st.data())
@settings(max_examples=30)
def test_instances_of_a_space_stay_in_it_and_are_exact(data: st.DataObject) -> None:
    one = data.draw(validation.statement.instances.draw.instances(CASE.space))
    assert isinstance(one["c"], Fraction)
    assert Fraction(1, 1001) <= one["c"] <= 1001


def test_failing_federations_shrink_to_small_ones() -> None:
    small = find(
        validation.statement.instances.draw.federations(max_clients=4, max_dim=3),
        lambda f: f.centers.shape[0] >= 2,
        settings=settings(database=None, phases=(Phase.generate, Phase.shrink)),  # explaining takes most of the time
    )
    assert small.centers.shape == (2, 1)
    assert np.all(small.centers == 0)


def test_strategies_check_their_arguments() -> None:
    with pytest.raises(ValueError, match=r"clients\(mu=2, L=1\): expected 0 < mu <= L"):
        validation.statement.instances.draw.clients(2, mu=2, L=1)


MODULE = """
from dataclasses import replace
from validation import Bound, Mutant, Case, Claim, Inequality, LogScale, Signed, Space
from validation.statement.claim import Kind, Reading
from validation import at, recomputed, symbols

L, gap = symbols("L gap")

def measure(c):
    return {"lhs": (c["c"] * c["w"]) ** 2, "L": c["c"], "gap": c["c"] * c["w"] ** 2 / 2}

case = Case("one client", Space((LogScale("c", 1e-3, 1e3), Signed("w", 1e-3, 1e3))), measure, recomputed(measure))
claim_mine = Claim(
    id="MY-1", kind=Kind.INEQUALITY, at="", title="", printed="", plainly="", assumes=(),
    readings=(Reading("as stated", "", Inequality(Bound(2 * L * gap), (case,))),),
    mutants=(Mutant("half", Inequality(Bound(L * gap), (case,)), "it is attained"),),
)
claim_false = replace(claim_mine, id="MY-2", readings=(Reading("as stated", "", Inequality(Bound(L * gap), (case,))),),
                      mutants=(Mutant("no mutant", Inequality(Bound(2 * L * gap), (case,)), "it is true"),))
claim_named = replace(claim_mine, id="MY-3", mutants=(
    Mutant("half", Inequality(Bound(L * gap), (case,)), "it is attained", (at(c=1, w=1), at(c=1, w=0))),
))

def test_budget(fedverdict_budget):
    assert fedverdict_budget == 500
"""


def test_claims_in_a_test_module_are_tests(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(MODULE)
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "validation.pytest_plugin",
            "--fedverdict-budget",
            "500",
            "-rA",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "4 passed, 3 failed" in result.stdout or "3 failed, 4 passed" in result.stdout, result.stdout + result.stderr
    assert "MY-3: the mutant 'half' falls at c = 1, w = 0: left 0, right 0; it does not" in result.stdout
    assert "MY-2 (as stated) is refuted: exact counterexample" in result.stdout
    assert "mutant 'no mutant' survives, though it is true" in result.stdout


def test_a_refutation_with_sides_beyond_floats_is_printed() -> None:
    """Its sides are too large for floats, its fractions too long for Python to write."""
    x, power = symbols("x"), 20_000
    large = Inequality(
        Bound(x),
        (
            Case(
                "u",
                Space((LogScale("u", 1.0, 2.0),)),
                lambda c: {"lhs": 3 * c["u"], "x": c["u"]},
                ExactCheck(lambda c: ({}, {"lhs": 3 * c["u"] * 10**power, "x": c["u"] * 10**power})),
            ),
        ),
    )
    with pytest.raises(AssertionError, match=rf"is refuted: (?s:.)*left side ≈ .*e\+{power}, right side"):
        assert_holds(large, budget=200)
