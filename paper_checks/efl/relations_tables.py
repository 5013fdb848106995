"""EFL's published tables: what each CSV must look like, and its printed numbers by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation.published.relations import Quantity, number
from validation.published.tables import Schema, Table, load_table

__all__ = ["FOLDER", "SCHEMAS", "printed", "spread_of", "stated", "table"]

FOLDER = Path(__file__).parent / "published"

_LONG = "table dataset model method setting metric value:value std:interval unit direction note"
SCHEMAS = {
    "table1_rates": Schema.of("table method bounded_gradient convexity rounds_formula note", key="method"),
    **{f"table{i}": Schema.of(_LONG, key="dataset method setting metric", interval="std") for i in (2, 3, 4, 5, 6)},
    "claims_in_prose": Schema.of("id section claim check source note", key="id"),
    "stated": Schema.of("id name value:value unit source note", key="id name"),
}


@cache
def table(name: str) -> Table:
    """A published table, typed and checked."""
    return load_table(FOLDER / f"{name}.csv", SCHEMAS[name])


def printed(name: str, **where: str) -> Quantity:
    """The printed number of one row."""
    return number(table(name).printed(**where))


def spread_of(name: str, **where: str) -> Quantity:
    """The printed standard deviation of one row."""
    return number(table(name).printed("std", **where))


def stated(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))
