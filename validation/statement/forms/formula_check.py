"""The exact side of a statement over a world: the world's plain one, with hypotheses and left side as formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from validation.statement.bound import Bound, identifier, python_source
from validation.statement.forms.kinds import ExactCheck
from validation.statement.says import Le

__all__ = ["FormulaCheck", "left_side"]


@dataclass(frozen=True, eq=False)
class _Formulas:
    """Hypotheses and left side at one instance; without a plain side the instance's numbers are the quantities."""

    plain: ExactCheck | None
    defined: tuple[tuple[str, Bound], ...]
    hypotheses: tuple[Le, ...]
    left: Bound
    below: Bound | None  # what the left side has to stay strictly below

    def __call__(self, instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        met, seen = ({}, instance) if self.plain is None else self.plain.function(instance)
        for name, formula in self.defined:
            seen = {**seen, name: formula.exact(seen)}
        mine = {h.words: h.met_exactly(seen) for h in self.hypotheses}
        left = self.left.exact(seen)
        if self.below is not None:
            right = self.below.exact(seen)
            seen = {**seen, "_left_side": left, "_right_side": right}
            left = Fraction(0 if left < right else 1)
        return {**met, **mine}, {**seen, "lhs": left}


@dataclass(frozen=True, eq=False)
class FormulaCheck(ExactCheck):
    """An exact check made of formulas; `source` defines the same as a plain function `sides`, for the script.

    It calls the world's own plain function, which with all it uses stands in `uses`. `letters`: what the letters mean.
    """

    letters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plain: ExactCheck | None,
        hypotheses: tuple[Le, ...],
        left: Bound,
        below: Bound | None = None,
        defined: tuple[tuple[str, Bound], ...] = (),
        letters: Mapping[str, str] | None = None,
    ) -> FormulaCheck:
        """The check of a left side, under hypotheses, over what `plain` observes; over free numbers without one.

        With `below` it is 1 where the left side is not strictly below that, else 0. `defined`: letters that are
        formulas of what is observed and of those before them.
        """
        return cls(
            _Formulas(plain, defined, hypotheses, left, below),
            uses=() if plain is None else (*plain.uses, _function(plain)),
            standalone=plain is None or plain.standalone,
            measured=plain is None or plain.measured,
            letters=letters or {},
        )

    @cached_property
    def source(self) -> str:
        """What the script carries, written when it is asked for: most cases are never printed."""
        made: _Formulas = self.function  # type: ignore[assignment]
        return _source(made.plain, made.defined, made.hypotheses, made.left, made.below)


def left_side(check: ExactCheck) -> Bound | None:
    """The left side as a formula of what is observed; None where it is none, or strict and 0 or 1."""
    made = check.function
    return made.left if isinstance(made, _Formulas) and made.below is None else None


def _function(plain: ExactCheck) -> Callable[..., Any]:
    return plain.function.func if isinstance(plain.function, partial) else plain.function


def _called(plain: ExactCheck) -> str:
    chosen = plain.function.keywords if isinstance(plain.function, partial) else {}
    words = "".join(f", {name}={value!r}" for name, value in chosen.items())
    return f"{_function(plain).__name__}(INSTANCE{words})"


def _source(
    plain: ExactCheck | None,
    defined: tuple[tuple[str, Bound], ...],
    hypotheses: tuple[Le, ...],
    left: Bound,
    below: Bound | None,
) -> str:
    """No quantity is called `INSTANCE`, `hypotheses` or `constants` in a script: `identifier` keeps them for it."""
    seen = "{}, INSTANCE" if plain is None else _called(plain)
    used = {s.name for h in hypotheses for side in (h.left, h.right) for s in side.free_symbols} | set(left.names)
    used |= set() if below is None else set(below.names)
    used |= {name for _, formula in defined for name in formula.names}
    lines = ["def sides(INSTANCE):", '    """The hypotheses, the quantities and the left side of an instance."""']
    lines += [f"    hypotheses, constants = {seen}"]
    lines += [f"    {identifier(name)} = constants[{name!r}]" for name in sorted(used - {name for name, _ in defined})]
    lines += [f"    {identifier(name)} = {python_source(formula.expression)}" for name, formula in defined]
    if hypotheses:
        lines += ["    hypotheses = {", "        **hypotheses,"]
        lines += [*(f"        {h.words!r}: {h.source}," for h in hypotheses), "    }"]
    said = python_source(left.expression)
    if below is not None:
        said = f"Fraction(0 if {said} < {python_source(below.expression)} else 1)"
    shown = "".join(f", {name!r}: {identifier(name)}" for name, _ in defined)
    lines += [f"    return hypotheses, {{**constants{shown}, 'lhs': {said}}}"]
    return "\n".join(lines) + "\n"
