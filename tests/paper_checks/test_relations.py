"""Every relation claimed in prose: its verdict, its planted errors, its scripts, and the cells it names."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paper_checks.relations import (
    CLAIMS,
    ELSEWHERE,
    EXPECTED,
    KEYS,
    PAPER_OF,
    TABLE_CHECKS,
    listed,
    relations_of,
    tables_of,
)
from validation import check
from validation.judge.run import run_test
from validation.published.runs import DECIDED
from validation.published.tables import decide, load_table
from validation.script.printed_relation import comparison_script
from validation.statement.claim import Claim, Kind, Reading, Relation
from validation.statement.verdict import Verdict

# Sentences about a figure that are judged without its numbers.
OF_FIGURES = {"EA-F2"}
ROWS = {
    "efl": {"table1_rates": 5, "table2": 27, "table3": 24, "table4": 18, "table5": 15, "table6": 32},
    "exp_alpha": {
        "table01_imbalanced_cifar": 120,
        "table02_flipped_cifar": 120,
        "table03_domain_shift": 72,
        "table04_implementation": 4,
        "table05_splits_office": 12,
        "table06_splits_domainnet": 18,
        "table07_splits_digits": 15,
        "table08_alpha_by_local_steps": 20,
        "table09_alpha_by_imbalance": 25,
        "table10_imbalanced_cifar_std": 160,
        "table11_iid_cifar": 32,
        "table12_flipped_cifar_std": 160,
        "table13_alpha_domain_shift": 36,
        "prose_splits_cifar10": 3,
    },
    "fedaware": {"table2": 81, "hyperparameters": 45},
    "fedssa": {
        "table1": 156,
        "table2": 15,
        "table3": 30,
        "table4": 14,
        "table5": 156,
        "table6": 25,
        "table7": 16,
        "table8": 16,
        "table9": 24,
        "internal_inconsistencies": 26,
    },
    "robust_aggregation": {
        "accuracy_mnist_iid": 3,
        "r60_pure": 3,
        "r60_hybrid": 3,
        "r60_hybrid_appendix": 5,
        "protocol": 18,
    },
}
PROSE = {"efl": 23, "exp_alpha": 27, "fedaware": 27, "fedssa": 38, "robust_aggregation": 20}
each_relation = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


@pytest.mark.parametrize("key", KEYS)
def test_every_csv_loads_typed_with_all_its_rows(key: str) -> None:
    module = tables_of(key)
    found = {path.stem for path in module.FOLDER.glob("*.csv")}
    assert found == set(module.SCHEMAS)
    expected = {**ROWS[key], "claims_in_prose": PROSE[key]}
    for name in found - {"stated"}:
        assert len(module.table(name).rows) == expected.pop(name), name
    assert not expected


@pytest.mark.parametrize("key", KEYS)
def test_every_listed_relation_has_exactly_one_claim(key: str) -> None:
    ids = [claim.id for claim in relations_of(key)]
    assert len(ids) == len(set(ids))
    assert {*ids, *ELSEWHERE} >= set(listed(key))
    assert {name for name in ids if name not in TABLE_CHECKS} == set(listed(key)) - ELSEWHERE


def test_all_135_listed_relations_are_there() -> None:
    assert sum(len(listed(key)) for key in KEYS) == 135
    assert len(CLAIMS) == 135 - len(ELSEWHERE) + len(TABLE_CHECKS)
    assert set(EXPECTED) == set(CLAIMS)


@each_relation
def test_verdict(claim: Claim) -> None:
    assert check(claim)["verdict"] == EXPECTED[claim.id]


@each_relation
def test_every_mutant_is_refuted(claim: Claim) -> None:
    assert claim.mutants
    for mutant in claim.mutants:
        assert mutant.false_since
        outcome = run_test(mutant.test, claim_id=claim.id, name=mutant.name, budget=100, seed=0)
        assert outcome.verdict is Verdict.REFUTED, f"{mutant.name} survives: {outcome.why}"


@each_relation
def test_what_people_read_is_there(claim: Claim) -> None:
    assert claim.kind is Kind.RELATION
    assert claim.printed.startswith(r"\text{«")
    assert re.fullmatch(r"\S.*\.", claim.plainly)
    assert len(claim.verdict) > 10
    assert claim.at
    for reading in claim.readings:
        assert isinstance(reading.test, Relation)
        assert reading.test.needs_run or reading.test.comparisons()


@each_relation
def test_cells_are_those_of_the_tables(claim: Claim) -> None:
    """No number is typed in: each cell's value stands in the row of the CSV that it names, or in what our runs say."""
    module = tables_of(PAPER_OF[claim.id])
    decided = Path(str(module.__file__)).parent / DECIDED
    for reading in claim.readings:
        for comparison in reading.test.comparisons():
            for cell in comparison.cells.values():
                name = cell.where.partition(": ")[0]
                if name == "chosen" or re.search(r": (header|different|methods|numbers|.*best alpha)", cell.where):
                    continue  # a point of ours, a header, or a count of rows
                if name.startswith("our runs of "):
                    of_runs = [row for row in json.loads(decided.read_text()) if row["claim"] == claim.id]
                    assert float(cell.value) in [d["mean"] for row in of_runs for d in row["differences"]]
                    continue
                entries = {v.removeprefix("+") for row in module.table(name).rows for v in row.values()}
                assert cell.value in entries, f"{cell.where}: {cell.value} is not in {name}.csv"


REFUTED = [
    (claim.id, reading)
    for claim in CLAIMS.values()
    for reading in claim.readings
    if reading.repair is None and EXPECTED[claim.id] in {"refuted", "underspecified"}
]


@pytest.mark.parametrize(("name", "reading"), REFUTED, ids=[f"{n}/{r.name}" for n, r in REFUTED])
def test_scripts_of_refuted_readings_confirm_themselves(name: str, reading: Reading, tmp_path: Path) -> None:
    outcome = run_test(reading.test, claim_id=name, name=reading.name, budget=100, seed=0)
    if outcome.verdict is not Verdict.REFUTED:
        assert outcome.script is None
        return
    script = tmp_path / "script.py"
    script.write_text(outcome.script)
    run = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "violated" in run.stdout


def _ended(script: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as end:
        exec(compile(script, "<script>", "exec"), {"__name__": "script"})
    return int(str(end.value.code))


def test_scripts_of_ranked_cells_check_their_order() -> None:
    """All that is ranked stands there by name; with the cell that is compared changed, nothing is confirmed."""
    found = set()
    for claim, reading in REFUTED:
        comparisons = reading.test.comparisons() if reading.test.needs_run is None else ()
        failed = next((c for c in comparisons if not decide(c)), None)
        if failed is None or not failed.rankings:
            continue
        found.add(claim)
        script = comparison_script(claim, reading.name, failed)
        assert script.count("    in_place(") == len(failed.rankings)
        assert _ended(script) == 0
        assert all(len(line) <= 160 for line in script.splitlines())
        for ranking in failed.rankings:
            cell = next(iter(ranking.rows[ranking.chosen].cells.values()))
            assert script.count(f'Fraction("{cell.value}")  # {cell.where}\n') == 1
        printed = re.findall(r'^\w+ = Fraction\("([^"]+)"\)', script, re.M)
        ends = {
            _ended(script.replace(f' = Fraction("{n}")', f' = Fraction("{n}")*{by}')) for n in printed for by in (-9, 9)
        }
        assert 1 in ends, f"{claim}, {reading.name}: no changed number ends it otherwise"
    assert found >= {"EA-P5", "EA-P10", "EA-P25", "EFL-P9", "SSA-P04", "SSA-P05"}


@pytest.mark.parametrize("key", KEYS)
def test_stated_numbers_are_used_by_the_relation_they_name(key: str) -> None:
    module = tables_of(key)
    if "stated" not in module.SCHEMAS:
        return
    for row in module.table("stated").rows:
        assert row["id"] in OF_FIGURES or (row["id"] in CLAIMS and row["id"] in listed(key)), row


def test_published_tables_load_without_a_schema_too() -> None:
    for key in KEYS:
        for path in tables_of(key).FOLDER.glob("*.csv"):
            assert load_table(path).rows
