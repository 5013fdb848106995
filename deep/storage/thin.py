"""Records of rounds with many clients, written thin: what changed, what only few clients have, half a matrix.

A field of a record that is a long list is written as it is read back, to the bit:

    {"before": true}                                   equal to that of the round before
    {"n": 100000, "else": 0.0, "at": [7, …], "is": […]}  one value but for some places
    {"upper": "…", "m": 1000}                          a symmetric matrix: its upper half, float64, base64
    {"full": "…", "m": 1000}                           one that rounding has left not quite symmetric

Short lists, those of up to a hundred clients, stay as they are, for people to read.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep.base.slots import FEW, LONG, Slots

__all__ = ["all_thinned", "all_whole", "thinned", "whole"]

Plain = dict[str, Any]


def thinned(line: Plain, before: Mapping[str, Any] | None) -> Plain:
    """The record `line` as it is written after that of the round `before`, None for the first."""
    found = dict(line)
    for name, value in line.items():
        if type(value) is Slots or (type(value) is list and len(value) > LONG):
            found[name] = _thin(value, None if before is None else before.get(name))
    return found


def whole(line: Mapping[str, Any], before: Mapping[str, Any] | None) -> Plain:
    """The record that `thinned` wrote; `KeyError`, `TypeError` or `ValueError` for what it did not write."""
    found = {}
    for name, value in line.items():
        if not (isinstance(value, dict) and value.keys() & {"before", "else", "upper", "full"}):
            found[name] = value
        elif "before" in value:
            if before is None:
                raise ValueError(f"{name}: as in the round before, and there is none")
            found[name] = before[name]
        elif "upper" in value:
            found[name] = _matrix(value["upper"], value["m"])
        elif "full" in value:
            found[name] = _numbers(value["full"]).reshape(value["m"], value["m"]).tolist()
        else:
            found[name] = Slots(value["n"], value["else"], value["at"], value["is"])
            if len(value["at"]) != len(value["is"]) or not all(-1 < place < value["n"] for place in value["at"]):
                raise ValueError(f"{name}: {len(value['is'])} entries for the places {value['at']} of {value['n']}")
    return found


def all_thinned(lines: Iterable[Plain]) -> Iterator[Plain]:
    """Records in the order of their rounds, each after the one before."""
    before = None
    for line in lines:
        yield thinned(line, before)
        before = line


def all_whole(lines: Iterable[Mapping[str, Any]]) -> Iterator[Plain]:
    """What `all_thinned` wrote; raises as `whole`."""
    before = None
    for line in lines:
        before = whole(line, before)
        yield before


def _thin(value: Slots[Any] | list[Any], before: Any) -> Any:
    if isinstance(value, Slots):
        if _same(value, before):
            return {"before": True}
        return {"n": value.n, "else": value.other, "at": value.at, "is": value.values}
    before = before.tolist() if isinstance(before, Slots) else before
    if value is before or _equal(value, before):
        return {"before": True}
    if isinstance(value[0], list):
        matrix = np.asarray(value, dtype=np.float64)
        if not np.array_equal(matrix, matrix.T):
            return {"full": _text(matrix), "m": len(matrix)}
        return {"upper": _text(matrix[np.triu_indices(len(matrix))]), "m": len(matrix)}
    other = _commonest(value)
    at = _unlike(value, other)
    if len(at) > FEW * len(value):
        return value
    return {"n": len(value), "else": other, "at": at, "is": [value[place] for place in at]}


def _commonest(value: list[Any]) -> Any:
    """The entry that most of a sparse list are, by three of its places; any will do for others."""
    tried = (value[0], value[len(value) // 2], value[-1])
    texts = [repr(entry) for entry in tried]
    return tried[max(range(3), key=lambda place: texts.count(texts[place]))]


def _same(value: Slots[Any], before: Any) -> bool:
    """`_equal` of thin lists, whose length is theirs and not that of the list."""
    if not isinstance(before, Slots) or (value.n, value.at) != (before.n, before.at):
        return isinstance(before, list) and _equal(value.tolist(), before)
    mine, theirs = [value.other, *value.values], [before.other, *before.values]
    return list(map(repr, mine)) == list(map(repr, theirs))


def _equal(value: list[Any], before: Any) -> bool:
    """Whether both are written alike: 0.0 is not 0, nor −0.0, nor false. What all pass runs in C."""
    if not isinstance(before, list) or value != before or list(map(type, value)) != list(map(type, before)):
        return False
    return not (isinstance(value[0], list) or 0.0 in value) or list(map(repr, value)) == list(map(repr, before))


def _unlike(value: list[Any], other: Any) -> list[int]:
    """The places of entries that are not written as `other` is."""
    if other is None:
        return [place for place, entry in enumerate(value) if entry is not None]
    if other == 0:
        text = repr(other)
        return [place for place, entry in enumerate(map(repr, value)) if entry != text]
    return [p for p, entry in enumerate(value) if entry != other or type(entry) is not type(other)]


def _text(values: NDArray[np.float64]) -> str:
    return base64.b64encode(values.astype("<f8").tobytes()).decode()


def _numbers(text: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text), dtype="<f8").astype(np.float64)


def _matrix(upper: str, m: int) -> list[list[float]]:
    values = _numbers(upper)
    if len(values) != m * (m + 1) // 2:
        raise ValueError(f"{len(values)} numbers for the upper half of {m} rows")
    matrix = np.zeros((m, m))
    matrix[np.triu_indices(m)] = values
    found: list[list[float]] = (matrix + np.triu(matrix, 1).T).tolist()
    return found
