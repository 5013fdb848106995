"""A run's rule from words: what it draws derives from the seed of the run, where the words name no seed for it."""

from __future__ import annotations

from collections.abc import Mapping

from theory.base.call_text import LARGEST_INTEGER
from theory.base.parts import own_part
from theory.rules import AnyRule, make_rule
from theory.rules.text import read_call, rule_entry

__all__ = ["rule_of_run"]


def rule_of_run(words: str, settings: Mapping[str, object], seed: int) -> AnyRule:
    """`make_rule(words, **settings)` in the run with that seed, which moves every `seed` of a rule that is not written.

    A rule with a setting `seed` that is a whole number by default, also inside other rules and somebody else's, gets
    the run's seed on top of it: that is the seed itself for ours, whose default is 0, and in the run with seed 0 no
    rule differs. A seed that is written stays. Raises `ValueError` as `make_rule`.

    >>> rule_of_run("mix(first=power-of-choice(d=4, m=2), second=power-of-choice(d=4, m=2, seed=7))", {}, 3)
    Mix(first=PowerOfChoice(d=4, m=2, seed=3), second=PowerOfChoice(d=4, m=2, seed=7), share_of_first=0.5)
    """
    rule = make_rule(words, **settings)  # says what is wrong with them
    return rule if seed == 0 else _moved(words, settings, seed)


def _moved(words: str, settings: Mapping[str, object], seed: int) -> AnyRule:
    """That rule, its words being sound."""
    name, written = read_call(words)
    given = {**written, **settings}
    entry = rule_entry(name)
    if entry is None:
        own = own_part("rule", name)
        defaults = {} if own is None else own.settings
    else:
        # Where nothing is said the example stands, with its rules; a seed that is added must not hide them.
        given, defaults = given or dict(entry.example), entry.settings
    for part in () if entry is None else entry.parts:
        inner = given.get(part)
        if isinstance(inner, str):
            given[part] = _moved(inner, {}, seed)
    default = defaults.get("seed")
    if "seed" not in given and type(default) is int:
        given["seed"] = (default + seed) % (LARGEST_INTEGER + 1)  # seeds of runs may be longer
    return make_rule(name, **given)
