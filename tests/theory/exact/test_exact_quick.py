"""`Quick` is a `Fraction` in everything but speed."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from theory.exact import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, OperationsError
from theory.exact.quick import Quick, as_quick

FRACTIONS = st.fractions(max_denominator=10**12) | st.integers(-(2**300), 2**300).map(Fraction)
OTHERS = FRACTIONS | st.integers() | st.booleans() | st.floats(-1e9, 1e9) | FRACTIONS.map(Quick)
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge")


def ended(function: Any, *arguments: Any) -> Any:
    """The result, with its type where it is none of ours, or the exception in words."""
    try:
        found = function(*arguments)
    except (ArithmeticError, TypeError) as error:
        return type(error), str(error)
    return (Fraction if isinstance(found, Fraction) else type(found)), found


@given(FRACTIONS, OTHERS, st.sampled_from(OPERATORS), st.booleans())
def test_every_operation_gives_what_fractions_give(a: Fraction, b: Any, name: str, swapped: bool) -> None:
    plain = Fraction(b) if isinstance(b, Quick) else b
    operation = getattr(operator, name)
    ours, theirs = (b, Quick(a)) if swapped else (Quick(a), b), (plain, a) if swapped else (a, plain)
    assert ended(operation, *ours) == ended(operation, *theirs)


@given(
    st.recursive(
        OTHERS | st.text(max_size=3),
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner),
        max_leaves=8,
    )
)
def test_what_a_check_is_given_is_the_same_with_every_fraction_quick(given: Any) -> None:
    found = as_quick(given)
    assert found == given

    def alike(one: Any, other: Any) -> bool:
        if type(one) in (list, tuple):
            return type(other) is type(one) and all(map(alike, one, other))
        if type(one) is dict:
            return list(one) == list(other) and all(map(alike, one.values(), other.values()))
        return type(other) is (Quick if isinstance(one, Fraction) else type(one))

    assert alike(given, found)


@given(FRACTIONS, st.integers(-9, 9) | st.sampled_from([Fraction(2), Fraction(1, 2), True, 0.5]))
def test_powers(a: Fraction, b: Any) -> None:
    assert ended(operator.pow, Quick(a), b) == ended(operator.pow, a, b)


@given(FRACTIONS)
def test_whatever_reads_a_fraction_reads_the_same(a: Fraction) -> None:
    quick = Quick(a)
    for read in (
        *(hash, str, repr, bool, int, abs, floor, ceil, round, pickle.dumps, operator.neg, operator.pos),
        *(copy.copy, copy.deepcopy, sp.Rational, Fraction, Quick),
    ):
        assert read(quick) == read(a), read
    assert float(quick) == float(a)
    assert (quick.numerator, quick.denominator) == (a.numerator, a.denominator)
    assert type(quick.numerator) is int
    assert type(quick.denominator) is int
    assert quick.limit_denominator(7) == a.limit_denominator(7)
    assert type(pickle.loads(pickle.dumps(quick))) is Fraction
    assert type(quick + 1) is Quick


def test_results_stay_quick_and_made_of_anything_that_a_fraction_is() -> None:
    a = Quick("1/3")
    assert a == Fraction(1, 3)
    assert Quick(1, 3) == a
    assert Quick.from_float(0.5) == 0.5
    for found in (a + 1, 1 + a, a * Fraction(1, 2), Fraction(1, 2) - a, sum([a, a]), -a, abs(a), a**2, True + a):
        assert type(found) is Quick
    assert np.asarray([a, a]).dtype == object
    assert np.sum(np.asarray([a, a, a])) == 1


@pytest.mark.parametrize(
    "raised", [lambda a: a / 0, lambda a: 1 / (a - a), lambda a: a / (a - a), lambda a: (a - a) ** -1]
)
def test_no_value_is_said_in_the_words_of_fractions(raised: Any) -> None:
    assert ended(raised, Quick(2, 3)) == ended(raised, Fraction(2, 3))
    assert ended(raised, Quick(2, 3))[0] is ZeroDivisionError


def doubled(a: Any, times: int) -> Any:
    """A number with twice as many digits after each time."""
    for _ in range(times):
        a = a * (4 - a)
    return a


def test_digits_and_operations_are_limited() -> None:
    with at_most_digits(50), at_most_operations(1000) as count:
        a = Quick(1, 3)
        with pytest.raises(DigitsError):
            doubled(a, 20)
        with pytest.raises(DigitsError):
            _ = Quick(2) ** 10**12
        b, before = Quick(1, 2), count.done
        assert [b + b, b * 3, 1 - b, b**2] == [1, Fraction(3, 2), b, Fraction(1, 4)]
        assert count.done == before + 4
        with pytest.raises(OperationsError):
            sum([b] * 1001)


CHILD = """
from fractions import Fraction
from theory.exact.quick import Quick, quicken
third = Fraction(1, 3)
plain = [third + Fraction(1, 6), 1 - third, (2 * third) ** 3, third * 0.5]
quicken()
quick = [third + Fraction(1, 6), 1 - third, (2 * third) ** 3, third * 0.5]
assert plain == quick and [type(x) for x in quick] == [Quick, Quick, Quick, float], quick
made = [Fraction(), Fraction(True), Fraction(-4, 6), Fraction(6, -4), Fraction("0.5"), Fraction(0.25), Fraction(third)]
assert [type(x) for x in made] == [Quick] * 7, made
assert [(x.numerator, x.denominator) for x in made] == [(0, 1), (1, 1), (-2, 3), (-3, 2), (1, 2), (1, 4), (1, 3)], made
assert Fraction(numerator=3, denominator=4).limit_denominator(3) == Fraction(2, 3) == 1 - third
class Own(Fraction):
    pass
assert type(Own(1, 2)) is Own and Own(1, 2) + Own(1, 2) == 1
try:
    Fraction(1, 0)
except ZeroDivisionError as error:
    assert str(error) == "Fraction(1, 0)", error
assert Fraction(Quick(1, 2)) == Fraction(1, 2) and str(quick[:2]) == "[Fraction(1, 2), Fraction(2, 3)]"
try:
    Fraction(1) / 0
except ZeroDivisionError as error:
    assert str(error) == "Fraction(1, 0)", error
"""


def test_a_process_of_its_own_turns_plain_fractions_quick() -> None:
    run = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_constructor_that_later_pythons_use_makes_quick_ones() -> None:
    made = Quick._from_coprime_ints(-1, 3)  # type: ignore[attr-defined]
    assert type(made) is Quick
    assert made == Fraction(-1, 3)
    assert made + 1 == Fraction(2, 3)
