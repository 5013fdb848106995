"""Random numbers hang on ids and places: no word of a claim moves them, and neither does what is added at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import Bound, Case, Claim, Inequality, Mutant, Signed, Space, Switch, check, symbols
from validation.judge.inequalities import joined
from validation.judge.run import run_test
from validation.statement.claim import ExactCheck, Kind, Reading
from validation.statement.instances.symmetry import Symmetry

k = symbols("k")


def measure(x: Mapping[str, Any]) -> dict[str, Any]:
    square = (x["u"] ** 2).sum(axis=-1)
    return {"lhs": 3 * square, "k": square}


def plain(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    square = sum(v * v for v in x["u"])
    return {"finite": True}, {"lhs": 3 * square, "k": square}


def turned(x: Mapping[str, Any], rng: np.random.Generator) -> Any:
    moved = {"u": x["u"] * rng.choice([1.0, 1.0 + 1e-12], size=(len(x["u"]), 1))}
    return moved, (1.0, 1.0)


def of_size(low: float) -> Any:
    return lambda x: {**x, "u": np.where(np.abs(x["u"]) < low, low, x["u"])}


def claim(words: str = "", name: str = "T") -> Claim:
    space = Space((Signed("u", 1e-2, 1e2, (2,)),))
    case = Case(f"vectors{words}", space, measure, ExactCheck(plain), symmetries=(Symmetry(f"turned{words}", turned),))
    switches = (Switch(f"large{words}", "|u| >= 2", of_size(2.0)), Switch(f"small{words}", "|u| >= 0.1", of_size(0.1)))
    false = Inequality(Bound(2 * k), (case,), switches)
    true = Inequality(Bound(8 * k + 1), (case,))
    mutant = Inequality(Bound(k / 2), (case,))
    return Claim(
        name,
        Kind.INEQUALITY,
        f"here{words}",
        f"title{words}",
        "x",
        f"says{words}",
        (f"assumes{words}",),
        (Reading(f"first{words}", f"one{words}", false), Reading(f"second{words}", f"two{words}", true)),
        (Mutant(f"mutant{words}", mutant, f"why{words}"),),
    )


NUMBERS = ("verdict", "worst_ratio", "instances", "admissible", "evaluations", "histogram", "growth", "stages", "exact")


def numbers(entry: Mapping[str, Any]) -> list[Any]:
    rows = [[r[key] for key in NUMBERS] for r in entry["readings"]]
    rows += [[s["change"] for s in r["symmetries"]] for r in entry["readings"]]
    rows += [[(e["formula"], e["worst_ratio"], e["instances"]) for e in r["edits"]] for r in entry["readings"]]
    rows += [[(s["worst_ratio"], s["instances"]) for s in r["restored_by"]] for r in entry["readings"]]
    return [*rows, *[(c["killed"], c["evaluations"], c["stage"]) for c in entry["mutants"]]]


def test_no_word_moves_a_stream() -> None:
    before, after = (check(claim(words), budget=1000) for words in ("", ", said otherwise"))
    assert before["readings"][0]["verdict"] == "refuted"
    assert before["readings"][0]["edits"]
    assert numbers(before) == numbers(after)


def test_a_reading_or_mutant_added_at_the_end_moves_no_other() -> None:
    before = claim()
    more = replace(
        before,
        readings=(*before.readings, Reading("third", "three", before.readings[1].test)),
        mutants=(*before.mutants, Mutant("another", before.mutants[0].test, "why")),
    )
    one, two = (check(c, budget=1000) for c in (before, more))
    assert one["readings"] == two["readings"][:2]
    assert one["mutants"] == two["mutants"][:1]
    # The third says the same as the second, on draws of its own.
    assert two["readings"][2]["histogram"] != two["readings"][1]["histogram"]
    assert two["mutants"][1]["evaluations"] > 0


def test_the_id_of_a_claim_and_the_seed_move_them() -> None:
    rows = [numbers(check(claim(name=name), budget=1000, seed=seed)) for name, seed in (("T", 0), ("U", 0), ("T", 1))]
    assert rows[0] != rows[1]
    assert rows[0] != rows[2]


def test_rounds_go_on_from_the_leaders_and_count_together() -> None:
    true = Inequality(Bound(sp.Integer(8) * k + 1), claim().readings[1].test.cases)  # type: ignore[union-attr]
    seen: list[int] = []
    outcome = run_test(
        true, claim_id="T", name="t", budget=1000, seed=0, rounds=(0.25, 0.75), stop_at_witness=True, tick=seen.append
    )
    assert outcome.instances == sum(seen)
    assert outcome.detail["stages"]["start"] > 0
    first = run_test(true, claim_id="T", name="t", budget=250, seed=0, stop_at_witness=True)
    assert first.worst_ratio is not None
    assert outcome.worst_ratio is not None
    assert outcome.worst_ratio >= first.worst_ratio
    false = replace(true, bound=Bound(2 * k))
    assert run_test(
        false, claim_id="T", name="t", budget=1000, seed=0, rounds=(0.25, 0.75), stop_at_witness=True
    ).script


@pytest.mark.parametrize("shown", [True, False])
def test_a_witness_that_nobody_reads_is_certified_all_the_same(shown: bool) -> None:
    false = claim().mutants[0].test
    outcome = run_test(false, claim_id="T", name="t", budget=1000, seed=0, stop_at_witness=True, shown=shown)
    assert str(outcome.verdict) == "refuted"
    assert outcome.witness is not None
    assert outcome.witness.lhs > outcome.witness.rhs
    assert (outcome.script is not None) == shown
    assert (outcome.robustness is not None) == shown


def test_points_of_two_searches_join_by_case() -> None:
    one, two = {"a": np.zeros((2, 3)), "b": np.zeros((1, 2))}, {"a": np.ones((1, 3)), "b": np.ones((1, 4))}
    both = joined(one, two)
    assert both["a"].tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert both["b"].tolist() == [[1, 1, 1, 1]]
