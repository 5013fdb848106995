"""Sides of a statement whose units differ, in words: such a statement is false in some units of loss and length."""

from __future__ import annotations

from collections.abc import Iterator

from validation.judge.repairs.followup import dimensions
from validation.statement.claim import Inequality, Test

__all__ = ["unlike"]


def unlike(test: Test) -> Iterator[str]:
    """One line where the sides of an inequality, or the terms of its right side, have other units; else none.

    Units are known where every letter of both sides has some.
    """
    found = dimensions(test) if isinstance(test, Inequality) else None
    if found is None or found["consistent"]:
        return
    right = " and ".join(_words(degrees) for degrees in found["right"])
    left = "" if found["left"] is None else f"left side {_words(found['left'])}, "
    yield f"units differ: {left}right side {right}; a change of the unit of length or loss may alone break it"


def _words(degrees: list[int]) -> str:
    """(1, -2) is loss/length²."""
    parts = {name: n for name, n in zip(("loss", "length"), degrees, strict=True) if n}
    above, below = ([_power(k, abs(n)) for k, n in parts.items() if n * sign > 0] for sign in (1, -1))
    return "/".join(["·".join(above) or "1", *below]) if parts else "no unit"


def _power(name: str, n: int) -> str:
    return name + ("" if n == 1 else {2: "²", 3: "³", 4: "⁴"}.get(n, f"^{n}"))
