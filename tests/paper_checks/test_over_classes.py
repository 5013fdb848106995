"""Statements of the papers over whole classes: each word is what exact arithmetic shows, and each claim exists."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from paper_checks import over_classes
from paper_checks.over_classes import OVER_CLASSES, OverClass
from theory.classes import families, number
from validation import class_script, decide_class
from validation.job.papers import select
from validation.proof.classes import check, violates


@pytest.mark.parametrize("stated", OVER_CLASSES, ids=lambda o: f"{o.claim}-{o.word}")
def test_the_word_is_what_exact_arithmetic_shows(stated: OverClass) -> None:
    decision = decide_class(stated.pose())
    assert decision.word == stated.word
    if decision.proof is not None:
        assert check(decision.proof)
    if decision.witness is not None:
        assert violates(decision.witness)


def test_each_is_a_claim_of_a_paper() -> None:
    ids = {claim.id for _, claim in select([])}
    assert {o.claim for o in OVER_CLASSES} <= ids


@pytest.mark.parametrize("part", [100, 10**5])
def test_what_is_tight_falls_when_its_constant_is_lowered(part: int) -> None:
    less = 1 - number(Fraction(1, part))
    squared = over_classes._round(partial(over_classes._squared_direction, factor=less))
    assert decide_class(squared).word == "refuted"

    def lemma(F, optimum, x):
        g, right, given = over_classes._lemma1(F, optimum, x)
        return g, right * less, given

    assert decide_class(over_classes._single(lemma, families.smooth(1))).word == "refuted"


@pytest.mark.parametrize("claim", ["EA-L1", "EFL-E37"])
def test_the_evidence_is_a_script_of_its_own(claim: str, tmp_path: Path) -> None:
    stated = next(o for o in OVER_CLASSES if o.claim == claim)
    script = tmp_path / "script.py"
    script.write_text(class_script(decide_class(stated.pose()), f"{claim}: {stated.says}") or "", encoding="utf-8")
    run = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
