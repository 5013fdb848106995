"""Frozen dataclasses as JSON objects and back: fields are read by their types, and what is wrong is named by its place.

A field may be absent where it has a default. One with the metadata `SPARSE` is written only where it differs from that;
one with `PLAIN` holds any JSON as it is. Infinities are written as "inf" and "-inf", for which JSON has no numbers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

__all__ = ["PLAIN", "SPARSE", "Json", "read", "written"]

__judges__ = "no"

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
Record = TypeVar("Record")
_Reader: TypeAlias = Callable[[object, str], object]
PLAIN: Mapping[str, bool] = {"plain": True}
SPARSE: Mapping[str, bool] = {"sparse": True}
_SHOWN = 60  # characters of a value in an error


def read(kind: type[Record], row: object, place: str) -> Record:
    """A record of a JSON object. Raises `ValueError` with place, field, value and what was expected."""
    return cast("Record", _reader(cast("Hashable", kind))(row, place))


def written(record: Any) -> dict[str, Any]:
    """The JSON object of a record."""
    found = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if not field.metadata.get("sparse") or value != _default(field):
            found[_key(field)] = value if field.metadata.get("plain") else _json(value)
    return found


def _json(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return written(value)
    if isinstance(value, tuple):
        return [_json(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _json(part) for key, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, StrEnum) else value


def _default(field: dataclasses.Field[Any]) -> object:
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def _key(field: dataclasses.Field[Any]) -> str:
    return field.metadata.get("key") or field.name


@cache
def _reader(hint: Any) -> _Reader:
    """What reads a value of a type."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (inner,) = (part for part in parts if part is not NoneType)
        within = _reader(inner)
        return lambda value, place: None if value is None else within(value, place)
    if origin is tuple and parts[-1] is Ellipsis:
        return _list_of(_reader(parts[0]))
    if origin is tuple:
        return _row_of([_reader(part) for part in parts])
    if origin is Mapping:
        return _object_of(_reader(parts[1]))
    if dataclasses.is_dataclass(hint):
        return _record_of(cast("type[Any]", hint))
    return _number if hint is float else _of_type(hint)


def _of_type(kind: type[Any]) -> _Reader:
    def reader(value: object, place: str) -> object:
        if issubclass(kind, StrEnum):
            if isinstance(value, str) and value in kind.__members__.values():
                return kind(value)
        elif isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise _wrong(value, place, kind.__name__)

    return reader


def _number(value: object, place: str) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if value in ("inf", "-inf", "nan"):
        return float(str(value))
    raise _wrong(value, place, "a number or 'inf'")


def _list_of(part: _Reader) -> _Reader:
    def reader(value: object, place: str) -> object:
        if not isinstance(value, list | tuple):
            raise _wrong(value, place, "a list")
        return tuple([part(item, place) for item in value])

    return reader


def _row_of(parts: Sequence[_Reader]) -> _Reader:
    def reader(value: object, place: str) -> object:
        if not isinstance(value, list | tuple) or len(value) != len(parts):
            raise _wrong(value, place, f"a list of {len(parts)}")
        return tuple(part(item, place) for part, item in zip(parts, value, strict=True))

    return reader


def _object_of(part: _Reader) -> _Reader:
    def reader(value: object, place: str) -> object:
        if not isinstance(value, Mapping):
            raise _wrong(value, place, "an object")
        return {str(key): part(item, f"{place}.{key}") for key, item in value.items()}

    return reader


def _record_of(kind: type[Any]) -> _Reader:
    hints = get_type_hints(kind)
    fields = {_key(f): (f.name, f.metadata.get("plain"), hints[f.name]) for f in dataclasses.fields(kind)}
    needed = {_key(f) for f in dataclasses.fields(kind) if f.default is f.default_factory is dataclasses.MISSING}

    def reader(value: object, place: str) -> object:
        if not isinstance(value, Mapping):
            raise _wrong(value, place, "an object")
        lacking, unknown = sorted(needed - value.keys()), sorted(value.keys() - fields.keys())
        if lacking or unknown:
            what = f"lacks {', '.join(lacking)}" if lacking else f"has an unknown field {unknown[0]!r}"
            raise ValueError(f"{place}: {what}; it was damaged, or another version of fedverdict wrote it")
        given = {}
        for key, item in value.items():
            name, as_it_is, hint = fields[key]
            given[name] = item if as_it_is else _reader(hint)(item, f"{place}.{key}")
        return kind(**given)

    return reader


def _wrong(value: object, place: str, expected: str) -> ValueError:
    shown = repr(value)
    return ValueError(f"{place} is {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'}; expected {expected}")
