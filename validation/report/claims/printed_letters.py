r"""What the letters of a claim's page are: those of its print, of its counterexample and of the words for that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from validation.report.claims.claims import Claim
from validation.report.claims.shown import AtInstance
from validation.report.glosses import Glosses
from validation.report.text.linear import linear
from validation.report.text.readable import typeset
from validation.report.text.symbols import bare, latex_of_symbol, symbols, symbols_of_text

__all__ = ["MEAN", "Legend", "legend", "letters_used", "printed_letters", "undefined"]

_NUMBER = re.compile(r"_\{?\d|\^\{?0")  # the index of one client, step or result on the way
_FORMULA = re.compile(r" [=≤≥<] ")
_COMPOSED = re.compile(r"\\(?:sum|max|min|frac|lim|nabla|mathbb|operatorname|langle|ln|log)|[-+/|=<>()\[\]]")
_GIVEN = re.compile(r"(\S+) = ")
MEAN = (r"\mathbb E", "the mean over all that is random")


def printed_letters(
    claim: Claim, glosses: Glosses, found: AtInstance | None, more: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """(LaTeX, words) of the letters of the page, in the order of their appearance.

    Those that `found`'s table of constants has words for are left out, unless there is a formula for them.
    `more`: further formulas of the page.
    """
    if claim.kind == "relation":
        return ()
    known = glosses.letters_of(claim.id)
    said = {symbols(c.latex)[0] for c in (found.constants if found else ()) if c.says and _is_letter(c.latex)}
    rows: dict[str, str] = {}
    beside = (symbol for latex in more for symbol in symbols(latex))
    for symbol in (*letters_used(claim, found), *_in_words(found), *beside):
        name = symbol if symbol in known else bare(symbol)
        if name in known and (symbol not in said or _FORMULA.search(known[name])):
            rows[name] = known[name].removeprefix(f"{linear(latex_of_symbol(name))}, ")
    family = [("n", f"the size that grows along the family: {found.family.letter}")] if found and found.family else []
    mean = [MEAN] if any(r"\mathbb E" in latex or r"\mathbb{E}" in latex for latex in _formulas(claim, found)) else []
    return (*((latex_of_symbol(name), words) for name, words in rows.items()), *family, *mean)


@dataclass(frozen=True)
class Legend:
    """Words by symbol, and by the LaTeX of what has a number, as `p_3`."""

    words: Mapping[str, str]
    numbered: Mapping[str, str] = field(default_factory=dict)

    def of(self, latex: str) -> str:
        """«L: smoothness of every client; μ: …» for the letters of a formula; '' where it has none that are known."""
        rows = {linear(one): said for one, said in self.numbered.items() if one in latex}
        for symbol in symbols(latex):
            said = self.words.get(symbol) or self.words.get(bare(symbol))
            if said:
                rows[linear(latex_of_symbol(symbol))] = said
        return "; ".join(f"{sign}: {said}" for sign, said in rows.items())


def legend(claim: Claim, glosses: Glosses, found: AtInstance | None) -> Legend:
    """The words for every letter of a claim's page."""
    if claim.kind == "relation":
        return Legend({})
    told = [(latex, words) for latex, words in _tables(found) if words]
    numbered = {latex: words for latex, words in told if _NUMBER.search(latex)}
    own = {symbols(latex)[0]: words for latex, words in told if latex not in numbered and _is_letter(latex)}
    return Legend({**glosses.letters_of(claim.id), **own}, numbered)


def undefined(claim: Claim, glosses: Glosses, found: AtInstance | None, more: Sequence[str] = ()) -> tuple[str, ...]:
    """The letters of formulas, and of the words for the instance, that the page says nothing of; `more`: as above."""
    if claim.kind == "relation":
        return ()
    said = {*glosses.letters_of(claim.id), *_of_tables(found)}
    beside = (symbol for latex in more for symbol in symbols(latex))
    used = (*letters_used(claim, found), *beside, *(s for s in _in_words(found) if s not in _set_there(found)))
    return tuple(dict.fromkeys(s for s in used if s not in said and bare(s) not in said))


def letters_used(claim: Claim, found: AtInstance | None) -> tuple[str, ...]:
    """The letters of the print, of both sides and their terms, of the constants and of the arithmetic."""
    return tuple(dict.fromkeys(symbol for latex in _formulas(claim, found) for symbol in symbols(latex)))


def _formulas(claim: Claim, found: AtInstance | None) -> Iterator[str]:
    yield claim.printed
    if found is None or found.form == "printed numbers":
        return
    yield from (side.latex for side in (found.left, found.right, *found.terms) if side is not None)
    yield from (latex for c in found.constants for latex in (c.latex, c.formula))
    yield from (line.latex for line in found.arithmetic.lines)


def _of_tables(found: AtInstance | None) -> set[str]:
    """The letters that the table of constants, or the arithmetic, has words for."""
    if found is None:
        return set()
    rows = (symbols(latex)[0] for latex, words in _tables(found) if words and _is_letter(latex))
    return {*rows} | {found.arithmetic.numbered, "n" if found.family else ""}


def _is_letter(latex: str) -> bool:
    """Whether it is one letter with its marks, and no sum, norm or quotient with one letter in it."""
    return len(symbols(latex)) == 1 and not _COMPOSED.search(latex)


def _tables(found: AtInstance | None) -> list[tuple[str, str]]:
    """(LaTeX, words) of the constants, of the arithmetic and of the numbers of the instance."""
    if found is None:
        return []
    return [*((c.latex, c.says) for c in found.constants), *found.arithmetic.letters, *found.lettered]


def _in_words(found: AtInstance | None) -> tuple[str, ...]:
    """The letters of the words for an instance."""
    return () if found is None else tuple(dict.fromkeys(s for t in _told(found) for s in symbols_of_text(t)))


def _told(found: AtInstance) -> tuple[str, ...]:
    return tuple(map(typeset, (found.says, *found.notes, *(f"{h.words}: {h.result}" for h in found.hypotheses))))


def _set_there(found: AtInstance | None) -> frozenset[str]:
    """The letters to which the words themselves give a value, «t = τ + 1»."""
    if found is None:
        return frozenset()
    return frozenset(s for t in _told(found) for one in _GIVEN.findall(t) for s in symbols_of_text(one))
