"""Every relation claimed in prose: its verdict, its planted errors, its scripts, and the tables it rests on."""

from __future__ import annotations

import contextlib
import csv
import importlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from validation import check
from validation.judge.compared import comparison_script
from validation.judge.run import run_test
from validation.statement.claim import Claim, Kind, Reading, Relation
from validation.statement.played import DECIDED
from validation.statement.published import decide, load_table
from validation.statement.verdict import Verdict

KEYS = ("efl", "exp_alpha", "fedaware", "fedssa", "robust_aggregation")
# Relations that stand in modules of their own beside these.
ELSEWHERE = {"EA-P6", "EFL-P6", "FA-P23", "SSA-P11", "RA-X4c"}
# Checks of whole tables that are no sentence of a paper.
TABLE_CHECKS = {"EA-TC1", "RA-TC1", "SSA-TC1", "SSA-TC2"}
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
EXPECTED = {
    "EA-P1": "underspecified",
    "EA-P2": "underspecified",
    "EA-P3": "holds",
    "EA-P4": "holds",
    "EA-P5": "underspecified",
    "EA-P7": "underspecified",
    "EA-P8": "misprint",
    "EA-P9": "underspecified",
    "EA-P10": "underspecified",
    "EA-P11": "holds",
    "EA-P12": "underspecified",
    "EA-P13": "holds",
    "EA-P14": "holds",
    "EA-P15": "holds",
    "EA-P16": "holds",
    "EA-P17": "holds",
    "EA-P18": "holds",
    "EA-P19": "holds",
    "EA-P20": "holds",
    "EA-P21": "holds",
    "EA-P22": "holds",
    "EA-P23": "holds",
    "EA-P24": "refuted",
    "EA-P25": "refuted",
    "EA-P26": "holds",
    "EA-P27": "holds",
    "EA-TC1": "holds",
    "EFL-P1": "underspecified",
    "EFL-P2": "holds",
    "EFL-P3": "underspecified",
    "EFL-P4": "underspecified",
    "EFL-P5": "holds",
    "EFL-P7": "needs-run",
    "EFL-P8": "holds",
    "EFL-P9": "underspecified",
    "EFL-P10": "holds",
    "EFL-P11": "holds",
    "EFL-P12": "needs-run",
    "EFL-P13": "holds",
    "EFL-P14": "underspecified",
    "EFL-P15": "holds",
    "EFL-P16": "needs-run",
    "EFL-P17": "holds",
    "EFL-P18": "underspecified",
    "EFL-P19": "underspecified",
    "EFL-P20": "holds",
    "EFL-P21": "holds",
    "EFL-P23": "refuted",
    "EFL-P24": "underspecified",
    "FA-P1": "holds",
    "FA-P2": "holds",
    "FA-P3": "holds",
    "FA-P4": "holds",
    "FA-P5": "underspecified",
    "FA-P6": "underspecified",
    "FA-P7": "underspecified",
    "FA-P8": "holds",
    "FA-P9": "holds",
    "FA-P10": "needs-run",
    "FA-P11": "needs-run",
    "FA-P12": "needs-run",
    "FA-P13": "needs-run",
    "FA-P14": "needs-run",
    "FA-P15": "holds",
    "FA-P16": "needs-run",
    "FA-P17": "needs-run",
    "FA-P18": "needs-run",
    "FA-P19": "holds",
    "FA-P20": "underspecified",
    "FA-P21": "refuted",
    "FA-P22": "underspecified",
    "FA-P24": "holds",
    "FA-P25": "holds",
    "FA-P26": "holds",
    "FA-P27": "needs-run",
    "RA-TC1": "holds",
    "RA-X1a": "holds",
    "RA-X1b": "holds",
    "RA-X1c": "holds",
    "RA-X1d": "needs-run",
    "RA-X2a": "underspecified",
    "RA-X2b": "holds",
    "RA-X2c": "holds",
    "RA-X3": "needs-run",
    "RA-X4a": "holds",
    "RA-X4b": "holds",
    "RA-X4d": "holds",
    "RA-X4e": "needs-run",
    "RA-X5": "needs-run",
    "RA-X7a": "holds",
    "RA-X7b": "needs-run",
    "RA-X8a": "needs-run",
    "RA-X8b": "needs-run",
    "RA-X9": "underspecified",
    "RA-X10": "holds",
    "SSA-P01": "holds",
    "SSA-P02": "holds",
    "SSA-P03": "holds",
    "SSA-P04": "refuted",
    "SSA-P05": "underspecified",
    "SSA-P06": "holds",
    "SSA-P07": "holds",
    "SSA-P08": "holds",
    "SSA-P09": "holds",
    "SSA-P10": "holds",
    "SSA-P12": "underspecified",
    "SSA-P13": "holds",
    "SSA-P14": "holds",
    "SSA-P15": "holds",
    "SSA-P16": "holds",
    "SSA-P17": "holds",
    "SSA-P18": "underspecified",
    "SSA-P19": "holds",
    "SSA-P20": "underspecified",
    "SSA-P21": "holds",
    "SSA-P22": "holds",
    "SSA-P23": "misprint",
    "SSA-P24": "needs-run",
    "SSA-P25": "holds",
    "SSA-P26": "holds",
    "SSA-P27": "underspecified",
    "SSA-P28": "needs-run",
    "SSA-P29": "underspecified",
    "SSA-P30": "underspecified",
    "SSA-P31": "underspecified",
    "SSA-P32": "holds",
    "SSA-P33": "needs-run",
    "SSA-P34": "holds",
    "SSA-P35": "needs-run",
    "SSA-P36": "needs-run",
    "SSA-P37": "needs-run",
    "SSA-P38": "needs-run",
    "SSA-TC1": "holds",
    "SSA-TC2": "underspecified",
}
_TABLES = {"exp_alpha": "relations_cifar", "robust_aggregation": "relations"}


def tables_of(key: str) -> ModuleType:
    return importlib.import_module(f"paper_checks.{key}.{_TABLES.get(key, 'relations_tables')}")


def relations_of(key: str) -> tuple[Claim, ...]:
    """The sentences of a paper about numbers, and the checks of whole tables; not those about its listings."""
    every = (c for c in importlib.import_module(f"paper_checks.{key}").PAPER.claims if c.kind is Kind.RELATION)
    return tuple(c for c in every if re.search(r"-(P|X|TC)\d", c.id) and c.id not in ELSEWHERE)


CLAIMS = {claim.id: claim for key in KEYS for claim in relations_of(key)}
PAPER_OF = {claim.id: key for key in KEYS for claim in relations_of(key)}
each_relation = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


def listed(key: str) -> list[str]:
    """The ids of claims_in_prose.csv."""
    rows = tables_of(key).table("claims_in_prose").rows
    return [row.get("id") or row["claim_id"] for row in rows]


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
def test_every_canary_is_refuted(claim: Claim) -> None:
    assert claim.canaries
    for canary in claim.canaries:
        assert canary.false_since
        outcome = run_test(canary.test, claim_id=claim.id, name=canary.name, budget=100, seed=0)
        assert outcome.verdict is Verdict.REFUTED, f"{canary.name} survives: {outcome.why}"


@each_relation
def test_what_people_read_is_there(claim: Claim) -> None:
    assert claim.kind is Kind.RELATION
    assert claim.statement.startswith(r"\text{«")
    assert re.fullmatch(r"\S.*\.", claim.says)
    assert len(claim.verdict_words) > 10
    assert claim.source
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


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Change one entry of one published table for the length of a test."""
    touched: list[ModuleType] = []

    def change(key: str, name: str, column: str, value: str, **where: str) -> None:
        module = tables_of(key)
        folder = tmp_path / key
        folder.mkdir()
        for path in module.FOLDER.glob("*.csv"):
            (folder / path.name).write_bytes(path.read_bytes())
        with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        (row,) = (r for r in rows if all(r[k] == v for k, v in where.items()))
        row[column] = value
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as handle:
            writer = csv.DictWriter(handle, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        monkeypatch.setattr(module, "FOLDER", folder)
        module.table.cache_clear()
        touched.append(module)

    yield change
    for module in touched:
        module.table.cache_clear()


# Claim, its verdict afterwards, the table, the column, the new entry, and the row.
FLIPS = [
    ("EFL-P2", "refuted", "table2", "value", "1.00", "dataset=CIFAR100; method=EFL; metric=test_accuracy"),
    ("EFL-P5", "refuted", "table6", "value", "90.00", "dataset=EMNIST; method=APFL; setting=non-IID(5)"),
    ("EFL-P7", "refuted", "table6", "value", "81.39", "dataset=CIFAR100; method=EFL; setting=non-IID(5)"),
    ("EFL-P20", "refuted", "table3", "value", "81.39", "dataset=CIFAR100; method=EFL"),
    (
        "EA-P3",
        "refuted",
        "table01_imbalanced_cifar",
        "value",
        "38.10",
        "backbone=FedAvg; strategy=exp_alpha; E=20; metric=acc40",
    ),
    (
        "EA-P13",
        "refuted",
        "table03_domain_shift",
        "value",
        "77.41",
        "dataset=OfficeCaltech10; backbone=FedAvg; strategy=proportional; domain=DSLR",
    ),
    (
        "EA-P20",
        "refuted",
        "table10_imbalanced_cifar_std",
        "value",
        "66.87",
        "backbone=FedAvg; strategy=exp_alpha; E=20; metric=test_acc",
    ),
    (
        "EA-P23",
        "refuted",
        "table03_domain_shift",
        "value",
        "81.91",
        "dataset=Digits; backbone=FedAvg; strategy=proportional; domain=Avg",
    ),
    ("FA-P1", "refuted", "table2", "value", "2.58", "dataset=CIFAR-10; method=FedAvg; variant=xAWARE; metric=eludd"),
    ("FA-P25", "underspecified", "table2", "value", "99.00", "dataset=CIFAR-100; method=FedDyn; metric=accuracy"),
    ("FA-P26", "refuted", "table2", "value", "0.00", "dataset=AGNews; method=FedCM; variant=xAWARE; metric=accuracy"),
    ("SSA-P01", "refuted", "table5", "value", "66.52", "dataset=CINIC-10; target=Imb-B; method=AFL"),
    ("SSA-P15", "refuted", "table4", "value", "56.11", "target=Skew; method=FedAvg"),
    ("SSA-P20", "holds", "table9", "value", "74.83", "partition=NIID-2; target=Imb-A; method=Confidence"),
    ("SSA-TC1", "refuted", "table9", "value", "90.01", "partition=NIID-1; target=Skew; method=Similarity"),
    ("RA-X4a", "refuted", "r60_hybrid", "value", "4.48", "method=FedAvg"),
    ("EFL-P19", "holds", "table5", "value", "2720", "dataset=Shakespeare; metric=mean_samples_per_device"),
]


@pytest.mark.parametrize(("name", "verdict", "table", "column", "value", "where"), FLIPS, ids=[f[0] for f in FLIPS])
def test_a_changed_cell_changes_the_verdict(
    changed: Callable[..., None], name: str, verdict: str, table: str, column: str, value: str, where: str
) -> None:
    changed(PAPER_OF[name], table, column, value, **dict(pair.split("=") for pair in where.split("; ")))
    assert check(CLAIMS[name])["verdict"] == verdict != EXPECTED[name]


def test_weights_of_clients_that_are_alike_are_equal_on_average_without_a_run(changed: Callable[..., None]) -> None:
    (claim,) = (c for c in importlib.import_module("paper_checks.exp_alpha.relations").CLAIMS if c.id == "EA-F2")
    assert check(claim)["verdict"] == "holds"
    changed("exp_alpha", "stated", "value", "299", id="EA-F2", unit="rounds")  # 0.09 / (3 · 300) is 0.01² exactly
    assert check(claim)["verdict"] == "refuted"


def test_a_damaged_table_says_where(changed: Callable[..., None]) -> None:
    changed("efl", "table6", "value", "8l.23", dataset="CIFAR100", method="EFL", setting="non-IID(5)")
    with pytest.raises(ValueError, match=r"table6.csv, line 27: column 'value' is '8l.23'; expected a decimal number"):
        check(CLAIMS["EFL-P5"])


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
