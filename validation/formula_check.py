"""The exact side of a statement over a world: the world's plain one, with hypotheses and left side as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from validation.bound import Bound, identifier, python_source
from validation.kinds import ExactCheck
from validation.says import Le

__all__ = ["FormulaCheck"]


@dataclass(frozen=True, eq=False)
class _Formulas:
    """Hypotheses and left side at one instance; without a plain side the instance's numbers are the quantities."""

    plain: ExactCheck | None
    hypotheses: tuple[Le, ...]
    left: Bound

    def __call__(self, instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        met, seen = ({}, instance) if self.plain is None else self.plain.function(instance)
        mine = {h.words: h.met_exactly(seen) for h in self.hypotheses}
        return {**met, **mine}, {**seen, "lhs": self.left.exact(seen)}


@dataclass(frozen=True, eq=False)
class FormulaCheck(ExactCheck):
    """An exact check made of formulas; `source` defines the same as a plain function `sides`, for the script.

    It calls the world's own plain function, which with all it uses stands in `uses`.
    """

    source: str = ""

    @classmethod
    def of(cls, plain: ExactCheck | None, hypotheses: tuple[Le, ...], left: Bound) -> FormulaCheck:
        """The check of a left side, under hypotheses, over what `plain` observes; over free numbers without one."""
        return cls(
            _Formulas(plain, hypotheses, left),
            uses=() if plain is None else (*plain.uses, plain.function),
            standalone=plain is None or plain.standalone,
            source=_source(plain, hypotheses, left),
        )


def _source(plain: ExactCheck | None, hypotheses: tuple[Le, ...], left: Bound) -> str:
    """No quantity is called `INSTANCE`, `hypotheses` or `constants` in a script: `identifier` keeps them for it."""
    seen = "{}, INSTANCE" if plain is None else f"{getattr(plain.function, '__name__', 'plain')}(INSTANCE)"
    used = {s.name for h in hypotheses for side in (h.left, h.right) for s in side.free_symbols} | set(left.names)
    lines = ["def sides(INSTANCE):", '    """The hypotheses, the quantities and the left side of an instance."""']
    lines += [f"    hypotheses, constants = {seen}"]
    lines += [f"    {identifier(name)} = constants[{name!r}]" for name in sorted(used)]
    if hypotheses:
        lines += ["    hypotheses = {", "        **hypotheses,"]
        lines += [*(f"        {h.words!r}: {h.source}," for h in hypotheses), "    }"]
    lines += [f"    return hypotheses, {{**constants, 'lhs': {python_source(left.expression)}}}"]
    return "\n".join(lines) + "\n"
