"""Evidence over a whole class: what a program says is kept, and never alone turns into a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from validation import ClassWorstCase, check
from validation.papers.papers import select
from validation.study.worst_cases import solved


@dataclass(frozen=True)
class Residual:
    relative: float = 1e-8


@dataclass(frozen=True)
class Fake:
    value: float
    status: str = "optimal"
    solver: str = "NONE"
    residuals: Any = Residual()


def claim_with(*programs: ClassWorstCase):
    ((_, claim),) = select(["RA-L1"])
    return replace(claim, worst_cases=programs)


def test_below_the_bound_supports_and_above_it_leaves_the_statement_undecided() -> None:
    below = ClassWorstCase("small", lambda: Fake(0.5), 1.0)
    above = ClassWorstCase("large", lambda: Fake(1.5), 1.0)
    entry = check(claim_with(below), budget=500)
    assert entry["verdict"] == "holds"
    assert entry["worst_cases"] == [
        {
            "at": "small",
            "bound": 1.0,
            "value": 0.5,
            "ratio": 0.5,
            "status": "optimal",
            "solver": "NONE",
            "residual": 1e-8,
        }
    ]
    entry = check(claim_with(below, above), budget=500)
    assert entry["verdict"] == "inconclusive"
    assert "beyond the bound over the class at large" in entry["why"]


@pytest.mark.parametrize("answer", [Fake(1.5, status="inaccurate"), Fake(1 + 5e-8)])
def test_what_the_residuals_do_not_carry_changes_nothing(answer: Fake) -> None:
    assert check(claim_with(ClassWorstCase("x", lambda: answer, 1.0)), budget=500)["verdict"] == "holds"


def test_a_missing_package_or_a_failed_solve_is_said() -> None:
    def missing() -> Fake:
        raise ImportError("no PEPit: pip install 'fedverdict[sdp]'")

    def failing() -> Fake:
        raise RuntimeError("solver ended with 'unknown'")

    assert "not run: no PEPit" in solved(ClassWorstCase("x", missing, 1.0))["status"]
    assert "not solved: solver ended" in solved(ClassWorstCase("x", failing, 1.0))["status"]
    assert check(claim_with(ClassWorstCase("x", missing, 1.0)), budget=500)["verdict"] == "holds"
    with pytest.raises(ValueError, match=r"bound=0\): must be > 0"):
        ClassWorstCase("x", missing, 0)


@pytest.mark.parametrize(("name", "printed"), [("K29", (0.240346, 0.152561, 0.108607)), ("K30", (0.105938,))])
def test_the_known_values_come_out_of_the_programs(name: str, printed: tuple[float, ...]) -> None:
    pytest.importorskip("PEPit", reason="needs the extra `sdp`")
    ((_, claim),) = select([name])
    values = [solved(program)["value"] for program in claim.worst_cases]
    assert values == pytest.approx(printed, abs=1e-5)
