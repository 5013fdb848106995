"""How each hypothesis is met at the instance: by the two numbers that it compares, or by how the instance is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.report.counterexample.arithmetic_only import value_of
from validation.report.counterexample.compared import Check, checks_of
from validation.report.counterexample.instance import Instance
from validation.report.counterexample.recorded import Comparison, recorded
from validation.report.text.readable import num

__all__ = ["Hypothesis", "hypotheses_of", "trivial"]

_SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">"}
_SHOWN = 3  # comparisons of one hypothesis
_BRIEF = 14  # characters of a fraction that stands in a comparison
_OF_SIGN = re.compile(r"(?<![\d.])0(?![\d.])|positive|negative|simplex|away|beyond", re.IGNORECASE)


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis in words; `numbers`: the comparisons that decide it, such as «7 ≥ 6».

    `how`: «checked» by these numbers, met «by construction» of the instance, or «computed» by the script, which prints
    no number for it. `met`: whether it is.
    """

    words: str
    numbers: tuple[str, ...]
    how: str
    met: bool

    @property
    def result(self) -> str:
        """How it is met, in words."""
        if self.how == "checked":
            return "; ".join(self.numbers) + ("" if self.met else " (not met)")
        said = {"by construction": "by construction", "computed": "met, computed by the script"}[self.how]
        return said if self.met else "not met"


def trivial(check: Check) -> bool:
    """Whether a comparison tells nothing: of a number with 0 where the words say nothing of a sign, or of truth values.

    >>> trivial(Check("noise independent", "sigma", ">=", "0")), trivial(Check("h > 0", "curvature", ">", "0"))
    (True, False)
    """
    if check.right == "True" or check.left == "True":
        return True
    return (check.right == "0" or check.left == "0") and not _OF_SIGN.search(check.words)


def hypotheses_of(found: Instance, source: str) -> tuple[Hypothesis, ...]:
    """Every hypothesis that the script checks, once, in its order."""
    groups: dict[str, list[Check]] = {}
    for check in checks_of(source):
        groups.setdefault(check.words, []).append(check)
    try:
        found_own = tuple(_hypothesis(words, own, found.names) for words, own in groups.items())
    except (NameError, TypeError, ValueError, ArithmeticError):  # of somebody else's script
        found_own = ()
    if found_own:
        return found_own
    seen = recorded(source, tuple(words for words, _ in found.hypotheses))
    return tuple(_of_recorded(words, seen.get(words, ()), met) for words, met in found.hypotheses)


def _of_recorded(words: str, seen: Sequence[Comparison], met: bool) -> Hypothesis:
    """A hypothesis of a script that prints no number for it, by what it compared when it was run."""
    telling = [c for c in seen if not trivial(Check(words, str(c.left), c.sign, str(c.right)))]
    if not telling:
        return Hypothesis(words, (), "by construction" if seen else "computed", met)
    texts = dict.fromkeys(f"{_text(c.left)} {_SIGNS[c.sign]} {_text(c.right)}" for c in telling)
    return Hypothesis(words, _few(list(texts)), "checked", met)


def _few(shown: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(shown) - _SHOWN} more of the kind"] if len(shown) > _SHOWN else []
    return (*shown[:_SHOWN], *more)


def _hypothesis(words: str, checks: Sequence[Check], names: Mapping[str, Any]) -> Hypothesis:
    met = all(_met(check, names) for check in checks)
    telling = [check for check in checks if not trivial(check)]
    if not telling:
        return Hypothesis(words, (), "by construction", met)
    shown = dict.fromkeys(_compared(check, names) for check in telling)
    return Hypothesis(words, _few(list(shown)), "checked", met)


def _compared(check: Check, names: Mapping[str, Any]) -> str:
    return f"{_number(check.left, names)} {_SIGNS[check.sign]} {_number(check.right, names)}"


def _value(expression: str, names: Mapping[str, Any]) -> Any:
    return value_of(expression, {"Fraction": Fraction, **names})


def _number(expression: str, names: Mapping[str, Any]) -> str:
    return _text(_value(expression, names))


def _text(value: Any) -> str:
    exact = str(value).replace("-", "−")
    return exact if len(exact) <= _BRIEF and isinstance(value, int | Fraction) else num(float(value), 5)


def _met(check: Check, names: Mapping[str, Any]) -> bool:
    return bool(_value(f"({check.left}) {check.sign} ({check.right})", names))
