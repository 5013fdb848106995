"""Tables of readings: what is read, what is refused by claim and fault, and what a claim without a row is read as."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

from validation import Bound, Canary, Case, Claim, ExactCheck, Inequality, Kind, Paper, Reading, Space, Uniform, check
from validation.statement.roles import Level, Role, load_roles, roles_of

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
        "X-1", Kind.INEQUALITY, "", "", "", "", (), readings, (Canary("half", Inequality(Bound(C / 2), (CASE,)), ""),)
    )


def test_a_table_is_read_and_its_roles_decide(tmp_path: Path) -> None:
    (tmp_path / "readings.toml").write_text(
        """
["X-1"]
level = "lemma"
open.norm = { printed = "nowhere", why = "«the norm» is nowhere defined" }
[["X-1".reading]]
name = "plain"
options = { norm = "l2" }
[["X-1".reading]]
name = "other"
options = { norm = "l1" }
[["X-1".reading]]
name = "ours"
ours = "two-sided"
""",
        encoding="utf-8",
    )
    of = claim(Reading("plain", "", TRUE), Reading("other", "", FALSE), Reading("ours", "", FALSE))
    (held,) = Paper("x", "", tmp_path, (of,)).claims
    found = roles_of(held)
    assert (found.level, [r.role for r in found.readings]) == (
        Level.LEMMA,
        [Role.ALTERNATIVE, Role.ALTERNATIVE, Role.OURS],
    )
    assert found.open["norm"].printed == "nowhere"
    with pytest.raises(ValueError, match="X-1: its table has readings"):
        Paper("x", "", tmp_path, (claim(Reading("plain", "", TRUE)),))


def test_a_row_without_readings_is_of_a_claim_with_one(tmp_path: Path) -> None:
    (tmp_path / "readings.toml").write_text('["X-1"]\nlevel = "step"\n', encoding="utf-8")
    (held,) = Paper("x", "", tmp_path, (claim(Reading("plain", "", TRUE)),)).claims
    assert [r.name for r in roles_of(held).readings] == ["plain"]
    assert check(held, budget=200)["level"] == "step"
    with pytest.raises(ValueError, match="X-1: its table has readings"):
        Paper("x", "", tmp_path, (claim(Reading("plain", "", TRUE), Reading("other", "", FALSE)),))


def test_a_claim_without_a_row_is_read_from_its_own_readings() -> None:
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[", "no TOML"),
        ('["A"]\nlevel = "axiom"', "A: level = 'axiom'; expected one of theorem"),
        ('["A"]', "A: level = None"),
        ("A = 3", "A: expected a table, got 3"),
        ('["A"]\nlevel = "step"\nmargin = 3', "A: unknown key 'margin'"),
        ('["A"]\nlevel = "step"\n[["A".reading]]\nname = "x"\ntoken = "yes"', "token = 'yes'; expected a bool"),
        ('["A"]\nlevel = "step"\n[["A".reading]]\npart = "x"', "a reading without a name"),
        ('["A"]\nlevel = "step"\n[["A".reading]]\nname = "x"\nconditions = [3]', "conditions: 3 is no text"),
        ('["A"]\nlevel = "step"\n[["A".reading]]\nname = "x"\noptions = { y = "" }', "options: '' is no text"),
        ('["A"]\nlevel = "step"\nopen.x = { printed = "twice" }', "why"),
    ],
)
def test_a_faulty_table_is_named_with_claim_and_fault(text: str, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "readings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"readings\.toml: ") as error:
        load_roles(file)
    assert fault in str(error.value)


def test_no_table_is_no_rows(tmp_path: Path) -> None:
    assert load_roles(tmp_path / "readings.toml") == {}
