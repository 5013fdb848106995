"""An entry made again: whether it is the kept one, and what is said where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from validation.cli import main
from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.ledger.provenance import arithmetic
from validation.ledger.repeated import parted, repeated, told
from validation.papers.index import folder_of, points
from validation.statement.verdict import Verdict

CODE = "from validation.ledger.provenance import arithmetic; print(arithmetic())"


def elsewhere(**variables: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_arithmetic_is_the_same_in_every_process_and_with_any_number_of_threads() -> None:
    assert {elsewhere(), elsewhere(OMP_NUM_THREADS="2"), elsewhere(PYTHONHASHSEED="7")} == {arithmetic()}
    assert len(arithmetic()) == 12


def test_arithmetic_differs_where_libraries_choose_other_loops() -> None:
    """Sums of products by another kernel of OpenBLAS; exp and log by NumPy's loops of an older processor."""
    shown: Any = np.show_config(mode="dicts")
    if "X86_V3" not in shown["SIMD Extensions"].get("found", ()):
        pytest.skip("needs NumPy's loops for AVX2 on this processor")
    assert elsewhere(NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR") != arithmetic()
    if "openblas" in shown["Build Dependencies"]["blas"]["name"]:
        assert elsewhere(OPENBLAS_CORETYPE="Nehalem") != arithmetic()


@pytest.fixture(scope="module")
def kept() -> Entry:
    folder = next(folder_of(p) for p in points() if p.name == "exp_alpha")
    assert folder is not None
    return next(e for e in load_entries(folder / "ledger.json") if e.id == "EA-T1b")


def test_the_same_entry_made_elsewhere_and_later_is_a_repetition(kept: Entry) -> None:
    again = replace(kept, seconds=99.0, weight=None, searched_by="another", provenance={"arithmetic": "0" * 12})
    assert repeated(again, kept)
    assert parted(again, kept) is None


def test_one_count_more_is_none_and_what_is_known_of_why_is_said(kept: Entry) -> None:
    first, second, *rest = kept.readings
    assert second.draws is not None
    second = replace(second, draws=replace(second.draws, tie=second.draws.tie + 1))
    again = replace(kept, readings=(first, second, *rest))
    assert not repeated(again, kept)
    kept = replace(kept, provenance={**kept.provenance, "arithmetic": arithmetic()})
    assert parted(again, kept) == "EA-T1b: the same verdicts, other counts, for an unknown reason"
    old = replace(kept, provenance={}, searched_by="earlier")
    assert parted(again, old) == (
        "EA-T1b: the same verdicts, other counts; code that the search runs has changed since; "
        f"how floats were rounded for it is not recorded (here {arithmetic()})"
    )
    there = replace(kept, provenance={"arithmetic": "0123456789ab"})
    assert f"floats are rounded otherwise here ({arithmetic()}, not 0123456789ab)" in str(parted(again, there))
    again = replace(again, budget=7, readings=(first, replace(second, verdict=Verdict.REFUTED), *rest))
    assert f"; budget 7, not {kept.budget}" in str(parted(again, kept))
    again = replace(again, verdict=Verdict.HOLDS)
    assert f"holds where {kept.verdict} is kept" in str(parted(again, kept))


def test_counts_of_another_search_are_not_compared_and_verdicts_are(kept: Entry) -> None:
    kept = replace(kept, search_version=1)
    first, second, *rest = kept.readings
    assert second.draws is not None
    other = replace(second, draws=replace(second.draws, tie=second.draws.tie + 1))
    again = replace(kept, readings=(first, other, *rest), search_version=2)
    assert parted(again, kept) is None
    changed = "the search has changed since these were committed, so their counts are not compared"
    none = "as committed, counts and all: 0 of 1"
    assert list(told([again], {kept.id: kept})) == [none, f"the same verdicts: 1 of 1; {changed}"]
    line = parted(again, replace(kept, search_version=2))
    assert list(told([again], {kept.id: replace(kept, search_version=2)})) == [none, line]
    assert "other counts" in str(parted(again, replace(kept, search_version=2)))
    fallen = replace(again, readings=(first, replace(other, verdict=Verdict.INCONCLUSIVE), *rest))
    assert "is kept; the search has changed since" in str(parted(fallen, kept))
    assert list(told([kept], {kept.id: kept})) == ["as committed, counts and all: 1 of 1"]
    assert list(told([kept], {})) == ["as committed, counts and all: 0 of 1", "EA-T1b: none current is kept"]


def test_as_committed_says_whether_it_gave_the_committed_entry(tmp_path: Any) -> None:
    command = ["check", "EFL-E17", "--as-committed", "--json", "--ledger", str(tmp_path)]
    made = CliRunner().invoke(main, command)
    assert "as committed, counts and all: 1 of 1" in made.stderr
    other = CliRunner().invoke(main, [*command, "--seed", "3", "--no-resume"])
    assert "as committed, counts and all: 0 of 1" in other.stderr
    assert "EFL-E17: the same verdicts, other counts; seed 3, not 0" in other.stderr
