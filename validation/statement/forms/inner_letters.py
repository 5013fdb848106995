"""Letters of a bound that a form takes into its sides: what breaks their declaration is seen from outside as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.exact.germ import Germ
from validation.statement.letters import Letter

__all__ = ["observed", "observed_exactly"]

Float = NDArray[np.float64]


def observed(
    letters: Sequence[Letter], seen: Sequence[Mapping[str, Any]], counts: Sequence[NDArray[np.bool_]]
) -> dict[str, Float]:
    """By name the value of each letter on n draws: of the several that one draw has, one that breaks its declaration.

    `seen`: what a measure says at each of a draw's places; `counts`: (n,) whether a place is one of the draw's.
    """
    out: dict[str, Float] = {}
    for letter in letters:
        for found, mine in zip(seen, counts, strict=True):
            if letter.name not in found:
                continue
            value = np.broadcast_to(np.asarray(found[letter.name], dtype=float), mine.shape)
            known = out.setdefault(letter.name, value)
            out[letter.name] = np.where(letter.broken(value) & mine, value, known)
    return out


def observed_exactly(letters: Sequence[Letter], seen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of one instance in exact numbers; of an infinitesimal number its sign."""
    out: dict[str, Any] = {}
    for letter in letters:
        for found in seen:
            if letter.name not in found:
                continue
            value = found[letter.name]
            value = Fraction(value.sign) if isinstance(value, Germ) else value
            if letter.name not in out or letter.broken_exactly(value):
                out[letter.name] = value
    return out
