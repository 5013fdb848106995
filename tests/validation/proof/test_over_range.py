"""Statements over classes for all numbers of a range: true and false ones, proofs that are tampered with, refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import fedverdict as fv
from theory.classes import Crowd, Problem, Statement, families, sqrt
from theory.classes.letter import Letter
from theory.exact.sturm import Range
from validation.proof.classes import check_range
from validation.proof.classes.over_range import RangeDecision

SEEDS = (0, 1, 2)
TENTH = Fraction(1, 10)


def distance(step: Any, mu: Any, bound: Any) -> Statement:
    """‖x − η∇F(x) − x*‖² <= bound where ‖x − x*‖ <= 1, F 1-smooth and μ-strongly convex."""
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu=mu), "F")
    best, x = F.minimiser(), p.point("x")
    return p.statement((x - step * F.gradient(x) - best) ** 2, bound, given=[(x - best) ** 2 <= 1])


def excess(step: Any, bound: Any) -> Statement:
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    best, x = F.minimiser(), p.point("x")
    return p.statement(F(x - step * F.gradient(x)) - F(best), bound, given=[(x - best) ** 2 <= 1])


def two_of(N: Any, share: Any) -> Statement:
    """A step of two clients drawn from N without replacement: the mean square distance; ‖∇Fₖ(w*)‖ <= 1 in the mean."""
    c, step = Crowd(), Fraction(1, 2)
    F = c.client(families.smooth_convex(L=1, mu=TENTH))
    best, w = c.minimiser(F), c.problem.point("w")
    g = F.gradient(w)
    variance = (N - 2) / (2 * (N - 1))  # of the mean of two, without replacement
    after = (w - step * c.mean(g) - best) ** 2 + step**2 * variance * c.deviation(g) ** 2
    bound = 1 - step / 10 + share * step**2 * variance
    return c.statement(after, bound, given=[(w - best) ** 2 <= 1, F.gradient(best) ** 2 <= 1])


def fed_avg(step: Any, bound: Any) -> Statement:
    """A round of FedAvg with two local steps, any number of clients, ‖∇Fₖ(w*)‖ <= 1 in the mean."""
    c = Crowd()
    F = c.client(families.smooth_convex(L=1, mu=Fraction(1, 2)))
    best, w = c.minimiser(F), c.problem.point("w")
    local = w
    for _ in range(2):
        local = local - step * F.gradient(local)
    return c.statement((c.mean(local) - best) ** 2, bound, given=[(w - best) ** 2 <= 1, F.gradient(best) ** 2 <= 1])


TRUE = [
    ("contraction, up to 1/L", lambda e: distance(e, TENTH, (1 - e / 10) ** 2), "(0, 1]"),
    ("the best step, any κ", lambda k: distance(2 / (1 + 1 / k), 1 / k, ((k - 1) / (k + 1)) ** 2), "(1, oo)"),
    ("excess after one step (Drori, Teboulle)", lambda e: excess(e, 1 / (2 * (2 * e + 1))), "(0, 1]"),
    ("with room that vanishes with the step", lambda e: distance(e, TENTH, 1 - e / 10), "(0, 1]"),
    ("a round of FedAvg", lambda e: fed_avg(e, 1 - e / 2 + 4 * e**3), "(0, 1/4]"),
]
FALSE = [
    ("contraction, up to 2/L", lambda e: distance(e, TENTH, (1 - e / 10) ** 2), "(0, 2]"),
    ("the rate of the best step with 1/L", lambda k: distance(1, 1 / k, ((k - 1) / (k + 1)) ** 2), "(1, oo)"),
    ("excess after one step, up to 2/L", lambda e: excess(e, 1 / (2 * (2 * e + 1))), "(0, 2)"),
    ("FedAvg as if clients were one", lambda e: fed_avg(e, (1 - e / 2) ** 4), "(0, 1/4]"),
]


@pytest.mark.parametrize(("stated", "within"), [item[1:] for item in TRUE], ids=[item[0] for item in TRUE])
@pytest.mark.parametrize("seed", SEEDS)
def test_true_statements_are_proved_for_the_whole_range(stated: Any, within: str, seed: int) -> None:
    decision = fv.decide_range(stated, within, seed=seed)
    assert decision.word == "proved", decision
    assert all(check_range(stated, proof) for proof in decision.proofs)
    covered(decision, Range.read(within))


def covered(decision: RangeDecision, whole: Range) -> None:
    """The proofs' ranges meet end to end."""
    parts = [proof.within for proof in decision.proofs]
    if decision.proofs[0].beyond is not None:
        whole = Range(Fraction(0), Fraction(1), whole.with_low)
    assert (parts[0].low, parts[-1].high) == (whole.low, whole.high)
    assert (parts[0].with_low, parts[-1].with_high) == (whole.with_low, whole.with_high)
    assert all(a.high == b.low and (a.with_high or b.with_low) for a, b in pairwise(parts))


@pytest.mark.parametrize(("stated", "within"), [item[1:] for item in FALSE], ids=[item[0] for item in FALSE])
@pytest.mark.parametrize("seed", SEEDS)
def test_false_statements_are_refuted_at_a_number_of_the_range(stated: Any, within: str, seed: int) -> None:
    decision = fv.decide_range(stated, within, seed=seed)
    assert decision.word == "refuted", decision
    assert decision.at is not None
    assert decision.at in Range.read(within)
    assert fv.decide_class(stated(decision.at)).word == "refuted"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_of_clients_is_a_letter_and_whole_numbers_refute(seed: int) -> None:
    true = fv.decide_range(lambda N: two_of(N, 2), "[2, oo)", name="N", whole=True, seed=seed)
    assert true.word == "proved", true
    assert all(check_range(lambda N: two_of(N, 2), proof) for proof in true.proofs)
    false = fv.decide_range(lambda N: two_of(N, Fraction(1, 2)), "[2, oo)", name="N", whole=True, seed=seed)
    assert false.word == "refuted"
    assert false.at is not None
    assert false.at.denominator == 1


def test_a_statement_of_a_crowd_is_the_one_of_its_clients_written_out() -> None:
    for bound, word in (("0.62", "proved"), ("0.55", "refuted")):
        assert fv.decide_class(fed_avg(Fraction(1, 4), Fraction(bound))).word == word
        p = Problem()
        clients = [p.function(families.smooth_convex(L=1, mu="1/2"), f"F{k}") for k in range(3)]
        best, w = (clients[0] + clients[1] + clients[2]).minimiser(), p.point("w")
        mean, square = p.origin(), 0
        for F in clients:
            local = w
            for _ in range(2):
                local = local - F.gradient(local) / 4
            mean, square = mean + local / 3, square + F.gradient(best) ** 2 / 3
        written = p.statement((mean - best) ** 2, Fraction(bound), given=[(w - best) ** 2 <= 1, square <= 1])
        assert fv.decide_class(written).word == word


def test_a_narrow_window_in_which_a_bound_is_too_small_is_not_proved_over() -> None:
    """(1 − η/10)² less than a millionth of what is within 10⁻³ of 1/3: no number tried lies in it."""

    def stated(e: Any) -> Statement:
        dip = 1 - (e - Fraction(1, 3)) ** 2 * 10**6
        return distance(e, TENTH, (1 - e / 10) ** 2 - dip * Fraction(1, 10**9))

    assert fv.decide_range(stated, "[3/10, 4/10]").word != "proved"
    assert fv.decide_class(stated(Fraction(1, 3))).word == "refuted"


def test_a_coefficient_may_change_its_sign_in_the_range() -> None:
    """x₁ = x − η∇F(x) − (1 − 2η)(x − x*) = x* + 2η(x − x*) − η∇F(x)."""

    def stated(e: Any) -> Statement:
        p = Problem()
        F = p.function(families.smooth_convex(L=1), "F")
        best, x = F.minimiser(), p.point("x")
        after = x - e * F.gradient(x) - (1 - 2 * e) * (x - best)
        return p.statement((after - best) ** 2, 4 * e**2, given=[(x - best) ** 2 <= 1])

    decision = fv.decide_range(stated, "(0, 1]")
    assert decision.word == "proved", decision
    assert all(check_range(stated, proof) for proof in decision.proofs)


def test_a_proof_that_is_tampered_with_does_not_check() -> None:
    _, stated, within = TRUE[0]
    (proof,) = fv.decide_range(stated, within).proofs
    assert check_range(stated, proof)
    for i in range(len(proof.multipliers)):
        moved = [*proof.multipliers]
        moved[i] = moved[i] + Fraction(1, 10**9)
        assert not check_range(stated, replace(proof, multipliers=tuple(moved)))
    assert not check_range(stated, replace(proof, within=Range.read("(0, 25]")))
    assert not check_range(lambda e: distance(e, TENTH, (1 - e / 9) ** 2), proof)


def test_what_is_no_arithmetic_with_the_letter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"changes its sign for x in \(0, 1\]: take a shorter range"):
        fv.decide_range(lambda e: distance(e if e < Fraction(1, 2) else 0, TENTH, 1), "(0, 1]")
    with pytest.raises(ValueError, match="write the statement with the root as its letter"):
        fv.decide_range(lambda e: distance(sqrt(e), TENTH, 1), "(0, 1]")
    with pytest.raises(ValueError, match="expected rational numbers and the letter x"):
        fv.decide_range(lambda e: distance(sqrt(2) / 2, TENTH, 1 + 0 * e), "(0, 1]")
    with pytest.raises(ValueError, match="which vanishes for x in"):
        fv.decide_range(lambda e: distance(1 / (e - Fraction(1, 2)), TENTH, 1), "(0, 1]")
    one, other = Letter.named("a", Range.read("(0, 1]")), Letter.named("b", Range.read("(0, 1]"))
    with pytest.raises(ValueError, match="expected one letter"):
        _ = one + other


def of_square(bound: Any) -> Any:
    """x² <= bound(t) where x² <= 1."""

    def stated(t: Any) -> Statement:
        p = Problem()
        x = p.point("x")
        return p.statement(x**2, bound(t), given=[x**2 <= 1])

    return stated


@pytest.mark.parametrize(
    "bound",
    [
        lambda t: t ** Fraction(1, 2),
        lambda t: t**0.5,
        lambda t: 0 if t == Fraction(1, 2) else 1,
        lambda t: 1 if t != Fraction(1, 2) else 0,
        lambda t: 0 if t in (Fraction(1, 2), 3) else 1,
        lambda t: 0 if 1 - t == t else 1,
        lambda t: 1 if t - Fraction(1, 2) else 0,
        math.floor,
        lambda t: Fraction(math.sqrt(t)),
        lambda t: Fraction(math.exp(t)) - 1,
        round,
        int,
        lambda t: Fraction(float(t)),
    ],
    ids=[
        "root",
        "float power",
        "==",
        "!=",
        "in",
        "two sides",
        "truth",
        "floor",
        "sqrt",
        "exp",
        "round",
        "int",
        "float",
    ],
)
def test_what_a_letter_cannot_do_is_refused_and_proves_nothing(bound: Any) -> None:
    """All are false somewhere in the range: x² is as large as 1."""
    with pytest.raises((ValueError, TypeError)):
        fv.decide_range(of_square(bound), "(0, 1/2]")


def test_a_comparison_that_holds_nowhere_in_the_range_is_one() -> None:
    assert fv.decide_range(of_square(lambda t: 0 if t == 2 else 1), "(0, 1/2]").word == "proved"
    assert fv.decide_range(of_square(lambda t: 0 if t - t == 0 else 1), "(0, 1/2]").word == "refuted"


def test_a_range_is_text() -> None:
    with pytest.raises(ValueError, match=r"expected an interval such as"):
        fv.decide_range(of_square(lambda t: 1), (0, 2))  # type: ignore[arg-type]


def test_a_crowd_is_two_clients_or_more() -> None:
    def apart(N: Any) -> Statement:
        """The mean square of deviations is at most N − 1/2 where that of gradients is at most 1."""
        crowd = Crowd()
        F = crowd.client(families.smooth_convex(L=1, mu=TENTH))
        g = F.gradient(crowd.problem.point("w"))
        return crowd.statement(crowd.deviation(g) ** 2, N - Fraction(1, 2), given=[g**2 <= 1])

    assert fv.decide_range(apart, "[2, 50]", name="N", whole=True).word == "proved"
    with pytest.raises(ValueError, match="expected a range of two clients or more"):
        fv.decide_range(apart, "[1, oo)", name="N", whole=True)


def test_a_number_without_a_value_is_named() -> None:
    with pytest.raises(ValueError, match="no value at N = 1"):
        fv.decide_range(of_square(lambda n: 1 + 1 / (n - 1)), "[1, oo)", name="N", whole=True)


def test_comparisons_with_ends_hold_in_the_whole_range_or_are_refused() -> None:
    def at_most(x: Any) -> int:
        return 1 if x <= Fraction(1, 2) and Fraction(1, 2) >= x and x >= 0 and not x >= 1 else 0

    assert fv.decide_range(of_square(at_most), "(0, 1/2]").word == "proved"
    with pytest.raises(ValueError, match="take a shorter range"):
        fv.decide_range(of_square(at_most), "(0, 2/3]")
