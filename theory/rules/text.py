"""Rules from names and settings, or from a line of text: ``mix(first=exp-alpha(alpha=1), second=uniform)``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from inspect import Parameter, signature

from theory.base.call_text import LARGEST_INTEGER, build_from, parse_call_text, real_name
from theory.base.names import known_name, unknown_name
from theory.base.parts import built, own_names, own_part
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule, MemoryRule, Rule
from theory.rules.registry import rules

__all__ = ["make_rule", "parse_value", "read_call", "rule_entry"]

_WORDS: dict[str, object] = {"true": True, "false": False, "none": None, "inf": float("inf"), "nan": float("nan")}


def make_rule(name: str, **settings: object) -> Rule | MemoryRule:
    """The rule called `name` in the registry, built with `settings`; `name` may also be the whole rule as text.

    A name counts as people type it: "ExpAlpha", "exp_alpha" and "exp-alpha" are one (`theory.base.names`).

    Text is ``name`` or ``name(setting=value, …)``, values being numbers, true, false, none, words, lists and, where a
    setting is a rule, rules again; it is parsed, never evaluated. A setting that is a rule may be given as such, or as
    text. Settings without a default have the example's value; those that are rules, only when nothing at all is said.
    Raises `ValueError` naming the nearest rules for an unknown name, the settings for an unknown setting, the rule's
    own error for a value out of range.

    >>> make_rule("exp-alpha", alpha=0.5)
    ExpAlpha(alpha=0.5, data_size=False)
    >>> make_rule("mix(first=fed-worse(k=0.1, of=all), second=proportional, share_of_first=0.25)").first
    FedWorse(k=0.1, of='all', inner='uniform')
    """
    called, given = read_call(name)
    twice = sorted(set(given) & set(settings))
    if twice:
        raise ValueError(f"rule {name!r}: {twice} are set in the text and again beside it")
    return _built(called, {**given, **settings})


def read_call(text: str, kind: str = "rule") -> tuple[str, dict[str, object]]:
    """Name and settings of ``name`` or ``name(setting=value, …)``; calls inside stay text, for whoever has such parts.

    Raises `ValueError`, in which `kind` says what was to be named, for text that cannot be read.
    """
    if "(" not in text:
        return text.strip(), {}
    try:
        node = _parsed(text)
        if isinstance(node, ast.Call):
            return _call(node, text)
    except ValueError as error:
        raise ValueError(kind + str(error).removeprefix("rule")) from None
    raise ValueError(f"{kind} {text!r}: expected name or name(setting=value, …)")


def parse_value(text: str) -> object:
    """The value of a setting: a number, true, false, none, a list of such, or else the text itself (a word or a rule).

    >>> parse_value("3"), parse_value("true"), parse_value("full-round"), parse_value("exp-alpha(alpha=1)")
    (3, True, 'full-round', 'exp-alpha(alpha=1)')
    """
    try:
        node = _parsed(text)
        return text if isinstance(node, ast.Call) else _value(node, text)
    except ValueError:
        return text


def rule_entry(name: str) -> RuleEntry | None:
    """The entry of the registry that a name, as people type it, is one of; None for somebody else's rule or no rule."""
    entries = {known: entry for entry in rules() for known in (entry.name, *entry.also)}
    if name not in entries and name in own_names("rule"):
        return None
    return entries.get(known_name(name, entries))


def _built(name: str, settings: Mapping[str, object]) -> AnyRule:
    entry = rule_entry(name)
    if entry is None:
        own = own_part("rule", name)
        if own is None:
            raise unknown_name("rule", name, [known for entry in rules() for known in (entry.name, *entry.also)])
        return _checked(built(own, dict(settings)), name)
    name = entry.name
    parameters = signature(entry.build).parameters
    unknown = sorted(set(settings) - set(parameters))
    if unknown:
        raise ValueError(f"rule {name!r} has no setting {unknown}; its settings are {list(parameters)}")
    for setting, value in settings.items():
        _check_size(value, name, setting)
    complete = {**_from_example(entry, settings), **settings}
    missing = [n for n, p in parameters.items() if p.default is Parameter.empty and n not in complete]
    if missing:
        raise ValueError(f"rule {name!r}: lacks {missing}; give them as in {_as_text(entry)}")
    ready = {n: _part(v, name, n) if n in entry.parts else v for n, v in complete.items()}
    rule: AnyRule = build_from(entry.build, ready, f"rule {name!r}")
    return rule


def _checked(rule: object, name: str) -> AnyRule:
    """An own rule, which must be one."""
    if isinstance(rule, type) or not (callable(rule) or hasattr(rule, "step")):
        raise ValueError(f"rule {name!r} is a {type(rule).__name__}; expected weights of stats, as theory.rules.Rule")
    return rule


def _from_example(entry: RuleEntry, settings: Mapping[str, object]) -> dict[str, object]:
    """What the example adds: other numbers always, rules only if nothing was said, none of two alternatives."""
    left_out = set(entry.parts) if settings else set()
    if set(entry.either) & set(settings):
        left_out |= set(entry.either)
    return {n: v for n, v in entry.example.items() if n not in left_out}


def _as_text(entry: RuleEntry) -> str:
    return f"{entry.name}({', '.join(f'{n}={v}' for n, v in entry.example.items())})"


def _check_size(value: object, name: str, setting: str) -> None:
    """`ValueError` for an integer that no number of 64 bits is, here or inside tuples."""
    for item in value if isinstance(value, tuple | list) else (value,):
        if isinstance(item, int) and abs(item) > LARGEST_INTEGER:
            raise ValueError(f"rule {name!r}: {setting} holds an integer beyond {LARGEST_INTEGER}")


def _part(value: object, name: str, setting: str) -> object:
    """A setting that is a rule: already one, or its text."""
    if not isinstance(value, str):
        return value
    try:
        return make_rule(value)
    except ValueError as error:
        raise ValueError(f"{name}({setting}=…): {error}") from None


def _parsed(text: str) -> ast.expr:
    return parse_call_text(text, "rule", "name or name(setting=value, …)")


def _call(node: ast.Call, text: str) -> tuple[str, dict[str, object]]:
    """Name and settings of one rule; inner rules stay text, so that whoever has them as a part reads them."""
    if not isinstance(node.func, ast.Name):
        raise ValueError(f"rule {text!r}: expected a rule's name before each parenthesis")
    name = real_name(node.func.id)
    if node.args or any(keyword.arg is None for keyword in node.keywords):
        raise ValueError(f"rule {text!r}: {name}(…) takes settings by name only, as in {name}(setting=value)")
    named = [real_name(str(keyword.arg)) for keyword in node.keywords]
    twice = sorted({setting for setting in named if named.count(setting) > 1})
    if twice:
        raise ValueError(f"rule {text!r}: {name}(…) sets {twice} more than once")
    return name, {real_name(str(keyword.arg)): _value(keyword.value, text) for keyword in node.keywords}


def _value(node: ast.expr, text: str) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | None):
        return real_name(node.value) if isinstance(node.value, str) else node.value
    if isinstance(node, ast.Name):
        word = real_name(node.id)
        return _WORDS.get(word.lower(), word)
    if isinstance(node, ast.Call):
        _call(node, text)
        return real_name(ast.unparse(node))
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_value(item, text) for item in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, text)
        if isinstance(inner, int | float) and not isinstance(inner, bool):
            return -inner
    raise ValueError(
        f"rule {text!r}: {real_name(ast.unparse(node))!r} is no value; expected a number, true, false,"
        " none, a word or a rule"
    )
