"""Things from a line of text, ``flipped(base=dirichlet(beta=0.3), corruption=0.5)``, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TypeVar

from deep.base.names import pick, read_call
from theory.base.call_text import build_from
from theory.rules.text import parse_value

__all__ = ["as_text", "built"]

T = TypeVar("T")


def built(
    registry: Mapping[str, Callable[..., T]], kind: str, text: str, inner: Callable[[str], object] | None = None
) -> T:
    """The entry of `registry` called by `text`: ``name`` or ``name(setting=value, …)``, parsed, never evaluated.

    `kind` names it in errors. Values are those of `theory.rules.text.parse_value`; a setting whose value is itself a
    call, or whose field is marked ``metadata={"inner": True}``, is given to `inner`.
    Raises `ValueError` for text that cannot be read, unknown names (with the nearest ones) and settings, a missing
    setting, and with the entry's own message for values out of range.
    """
    name, settings = read_call(kind, text)
    build = pick(registry, name, kind)
    known = _fields(build)
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise ValueError(f"{kind} {name!r} has no setting {unknown}; its settings are {list(known)}")
    missing = [n for n, f in known.items() if _required(f) and n not in settings]
    if missing:
        raise ValueError(f"{kind} {name!r}: lacks {missing}")
    values: dict[str, object] = {n: parse_value(value) for n, value in settings.items()}
    for n, value in values.items():
        if isinstance(value, str) and known[n].metadata.get("inner") and inner is not None:
            try:
                values[n] = inner(value)
            except ValueError as error:
                raise ValueError(f"{name}({n}=…): {error}") from None
    made: T = build_from(build, values, f"{kind} {name!r}")
    return made


def as_text(registry: Mapping[str, type[object]], thing: object) -> str:
    """The text that builds `thing`, every setting named: ``classes(m=2, equal=false)``.

    Raises `ValueError` for a thing, or a part of one, that is not in `registry`.
    """
    names = {build: name for name, build in registry.items()}
    if type(thing) not in names or not is_dataclass(thing):
        raise ValueError(f"as_text({thing!r}): not one of {', '.join(sorted(registry))}")
    settings = ", ".join(f"{f.name}={_shown(registry, getattr(thing, f.name))}" for f in fields(thing))
    return f"{names[type(thing)]}({settings})" if settings else names[type(thing)]


def _fields(build: object) -> dict[str, Field[object]]:
    """The settings of a dataclass by name; nothing else belongs in a registry."""
    if not isinstance(build, type) or not is_dataclass(build):
        raise TypeError(f"{build!r} is in a registry of named things and no dataclass")
    return {f.name: f for f in fields(build)}


def _required(field: Field[object]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _shown(registry: Mapping[str, type[object]], value: object) -> str:
    if is_dataclass(value):
        return as_text(registry, value)
    if isinstance(value, tuple):
        return f"[{', '.join(_shown(registry, item) for item in value)}]"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
