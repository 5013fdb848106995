"""FedAWARE's published tables: what each CSV must look like, and its printed numbers by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation import Comparison
from validation.published.relations import Quantity, number
from validation.published.tables import Schema, Table, load_table

__all__ = ["DATASETS", "EXTENDED", "FOLDER", "SCHEMAS", "VARIANTS", "Comparisons", "cell", "gain", "table"]

FOLDER = Path(__file__).parent / "published"
SCHEMAS = {
    "table2": Schema.of(
        "table dataset method variant metric value:value delta_printed:maybe unit direction note",
        key="dataset method variant metric",
    ),
    # Values are numbers, grids and names: text, as printed.
    "hyperparameters": Schema.of(
        "section dataset method parameter value kind unit note", key="section dataset method parameter value"
    ),
    "claims_in_prose": Schema.of("id section claim kind tables check tolerance note", key="id"),
}
DATASETS = ("CIFAR-10", "CIFAR-100", "AGNews")
EXTENDED = ("FedAvg", "FedAvgM", "FedCM", "FedProx", "FedYogi", "FedAMS")
VARIANTS = ("raw", "xAWARE")
Comparisons = tuple[Comparison, ...]


@cache
def table(name: str) -> Table:
    """A published table, typed and checked."""
    return load_table(FOLDER / f"{name}.csv", SCHEMAS[name])


def cell(dataset: str, method: str, variant: str = "raw", metric: str = "accuracy") -> Quantity:
    """One printed number of Table 2."""
    return number(table("table2").printed(dataset=dataset, method=method, variant=variant, metric=metric))


def gain(dataset: str, method: str, metric: str = "accuracy") -> Quantity:
    """What the extension adds."""
    after, before = (cell(dataset, method, v, metric) for v in ("xAWARE", "raw"))
    return (after - before).named(f"{dataset}, {method}: gain in {metric}")
