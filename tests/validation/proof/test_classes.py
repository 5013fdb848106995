"""Statements over whole classes: right words at, above and below known rates, and none that is wrong."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from theory.classes import Problem, Statement, assemble, families, least, number, solve, sqrt, steps
from theory.classes.numbers import value
from validation import class_script, decide_class
from validation.proof.classes import Proof, check, checker, decide, violates
from validation.proof.classes.decide import nearest_to
from validation.proof.classes.with_room import WithRoom


def gradient_descent(L: Any = 1, mu: Any = 0, step: Any = 1, n: int = 2) -> Statement:
    """F(xₙ) − F* <= L/(4nLη + 2), attained for steps up to 1/L."""
    p = Problem()
    F = p.function(families.smooth_convex(L, mu), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = start
    for _ in range(n):
        x = x - number(step) * F.gradient(x)
    rate = number(L) / (4 * n * number(L) * number(step) + 2)
    return p.statement(F(x) - F(optimum), rate, given=[(start - optimum) ** 2 <= 1])


def contraction(L: Any, mu: Any, step: Any) -> Statement:
    """‖x₁ − x*‖² <= max((1 − ημ)², (1 − ηL)²), attained."""
    p = Problem()
    F = p.function(families.smooth_convex(L, mu), "F")
    optimum, x = F.minimiser(), p.point("x0")
    after = x - number(step) * F.gradient(x)
    rate = max((1 - number(step) * number(mu)) ** 2, (1 - number(step) * number(L)) ** 2)
    return p.statement((after - optimum) ** 2, rate, given=[(x - optimum) ** 2 <= 1])


def proximal_point(n: int = 3, step: Any = 2) -> Statement:
    p = Problem()
    F = p.function(families.convex(), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = start
    for _ in range(n):
        x, _ = steps.proximal(x, F, step)
    return p.statement(F(x) - F(optimum), 1 / (4 * n * number(step)), given=[(start - optimum) ** 2 <= 1])


def subgradient(n: int = 2, M: Any = 2) -> Statement:
    """min F(xᵢ) − F* <= M/√(n + 1), attained: an irrational rate."""
    p = Problem()
    F = p.function(families.lipschitz_convex(M), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x, gaps = start, []
    for _ in range(n + 1):
        g, f = F.oracle(x)
        gaps.append(f - F(optimum))
        x = x - g / (number(M) * sqrt(n + 1))
    return p.statement(least(*gaps), M / sqrt(n + 1), given=[(start - optimum) ** 2 <= 1])


def halpern(n: int = 4) -> Statement:
    p = Problem()
    A = p.function(families.nonexpansive(), "A")
    fixed, start = A.fixed_point(), p.point("x0")
    x = start
    for i in range(n):
        x = start + Fraction(i + 1, i + 2) * (A.gradient(x) - start)
    return p.statement((x - A.gradient(x)) ** 2, Fraction(4, (n + 1) ** 2), given=[(start - fixed) ** 2 <= 1])


TIGHT = {
    "gradient descent": gradient_descent(),
    "gradient descent, short steps": gradient_descent(L=3, step="1/10", n=3),
    "contraction": contraction(1, "1/10", "1/2"),
    "contraction, long steps": contraction(2, "1/3", "9/10"),
    "proximal point": proximal_point(),
    "subgradient": subgradient(),
    "halpern": halpern(),
}


@pytest.mark.parametrize("name", TIGHT)
def test_a_rate_that_is_attained_is_proved_exactly_and_what_is_less_is_refuted(name: str) -> None:
    statement = TIGHT[name]
    at = decide_class(statement)
    assert at.word == "proved"
    assert at.proof is not None
    assert check(at.proof)
    for part in (100, 1000, 10**6):
        less = decide_class(statement.with_bound(statement.bound * (1 - number(Fraction(1, part)))))
        assert less.word == "refuted", (part, less)
        assert less.witness is not None
        assert violates(less.witness)
        more = decide_class(statement.with_bound(statement.bound * (1 + number(Fraction(1, part)))))
        assert more.word == "proved", (part, more)


@pytest.mark.parametrize("part", [10**3, 10**6, 10**8, 10**10, 10**14])
@pytest.mark.parametrize("name", ["gradient descent", "contraction", "halpern", "subgradient"])
def test_however_close_no_word_is_wrong(name: str, part: int) -> None:
    statement, little = TIGHT[name], number(Fraction(1, part))
    assert decide_class(statement.with_bound(statement.bound * (1 - little))).word != "proved"
    assert decide_class(statement.with_bound(statement.bound * (1 + little))).word != "refuted"


@pytest.mark.parametrize("word", ["proved", "refuted"])
@pytest.mark.parametrize("name", ["gradient descent", "subgradient"])
def test_the_script_confirms_with_python_alone_and_a_changed_one_does_not(name: str, word: str, tmp_path: Path) -> None:
    statement = TIGHT[name]
    decision = decide_class(statement if word == "proved" else statement.with_bound(statement.bound * number("0.99")))
    text = class_script(decision)
    assert text is not None
    assert decision.word == word

    def run(code: str) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "script.py"
        script.write_text(code, encoding="utf-8")
        return subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)

    assert run(text).returncode == 0
    assert f"\n{'proved' if word == 'proved' else 'violated'}" in "\n" + run(text).stdout
    bound = next(line for line in text.splitlines() if line.startswith("bound = "))
    factor = "99, 100" if word == "proved" else "103, 100"
    assert run(text.replace(bound, f"{bound}\nbound = bound * Fraction({factor})")).returncode == 1


def test_a_proof_with_one_multiplier_changed_is_none() -> None:
    proof = decide_class(TIGHT["gradient descent"]).proof
    assert proof is not None
    for place, x in enumerate(proof.multipliers):
        if x == 0:
            continue
        for other in (x * number("1001/1000"), -x, number(0)):
            changed = (*proof.multipliers[:place], other, *proof.multipliers[place + 1 :])
            assert not check(replace(proof, multipliers=changed)), place
    assert not check(replace(proof, bound=proof.bound * number("999/1000")))
    assert not check(replace(proof, weights=(number(2),)))


def test_points_that_no_member_interpolates_are_no_counterexample() -> None:
    witness = decide_class(TIGHT["gradient descent"].with_bound("0.09")).witness
    assert witness is not None
    assert violates(witness)
    for v in range(1, len(witness.vectors)):
        moved = list(witness.vectors)
        moved[v] = tuple(x + 1 for x in moved[v])
        assert not violates(replace(witness, vectors=tuple(moved))), v


def test_classes_known_by_necessary_conditions_prove_and_never_refute() -> None:
    def extragradient(bound: Any) -> Statement:
        p = Problem()
        F = p.function(families.lipschitz_strongly_monotone(L=1), "F")
        zero, start = F.minimiser(), p.point("x0")
        x = start
        for _ in range(2):
            x = x - F.gradient(x - F.gradient(x) / 2) / 2
        return p.statement((x - zero) ** 2, bound, given=[(start - zero) ** 2 <= 1])

    worst = solve(assemble(extragradient(1))).value
    assert decide_class(extragradient(Fraction(worst * 1.01))).word == "proved"
    below = decide_class(extragradient(Fraction(worst * 0.5)))
    assert below.word == "inconclusive"
    assert "necessary" in below.why

    p = Problem()
    F = p.function(families.pl(mu="1/5", L=1), "F")
    optimum, x = F.minimiser(), p.point("x0")
    after = x - F.gradient(x)
    true = p.statement(F(after) - F(optimum), Fraction(4, 5), given=[F(x) - F(optimum) <= 1])
    assert decide_class(true).word == "proved"
    assert decide_class(true.with_bound("0.1")).word == "inconclusive"


def test_a_statement_without_scale_is_decided_too() -> None:
    """⟨∇F(x), x − x*⟩ >= ‖∇F(x)‖²/L is true; with 2/L it is false, by points of any size."""
    for factor, word in ((1, "proved"), (2, "refuted")):
        p = Problem()
        F = p.function(families.smooth_convex(L=2), "F")
        optimum, x = F.minimiser(), p.point("x")
        g = F.gradient(x)
        assert decide_class(p.statement(factor * g**2 / 2 - g * (x - optimum), 0)).word == word


def test_equations_of_a_line_search_are_met_exactly_by_a_counterexample() -> None:
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu="1/10"), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = steps.exact_line_search(start, F, [F.gradient(start)])
    rate = Fraction(9, 11) ** 2
    statement = p.statement(F(x) - F(optimum), rate, given=[F(start) - F(optimum) <= 1])
    assert decide_class(statement).word == "proved"
    assert decide_class(statement.with_bound(rate * Fraction(999, 1000))).word == "refuted"


def test_the_nearest_instance_and_proof_enclose_the_worst_case() -> None:
    statement = TIGHT["gradient descent"]
    program = assemble(statement)
    low, high = nearest_to(WithRoom(program, solve(program)))
    assert low is not None
    assert high is not None
    assert 0.1 * (1 - 1e-5) < value(low.least) <= 0.1 <= value(high) < 0.1 * (1 + 1e-5)


def test_an_instance_found_on_the_way_to_the_interval_refutes(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = TIGHT["gradient descent"]
    below = statement.with_bound(statement.bound * (1 - number(Fraction(1, 100))))
    witness = decide_class(below).witness
    assert witness is not None
    monkeypatch.setattr(decide, "refute", lambda *_: None)
    assert decide_class(below).word == "inconclusive"
    monkeypatch.setattr(decide, "nearest_to", lambda *_: (replace(witness, statement=statement), None))
    assert decide_class(below).word == "refuted"


def test_the_float_values_are_those_of_closed_forms() -> None:
    for statement in TIGHT.values():
        solution = solve(assemble(statement))
        assert solution.status == "optimal"
        assert solution.value == pytest.approx(value(statement.bound), rel=1e-6)


def test_where_the_minimiser_may_be_anywhere_a_proof_has_room_beside_that_direction() -> None:
    """‖∇F(x₁)‖² <= 2/3·(F(x₀) − F*), attained, says nothing of where x* is: S vanishes on it in every proof."""
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = start - F.gradient(start)
    statement = p.statement(F.gradient(x) ** 2, Fraction(2, 3), given=[F(start) - F(optimum) <= 1])
    bounds = [Fraction(2, 3), Fraction(2, 3) + Fraction(1, 10**6), Fraction(66, 100)]
    assert [decide_class(statement.with_bound(b)).word for b in bounds] == ["proved", "proved", "refuted"]


@pytest.mark.parametrize(
    ("sign_of_measure", "bound", "weight", "multiplier"),
    [(-1, -1, 1, -1), (1, 0, 1, 0), (-1, -1, 1, 0), (1, 1, -1, -1), (1, 0, 0, 0)],
    ids=["negative multiplier", "indefinite form", "negative constant", "negative weight", "no weight"],
)
def test_a_false_proof_of_each_kind_is_seen_by_both_checks(
    sign_of_measure: int, bound: int, weight: int, multiplier: int
) -> None:
    """Over ‖v‖² <= 1: each breaks one demand and meets all others."""
    p = Problem()
    v = p.point("v")
    statement = p.statement(sign_of_measure * v**2, bound, given=[v**2 <= 1])
    proof = Proof(statement, number(bound), (number(weight),), (number(multiplier),), "planted")
    assert not check(proof)
    measure = (weight, {("v", "v"): sign_of_measure}, {}, 0)
    condition = (multiplier, False, {("v", "v"): 1}, {}, -1)
    assert not checker.proves(bound, [measure], [condition], ["v"], [])
    assert checker.proves(1, [(1, {("v", "v"): 1}, {}, 0)], [(1, *condition[1:])], ["v"], [])


def test_the_script_s_numbers_are_the_engine_s() -> None:
    theta = (1 + sqrt(4 * ((1 + sqrt(5)) / 2) ** 2 + 1)) / 2
    assert theta**2 - theta == ((1 + sqrt(5)) / 2) ** 2
    first = (1 + checker.sqrt(5)) * Fraction(1, 2)
    second = (1 + checker.sqrt(4 * first * first + 1)) * Fraction(1, 2)
    assert (second * second - second - first * first).sign() == 0
    low, high = second.bounds(200)
    assert float(low) == pytest.approx(value(theta))
    assert 0 < high - low < Fraction(1, 2**190)
    assert (checker.ratio(1, second) * second - 1).bounds(200)[0] <= 0
    assert not checker.positive_semidefinite([[1, second], [second, 2]])
    assert checker.positive_semidefinite([[1, first], [first, first * first]])
