"""A run as a TOML file and back: `[run]` holds fields of `RunConfig`, `[rule]` a rule by name with its settings.

    out = "runs/a"

    [run]
    dataset = "digits"
    n_rounds = 100

    [rule]                      # or above [run], as one line: rule = "exp-alpha(alpha=0.2)"
    name = "exp-alpha"
    alpha = 0.2

`out`, `device` and `data_root` say where a run takes place; they are no part of its configuration.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

from deep.base.names import pick
from deep.config.config import RunConfig
from deep.config.seeded_rule import rule_of_run
from theory.base.call_text import LARGEST_INTEGER
from theory.base.toml import parsed
from theory.rules import RULES, AnyRule, make_rule

__all__ = ["Layer", "Settings", "read_layer", "resolve", "rule_text", "run_fields", "to_toml", "toml_value"]

_LARGEST = 2**16  # bytes of a file; a run has 10³
_WORK = ("n_local_steps", "n_local_epochs")
_EXPECTED = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}


@dataclass(frozen=True)
class Layer:
    """What one source, a file or the flags, says about a run; what it leaves open is missing or None.

    `run`: fields of `RunConfig`. `rule`: a name or a whole rule, as `make_rule` reads it; `rule_settings` go with it,
    or, without one, change the rule of the layer below.
    """

    run: Mapping[str, object] = field(default_factory=dict)
    rule: str | None = None
    rule_settings: Mapping[str, object] = field(default_factory=dict)
    out: Path | None = None
    device: str | None = None
    data_root: Path | None = None


@dataclass(frozen=True)
class Settings:
    """A run with nothing left open: what is computed (`config`, `rule`), and where.

    `words`: the rule as it was said, its text and the settings beside it; None where it came as an object.
    """

    config: RunConfig
    rule: AnyRule
    out: Path | None = None
    device: str = "cpu"
    data_root: Path | None = None
    words: tuple[str, Mapping[str, object]] | None = field(default=None, compare=False, repr=False)

    def at_seed(self, seed: int) -> Settings:
        """The same words in the run with another seed, which the rule's draws follow (`rule_of_run`)."""
        config = replace(self.config, seed=seed)
        return replace(self, config=config, rule=self.rule if self.words is None else rule_of_run(*self.words, seed))


def run_fields() -> dict[str, type]:
    """The fields of `RunConfig`, in order, and the type of each, one of int, float, str and bool."""
    hints = get_type_hints(RunConfig)
    kinds = {f.name: hints[f.name] for f in fields(RunConfig)}
    strange = [name for name, kind in kinds.items() if kind not in _EXPECTED]
    if strange:
        raise TypeError(f"RunConfig: {strange} can be written neither as TOML nor as an option")
    return kinds


def read_layer(path: Path | str) -> Layer:
    """The TOML file at `path`; its paths are relative to the working directory, as those of options are.

    Raises `ValueError` naming file and key: no TOML, an unknown key (with the nearest ones), a value of a wrong type.
    An integer is never taken from a float or a string; a number may be written as an integer.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ValueError(f"more than {_LARGEST:,} bytes")
        document = parsed(content.decode("utf-8"))
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise ValueError(f"{path}: cannot be read as TOML: {error}") from error
    known = {"run": dict, "rule": None, "out": str, "device": str, "data_root": str}
    for key, value in document.items():
        kind = _known(path, known, key, "key")
        if kind is not None:
            _typed(f"{path}: {key}", value, kind)
    rule, rule_settings = _rule(path, document.get("rule"))
    kinds = run_fields()
    run = {
        name: _typed(f"{path}: [run] {name}", value, _known(path, kinds, name, "key in [run]"))
        for name, value in document.get("run", {}).items()
    }
    out, data_root = (None if document.get(name) is None else Path(document[name]) for name in ("out", "data_root"))
    return Layer(run, rule, rule_settings, out, document.get("device"), data_root)


def resolve(*layers: Layer) -> Settings:
    """Later layers override earlier ones, and all of them the defaults.

    A layer that gives one of `n_local_steps` and `n_local_epochs` alone, and not as 0, sets the other to 0. What a rule
    draws follows the run's seed, unless the words name a seed for it (`rule_of_run`).
    Raises `ValueError` when no layer names a rule, and as `RunConfig` and `make_rule` do.
    """
    run: dict[str, object] = {}
    rule: str | None = None
    rule_settings: dict[str, object] = {}
    where: dict[str, Any] = {}
    for layer in layers:
        given = [name for name in _WORK if name in layer.run]
        if len(given) == 1 and layer.run[given[0]] != 0:
            run.update(dict.fromkeys(_WORK, 0))
        run.update(layer.run)
        if layer.rule is not None:
            rule, rule_settings = layer.rule, {}
        rule_settings.update(layer.rule_settings)
        places = {"out": layer.out, "device": layer.device, "data_root": layer.data_root}
        where.update({name: place for name, place in places.items() if place is not None})
    if rule is None:
        raise ValueError('no rule: name one, such as --rule proportional, or [rule] name = "proportional" in the file')
    config = RunConfig(**run)  # type: ignore[arg-type]
    return Settings(config, rule_of_run(rule, rule_settings, config.seed), words=(rule, rule_settings), **where)


def to_toml(config: RunConfig, rule: AnyRule | None = None) -> str:
    """The whole configuration as TOML, every field and setting named; read again it gives equal objects.

    Without a rule only what `RunConfig` holds.

    Raises `ValueError` for a rule that no text describes: one outside the registry, or set to something else than
    numbers, strings, booleans, lists and rules.
    """
    lines = ["[run]", *(f"{field_name} = {toml_value(getattr(config, field_name))}" for field_name in run_fields())]
    if rule is None:
        return "\n".join(lines) + "\n"
    name, settings = _described(rule)
    lines += ["", "[rule]", f"name = {toml_value(name)}"]
    for setting, value in settings.items():
        if value is not None:  # TOML knows no null; None is a default wherever it is allowed
            lines.append(f"{setting} = {toml_value(rule_text(value) if _is_rule(value) else value)}")
    text = "\n".join(lines) + "\n"
    again = parsed(text)["rule"]
    if make_rule(again.pop("name"), **{key: _setting(value) for key, value in again.items()}) != rule:
        raise ValueError(f"rule {rule!r}: cannot be written as TOML")
    return text


def rule_text(rule: AnyRule) -> str:
    """The text that `make_rule` turns back into `rule`, every setting named; `ValueError` where there is none.

    >>> rule_text(make_rule("mix(first=exp-alpha(alpha=1), second=uniform)"))
    'mix(first=exp-alpha(alpha=1, data_size=false), second=uniform, share_of_first=0.5)'
    """
    name, settings = _described(rule)
    shown = ", ".join(f"{setting}={_as_text(value)}" for setting, value in settings.items())
    return f"{name}({shown})" if shown else name


def toml_value(value: object) -> str:
    """`value` as TOML writes it: a boolean, number or string, or a list of such; `ValueError` for anything else.

    >>> toml_value((1, 2.5, True, "word"))
    '[1, 2.5, true, "word"]'
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        # JSON escapes as TOML does, except that it leaves DEL as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    raise ValueError(f"{value!r}: cannot be written as TOML; expected a boolean, number, string, or list of such")


def _known(path: Path, registry: Mapping[str, Any], key: str, kind: str) -> Any:
    try:
        return pick(registry, key, kind)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _typed(where: str, value: object, kind: type) -> object:
    """`value`, which must be of this type exactly; an integer does for a float."""
    if kind is float and type(value) is int and abs(value) <= LARGEST_INTEGER:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{where} = {repr(value)[:200]}: expected {_EXPECTED.get(kind, 'a table')}")
    return value


def _rule(path: Path, value: object) -> tuple[str | None, dict[str, object]]:
    """Name and settings of the file's rule, which is text or a table."""
    if value is None or isinstance(value, str):
        return value, {}
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError(f'{path}: rule = {value!r}: expected a rule as text, or a table with name = "…"')
    for setting, given in value.items():
        if not isinstance(given, str | bool | int | float | list):
            raise ValueError(
                f"{path}: [rule] {setting} = {given!r}: expected a boolean, number, string or list; a rule inside a"
                " rule is written as text"
            )
    return value["name"], {setting: _setting(given) for setting, given in value.items() if setting != "name"}


def _setting(value: object) -> object:
    return tuple(map(_setting, value)) if isinstance(value, list) else value


def _described(rule: AnyRule) -> tuple[str, dict[str, Any]]:
    """The rule's name in the registry, and its settings."""
    names = {entry.build: entry.name for entry in RULES if isinstance(entry.build, type)}
    called = names.get(type(rule)) or _place(rule)
    if called is None:
        raise ValueError(
            f"rule {rule!r}: is neither in the registry nor a dataclass of a module, so no text describes it"
        )
    return called, {name: getattr(rule, name) for name in signature(type(rule)).parameters}


def _place(rule: object) -> str | None:
    """Where the class of somebody else's rule is, "package.module:name"; None for a class that is not found there."""
    kind = type(rule)
    found = getattr(sys.modules.get(kind.__module__), kind.__qualname__, None)
    usable = found is kind and is_dataclass(kind) and (callable(rule) or hasattr(rule, "step"))
    return f"{kind.__module__}:{kind.__qualname__}" if usable and kind.__module__ != "__main__" else None


def _is_rule(value: object) -> bool:
    return type(value) in {entry.build for entry in RULES} or _place(value) is not None


def _as_text(value: Any) -> str:
    if _is_rule(value):
        return rule_text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_text, value))}]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | str):
        return repr(value)
    raise ValueError(f"{value!r}: no text describes it; expected a boolean, number, string, rule, or list of such")
