"""Reading JSON fields at the border: each reader names the place, the value got and what was expected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["as_number", "flag", "mapping", "number", "objects", "sequence", "strings", "text", "whole"]

_NAMED = {"inf": math.inf, "+inf": math.inf, "Infinity": math.inf, "-inf": -math.inf, "-Infinity": -math.inf}


def _wrong(place: str, key: str, value: object, expected: str) -> ValueError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return ValueError(f"{place}: '{key}' is {shown}; expected {expected}")


def text(row: Mapping[str, object], key: str, place: str, *, required: bool = False) -> str:
    """The string under `key`; null or missing reads as '' unless `required`, which also refuses blanks."""
    value = row.get(key)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise _wrong(place, key, value, "a non-empty string" if required else "a string or null")
    return value


def number(row: Mapping[str, object], key: str, place: str) -> float | None:
    """The number under `key`, null as None; the strings 'inf', '-inf' and 'nan' are numbers too."""
    return as_number(row.get(key), key, place)


def as_number(value: object, key: str, place: str) -> float | None:
    """One JSON value as a number: null stays None, 'inf', '-inf' and 'nan' are spelled out."""
    if value is None:
        return None
    if isinstance(value, str):
        if value in _NAMED:
            return _NAMED[value]
        if value.lower() == "nan":
            return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(place, key, value, "a number, 'inf' or null")
    return float(value)


def whole(row: Mapping[str, object], key: str, place: str) -> int | None:
    """A count under `key`: an integer (an integral float is one too) or null."""
    value = number(row, key, place)
    if value is None:
        return None
    if not math.isfinite(value) or value != int(value):
        raise _wrong(place, key, value, "a whole number or null")
    return int(value)


def flag(row: Mapping[str, object], key: str, place: str) -> bool | None:
    """True, False or null under `key`."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise _wrong(place, key, value, "true, false or null")


def sequence(row: Mapping[str, object], key: str, place: str) -> Sequence[object]:
    """The list under `key`; null or missing reads as empty."""
    value = row.get(key)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong(place, key, value, "a list or null")
    return value


def strings(row: Mapping[str, object], key: str, place: str) -> tuple[str, ...]:
    """The list of strings under `key`."""
    values = sequence(row, key, place)
    for value in values:
        if not isinstance(value, str):
            raise _wrong(place, key, value, "a list of strings")
    return tuple(str(value) for value in values)


def mapping(row: Mapping[str, object], key: str, place: str) -> Mapping[str, object]:
    """The object under `key`; null or missing reads as empty."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(place, key, value, "an object or null")
    return value


def objects(row: Mapping[str, object], key: str, place: str) -> tuple[Mapping[str, object], ...]:
    """The list of objects under `key`."""
    values = sequence(row, key, place)
    rows: list[Mapping[str, object]] = []
    for value in values:
        if not isinstance(value, Mapping):
            raise _wrong(place, key, value, "a list of objects")
        rows.append(value)
    return tuple(rows)
