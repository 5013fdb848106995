"""What classes.json keeps of a decision: its words, and a digest of the statement that it was made for."""

from __future__ import annotations

from hashlib import sha256

from paper_checks.over_classes.instances import OverClass
from theory.classes import Statement
from theory.classes.numbers import text
from theory.classes.vectors import written

__all__ = ["digest", "row_of"]


def row_of(stated: OverClass, why: str) -> dict[str, str]:
    """The committed row of a statement whose word was confirmed."""
    statement = stated.pose()
    return {
        "claim": stated.claim,
        "says": stated.says,
        "at": stated.at,
        "posed": stated.posed,
        "classes": "; ".join(sorted({family.name for _, family, _ in statement.asked})) or "vectors alone",
        "word": stated.word,
        "why": why,
        "digest": digest(statement),
    }


def digest(statement: Statement) -> str:
    """SHA-256 of measures, bound and conditions, written out: another statement has another one."""
    forms = [(m, False) for m in statement.measures] + [(c.form, c.equality) for c in statement.conditions]
    lines = [f"{equality} {written(form, statement.vectors, statement.values)}" for form, equality in forms]
    return sha256("\n".join([text(statement.bound), *lines]).encode()).hexdigest()
