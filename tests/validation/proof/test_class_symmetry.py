"""Clients that may be exchanged: the short statement decides, its evidence is checked on the statement as written."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.classes import Form, Problem, Statement, assemble, families, number, solve
from theory.classes.symmetry import folded
from validation import decide_class
from validation.proof.classes import check, violates
from validation.proof.classes.unfold import unfolded_proof, unfolded_witness


def fed_avg(n: int, bound: Any, *, common: bool, weights: Any = None) -> Statement:
    """‖w⁺ − w*‖² after two local steps of n clients; without a common minimiser (1/n)Σ‖∇Fₖ(w*)‖² <= 1 is given."""
    p = Problem()
    clients = [p.function(families.smooth_convex(L=1, mu="1/2"), f"F{k}") for k in range(n)]
    start, given = p.point("w"), []
    if common:
        optimum = p.point("w*")
        for F in clients:
            F.add(optimum, p.origin())
    else:
        optimum = sum(clients[1:], clients[0]).minimiser("w*")
        given.append(sum((F.gradient(optimum) ** 2 for F in clients), Form()) / n <= 1)
    after = p.origin()
    for k, F in enumerate(clients):
        first = start - F.gradient(start) / 4
        after = after + (first - F.gradient(first) / 4) * (weights[k] if weights else Fraction(1, n))
    return p.statement((after - optimum) ** 2, bound, given=[(start - optimum) ** 2 <= 1, *given])


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("common", [True, False])
def test_the_short_statement_has_the_worst_case_of_the_whole_one(n: int, common: bool) -> None:
    whole = fed_avg(n, 1, common=common)
    short = folded(whole)
    assert short is not None
    assert len(short.statement.vectors) == (6 if common else 7)
    assert len(short.statement.conditions) == (7 if common else 8)
    assert solve(assemble(short.statement)).value == pytest.approx(solve(assemble(whole)).value, rel=1e-6)


def test_twelve_clients_are_decided_on_both_sides_and_the_evidence_is_about_all_of_them() -> None:
    rate = Fraction(7, 8) ** 4
    whole = fed_avg(12, rate, common=True)
    proved, refuted = decide_class(whole), decide_class(whole.with_bound(rate * Fraction(999, 1000)))
    assert (proved.word, refuted.word) == ("proved", "refuted")
    assert proved.proof is not None
    assert refuted.witness is not None
    assert proved.proof.statement is whole
    assert len(proved.proof.multipliers) == len(whole.conditions) == 73
    assert len(refuted.witness.vectors) == len(whole.vectors)
    assert check(proved.proof)
    assert violates(refuted.witness)


def test_points_of_clients_that_differ_are_met_with_their_gradients_adding_to_zero() -> None:
    whole = fed_avg(5, Fraction(1, 2), common=False)
    short = folded(whole)
    assert short is not None
    decision = decide_class(whole)
    assert decision.word == "refuted"
    assert decision.witness is not None
    gradients = [v for v, name in enumerate(whole.vectors) if name.startswith("g0")]
    assert len(gradients) == 4
    points = np.array([[float(Fraction(str(x))) for x in decision.witness.vectors[v]] for v in gradients])
    assert np.linalg.norm(points - points[0]) > 1e-3


def test_a_guess_that_is_wrong_gives_no_evidence() -> None:
    """Unequal weights: the short statement is another one, its evidence fails on the whole, the word is the whole's."""
    weights = [Fraction(1, 10), Fraction(3, 10), Fraction(6, 10)]
    whole = fed_avg(3, Fraction(1, 2), common=False, weights=weights)
    short = folded(whole)
    assert short is not None
    equal = fed_avg(3, Fraction(1, 2), common=False)
    worst, other = solve(assemble(whole)).value, solve(assemble(equal)).value
    assert worst > other * 1.001
    between = number(Fraction((worst + other) / 2).limit_denominator(10**6))
    assert decide_class(equal.with_bound(between)).word == "proved"
    assert decide_class(whole.with_bound(between)).word == "refuted"


def test_unfolded_evidence_is_about_the_statement_as_written() -> None:
    whole = fed_avg(4, Fraction(7, 8) ** 4, common=True)
    short = folded(whole)
    assert short is not None
    proof = decide_class(short.statement).proof
    assert proof is not None
    assert check(unfolded_proof(short, proof))
    doubled = tuple(2 * x for x in proof.multipliers)
    assert not check(unfolded_proof(short, replace(proof, multipliers=doubled)))
    witness = decide_class(short.statement.with_bound(Fraction(1, 2))).witness
    assert witness is not None
    assert violates(replace(unfolded_witness(short, witness), statement=whole.with_bound(Fraction(1, 2))))
