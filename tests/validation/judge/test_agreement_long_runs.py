"""Both texts of a case are given the same short numbers, so that runs whose exact sides grow long are compared, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Integer, LogScale, Simplex, Space, Uniform, symbols
from validation.judge.exact.agreement import Agreement, agreement
from validation.statement.claim import ExactCheck

a = symbols("a")
STEPS = 64
LENGTHENED = 1 + Fraction(1, 2**1200)  # no float tells it from 1


def found(case: Case) -> Agreement:
    return agreement(Bound(1 * a), [case], 0, "l")


def run(slip: float = 1.0) -> Case:
    """64 factors below 1, each of its own: with the 53 binary digits of floats the product has 3,000 decimal ones."""

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        left = Fraction(1)
        for u in v["u"]:
            left = left * u * u * u
        return {}, {"lhs": left, "a": left}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        left = np.prod(v["u"] ** 3, axis=-1)
        return {"lhs": slip * left, "a": left}

    return Case("run", Space((LogScale("u", 0.9, 1.0, (STEPS,)),)), measure, ExactCheck(exactly))


def test_a_slip_in_a_long_run_is_found() -> None:
    assert found(run()).words is None
    assert "measure and plain text differ" in (found(run(slip=1.01)).words or "")


@dataclass(frozen=True)
class Noted:
    """An exact text that notes each draw it is asked of in a file, as it runs in a process of its own."""

    path: Path
    exactly: Callable[[Any], Any]

    def __call__(self, v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        with self.path.open("a") as file:
            file.write(f"{[str(number) for number in v.values()]}\n")
        return {}, {"lhs": self.exactly(v["u"]), "a": v["u"]}

    def asked(self) -> int:
        return len(self.path.read_text().splitlines())


@pytest.mark.parametrize(("every", "asked"), [(1, 1 + 8), (10**9, 20)])
def test_a_case_whose_exact_sides_are_too_long_eight_times_in_a_row_is_left(
    tmp_path: Path, every: int, asked: int
) -> None:
    def long(u: Any) -> Any:
        return u ** (20_000 if round(u * 2**30) % every == 0 else 1)

    noted = Noted(tmp_path / "asked", long)
    case = Case("u", Space((LogScale("u", 0.5, 0.9),)), lambda v: {"lhs": v["u"], "a": v["u"]}, ExactCheck(noted))
    found(case)
    assert noted.asked() == asked


def test_after_a_draw_with_long_sides_both_texts_are_given_the_same_short_numbers() -> None:
    seen: list[Mapping[str, Any]] = []
    space = Space((LogScale("u", 1e-9, 1e9), Integer("N", 1, 10**6), Simplex("w", 3)))

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append({name: value.copy() for name, value in v.items()})
        return {"lhs": v["u"], "a": 2 * v["u"]}

    found(Case("u", space, measure, ExactCheck(lambda v: ({}, {"lhs": LENGTHENED * v["u"], "a": 2 * v["u"]}))))
    first, *others = (
        {name: value[i] for name, value in batch.items()} for batch in seen for i in range(len(batch["u"]))
    )
    assert np.round(first["u"] * 2**20) != first["u"] * 2**20
    others = others[7:]  # the rest of the first batch
    short, whole, weights = (np.array([v[name] for v in others]) for name in ("u", "N", "w"))
    assert len(short) >= 19
    assert (short > 0).all()
    parts, _ = np.frexp(short)
    assert np.array_equal(parts * 2**10, np.round(parts * 2**10))
    assert len(set(short.tolist())) >= 19
    assert np.array_equal(whole, np.round(whole))
    assert whole.max() > 2**10
    assert np.abs(weights.sum(axis=1) - 1).max() < 1e-15


def test_a_violation_of_the_short_numbers_counts_where_the_draw_itself_has_too_many() -> None:
    """u¹⁶⁰ <= u¹⁵⁹/2 fails beyond 1/2; powers of a float of 53 binary digits have 2,500 decimal ones."""

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": v["u"] ** 160, "a": v["u"] ** 159 / 2}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": v["u"] ** 160, "a": v["u"] ** 159 / 2}

    violated = found(Case("u", Space((LogScale("u", 0.6, 0.9),)), measure, ExactCheck(exactly))).violated
    assert violated is not None
    _, decision = violated
    assert decision.instance is not None
    assert decision.lhs is not None
    assert decision.rhs is not None
    assert decision.lhs > decision.rhs


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0002), (0.9998, 0.99999)])
def test_a_slip_between_numbers_that_hardly_differ_is_found(low: float, high: float) -> None:
    """Ten digits of the numbers themselves would all be those of 1, where both sides are 0."""

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": LENGTHENED * abs(v["u"] - 1), "a": 10 * abs(v["u"] - 1)}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": 2 * np.abs(v["u"] - 1), "a": 10 * np.abs(v["u"] - 1)}

    words = found(Case("u", Space((Uniform("u", low, high),)), measure, ExactCheck(exactly))).words
    assert "on 20 of 20 random draws" in (words or "")


def _last_of_the_largest(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    last = max(zip(v["u"], range(len(v["u"])), v["w"], strict=True))
    return {}, {"lhs": LENGTHENED * last[2], "a": Fraction(2)}


def _first_of_the_largest(v: Mapping[str, Any]) -> Mapping[str, Any]:
    found = np.take_along_axis(v["w"], v["u"].argmax(axis=-1)[:, None], axis=1)[:, 0]
    return {"lhs": found, "a": 0 * found + 2}


@pytest.mark.parametrize(("low", "high", "size"), [(8.0, 8.2, 64), (10.0, 11.0, 400)])
def test_few_digits_make_no_ties(low: float, high: float, size: int) -> None:
    """Each text breaks ties in its own way, and draws of all their digits have none; sides are long all the same."""
    space = Space((LogScale("u", low, high, (size,)), Uniform("w", 0.001, 1.0, (size,))))
    assert found(Case("u", space, _first_of_the_largest, ExactCheck(_last_of_the_largest))).words is None


def test_a_tie_that_rounding_decides_on_every_draw_is_no_slip() -> None:
    """x·(1/x) is 1 exactly, and in floats now and then a little below; each text takes another side of the tie.

    Sides are long from the first draw on, so that numbers are short. What no side of the tie explains is a slip.
    """

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": LENGTHENED * v["w"][1], "a": Fraction(2)}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        tied = v["x"] * (1 / v["x"]) >= 1
        return {"lhs": np.where(tied, v["w"][:, 0], v["w"][:, 1]), "a": 2 + 0 * v["x"]}

    space = Space((Uniform("x", 1.0, 100.0), Uniform("w", 0.001, 1.0, (2,))))
    assert found(Case("tied", space, measure, ExactCheck(exactly))).words is None
    forgotten = ExactCheck(lambda v: ({}, {"lhs": LENGTHENED * v["w"][1] + Fraction(499, 1000), "a": Fraction(2)}))
    assert "random draws" in (found(Case("tied", space, measure, forgotten)).words or "")
