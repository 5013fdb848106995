"""Statements of the papers over whole classes: each word is what exact arithmetic shows, and each claim exists."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from paper_checks.over_classes import LEFT_OUT, OVER_CLASSES, OverClass
from paper_checks.over_classes.committed import digest
from paper_checks.over_classes.functions import _lemma1
from paper_checks.over_classes.instances import posed_lone, posed_round
from paper_checks.over_classes.rounds import _squared_direction
from tests.committed import committed
from theory.classes import families, number
from validation import class_script, decide_class
from validation.papers.papers import load_papers, select
from validation.proof.classes import check, violates
from validation.report.claims.over_classes import OverClass as Shown
from validation.report.claims.over_classes import contradicted, in_lines, over_classes, read_over_classes


@pytest.mark.parametrize("stated", OVER_CLASSES, ids=lambda o: f"{o.claim}-{o.word}")
def test_the_word_is_what_exact_arithmetic_shows(stated: OverClass) -> None:
    decision = decide_class(stated.pose())
    assert decision.word == stated.word
    if decision.proof is not None:
        assert check(decision.proof)
    if decision.witness is not None:
        assert violates(decision.witness)


def test_each_is_a_claim_of_a_paper_and_what_is_committed_is_the_statement_of_now() -> None:
    ids = {claim.id for _, claim in select([])}
    assert {o.claim for o in OVER_CLASSES} <= ids
    kept = [row for paper in load_papers() for rows in over_classes(paper.folder).values() for row in rows]
    now = {(o.claim, o.says, o.at, o.posed, o.word, digest(o.pose())) for o in OVER_CLASSES}
    keys = ("claim", "says", "at", "posed", "word", "digest")
    assert {tuple(row[key] for key in keys) for row in kept} == now, "run python -m paper_checks.over_classes"
    assert len(kept) == len(OVER_CLASSES)


def test_every_inequality_of_theorem_or_lemma_level_is_decided_or_has_its_reason() -> None:
    entries = [e for p in load_papers() if not p.calibration for e in committed(p)]
    wanted = {e.id for e in entries if e.level in ("theorem", "lemma") and e.kind == "inequality" and not e.ours}
    decided = {o.claim for o in OVER_CLASSES}
    assert len(wanted) == 30
    assert wanted <= decided | set(LEFT_OUT)
    assert not decided & set(LEFT_OUT)
    assert set(LEFT_OUT) <= wanted


def test_no_verdict_is_contradicted_by_an_exact_refutation() -> None:
    for paper in load_papers():
        decided = over_classes(paper.folder)
        for entry in committed(paper):
            shown = read_over_classes({"over_classes": decided.get(entry.id, [])}, entry.id)
            assert not contradicted(entry.verdict, shown), entry.id


def test_a_refutation_as_printed_beside_holds_is_said_loudly_and_others_are_not() -> None:
    refuted = Shown("x <= y", "N = 2", "as printed", "refuted", "points")
    assert in_lines("holds", [refuted]) == [
        "CONTRADICTS the verdict holds: refuted over the class at N = 2",
        "refuted over the class at N = 2: x <= y [as printed] (points)",
    ]
    assert contradicted("proved", [refuted]) == (refuted,)
    assert not contradicted("refuted", [refuted])
    assert not contradicted("holds", [Shown("x <= y", "N = 2", "wider", "refuted", "points")])
    assert not contradicted("holds", [Shown("x <= y", "N = 2", "as printed", "proved", "multipliers")])


@pytest.mark.parametrize("part", [100, 10**5])
def test_what_is_tight_falls_when_its_constant_is_lowered(part: int) -> None:
    less = 1 - number(Fraction(1, part))
    squared = posed_round(partial(_squared_direction, factor=less))
    assert decide_class(squared).word == "refuted"

    def lemma(F, optimum, x):
        g, right, given = _lemma1(F, optimum, x)
        return g, right * less, given

    assert decide_class(posed_lone(lemma, families.smooth(1))).word == "refuted"


@pytest.mark.parametrize("claim", ["EA-L1", "EFL-E37"])
def test_the_evidence_is_a_script_of_its_own(claim: str, tmp_path: Path) -> None:
    stated = next(o for o in OVER_CLASSES if o.claim == claim)
    script = tmp_path / "script.py"
    script.write_text(class_script(decide_class(stated.pose()), f"{claim}: {stated.says}") or "", encoding="utf-8")
    run = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
