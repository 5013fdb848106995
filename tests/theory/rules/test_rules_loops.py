"""Every rule that is found against a plain loop typed from its source; a rule without one is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from tests.theory.plain_rules import RULES, PlainRound, PlainRule
from tests.theory.rule_rounds import SETTINGS, agree, fast_rule, plain_rule, rounds_of
from theory.rules import RuleEntry, rules
from theory.rules.registry import found_in

# Minimum-norm weights need not be unique; a projection gives every client the same vector.
BY_STEP = {"project", "fed-avg-aware"}


def without_a_loop(entries: tuple[RuleEntry, ...], loops: Mapping[str, Any] = RULES) -> set[str]:
    """The rules that nothing independent checks."""
    return {entry.name for entry in entries} - set(loops)


@pytest.mark.parametrize("name", [entry.name for entry in rules()])
def test_a_rule_equals_its_plain_loop(name: str) -> None:
    settings = SETTINGS.get(name, {})
    agree(name, lambda: fast_rule(name, settings), lambda: plain_rule(name, settings), by_step=name in BY_STEP)


def test_every_rule_that_is_found_has_a_loop() -> None:
    assert without_a_loop(rules()) == set()


def test_every_setting_without_a_default_is_compared_at_a_value_of_its_own() -> None:
    for entry in rules():
        assert set(entry.example) - {"at_accuracy"} <= set(SETTINGS.get(entry.name, {})), entry.name


NEW_RULE = """
    from dataclasses import dataclass
    from theory.rules.entry import RuleEntry

    @dataclass(frozen=True)
    class ByLoss:
        needs = ("loss_before",)

        def __call__(self, stats):
            c = abs(stats.loss_before) + 1
            a = stats.present * stats.share * {formula}
            return a / a.sum(-1)[..., None]

    ENTRY = RuleEntry("by-loss", ByLoss, "nobody", "nowhere", "∝ pₖcₖ")
"""


def by_loss(_: dict[str, Any]) -> PlainRule:
    """aₖ ∝ pₖcₖ, cₖ = |Fₖ(w)| + 1, of the clients present."""

    def rule(r: PlainRound) -> tuple[list[float], list[Any]]:
        raw = [r.share[k] * (abs(r.before[k]) + 1) * here for k, here in enumerate(r.present)]
        return [value / sum(raw) for value in raw], r.updates

    return rule


@pytest.fixture
def new_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], tuple[RuleEntry, ...]]]:
    """A package of one file with a rule of the given formula, found as the project's own are."""
    made: list[str] = []

    def written(formula: str) -> tuple[RuleEntry, ...]:
        package = f"new_rules_{len(made)}"
        folder = tmp_path / package
        folder.mkdir()
        (folder / "__init__.py").write_text("", encoding="utf-8")
        (folder / "by_loss.py").write_text(dedent(NEW_RULE).replace("{formula}", formula), encoding="utf-8")
        (folder / "no_rule.py").write_text("HELPER = 1\n", encoding="utf-8")
        made.append(package)
        return found_in(package, [str(folder)])

    monkeypatch.syspath_prepend(str(tmp_path))
    yield written
    for name in [name for name in sys.modules if name.partition(".")[0] in made]:
        del sys.modules[name]


def test_a_new_file_with_an_entry_is_a_rule(new_rule: Callable[[str], tuple[RuleEntry, ...]]) -> None:
    (entry,) = new_rule("c")
    assert entry.name == "by-loss"
    agree("by-loss", entry.build, lambda: by_loss({}))


def test_a_new_rule_without_a_loop_is_refused(new_rule: Callable[[str], tuple[RuleEntry, ...]]) -> None:
    found = new_rule("c")
    assert without_a_loop((*rules(), *found)) == {"by-loss"}
    assert without_a_loop((*rules(), *found), {**RULES, "by-loss": by_loss}) == set()


@pytest.mark.parametrize("formula", ["c**2", "(c - 1)", "c**0.5", "1 / c"])
def test_a_wrong_formula_in_a_new_rule_is_seen(formula: str, new_rule: Callable[[str], tuple[RuleEntry, ...]]) -> None:
    (entry,) = new_rule(formula)
    with pytest.raises(AssertionError, match="by-loss: steps differ"):
        agree("by-loss", entry.build, lambda: by_loss({}))


def test_two_rules_of_one_name_are_refused(new_rule: Callable[[str], tuple[RuleEntry, ...]], tmp_path: Path) -> None:
    new_rule("c")
    folder = tmp_path / "new_rules_0"
    (folder / "again.py").write_text((folder / "by_loss.py").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ValueError, match="by-loss more than once"):
        found_in("new_rules_0", [str(folder)])


def test_the_rounds_tell_apart_who_is_absent_and_who_did_nothing() -> None:
    rounds: list[Any] = [stats for seed in range(3) for stats in rounds_of("efl", seed)]
    assert any(not np.all(stats.present) for stats in rounds)
    assert any(np.any(stats.present & (stats.local_steps == 0)) for stats in rounds)
    assert any(np.any(stats.present & (stats.local_steps == 5)) for stats in rounds)
