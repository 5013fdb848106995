"""FedSSA's published tables: what each CSV must look like, and its printed numbers by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation import Comparison
from validation.published.relations import Quantity, above, number
from validation.published.tables import Schema, Table, load_table

__all__ = [
    "FOLDER",
    "GRID",
    "MAIN",
    "OURS",
    "SCHEMAS",
    "Comparisons",
    "best_in_columns",
    "cell",
    "column_key",
    "columns",
    "in_text",
    "methods",
    "sweep",
    "table",
]

FOLDER = Path(__file__).parent / "published"
Comparisons = tuple[Comparison, ...]
OURS = "FedSSA"
MAIN = ("table1", "table5")
GRID = {"lambda_we": ("0", "1e-4", "1e-3", "1e-2"), "lambda_var": ("0", "1e-1", "1", "10")}

_LONG = "table dataset partition target method setting metric value:value unit direction bold:flag note"
SCHEMAS = {
    **{f"table{i}": Schema.of(_LONG, key="dataset partition target method setting metric") for i in range(1, 10)},
    "claims_in_prose": Schema.of("claim_id section quote kind args tables note", key="claim_id"),
    "internal_inconsistencies": Schema.of("id cells observation doubtful_level", key="id"),
    "stated": Schema.of("id name value:value unit source note", key="id name"),
}


@cache
def table(name: str) -> Table:
    """A published table, typed and checked."""
    return load_table(FOLDER / f"{name}.csv", SCHEMAS[name])


def cell(name: str, *, metric: str = "accuracy", **where: str) -> Quantity:
    """One printed number; `where` must single it out."""
    return number(table(name).printed(metric=metric, **where))


def columns(name: str, *by: str, **where: str) -> tuple[dict[str, str], ...]:
    """The columns of a table as printed: each combination of these entries that occurs."""
    rows = (r for r in table(name).rows if all(r[k] == v for k, v in where.items()))
    return tuple(dict(found) for found in dict.fromkeys(tuple((b, r[b]) for b in by) for r in rows))


def methods(name: str, *leaving_out: str) -> tuple[str, ...]:
    """The methods of a table but for some."""
    return tuple(m for m in table(name).values("method") if m not in leaving_out)


def sweep(name: str, lambda_we: str, lambda_var: str) -> Quantity:
    """The accuracy of Table 7 or 8 at these two weights of the loss."""
    (setting,) = (
        s
        for s in table(name).values("setting")
        if {f"lambda_we={lambda_we}", f"lambda_var={lambda_var}"} <= set(s.split(";"))
    )
    return cell(name, setting=setting)


def in_text(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))


def column_key(name: str) -> tuple[dict[str, str], ...]:
    """The printed columns of a table: data set, partition, target, and the number of clients in Table 6."""
    if name == "table6":
        return columns(name, "setting")
    return columns(name, "dataset", "partition", "target")


def best_in_columns(name: str, ours: str = OURS, others: tuple[str, ...] | None = None) -> Comparisons:
    """One method above the others in every column."""
    rest = others or methods(name, ours)
    return tuple(
        c
        for at in column_key(name)
        for c in above(cell(name, method=ours, **at), [cell(name, method=m, **at) for m in rest])
    )
