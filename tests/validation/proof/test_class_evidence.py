"""Evidence over whole classes that is easily lost: rates of long fractions, hypotheses too many, instances, reasons."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

import pytest
from flint import fmpq

from theory.classes import Problem, Statement, Vector, families, number, sqrt
from theory.classes.numbers import scaled, sign, value
from validation import class_script, decide_class
from validation.proof.classes import FunctionAt, check, decide, decide_vectors, violates
from validation.proof.classes.witness import refute
from validation.proof.rounding.linear import is_positive_semidefinite, solve_near
from validation.proof.rounding.recognise import sharp_null_space
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import square, vectors


def fed_avg(n_local_steps: int, n_rounds: int, mu: Any, given: Any = (), weights: Any = ("1/2", "1/2")) -> Statement:
    """‖w⁺ − w*‖² <= (1 − ημ)^(2ER)·‖w − w*‖², attained, for clients with one minimiser and η = 1/2."""
    p = Problem()
    clients = [p.function(families.smooth_convex(L=1, mu=mu), f"F{k}") for k in range(len(weights))]
    start, optimum = p.point("w"), p.point("w*")
    for F in clients:
        F.add(optimum, p.origin())
    w = start
    for _ in range(n_rounds):
        after = p.origin()
        for F, weight in zip(clients, weights, strict=True):
            local = w
            for _ in range(n_local_steps):
                local = local - F.gradient(local) / 2
            after = after + local * number(weight)
        w = after
    rate = (1 - number(mu) / 2) ** (2 * n_local_steps * n_rounds)
    more = [make(clients[0], start, optimum) for make in given]
    return p.statement((w - optimum) ** 2, rate, given=[(start - optimum) ** 2 <= 1, *more])


NEEDLESS = {
    "bounded gradient": lambda F, x, optimum: F.gradient(x) ** 2 <= 100,
    "bounded gap": lambda F, x, optimum: F(x) - F(optimum) <= 100,
    "bounded distance": lambda F, x, optimum: (x - optimum) ** 2 <= 2,
    "what is known": lambda F, x, optimum: F(optimum) - F(x) <= 0,
}


@pytest.mark.parametrize(
    ("n_local_steps", "n_rounds", "mu", "weights"),
    [(5, 1, "1/10", ("1/2", "1/2")), (5, 1, "1/10", ("1/3", "2/3")), (2, 2, "1/100", ("1/2", "1/2"))],
)
def test_a_rate_whose_worst_instance_has_long_fractions_is_proved(
    n_local_steps: int, n_rounds: int, mu: str, weights: Any
) -> None:
    statement = fed_avg(n_local_steps, n_rounds, mu, weights=weights)
    decision = decide_class(statement)
    assert decision.word == "proved", decision.why
    assert decision.proof is not None
    assert check(decision.proof)
    less = decide_class(statement.with_bound(statement.bound * (1 - number("0.0001"))))
    assert less.word == "refuted", less.why


def descent(given: Any = ()) -> Statement:
    """F(x − ∇F(x)) <= F(x) − ½‖∇F(x)‖² for every 1-smooth F: no constant anywhere but in the hypotheses."""
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu=0), "F")
    optimum, x = F.minimiser(), p.point("x")
    g = F.gradient(x)
    said = F(x - g) - F(x) + g**2 / 2
    return p.statement(said, 0, given=[make(F, x, optimum) for make in given])


@pytest.mark.parametrize("names", [*([name] for name in NEEDLESS), list(NEEDLESS)], ids="+".join)
def test_a_hypothesis_that_is_not_needed_loses_no_proof(names: list[str]) -> None:
    given = [NEEDLESS[name] for name in names]
    for statement in (descent(given), fed_avg(2, 1, "1/10", given)):
        decision = decide_class(statement)
        assert decision.word == "proved", decision.why
        assert decision.proof is not None
        assert decision.proof.statement is statement
        assert check(decision.proof)


def test_a_hypothesis_that_is_needed_is_used_and_without_it_the_statement_is_refuted() -> None:
    p = Problem()
    x, y = p.point("x"), p.point("y")
    said, ball, beside = x * y, [x**2 <= 1, y**2 <= 1], [(x - y) ** 2 <= 100]
    assert decide_class(p.statement(said, 1, given=[*ball, *beside])).word == "proved"
    assert decide_class(p.statement(said, 1, given=[ball[0], *beside])).word == "refuted"
    assert decide_class(p.statement(said, "0.9", given=[*ball, *beside])).word == "refuted"


def test_a_refutation_shows_its_functions_in_small_numbers() -> None:
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    optimum, x = F.minimiser(), p.point("x0")
    for _ in range(2):
        x = x - F.gradient(x)
    statement = p.statement(F(x) - F(optimum), "0.09", given=[(p_start(p) - optimum) ** 2 <= 1])
    decision = decide_class(statement)
    assert decision.witness is not None
    assert violates(decision.witness)
    (f,) = decision.instance
    assert isinstance(f, FunctionAt)
    assert (f.name, len(f.points)) == ("F", 4)
    numbers = [n for point in f.points for n in (*point.x, *point.gradient, point.value)]
    assert max(int(n.q) for n in numbers) <= 1000
    # The conditions of the class at these points, by hand: f(y) >= f(x) + ⟨g, y − x⟩ + ½‖g − h‖².
    for a in f.points:
        for b in f.points:
            right = b.value + dot(b.gradient, minus(a.x, b.x)) + square_of(minus(a.gradient, b.gradient)) / 2
            assert a.value >= right
    best, last = f.points[0], f.points[-1]
    assert all(c == 0 for c in best.gradient)
    assert last.value is not None
    assert last.value - best.value > fmpq(9, 100)
    shown = str(decision)
    assert shown.startswith("refuted: 4 exact points")
    assert "at x = (" in shown
    assert "gradient (0" in shown
    script = class_script(decision)
    assert script is not None
    assert all(line.strip() in script for line in shown.splitlines()[2:])


def p_start(p: Problem) -> Vector:
    return Vector({p.vectors.index("x0"): fmpq(1)})


def dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), fmpq(0))


def minus(a: Any, b: Any) -> Any:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def square_of(a: Any) -> Any:
    return dot(a, a)


def test_a_refutation_between_vectors_shows_them() -> None:
    a, b = vectors("a b")
    decision = decide_vectors(VectorInequality(square(a + b), square(a) + square(b)))
    assert decision.word == "refuted"
    assert [line.split(" = ")[0].strip() for line in str(decision).splitlines()[1:]] == ["a", "b"]


def test_what_is_not_decided_has_a_sentence_with_the_exact_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an instance is found so near to the worst case hangs on rounding: here none is beyond the bound."""
    statement = fed_avg(2, 2, "1/100", weights=("1/2", "1/2"))
    below = statement.with_bound(statement.bound * (1 - number("0.000000001")))
    monkeypatch.setattr(decide, "refute", lambda p, s: None if p.statement.bound == below.bound else refute(p, s))
    monkeypatch.setattr(decide, "violates", lambda _: False)
    decision = decide_class(below)
    assert decision.word == "inconclusive"
    assert "the bound 0.9606930" in decision.why
    assert "of the worst case, about 0.960693" in decision.why
    assert "an exact instance reaches 0.9606" in decision.why
    assert "an exact proof gives 0.96069" in decision.why
    low, high = decision.interval
    assert low is not None
    assert high is not None
    worst = value(statement.bound)
    assert worst * (1 - 1e-3) <= value(low) <= worst <= value(high) <= worst * (1 + 2e-6)


def test_entries_with_sixty_digits_are_recognised_and_noise_is_not() -> None:
    long = Fraction(19, 20) ** 10 / 3
    digits = Fraction(1, 10**60)
    assert sharp_null_space([0], [[Fraction(1), long + digits]], [fmpq(1)]) == [
        [fmpq(1), fmpq(long.numerator, long.denominator)]
    ]
    root = sqrt(2)
    irrational = Fraction(isqrt(2 * 10**144), 10**72)
    assert sharp_null_space([0], [[Fraction(1), irrational]], [fmpq(1)]) is None
    found = sharp_null_space([0], [[Fraction(1), irrational / 7 + 3]], [fmpq(1), root])
    assert found is not None
    assert found[0][1] == root / 7 + 3
    cube_root = Fraction(1259921049894873164767210607278228350570251464701507980081975112155299676, 10**72)
    assert sharp_null_space([0], [[Fraction(1), cube_root]], [fmpq(1), root]) is None


def test_equations_are_met_exactly_by_the_unknown_with_the_most_room() -> None:
    rows = [({0: fmpq(1), 1: fmpq(1), 2: fmpq(1)}, fmpq(1)), ({1: fmpq(2), 2: fmpq(-1)}, fmpq(0))]
    near = [fmpq(1, 1000), fmpq(33, 100), fmpq(66, 100)]
    found = solve_near(rows, near)
    assert found is not None
    assert found[0] == near[0]
    assert (sum(found, fmpq(0)), 2 * found[1] - found[2]) == (1, 0)
    assert solve_near([*rows, ({0: fmpq(3), 1: fmpq(3), 2: fmpq(3)}, fmpq(2))], near) is None
    assert solve_near([], near) == near
    with_root = solve_near([*rows, ({0: sqrt(2)}, sqrt(2) / 500)], near)
    assert with_root is not None
    assert with_root[0] == fmpq(1, 500)


@pytest.mark.parametrize("part", [10**12, 10**16, 10**18, 10**30])
def test_a_matrix_with_square_roots_that_is_indefinite_by_little_is_seen_to_be(part: int) -> None:
    """Determinant of ((s, √(s² + s)), (√(s² + s), s + 1 − ε)) is −sε."""
    for s in range(1, 20):
        root = sqrt(s * s + s)
        assert is_positive_semidefinite([[number(s), root], [root, number(s + 1)]])
        assert not is_positive_semidefinite([[number(s), root], [root, number(s + 1) - fmpq(1, part)]]), s


@pytest.mark.parametrize("bits", [10, 66, 300, 1000])
def test_scaled_integers_are_within_one(bits: int) -> None:
    for x in (sqrt(2), -sqrt(3) / 10**20, sqrt(5) * 10**30, number("-1/3"), sqrt(1 + sqrt(2))):
        left = scaled(x, bits) - x * number(2) ** bits
        assert sign(left - 1) <= 0 <= sign(left + 1)
