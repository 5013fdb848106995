"""For people's own test suites: assert that a statement holds, or get its counterexample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf
from typing import Any

import numpy as np

from theory.exact.arrays import exact_array
from theory.exact.copied import exact_copy
from theory.exact.decide import Side
from theory.exact.errors import InexactError, raising_line
from theory.exact.germ import Germ
from theory.exact.number import Exact, exact
from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.run import run_test
from validation.statement.claim import Claim, ExactCheck, Test
from validation.statement.instances.draw import Instance
from validation.statement.outcome import Outcome, digits, text
from validation.statement.verdict import Verdict
from validation.verdict.held import Held, held
from validation.verdict.mistakes import look_at
from validation.verdict.units import unlike

__all__ = ["Counterexample", "Held", "assert_holds", "find_counterexample", "recomputed"]


@dataclass(frozen=True)
class Counterexample:
    """An exact violation: the instance in Fractions and both sides, enclosed where they are irrational.

    `script` runs on its own, where one can be written; `robustness` is the share of ±10% perturbations that
    violate, too; `stage` the part of the search that found it.
    """

    where: str
    instance: Mapping[str, Any]
    lhs: Side
    rhs: Side
    stage: str
    robustness: float | None
    script: str | None


def recomputed(measure: Callable[[Instance], Mapping[str, Any]]) -> ExactCheck:
    """An exact check that runs `measure` itself once more, on exact numbers instead of floats.

    For one's own statements. A copy of `measure` runs with exact constants and arrays: +, −, ·, /, powers, comparisons,
    masks, sums, maxima, means, matrix products, `np.where`, `np.linalg.norm`, `solve` and roots are decided exactly,
    exp and log to about 1,200 digits. It excludes rounding errors but shares the measure's mistakes; the papers' claims
    are rechecked by independent code.
    The check raises `InexactError`, with the line and the cure, where `measure` leaves exact numbers: a float such as
    0.1 that is not the number it is written as, `float(x)`, functions of `math`, functions without an exact version.
    """

    @cache
    def copied() -> Callable[[Instance], Mapping[str, Any]]:
        return exact_copy(measure)  # when first needed: by then the names that the measure uses exist

    def exact_check(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction | Exact]]:
        arrays = {name: exact_array([value]) for name, value in x.items()}
        try:
            found = dict(copied()(arrays))
        except InexactError:
            raise
        except np.linalg.LinAlgError as error:
            raise ZeroDivisionError(f"{error}{raising_line(error)}") from None
        except (TypeError, AttributeError, IndexError) as error:
            raise InexactError(f"not computed exactly: {error}{raising_line(error)}; give an ExactCheck") from None
        met = {"admissible": bool(_one("admissible", found["admissible"]))} if "admissible" in found else {}
        sides = {name: _one(name, value) for name, value in found.items() if name not in _NO_SIDES}
        return met, {name: value.fraction() if _is_rational(value) else value for name, value in sides.items()}

    return ExactCheck(exact_check, standalone=False, measured=True)


_NO_SIDES = ("admissible", "magnitude", "common")  # what a measure says beside the constants of its bound


def _is_rational(value: Exact | Germ) -> bool:
    return isinstance(value, Exact) and value.is_rational


def _one(name: str, value: Any) -> Any:
    try:
        numbers = exact_array(value)
    except InexactError as error:
        raise InexactError(f"the measure's {name!r}: {error}") from None
    if numbers.size != 1:
        raise ValueError(f"the measure's {name!r} has shape {numbers.shape} for one instance; expected one value")
    (number,) = numbers.flat
    return number if name == "admissible" or isinstance(number, Exact | Germ) else exact(number)


def find_counterexample(
    statement: Claim | Test, *, budget: int = DEFAULT_BUDGET, seed: int = 0, name: str = "statement"
) -> Counterexample | None:
    """An exact counterexample to a claim's printed readings (all must fail, as for `refuted`) or to one test, or None.

    Raises `RuntimeError` when nothing could be decided: no admissible instance, or violations in floats that could not
    be rechecked exactly; `ValueError` for a budget that is no number >= 1; `MistakeError` as `look_at`.
    """
    _finite("find_counterexample", budget)
    look_at(statement, name)
    outcomes = [run_test(t, claim_id=name, name=n, budget=budget, seed=seed) for n, t in _tests(statement)]
    undecided = [o for o in outcomes if not o.verdict.true and o.verdict is not Verdict.REFUTED]
    if undecided:
        raise RuntimeError(f"{name}: {undecided[0].verdict} ({undecided[0].why})")
    if any(o.verdict.true for o in outcomes):
        return None
    return _counterexample(outcomes[-1])


def assert_holds(
    statement: Claim | Test, *, budget: int = DEFAULT_BUDGET, seed: int = 0, name: str | None = None
) -> Held:
    """Attack every printed reading of a claim, or one test; the outcome of the last, with how hard it was tried.

    Raises `AssertionError` with the exact counterexample when one is refuted, and with the units of both sides where
    they differ; with the reason when one stays undecided; `MistakeError` as `look_at`.
    """
    title = name or (statement.id if isinstance(statement, Claim) else "statement")
    _finite("assert_holds", budget)
    look_at(statement, title)
    outcome = None
    for reading, test in _tests(statement):
        outcome = run_test(test, claim_id=title, name=reading, budget=budget, seed=seed)
        if outcome.verdict is Verdict.REFUTED:
            shown = _shown(_counterexample(outcome)) + "".join(f"\n  {words}" for words in unlike(test))
            raise AssertionError(f"{title} ({reading}) is refuted: {outcome.why}{shown}")
        if not outcome.verdict.true:
            raise AssertionError(f"{title} ({reading}) is {outcome.verdict}: {outcome.why}")
    if outcome is None:  # a claim has at least one printed reading
        raise ValueError(f"{title}: nothing to test")
    return held(outcome)


def _finite(what: str, budget: object) -> None:
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise TypeError(f"{what}(budget={budget!r}): expected a number of evaluations, {DEFAULT_BUDGET:,} by default")
    if not 1 <= budget < inf:
        raise ValueError(f"{what}(budget={budget}): expected at least 1 evaluation, {DEFAULT_BUDGET:,} by default")


def _tests(statement: Claim | Test) -> list[tuple[str, Test]]:
    if isinstance(statement, Claim):
        return [(r.name, r.test) for r in statement.readings if r.repair is None]
    return [("as stated", statement)]


def _counterexample(outcome: Outcome) -> Counterexample:
    witness = outcome.witness
    if witness is None:  # identities and relations between printed numbers
        found = {k: v for k, v in outcome.detail.items() if k in {"worst_instance", "cells"}}
        return Counterexample(outcome.why, found, Fraction(0), Fraction(0), str(outcome.stage), None, outcome.script)
    return Counterexample(
        witness.case.name, witness.instance, witness.lhs, witness.rhs, witness.stage, witness.robustness, outcome.script
    )


def _shown(found: Counterexample) -> str:
    lines = [f"\n  {name} = {_plain(value)}" for name, value in found.instance.items()]
    script = "\n  find_counterexample(…).script recomputes it with Python alone" if found.script else ""
    return "".join(lines) + f"\n  left side {_side(found.lhs)}, right side {_side(found.rhs)}{script}"


def _side(value: Side) -> str:
    whole = text(value)
    return whole if whole.startswith("≈") else f"{whole} = {digits(value)}"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_plain(v) for v in value) + "]"
    return text(value) if isinstance(value, Fraction) else str(value)
