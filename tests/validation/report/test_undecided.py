"""What is open is listed with what leaves it open."""

from __future__ import annotations

from typing import Any

from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.undecided import undecided


def _claims(*rows: dict[str, Any]) -> tuple[Claim, ...]:
    return read_claims([{"paper": "x", **row} for row in rows])


def test_each_open_claim_is_listed_once_with_its_reason() -> None:
    why = "Figure 2 carries no numbers: loss by round; so far unresolved (five seeds)"
    runs = {"name": "r", "verdict": "needs-run", "why": why}
    claims = _claims(
        {"id": "X-1", "verdict": "holds"},
        {"id": "X-2", "verdict": "underspecified", "open": {"gamma": {"printed": "twice", "why": "γ is L/μ or 8L/μ."}}},
        {"id": "X-3", "verdict": "needs-run", "readings": [runs]},
        {"id": "X-4", "verdict": "inconclusive", "why": "rounding"},
        {"id": "X-5", "verdict": "needs-run", "why": "a run"},
    )
    found = undecided(claims)
    assert [[(c.id, why) for c, why in group.claims] for group in found] == [
        [("X-3", "Would decide it: Figure 2 carries no numbers: loss by round."), ("X-5", "a run")],
        [("X-4", "rounding")],
        [("X-2", "γ: γ is L/μ or 8L/μ.")],
    ]
    assert undecided(claims[:1]) == ()
