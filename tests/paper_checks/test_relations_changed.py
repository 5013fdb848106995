"""A changed or damaged cell of a published table changes the verdict, or says where it is."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.paper_checks.relations import CLAIMS, EXPECTED, PAPER_OF, tables_of
from validation import check


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
    (claim,) = (c for c in importlib.import_module("paper_checks.exp_alpha").PAPER.claims if c.id == "EA-F2")
    assert check(claim)["verdict"] == "holds"
    changed("exp_alpha", "stated", "value", "299", id="EA-F2", unit="rounds")  # 0.09 / (3 · 300) is 0.01² exactly
    assert check(claim)["verdict"] == "refuted"


def test_a_damaged_table_says_where(changed: Callable[..., None]) -> None:
    changed("efl", "table6", "value", "8l.23", dataset="CIFAR100", method="EFL", setting="non-IID(5)")
    with pytest.raises(ValueError, match=r"table6.csv, line 27: column 'value' is '8l.23'; expected a decimal number"):
        check(CLAIMS["EFL-P5"])
