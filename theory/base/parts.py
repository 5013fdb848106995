"""Parts of one's own: rules, clients, servers, models, data sets and partitions, by entry point or by name.

By name a part is ``package.module:name``, looked for where Python looks and in the working directory; by entry point it
has a name of its own in group ``fedverdict.rules``, ``.clients``, ``.servers``, ``.models``, ``.datasets`` or
``.partitions``. Settings go behind either as behind names of ours: ``my.rules:Mine(temperature=0.5)``. Parts are
trusted code, as papers are: importing one runs it, and a fault of it is one line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, getdoc, isroutine, signature
from pathlib import Path
from typing import Any, Literal

__all__ = ["Kind", "Own", "built", "origin", "own_names", "own_part", "reference", "usable_parts"]

Kind = Literal["rule", "client", "server", "model", "dataset", "partition"]
_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


@dataclass(frozen=True)
class Own:
    """A part of somebody else's: what it is, as it is called, where it is ("package.module:name"), and the object."""

    kind: Kind
    name: str
    place: str
    value: Any

    @property
    def says(self) -> str:
        """The first line of its docstring, or nothing."""
        return (getdoc(self.value) or "").partition("\n")[0]

    @property
    def makes(self) -> bool:
        """Whether it makes the part from settings: a class, or a function or partial that gives a model or a data set.

        A function is a rule as it stands.
        """
        return isinstance(self.value, type) or (
            self.kind in {"model", "dataset"} and (isroutine(self.value) or isinstance(self.value, partial))
        )

    @property
    def settings(self) -> dict[str, object]:
        """What it can be set to, with defaults, `Parameter.empty` where there is none; nothing where it makes none."""
        if not self.makes:
            return {}
        kinds = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        return {n: p.default for n, p in signature(self.value).parameters.items() if p.kind not in kinds}


def reference(text: str) -> bool:
    """Whether a name says where a part is: "package.module:name"."""
    return _REFERENCE.fullmatch(text) is not None


def own_part(kind: Kind, name: str) -> Own | None:
    """The part called `name`, None where the name is neither a place nor that of an entry point.

    Raises `ValueError`, one line, where it is not there or its import fails.
    """
    if reference(name):
        return Own(kind, name, name, _loaded(kind, name, lambda: _found(name)))
    point = next((point for point in _points(kind) if point.name == name), None)
    return None if point is None else Own(kind, name, point.value, _loaded(kind, name, point.load))


def own_names(kind: Kind) -> list[str]:
    """The names that entry points give to parts of this kind, sorted; nothing is imported."""
    return sorted(point.name for point in _points(kind))


def usable_parts(kind: Kind) -> tuple[list[Own], list[str]]:
    """(parts that entry points bring and that can be made from their defaults, a line for each that cannot)."""
    usable, faults = [], []
    for name in own_names(kind):
        try:
            own = own_part(kind, name)
            if own is not None:
                if kind in {"rule", "client", "server"}:
                    built(own, {})
                usable.append(own)
        except ValueError as error:
            faults.append(str(error))
    return usable, faults


def built(own: Own, settings: dict[str, object]) -> Any:
    """What `own` makes of `settings`, or it as it is; `ValueError` for settings it has not, and for a fault of it."""
    called = f"{own.kind} {own.name!r}"
    unknown = sorted(set(settings) - set(own.settings))
    if unknown:
        raise ValueError(f"{called} has no setting {unknown}; its settings are {list(own.settings) or 'none'}")
    if not own.makes:
        return own.value
    lacking = [n for n, default in own.settings.items() if default is Parameter.empty and n not in settings]
    if lacking:
        raise ValueError(f"{called}: lacks {lacking}; give them as in {own.name}({lacking[0]}=…)")
    return _tried(called, lambda: own.value(**settings), "making it")


def origin(value: Any) -> str:
    """Where the code of a part is, and what it says: "package.module:name sha256:…", of the module's source.

    `value`: an `Own`, a class or function, or an object, which is named by its class. A run that is resumed with
    another digest is refused. What the module imports is not in it.
    """
    if isinstance(value, Own):
        place = value.place
    else:
        kind = value if isinstance(value, type) or isroutine(value) else type(value)
        place = f"{kind.__module__}:{kind.__qualname__}"
    file = getattr(sys.modules.get(place.partition(":")[0]), "__file__", None)
    content = Path(file).read_bytes().replace(b"\r\n", b"\n") if file and Path(file).is_file() else None
    return f"{place} sha256:{'unknown' if content is None else sha256(content).hexdigest()[:16]}"


def _points(kind: Kind) -> Sequence[EntryPoint]:
    return _listed(f"fedverdict.{kind}s", tuple((place, _changed(place)) for place in sys.path))


@lru_cache(maxsize=32)
def _listed(group: str, _places: tuple[tuple[str, int], ...]) -> Sequence[EntryPoint]:
    """The entry points of a group; read again where Python looks elsewhere or something was installed, by `_places`."""
    return tuple(entry_points(group=group))


def _changed(place: str) -> int:
    """When something was last put into a folder or taken out of it, in nanoseconds; 0 where there is none."""
    try:
        return Path(place or ".").stat().st_mtime_ns
    except OSError:
        return 0


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    before = list(sys.path)
    sys.path.append(str(Path.cwd()))  # a console script does not look there, as `python -m` does
    try:
        return getattr(import_module(module), name)
    finally:
        sys.path[:] = before


def _loaded(kind: Kind, name: str, load: Callable[[], Any]) -> Any:
    return _tried(f"{kind} {name!r}", load, "its import")


def _tried(called: str, work: Callable[[], Any], what: str) -> Any:
    """The result of `work`; what it raises as one line. An interrupt is no fault of a part."""
    try:
        return work()
    except (Exception, SystemExit) as error:
        line = " ".join(str(error).split())
        raise ValueError(f"{called}: {what} raised {type(error).__name__}: {line}") from error
