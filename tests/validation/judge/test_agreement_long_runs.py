"""Both texts of a case are given the same short numbers, so that runs whose exact sides grow long are compared, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Integer, LogScale, Simplex, Space, symbols
from validation.judge.exact.agreement import Agreement, agreement
from validation.statement.claim import ExactCheck

a = symbols("a")
STEPS = 64


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


@pytest.mark.parametrize(("every", "asked"), [(1, 8), (10**9, 20)])
def test_a_case_whose_exact_sides_are_too_long_eight_times_in_a_row_is_left(
    tmp_path: Path, every: int, asked: int
) -> None:
    def long(u: Any) -> Any:
        return u ** (20_000 if round(u * 2**30) % every == 0 else 1)

    noted = Noted(tmp_path / "asked", long)
    case = Case("u", Space((LogScale("u", 0.5, 0.9),)), lambda v: {"lhs": v["u"], "a": v["u"]}, ExactCheck(noted))
    found(case)
    assert noted.asked() == asked


def test_numbers_of_both_texts_are_the_same_short_ones() -> None:
    seen: list[Mapping[str, Any]] = []
    space = Space((LogScale("u", 1e-9, 1e9), Integer("N", 1, 10**6), Simplex("w", 3)))

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append({name: value.copy() for name, value in v.items()})
        return {"lhs": v["u"], "a": 2 * v["u"]}

    found(Case("u", space, measure, ExactCheck(lambda v: ({}, {"lhs": v["u"], "a": 2 * v["u"]}))))
    short, whole, weights = (np.concatenate([v[name] for v in seen]) for name in ("u", "N", "w"))
    assert len(short) >= 20
    assert (short > 0).all()
    parts, _ = np.frexp(short)
    assert np.array_equal(parts * 2**10, np.round(parts * 2**10))
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
