"""Renewing a committed verdict: the search begins with the point that led, so what was found once is not lost."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import Bound, Case, Claim, Inequality, Mutant, Paper, Space, Uniform
from validation.job import job
from validation.job.effort import check_thoroughly
from validation.job.job import check_claims
from validation.judge.entry import Entry, Lead
from validation.ledger.evidence import FORMAT, digest_of
from validation.ledger.ledger import Ledger
from validation.statement.claim import ExactCheck, Kind, Reading

C = sp.Symbol("c")
NEEDLE = (0.73120, 0.73121)  # a window that random draws at a small budget miss


def narrowly(drawn: Any) -> Any:
    inside = (drawn["c"] > NEEDLE[0]) & (drawn["c"] < NEEDLE[1])
    return {"lhs": np.where(inside, 2.0, 0.5), "c": drawn["c"]}


def narrowly_exact(drawn: Any) -> Any:
    inside = NEEDLE[0] < float(drawn["c"]) < NEEDLE[1]
    return {}, {"lhs": Fraction(2) if inside else Fraction(1, 2), "c": drawn["c"]}


CASE = Case("one number", Space((Uniform("c", 0, 1),)), narrowly, ExactCheck(narrowly_exact, standalone=False))
STATEMENT = Inequality(Bound(sp.Integer(1) + 0 * C), (CASE,))
CLAIM = Claim(
    "X-1",
    Kind.INEQUALITY,
    "",
    "",
    "",
    "",
    (),
    (Reading("as printed", "", STATEMENT),),
    (Mutant("a quarter", Inequality(Bound(sp.Rational(1, 4)), (CASE,)), "1/2 > 1/4"),),
)


def kept(folder: Path, entries: list[Any]) -> None:
    (folder / "ledger.json").write_text(
        json.dumps({"format": FORMAT, "digest": digest_of(entries, None), "entries": entries})
    )


def committed(folder: Path, lead: object) -> Paper:
    row = {"name": "as printed", "verdict": "refuted", "lead": lead}
    kept(folder, [{"id": "X-1", "verdict": "refuted", "readings": [row]}])
    return Paper("x", "", folder, (CLAIM,))


@pytest.mark.parametrize("called", ["one number", "#1"])
@pytest.mark.parametrize("renew", [True, False])
def test_a_witness_that_was_found_once_is_found_again(renew: bool, called: str, tmp_path: Path) -> None:
    paper = committed(tmp_path, {"case": called, "cube": [0.731205]})
    (entry,) = check_claims([(paper, CLAIM)], budget=400, seed=0, renew=renew)
    assert entry.verdict == ("refuted" if renew else "holds")
    assert ("start" in (entry.readings[0].stages or {})) is renew
    if renew:
        assert entry.readings[0].lead == Lead("#1", (0.731205,))


@pytest.mark.parametrize("lead", [{"case": "another", "cube": [0.5]}, {"case": "one number", "cube": [0.1, 0.2]}])
def test_a_lead_of_another_case_or_shape_leads_nowhere(lead: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = check_claims([(committed(tmp_path, lead), CLAIM)], budget=400, seed=0, renew=True)
    assert entry.verdict == "holds"
    assert "start" not in (entry.readings[0].stages or {})


TIED, UNDISPUTED = '"worst_ratio": 0.9999999999999', ("holds", "inconclusive")
LEDGER = '{"format": 2, "entries": [%s]}'
ROW = LEDGER % '{"id": "X-1", "verdict": "refuted", "readings": [{"name": "as printed", "verdict": "%s", "lead": %s}]}'


@pytest.mark.parametrize(
    "text",
    ["[", "{}", LEDGER % '{"id": "X-1", "verdict": "refuted"}', LEDGER % '{"id": "X-1", "readings": 5}']
    + [ROW % ("refuted", lead) for lead in ("null", "5", '{"cube": [0.5]}', '{"case": "one number", "cube": ["a"]}')]
    + [ROW % ("refuted", '{"case": "one number", "cube": [0.731205]}, "attained": true')]
    + [ROW % (word, f'{{"case": "one number", "cube": [0.731205]}}, {TIED}') for word in UNDISPUTED]
    + [ROW % ("refuted", f'{{"case": "one number", "cube": [{x}]}}') for x in ("2", "NaN")],
)
def test_a_ledger_without_leads_leads_nowhere(text: str, tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_text(text)
    (entry,) = check_claims([(Paper("x", "", tmp_path, (CLAIM,)), CLAIM)], budget=400, seed=0, renew=True)
    assert entry.verdict == "holds"
    assert "start" not in (entry.readings[0].stages or {})


def test_several_workers_begin_with_the_claims_that_took_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    plain = job.spread

    def noted(tasks: Any, *rest: Any, **options: Any) -> Any:
        begun.extend(task[1].id for task in tasks)
        return plain(tasks, *rest, **options)

    monkeypatch.setattr(job, "spread", noted)
    took = {"X-1": {"seconds": 1.5}, "X-3": {"seconds": 9}, "X-4": {}}
    kept(tmp_path, [{"id": name, "verdict": "holds", **seconds} for name, seconds in took.items()])
    claims = tuple(replace(CLAIM, id=f"X-{i}") for i in range(1, 5))
    paper = Paper("x", "", tmp_path, claims)
    for jobs, order in ((1, ["X-1", "X-2", "X-3", "X-4"]), (2, ["X-3", "X-1", "X-2", "X-4"])):
        begun.clear()
        found = list(check_claims([(paper, c) for c in claims], budget=400, seed=0, jobs=jobs))
        assert list(dict.fromkeys(begun)) == order
        assert {entry.id for entry in found} == set(order)


def test_as_committed_begins_where_the_committed_search_began(tmp_path: Path) -> None:
    """The same entry, though meanwhile another point leads; a search from nothing gives another one."""
    paper = committed(tmp_path, {"case": "one number", "cube": [0.731205]})
    (first,) = check_claims([(paper, CLAIM)], budget=400, seed=0, renew=True)
    assert first.begun == {"as printed": Lead("one number", (0.731205,))}
    moved = replace(first.readings[0], lead=Lead("one number", (0.5,)))
    kept(tmp_path, [replace(first, readings=(moved,)).json()])

    def made(**how: bool) -> Entry:
        (entry,) = check_claims([(paper, CLAIM)], budget=400, seed=0, **how)
        return replace(entry, seconds=0.0, provenance={})

    assert made(as_committed=True) == replace(first, seconds=0.0, provenance={})
    assert made().begun is None
    assert made().verdict == "holds"


def test_a_thorough_check_begins_where_it_led_and_says_so(tmp_path: Path) -> None:
    """What is renewed with more effort is no weaker, and is made again by its own budget and beginning."""
    lead = {"case": "one number", "cube": [0.731205]}
    pair = (committed(tmp_path, lead), CLAIM)

    def found(name: str, renew: bool) -> Entry:
        ((entry, made),) = check_thoroughly(
            [pair], seed=0, jobs=1, ledger=Ledger(tmp_path / name), wanted=lambda c: 0.0, renew=renew
        )
        assert made
        return entry

    assert found("anew", False).begun is None
    renewed = found("renewed", True)
    assert renewed.begun == {"as printed": Lead("one number", (0.731205,))}
    assert renewed.verdict == "refuted"
    kept(tmp_path, [renewed.json()])
    (again,) = check_claims([pair], budget=renewed.budget, seed=0, as_committed=True)
    assert again.readings[0].lead == renewed.readings[0].lead


@pytest.mark.parametrize("begun", [5, {"as printed": 5}, {"as printed": {"case": "one number", "cube": [2]}}])
def test_a_damaged_beginning_is_none(begun: object, tmp_path: Path) -> None:
    row = {"name": "as printed", "verdict": "holds"}
    kept(tmp_path, [{"id": "X-1", "verdict": "holds", "readings": [row], "begun": begun}])
    paper = Paper("x", "", tmp_path, (CLAIM,))
    (entry,) = check_claims([(paper, CLAIM)], budget=400, seed=0, as_committed=True)
    assert "start" not in (entry.readings[0].stages or {})
