"""What a claim that does not say what its readings are is read as."""

from __future__ import annotations

import sympy as sp

from validation import Bound, Case, Claim, Inequality, Mutant, Space, Uniform, check
from validation.statement.claim import ExactCheck, Kind, Reading
from validation.statement.roles import Role, roles_of

C = sp.Symbol("c")
CASE = Case(
    "one",
    Space((Uniform("c", 1, 2),)),
    lambda x: {"lhs": x["c"], "c": x["c"]},
    ExactCheck(lambda x: ({}, {"lhs": x["c"], "c": x["c"]})),
)
TRUE, FALSE = Inequality(Bound(2 * C), (CASE,)), Inequality(Bound(C / 2), (CASE,))


def claim(*readings: Reading) -> Claim:
    return Claim(
        "X-1", Kind.INEQUALITY, "", "", "", "", (), readings, (Mutant("half", Inequality(Bound(C / 2), (CASE,)), ""),)
    )


def test_a_claim_without_roles_is_read_from_its_own_readings() -> None:
    of = claim(
        Reading("plain", "", FALSE),
        Reading("other", "", TRUE),
        Reading("conjunct", "", TRUE, role="part"),
        Reading("small", "", TRUE, repair="condition"),
        Reading("sign", "", TRUE, repair="edit"),
    )
    roles = [r.role for r in roles_of(of).readings]
    assert roles == [Role.ALTERNATIVE, Role.ALTERNATIVE, Role.ALTERNATIVE, Role.SPECIAL_CASE, Role.REPAIR]
    entry = check(of, budget=200)
    assert (entry["verdict"], entry["level"], entry["weight"]) == ("underspecified", "remark", None)
    assert [r["as_printed"] for r in entry["readings"]] == [True, True, True, False, False]
    assert entry["exact"] is not None
    left, right = (sp.Rational(entry["exact"][side]) for side in ("left", "right"))
    assert left == 2 * right
