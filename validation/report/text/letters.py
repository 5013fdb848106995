r"""Names of a script's numbers in the letters of their paper: `weights_1_2` is ρ₁,₂ where a paper writes ρ for weights.

A paper's `notation` has the letters of its statements, its `drawn` those of what its worlds draw. Other names are
letters already, such as `sigma_1`, or words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property

from markupsafe import Markup, escape

from validation.report.text.formula import is_greek, name_latex
from validation.report.text.mathml import mathml
from validation.report.text.readable import GREEK
from validation.report.text.symbols import bare, symbols
from validation.statement.bound import identifier
from validation.statement.claim import Paper

__all__ = ["Letters", "greek", "is_letter", "named", "stem_of"]

_INDEXED = re.compile(r"(.*?[A-Za-z])((?:_\d+)+)$")


@dataclass(frozen=True)
class Letters:
    """LaTeX by name: of the quantities of a paper's statements, and of the numbers that its worlds draw.

    `says`: what the quantities are, in words.
    """

    quantities: Mapping[str, str] = field(default_factory=dict)
    drawn: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, paper: Paper) -> Letters:
        """The letters that a paper declares."""
        known = paper.notation.quantities
        return cls({q.name: q.latex for q in known}, paper.drawn, {q.name: q.says for q in known})

    def without(self, names: AbstractSet[str]) -> Letters:
        """These letters but the quantities of these names, which a script has for something else."""
        kept = {name: latex for name, latex in self.quantities.items() if identifier(name) not in names}
        return replace(self, quantities=kept, says={name: self.says[name] for name in kept if name in self.says})

    def lettered(self, drawn: Mapping[str, str], of_paper: Iterable[str] = (), printed: str = "") -> Letters:
        """These letters with further ones for what a script draws and makes.

        `of_paper`: the symbols that are the paper's; one that is ours is left out where a print has it.
        """
        taken = {bare(symbol) for symbol in symbols(printed)} - {bare(symbol) for symbol in of_paper}
        free = {name: latex for name, latex in drawn.items() if not taken & {bare(s) for s in symbols(latex)}}
        return replace(self, drawn={**free, **self.drawn}) if free else self

    def but(self, others: Mapping[str, tuple[str, str]]) -> Letters:
        """These letters, with others' (LaTeX, words) by name."""
        if not others:
            return self
        latex = {name: two[0] for name, two in others.items()}
        says = {name: two[1] for name, two in others.items()}
        return Letters({**self.quantities, **latex}, self.drawn, {**self.says, **says})

    @cached_property
    def by_identifier(self) -> Mapping[str, str]:
        """The names of quantities by what a script calls them: `held` is `held_` there."""
        return {identifier(name): name for name in self.quantities}

    def of_quantity(self, name: str) -> str:
        """LaTeX of a name that a formula has, in a script or in the paper's notation."""
        return self.quantities.get(self.by_identifier.get(name, name)) or self.of_drawn(name)

    def meaning(self, name: str) -> str:
        """What a quantity is, by the name that a script has for it; '' where the paper does not say it."""
        return self.says.get(self.by_identifier.get(name, name), "")

    def of_drawn(self, name: str) -> str:
        r"""LaTeX of a number that is drawn, its indices set low.

        >>> Letters(drawn={"weights": r"\rho^t"}).of_drawn("weights_1_2")
        '\\rho^t_{1,2}'
        """
        stem, index = _parts(name)
        known = self.drawn.get(stem) or name_latex(stem)
        return _lowered(known, index) if index else known


def is_letter(name: str, letters: Letters) -> bool:
    """Whether a drawn number bears a letter, of the paper or of its own, and no word of ours."""
    stem, _ = _parts(name)
    return bool(stem in letters.drawn or re.fullmatch(r"[A-Za-z]\d*", stem) or is_greek(stem.partition("_")[0]))


def named(name: str, letters: Letters) -> Markup:
    """The name of a drawn number as a page shows it: a formula where it is a letter, words where it is words."""
    stem, index = _parts(name)
    if is_letter(name, letters):
        return mathml(letters.of_drawn(name), block=False)
    return escape(stem.replace("_", " ") + (" " + ", ".join(index) if index else ""))


def stem_of(name: str) -> str:
    """A name without its indices: `curvature_1_2` is `curvature`."""
    return _parts(name)[0]


def greek(text: str) -> str:
    """The text with names of Greek letters that stand before «=», «:» or at its end as the letters.

    >>> greek("gamma = A.9; cut: mu: free")
    'γ = A.9; cut: μ: free'
    """
    return re.sub(r"\b([A-Za-z]+)(?=\s*(?:[=:]|$))", lambda word: GREEK.get(str(word[1]), str(word[1])), text)


def _parts(name: str) -> tuple[str, list[str]]:
    """A name without its indices, and these: `weights_1_2` is `weights` with 1 and 2."""
    found = _INDEXED.match(name)
    return (name, []) if found is None else (found[1], found[2].strip("_").split("_"))


def _lowered(latex: str, index: list[str]) -> str:
    # A letter that has a lower index already takes the others beside it.
    base, _, lower = latex.partition("_")
    if lower and "^" not in lower and "{" not in base:
        return f"{base}_{{{lower.strip('{}')},{','.join(index)}}}"
    return f"{{{latex}}}_{{{','.join(index)}}}" if "_" in latex else f"{latex}_{{{','.join(index)}}}"
