"""Smallest constants: of known truths, of planted bounds, and what a certificate proves."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fedverdict as fv
from tests.turns import in_turn
from validation.cli import main
from validation.papers.papers import select
from validation.search.arms import concrete
from validation.statement.claim import Inequality
from validation.study.tighten import Template, tighten
from validation.study.tighten.frontier import frontier
from validation.study.tighten.growth import growth, powers
from validation.study.tighten.program import Certificate, certified
from validation.study.tighten.rows import ExactRow
from validation.study.tighten.tighten import TermFound, no_less, sampled

a, b, n = fv.symbols("a b n", positive=True)


def sides(x: dict[str, Any]) -> dict[str, Any]:  # (a + b)² <= 2a² + 2b²: both constants are needed at a = b
    return {"lhs": (x["a"] + x["b"]) ** 2, "a": x["a"], "b": x["b"]}


PAIR = fv.Space((fv.LogScale("a", 1e-3, 1e3), fv.LogScale("b", 1e-3, 1e3)))
SQUARE = Inequality(fv.Bound(3 * a**2 + 5 * b**2), (fv.Case("two numbers", PAIR, sides, fv.recomputed(sides)),))


def test_inflated_constants_are_lowered_together_and_one_by_one() -> None:
    found = tighten(SQUARE, budget=3000, seeds=(0,))
    # With c for a² and 5 for b² the form is positive for (c − 1)·4 >= 1; with 3 for a² for (c − 1)·2 >= 1.
    assert [t.name for t in found.terms] == ["a**2", "b**2"]
    assert [t.alone for t in found.terms] == pytest.approx([1.25, 1.5], rel=2e-3)
    assert found.value == pytest.approx(4, rel=2e-3)
    assert found.at_least is not None
    assert found.at_least <= 4
    assert found.at_least > Fraction(399, 100)
    assert all(t.at_least is not None and t.at_least <= t.alone + 1e-12 for t in found.terms if t.alone is not None)


def test_instances_that_are_known_count_exactly_and_points_to_start_with_come_first() -> None:
    awkward = Inequality(fv.Bound(3 * a**2 + Fraction(1000, 7) * b**2), SQUARE.cases)
    (case,) = concrete(awkward)
    best = {"a": Fraction(993), "b": Fraction(7)}  # with β for b² the constant of a² is β/(β − 1), where b = a/(β − 1)
    by_chance = tighten(awkward, budget=1000, seeds=(0,)).terms[0].at_least
    found = tighten(awkward, budget=1000, seeds=(0,), known=[(case, best)]).terms[0]
    assert by_chance is not None
    assert by_chance < Fraction(1000, 993) == found.at_least
    assert found.alone is not None
    assert found.alone >= 1000 / 993
    start = np.array([0.75, 0.25])
    pool = sampled(awkward, Template.of(awkward.bound.expression), 0, "a label", [(case, start)])
    assert pool.places[0][0] is case
    assert np.array_equal(pool.places[0][1], start)


def test_a_term_that_is_not_needed_gets_0_and_one_that_is_never_on_says_so() -> None:
    def more(x: dict[str, Any]) -> dict[str, Any]:
        return {**sides(x), "idle": 0 * x["a"]}

    spare = Inequality(
        fv.Bound(2 * a**2 + 2 * b**2 + 7 * a * b + fv.symbols("idle", nonnegative=True)),
        (fv.Case("two numbers", PAIR, more, fv.recomputed(more)),),
    )
    found = {t.name: t for t in tighten(spare, budget=2000, seeds=(0,)).terms}
    assert found["a*b"].alone == 0
    assert found["idle"].on == 0
    assert found["a**2"].on > 0.5


def test_a_negative_term_stays_as_printed() -> None:
    def gap(x: dict[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"] - x["b"], "a": x["a"], "slack": x["a"] / 2 - x["b"]}

    a_, slack = fv.symbols("a slack")
    test = Inequality(fv.Bound(2 * a_ + slack), (fv.Case("c", PAIR, gap, fv.recomputed(gap)),))
    found = tighten(test, budget=2000, seeds=(0,))
    assert found.kept == ("slack",)
    assert found.terms[0].alone == pytest.approx(0.5, rel=2e-3)


def test_no_constant_is_enough_where_the_ratio_is_unbounded() -> None:
    test = replace(SQUARE, bound=fv.Bound(a**2))  # b may be a thousand times as large
    (term,) = tighten(test, budget=2000, seeds=(0,), cap=100).terms
    assert term.alone is None
    assert term.at_least is not None
    assert term.at_least > 100


def test_a_lost_factor_is_named_by_how_the_constant_grows() -> None:
    def of_size(n: float) -> fv.Case:
        space = fv.Space((fv.LogScale("a", 1e-1, 1e1, shape=(int(n),)),))

        def total(x: dict[str, Any]) -> dict[str, Any]:
            v = x["a"]
            s = v.sum(axis=-1) if hasattr(v, "sum") else sum(v)
            q = (v * v).sum(axis=-1) if hasattr(v, "sum") else sum(e * e for e in v)
            return {"lhs": s * s, "q": q}

        return fv.Case(f"{int(n)} numbers", space, total, fv.recomputed(total))

    family = fv.Family("numbers", (fv.Size("n", 1, 64, 4),), of_size)
    test = Inequality(fv.Bound(fv.symbols("q", positive=True)), (family,))  # Cauchy–Schwarz without its factor n
    grown = growth(test, "n", budget=2000, seeds=(0,))
    assert {v: t.terms[0].alone for v, t in grown.items()} == pytest.approx({2: 2, 4: 4, 8: 8, 16: 16}, rel=5e-3)
    assert powers(grown)["q"] == pytest.approx(1, abs=0.02)


def test_two_constants_are_traded_against_each_other_above_exact_cuts() -> None:
    # 1/c₁ + 1/c₂ <= 1 is needed for (a + b)² <= c₁a² + c₂b²; the least w·c₁ + c₂ is (1 + √w)².
    points = frontier(
        SQUARE, ("a**2", "b**2"), shares=(Fraction(1, 4), Fraction(1), Fraction(4)), budget=2000, seeds=(0,)
    )
    assert [p.weight for p in points] == [Fraction(5, 12), Fraction(5, 3), Fraction(20, 3)]  # in units of 5/3
    for p in points:
        least = (1 + float(p.weight) ** 0.5) ** 2
        assert p.constants is not None
        assert p.at_least is not None
        assert float(p.weight) * p.constants[0] + p.constants[1] == pytest.approx(least, rel=3e-3)
        assert 0.99 * least < p.at_least <= least
    with pytest.raises(ValueError, match="no term 'c'; expected two of a\\*\\*2, b\\*\\*2"):
        frontier(SQUARE, ("a**2", "c"))
    with pytest.raises(ValueError, match="'a\\*\\*2' twice"):
        frontier(SQUARE, ("a**2", "a**2"))


def test_a_trade_off_is_printed_and_has_no_weights_of_others() -> None:
    words = ["tighten", "EA-L1", "--budget", "400", "--seeds", "1", "--pareto", "drift", "L*Omega*eta**2"]
    refused = CliRunner().invoke(main, [*words, "--along", "E"])
    assert refused.exit_code != 0
    assert "--pareto with --along" in refused.output


@pytest.mark.parametrize("name", in_turn({name: name for name in ("K1", "K2", "K5", "EFL-T2a")}, of=2))
def test_constants_of_known_truths_are_what_their_suprema_say(name: str) -> None:
    ((_, claim),) = select([name])
    test = claim.readings[0].test
    assert isinstance(test, Inequality)
    for term in tighten(test, budget=3000, seeds=(0,)).terms:
        assert term.at_least is not None
        assert term.alone is not None
        assert term.at_least <= term.printed
        if name != "EFL-T2a":
            assert term.at_least >= Fraction(9999, 10_000) * term.printed
        else:
            assert term.at_least == 2


def test_the_certificate_of_a_lower_bound_is_checked_by_python_alone() -> None:
    found = tighten(SQUARE, budget=2000, seeds=(0,)).certificate
    assert found is not None
    script = found.script("a planted bound", ["a**2", "b**2"])
    command = [sys.executable, "-I", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wrong = script.replace(f"VALUE = F({found.value.numerator}", f"VALUE = F({found.value.numerator + 1}")
    assert wrong != script
    assert subprocess.run([*command[:-1], wrong], capture_output=True, check=False).returncode == 1


def test_a_certificate_whose_duals_are_too_large_is_none() -> None:
    row = ExactRow("c", {}, Fraction(3), (Fraction(1), Fraction(2)))
    good = certified([row], (Fraction(1), Fraction(1)))
    assert good is not None
    assert good.value == Fraction(3, 2)  # y = 1/2
    assert not Certificate(good.weights, good.rows, (Fraction(1),), Fraction(3)).holds()


def test_the_certificate_of_one_constant_takes_the_instance_that_asks_for_most() -> None:
    rows = [ExactRow(str(n), {}, Fraction(n), (Fraction(2),)) for n in (1, 3, 2)]
    good = certified(rows, (Fraction(1),))
    assert good is not None
    assert good.holds()
    assert (good.value, [r.case for r in good.rows]) == (Fraction(3, 2), ["3"])


def test_terms_are_taken_from_the_bound_by_their_factor() -> None:
    bound = 4 * a * (b - 1) + 2 * b
    assert dict(zip(Template.of(bound).names, Template.of(bound).printed, strict=True)) == {"a*(b - 1)": 4, "b": 2}
    grouped = Template.of(bound, {"drift": a * (b - 1), "more": a * (b - 1) ** 2})
    assert grouped.printed == (4, 0)
    assert grouped.kept == 2 * b
    with pytest.raises(ValueError, match="no such term; expected some of"):
        Template.of(bound, keep=["c"])
    with pytest.raises(ValueError, match="same form"):
        Template.of(bound, {"one": b, "two": 3 * b})


def test_the_command_prints_constants_and_refuses_what_it_cannot_read() -> None:
    words = ["tighten", "K1", "--budget", "1000", "--seeds", "1"]
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["terms"][0]["printed"] == "1/2"
    assert Fraction(document["terms"][0]["at_least"]) <= Fraction(1, 2)
    for more, says in (
        (["--term", "__import__('os')"], "expected a formula of"),
        (["--term", "Q"], "unknown letter Q"),
        (["--size", "E=5"], "no family has 'E'"),
        (["--weight", "L"], "expected NAME=NUMBER"),
        (["--reading", "9"], "K1 has 1"),
    ):
        refused = CliRunner().invoke(main, [*words, *more])
        assert refused.exit_code == 2, more
        assert says in refused.stderr


def test_a_joint_constant_is_no_less_than_what_is_certain_of_it_alone() -> None:
    one = TermFound("x", Fraction(2), 1.5, Fraction(3, 2), True, 1.0, 1.0, (1.5,), None)
    other = replace(one, name="y", printed=Fraction(3), at_least=Fraction(1))
    assert no_less([1.0, 2.0], [one, other]) == [1.5, 2.0]
    assert no_less([1.0, 4.0], [one, other]) == [1.0, 4.0]  # the other is above its print: less of the first may do
    assert no_less(None, [one, other]) is None
