"""Robust aggregation's published tables: what each CSV must look like, its printed numbers, and their order."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from validation import Comparison, Relation, Table
from validation.published.relations import Quantity, below, chain, number, significant
from validation.published.runs import played
from validation.published.tables import Schema, load_table

__all__ = [
    "APPENDIX",
    "FOLDER",
    "HYBRID",
    "IID",
    "PURE",
    "SCHEMAS",
    "Comparisons",
    "apart",
    "first",
    "half_width",
    "in_text",
    "order",
    "ours",
    "printed",
    "table",
]

Comparisons = tuple[Comparison, ...]
IID, PURE, HYBRID, APPENDIX = "accuracy_mnist_iid", "r60_pure", "r60_hybrid", "r60_hybrid_appendix"
FOLDER = Path(__file__).parent / "published"
ours = partial(played, FOLDER.parent)
_RESULTS = Schema.of(
    "table dataset partition method metric value:value ci95:interval unit direction note",
    key="dataset method metric",
    interval="ci95",
)
SCHEMAS = {
    **dict.fromkeys((IID, PURE, HYBRID, APPENDIX), _RESULTS),
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


def in_text(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))


def order(name: str, *methods: str) -> Relation:
    """Printed means in ascending order."""
    return Relation(lambda: chain(*(printed(name, m) for m in methods)))


def first(name: str, best: str, *others: str) -> Relation:
    """One method has the smallest mean."""
    return Relation(lambda: tuple(below(printed(name, best), printed(name, m)) for m in others))


def apart(name: str, best: str, *others: str) -> Relation:
    """The 95% interval of each difference excludes 0, for independent runs."""

    def compared(m: str) -> Comparison:
        square = half_width(name, best) * half_width(name, best) + half_width(name, m) * half_width(name, m)
        unit = "half width of the difference"
        return significant(printed(name, best), printed(name, m), square, z="1", unit=unit)

    return Relation(lambda: tuple(compared(m) for m in others))
