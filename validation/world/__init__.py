"""Worlds that a statement is about: what is drawn, what is observed, fast and exactly, and claims over them.

What a module of claims is written with can be imported from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from validation.statement.forms.gram import VectorInequality
    from validation.statement.forms.orders import Order, OrderFamily
    from validation.statement.forms.vectors import inner, square, vectors
    from validation.statement.instances.at import at
    from validation.statement.instances.domain import Domain, Parameter
    from validation.statement.instances.draw import Coordinate
    from validation.statement.says import Le, all_of, eq, exists, identity, largest, le, lt
    from validation.statement.setting import setting
    from validation.world.claims import corollary, definition, lemma, proposition, relation, remark, step, theorem
    from validation.world.variants import FalseVariant, Variant, mutant, nowhere, reading, twice
    from validation.world.world import World, case, numbers

__all__ = [
    "Coordinate",
    "Domain",
    "FalseVariant",
    "Le",
    "Order",
    "OrderFamily",
    "Parameter",
    "Variant",
    "VectorInequality",
    "World",
    "all_of",
    "at",
    "case",
    "corollary",
    "definition",
    "eq",
    "exists",
    "identity",
    "inner",
    "largest",
    "le",
    "lemma",
    "lt",
    "mutant",
    "nowhere",
    "numbers",
    "proposition",
    "reading",
    "relation",
    "remark",
    "setting",
    "square",
    "step",
    "theorem",
    "twice",
    "vectors",
]

__getattr__ = lazily(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
