"""Texts that are read: every registered name with plausible values of its settings, parts in parts; and small changes.

Settings and their types come from the registries, so that a new name is covered; `_WORDS` holds what a type does not
tell. `valid` draws a text that is to be accepted, `changed` one that differs from such a text in a token or two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from deep.features import feature_entries
from deep.models import MODELS
from deep.partition import COHORTS, LOCAL_WORKS, PARTICIPATIONS, PARTITIONS, TARGETS
from theory.algorithms import AlgorithmEntry, client_entries, server_entries
from theory.rules import SSA, SSASGD, MinNorm, example_of, rules

__all__ = ["NAMES", "ODD", "Named", "changed", "valid", "with_odd"]

Text = st.SearchStrategy[str]
_NUMBERS = st.sampled_from(["0.25", "0.5", "0.75", "5e-1"])
_COUNTS = st.integers(1, 9).map(str)
_HYBRIDS = ("at_round", "at_accuracy", "anneal")  # one of them at most

# What the type of a setting does not tell, by "name.setting" or for all names by "setting".
_WORDS: Mapping[str, tuple[str, ...]] = {
    "anneal": ("linear", "cosine", "exponential"),
    "at_accuracy": ("0.5", "0.9"),
    "at_round": ("1", "5"),
    "by": ("classes", "samples"),
    "order": ("given", "rotated", "random"),
    "rounding": ("cumulative", "nearest"),
    "aggregate.by": ("median", "krum(f=1)", "trimmed-mean(f=2)", "clipped(radius=0.5)"),
    "anneal.schedule": ("linear", "cosine", "exponential"),
    "arrival.client": ("0", "3"),
    "arrival.share": ("[0.1, 0.2, 0.3, 0.4]", "()"),
    "bernoulli.probability": ("0.5", "1", "[0.1, 0.5, 0.5, 1]"),
    "byzantine.attack": ("sign-flip", "little-is-enough(z=1)", "gaussian-noise(std=3)", "inner-product"),
    "byzantine.count": ("1", "4"),
    "composition.counts": ("[4, 3, 3]", "[1, 1, 1]"),
    "composition.ratios": ("[1, 0.1, 0.01]", "(0.5, 0.5, 1)"),
    "departure.client": ("0", "3"),
    "departure.share": ("[0.1, 0.2, 0.3, 0.4]", "[]"),
    "drawn.fewest": ("1", "2"),
    "drawn.most": ("5", "9"),
    "exponential.order": ("given", "reversed"),
    "exponential.rho": ("1", "50", "100.5"),
    "fed-better.k": ("none", "1"),
    "fed-soft-better-avg-soft-worse.then_at_round": ("30", "40"),
    "fed-ssa-sgd.constraint": ("softmax", "projection", "clip"),  # "free" wants lambda_we=0 beside it
    "fed-worse.k": ("none", "1"),
    "given-steps.steps": ("[[1, 2, 3, 1]]", "[[1, 0, 0, 0], [0, 3, 2, 1]]", "((1, 1, 1, 1),)"),
    "inactive.client": ("0", "3"),
    "inactive.share": ("[0.1, 0.2, 0.3, 0.4]", "()"),
    "bound-optimal.gradients": ("updates",),  # gradients at the optimum are of families alone
    "bound-optimal.signal": ("gradient_variance",),
    "inverse-variance.signal": ("gradient_variance",),
    "mixture.weights": ("[1, 0]", "(0.5, 0.25, 0.25)"),
    "min-norm.solver": ("active-set", "frank-wolfe"),
    "oracle.U": ("exp", "constant", "step", "positive-part", "sigmoid"),
    "population.n_clients": ("10", "100"),
    "power-of-choice.d": ("9", "20"),
    "power-of-choice.m": ("1", "4"),
    "shards.per_client": ("2", "9"),
    "uniform.n_sampled": ("1", "4"),
}


@dataclass(frozen=True)
class Named:
    """A registered name: texts of each setting, the `needed` ones always given.

    `inner`: settings that are things of another kind; `together`: those of them that are given once anything is.
    """

    name: str
    settings: Mapping[str, Text]
    needed: frozenset[str]
    inner: Mapping[str, str]
    together: frozenset[str]


def _values(name: str, setting: str, hint: Any) -> Text | None:
    """Texts of a setting's values; None where no text is known."""
    words = _WORDS.get(f"{name}.{setting}") or _WORDS.get(setting)
    if words is not None:
        return st.sampled_from(words)
    if hint is bool:
        return st.sampled_from(["true", "false", "True"])
    if hint is int:
        return _COUNTS
    if hint is float:
        return _NUMBERS
    if hint is type(None):
        return st.just("none")
    if get_origin(hint) is Literal:
        quoted = [word if re.fullmatch(r"[A-Za-z_]+(-[A-Za-z_]+)*", word) else repr(word) for word in get_args(hint)]
        return st.sampled_from([*quoted, repr(get_args(hint)[0])])
    if get_origin(hint) is tuple:
        item = _values(name, setting, get_args(hint)[0])
        return None if item is None else st.lists(item, min_size=1, max_size=4).map(lambda i: f"[{', '.join(i)}]")
    if get_origin(hint) in (Union, UnionType):
        parts = [part for part in (_values(name, setting, h) for h in get_args(hint)) if part is not None]
        return st.one_of(parts) if parts else None
    return None


def _named(name: str, build: Callable[..., Any], inner: Mapping[str, str], needed: bool) -> Named:
    """An entry of a registry; `needed`: whether what has no default has to be given."""
    hints, parameters = get_type_hints(build), signature(build).parameters
    found = {
        setting: _values(name, setting, hints[setting]) for setting in parameters if setting not in {"dataset", *inner}
    }
    known = {setting: texts for setting, texts in found.items() if texts is not None}
    if len(known) < len(found):
        raise TypeError(f"{name}: no texts are known of {sorted(set(found) - set(known))}; add them to _WORDS")
    without = frozenset(n for n, p in parameters.items() if p.default is Parameter.empty)
    return Named(name, known, without & set(known) if needed else frozenset(), inner, without & set(inner))


_OWN = feature_entries()  # of deep runs alone, and no part of others
_ALGORITHMS = (*client_entries(), *server_entries())
_INSIDE = {"aggregate": "server of d"}  # it takes servers that read d alone


def _algorithms(kind: str, entries: Iterable[AlgorithmEntry]) -> tuple[Named, ...]:
    return tuple(_named(e.name, e.build, _algorithms_inside(e), False) for e in entries if e.kind == kind)


def _algorithms_inside(entry: AlgorithmEntry) -> dict[str, str]:
    """The kind of each part of an algorithm: some take less than any client or server."""
    return {n: _INSIDE.get(entry.name, f"plain {k}") for n, k in entry.parts.items()}


def _part_of(name: str) -> str:
    """The kind of the rules inside the rule called `name`."""
    return {"fed-ssa-warm": "learned rule", "with-clusters": "rule of updates"}.get(name, "plain rule")


NAMES: Mapping[str, tuple[Named, ...]] = {
    "rule": tuple(_named(e.name, e.build, dict.fromkeys(e.parts, _part_of(e.name)), False) for e in rules()),
    "client": _algorithms("client", (*_ALGORITHMS, *_OWN)),
    "server": _algorithms("server", (*_ALGORITHMS, *_OWN)),
    "participation": tuple(
        _named(n, b, {"of": "participation"} if n == "stragglers" else {}, True) for n, b in PARTICIPATIONS.items()
    ),
    "partition": tuple(
        _named(n, b, {"base": "plain partition"} if n == "flipped" else {}, True) for n, b in PARTITIONS.items()
    ),
    "cohort": tuple(
        _named(n, b, {"partition": "partition"} if n == "population" else {}, True) for n, b in COHORTS.items()
    ),
    "local_work": tuple(_named(n, b, {}, True) for n, b in LOCAL_WORKS.items()),
    "target": tuple(_named(n, b, {}, True) for n, b in TARGETS.items()),
    "model": tuple(_named(n, b, {}, False) for n, b in MODELS.items()),
    # What stands inside others: rules that remember nothing, with weights on the simplex, are admitted by all.
    "learned rule": tuple(_named(e.name, e.build, {}, False) for e in rules() if e.build in (SSA, SSASGD)),
    "rule of updates": tuple(_named(e.name, e.build, {}, False) for e in rules() if e.build is MinNorm),
    "plain rule": tuple(
        _named(e.name, e.build, {}, False)
        for e in rules()
        if e.kind == "rule" and (example := example_of(e.name)).simplex and not example.memory
    ),
    # A compressed client inside another is refused: there are two sets of base models; so is an attack inside either.
    "plain client": tuple(
        one for one in _algorithms("client", _ALGORITHMS) if one.name not in {"byzantine", "compressed"}
    ),
    "plain server": _algorithms("server", _ALGORITHMS),
    "server of d": tuple(
        one for one in _algorithms("server", _ALGORITHMS) if one.name not in {"aggregate", "aware", "fed-exp"}
    ),
    "plain partition": tuple(_named(n, b, {}, True) for n, b in PARTITIONS.items() if n != "flipped"),
}


@st.composite
def valid(draw: st.DrawFn, kind: str, name: str | None = None, depth: int = 2) -> str:
    """The text of a thing of this `kind`, and of this `name` if one is given, at most `depth` names in each other."""
    entries = [e for e in NAMES[kind] if name in (None, e.name) and (depth > 0 or not e.inner)]
    entry = draw(st.sampled_from(entries))
    chosen = {n for n in (*entry.settings, *entry.inner) if n in entry.needed or draw(st.booleans())}
    chosen -= set([n for n in _HYBRIDS if n in chosen][1:])
    chosen |= entry.together if chosen else set()
    order = draw(st.permutations(sorted(chosen)))
    texts = [draw(valid(entry.inner[n], depth=depth - 1) if n in entry.inner else entry.settings[n]) for n in order]
    equals, comma = draw(st.sampled_from([("=", ", "), ("=", ","), (" = ", " ,  ")]))
    settings = comma.join(f"{n}{equals}{text}" for n, text in zip(order, texts, strict=True))
    return f"{entry.name}({settings})" if settings or draw(st.booleans()) else entry.name


_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|-?[0-9.e-]+|.", re.DOTALL)
# Values that few settings take: words for numbers, lists for both, numbers out of range, parts of another kind.
ODD = (
    *("x", "true", "none", "''", "[]", "[[]]", "[x]", "[1]", "[1, 2]", "[[1, x]]", "-1", "0", "1.5", "nan", "inf"),
    *("1e308", "1e400", str(2**63 - 1), "iid", "sgd", "rate", "proportional", "full", "f(x=1)"),
)
_OTHERS = (*ODD, "", "(", ")", "=", ",", "*", "\0", "λ", "alpha", "n_sampled")


@st.composite
def with_odd(draw: st.DrawFn, kind: str) -> str:
    """A text of this `kind` that is valid but for one setting, which holds an odd value."""
    entry = draw(st.sampled_from([e for e in NAMES[kind] if e.settings or e.inner]))
    setting = draw(st.sampled_from([*entry.settings, *entry.inner]))
    others = {n: entry.settings[n] for n in entry.needed} | {n: valid(entry.inner[n], depth=1) for n in entry.together}
    given = {**{n: draw(texts) for n, texts in others.items()}, setting: draw(st.sampled_from(ODD))}
    return f"{entry.name}({', '.join(f'{n}={text}' for n, text in given.items())})"


@st.composite
def changed(draw: st.DrawFn, kind: str) -> str:
    """A valid text of this `kind` with an odd value, or a token or two replaced, left out, doubled or moved."""
    if draw(st.booleans()):
        return draw(with_odd(kind))
    tokens = _TOKEN.findall(draw(valid(kind)))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(tokens) - 1))
        tokens[at] = draw(st.sampled_from([*_OTHERS, tokens[at] * 2, draw(st.sampled_from(tokens))]))
    return "".join(tokens)
