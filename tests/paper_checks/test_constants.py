"""What the pages call a repair of a false bound is violated by no instance that the ledger keeps of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sympy.parsing.sympy_parser import parse_expr

from validation.ledger.ledger import load_entries
from validation.papers.papers import load_papers
from validation.papers.tightened import FILE
from validation.statement.bound import Bound
from validation.statement.claim import Inequality
from validation.statement.instances.at import exactly
from validation.study.at_instance import sides_at
from validation.study.courses import case_named

REPAIRED = [
    pytest.param(paper, claim, row, id=f"{claim}-{row['reading']}")
    for paper in load_papers()
    if (paper.folder / FILE).is_file()
    for claim, held in json.loads((paper.folder / FILE).read_text("utf-8"))["claims"].items()
    for row in held["readings"]
    if row.get("repaired")
]


@pytest.mark.parametrize(("paper", "claim", "row"), REPAIRED)
def test_the_stored_violation_of_a_false_bound_does_not_violate_its_repair(paper: Any, claim: str, row: Any) -> None:
    (reading,) = (c.readings[row["reading"] - 1] for c in paper.claims if c.id == claim)
    (entry,) = (e for e in load_entries(paper.folder / "ledger.json") if e.id == claim)
    assert isinstance(reading.test, Inequality)
    instance = dict(entry.readings[row["reading"] - 1].worst_instance or {})
    case = case_named(reading.test, instance.pop("case"))
    assert case is not None
    letters = {s.name: s for s in reading.test.bound.expression.free_symbols}
    bound = parse_expr(row["repaired"]["bound"], local_dict=letters)
    numbers = {name: exactly(value) for name, value in instance.items()}
    printed = sides_at(reading.test, case, numbers, claim)
    assert printed.violates  # the instance is one that the printed bound falls at
    assert not sides_at(replace(reading.test, bound=Bound(bound)), case, numbers, claim).violates
