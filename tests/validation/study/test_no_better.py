"""Lower bounds over methods of a family: true and false ones, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

import fedverdict as fv
from theory.classes import Crowd, Statement

families, Problem = fv.classes.families, fv.classes.Problem


def distance(step: Any) -> Statement:
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu="1/10"))
    best, x = F.minimiser(), p.point("x")
    return p.statement((x - step * F.gradient(x) - best) ** 2, 1, given=[(x - best) ** 2 <= 1])


def excess(*steps: Any) -> Statement:
    p = Problem()
    F = p.function(families.smooth_convex(L=1))
    best, start = F.minimiser(), p.point("x")
    x = start
    for step in steps:
        x = x - step * F.gradient(x)
    return p.statement(F(x) - F(best), 1, given=[(start - best) ** 2 <= 1])


def rounds() -> Mapping[str, Statement]:
    """A round of FedAvg by the number of its local steps of 1/(4L), clients apart by 1/10 in the mean at w*."""
    found = {}
    for n_steps in (1, 2, 3):
        c = Crowd()
        F = c.client(families.smooth_convex(L=1, mu="1/2"))
        best, w = c.minimiser(F), c.problem.point("w")
        local = w
        for _ in range(n_steps):
            local = local - F.gradient(local) / 4
        near = [(w - best) ** 2 <= 1, F.gradient(best) ** 2 <= Fraction(1, 100)]
        found[f"{n_steps} local steps"] = c.statement((c.mean(local) - best) ** 2, 1, given=near)
    return found


@pytest.mark.parametrize(
    ("family", "bound", "within", "word"),
    [
        (distance, "81/121", "(0, 2)", "holds"),  # ((κ − 1)/(κ + 1))²: no constant step does better
        (excess, "1/8", "(0, 2)", "holds"),  # one step of 3/(2L)
        (rounds(), "1/10", "", "holds"),
        (distance, "81/100", "(0, 2)", "refuted"),  # as if 1/L were the best
        (excess, "1/6", "(0, 2)", "refuted"),
        (rounds(), "49/64", "", "refuted"),  # as if local steps never helped: one has (1 − μ/4)²
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_lower_bound_over_methods_stands_or_a_member_does_better(
    family: Any, bound: Any, within: str, word: str, seed: int
) -> None:
    found = fv.no_better(family, bound, within=within, seed=seed)
    assert found.word == word, found
    if word == "refuted":
        (better,) = [member for member in found.tried if member.does == "better"]
        proof = better.decision.proof
        assert proof is not None
        assert fv.classes.number(bound) > proof.bound
    else:
        assert all(member.decision.witness is not None for member in found.tried)


def test_members_that_are_not_decided_leave_the_statement_open() -> None:
    p = Problem()
    F = p.function(families.pl(mu="1/10", L=1))
    best, x = F.minimiser(), p.point("x")
    after = F(x - F.gradient(x)) - F(best)
    found = fv.no_better({"PL": p.statement(after, 1, given=[F(x) - F(best) <= 1])}, "1/10")
    assert found.word == "inconclusive"
    assert "PL" in found.why


def test_no_methods_an_open_range_and_no_bound_are_refused() -> None:
    with pytest.raises(ValueError, match="no methods"):
        fv.no_better({}, 1)
    with pytest.raises(ValueError, match="expected a bounded interval"):
        fv.no_better(distance, 1, within="(0, oo)")
    with pytest.raises(ValueError, match="must be > 0"):
        fv.no_better(distance, 0, within="(0, 1)")
