"""A statement over classes with a letter in it, and the same statement at single numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import fmpq

from theory.classes import Condition, Form, Statement
from theory.classes.families import nontrivial
from theory.classes.letter import Letter
from theory.classes.numbers import Real, Surd
from theory.exact.sturm import Range

__all__ = ["Stated", "at_number", "moved", "same_at_numbers", "stated_at", "whole_numbers", "with_letter"]

Stated = Callable[[Any], Statement]


def with_letter(stated: Stated, part: Range, name: str) -> Statement:
    """The statement with the letter in it; raises `ValueError` where a number in it is neither rational nor of it."""
    statement = stated(Letter.named(name, part))
    numbers = [statement.bound]
    for form in (*statement.measures, *(c.form for c in statement.conditions)):
        numbers += [*form.quad.values(), *form.values.values(), form.constant]
    for x in numbers:
        if isinstance(x, Surd) and not isinstance(x, Letter):
            raise ValueError(f"decide_range: {x!r} in the statement; expected rational numbers and the letter {name}")
    return statement


def at_number(statement: Statement, x: Fraction) -> Statement:
    """The statement with a number in place of the letter; its conditions stay one by one, also where some are equal."""

    def number_at(a: Real) -> Real:
        if not isinstance(a, Letter):
            return a
        found = a.at(x)
        return fmpq(found.numerator, found.denominator)

    def form_at(form: Form) -> Form:
        quad = {pair: number_at(a) for pair, a in form.quad.items()}
        values = {v: number_at(a) for v, a in form.values.items()}
        return Form(
            {pair: a for pair, a in quad.items() if a != 0},
            {v: a for v, a in values.items() if a != 0},
            number_at(form.constant),
        )

    return Statement(
        tuple(form_at(form) for form in statement.measures),
        number_at(statement.bound),
        tuple(Condition(form_at(c.form), c.equality, c.label) for c in statement.conditions),
        statement.vectors,
        statement.values,
        tuple((name, family, ()) for name, family, _ in statement.asked),
    )


def moved(stated: Stated, low: Fraction) -> Stated:
    """The statement in t, with x = low + t/(1 − t): all x beyond `low` are t in (0, 1)."""
    return lambda t: stated(low + t / (1 - t))


def stated_at(stated: Stated, x: Fraction, name: str) -> Statement:
    """The statement at one number of the range; raises `ValueError` where it has no value there."""
    try:
        return stated(x)
    except ZeroDivisionError:
        raise ValueError(f"the statement has no value at {name} = {x}: take a range without it") from None


def same_at_numbers(stated: Stated, of: Range, name: str) -> None:
    """Refuses a statement that is another one with a number than with the letter, at numbers people would single out.

    Where points coincide at a number, such as x − η∇F(x) and x at η = 0, it has fewer vectors there, and nothing is
    compared.
    """
    lettered = with_letter(stated, of, name)
    for x in _singled_out(of):
        there = stated_at(stated, x, name)
        if (there.vectors, there.values) != (lettered.vectors, lettered.values):
            continue
        if _forms(there) != _forms(at_number(lettered, x)):
            raise ValueError(
                f"the statement written with {name} = {x} is not what it is with the letter {name}: expected arithmetic"
                " with it alone, and the same answer each time"
            )


def _singled_out(of: Range) -> list[Fraction]:
    """Ends, the middle and simple numbers of a range."""
    high = of.low + 4 if of.high is None else of.high
    simple = [Fraction(top, bottom) for bottom in (1, 2, 3, 4, 10) for top in range(11)]
    ends = [of.low, (of.low + high) / 2, *([] if of.high is None else [high])]
    return [x for x in dict.fromkeys([*ends, *whole_numbers(of), *simple]) if x in of]


def _forms(statement: Statement) -> list[tuple[Any, ...]]:
    """All that a statement says, number by number, but for conditions that say nothing."""
    said = [(False, form) for form in statement.measures]
    said += [(c.equality, c.form) for c in statement.conditions if nontrivial(c)]
    return [
        (statement.bound,),
        *((equal, dict(form.quad), dict(form.values), form.constant) for equal, form in said),
    ]


def whole_numbers(of: Range) -> list[Fraction]:
    """The first whole numbers of a range, and then ever larger ones."""
    first = Fraction(-(-of.low // 1))
    return [n for n in (first + step for step in (0, 1, 2, 3, 7, 15, 63, 255, 1023)) if n in of]
