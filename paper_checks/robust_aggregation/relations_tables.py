"""Published tables of FedWorse and FedBetter: what each CSV must look like, and its printed numbers by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation.statement.printed import Quantity, number
from validation.statement.published import Schema, Table, load_table

__all__ = ["APPENDIX", "FOLDER", "HYBRID", "IID", "PURE", "SCHEMAS", "half_width", "printed", "stated", "table"]

# The tables by name: accuracy in the text of Sec. 4.7, its two tables of R60, and that of B.3.
IID, PURE, HYBRID, APPENDIX = "accuracy_mnist_iid", "r60_pure", "r60_hybrid", "r60_hybrid_appendix"

FOLDER = Path(__file__).parent / "published"

_RESULTS = Schema.of(
    "table dataset partition method metric value:value ci95:interval unit direction note",
    key="dataset method metric",
    interval="ci95",
)
SCHEMAS = {
    "accuracy_mnist_iid": _RESULTS,
    "r60_pure": _RESULTS,
    "r60_hybrid": _RESULTS,
    "r60_hybrid_appendix": _RESULTS,
    "protocol": Schema.of("item value:maybe unit section note", key="item"),
    "claims_in_prose": Schema.of(
        "id section dataset partition claim kind lhs_method relation rhs_method metric check quote", key="id"
    ),
    "stated": Schema.of("id name value:value unit source note", key="id name"),
}


@cache
def table(name: str) -> Table:
    """A published table, typed and checked."""
    return load_table(FOLDER / f"{name}.csv", SCHEMAS[name])


def printed(name: str, method: str) -> Quantity:
    """The printed mean of a method."""
    return number(table(name).printed(method=method))


def half_width(name: str, method: str) -> Quantity:
    """The printed half width of its 95% interval."""
    return number(table(name).printed("ci95", method=method))


def stated(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))
