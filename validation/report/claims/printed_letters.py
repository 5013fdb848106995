r"""What the letters of a printed formula are: those that the constants of its counterexample do not say already."""

from __future__ import annotations

from collections.abc import Iterable

from validation.report.claims.claims import Claim
from validation.report.claims.shown import AtInstance
from validation.report.glosses import Glosses
from validation.report.text.symbols import bare, latex_of_symbol, symbols
from validation.statement.roles import RESULTS

__all__ = ["printed_letters", "undefined"]


def printed_letters(claim: Claim, glosses: Glosses, found: AtInstance | None) -> tuple[tuple[str, str], ...]:
    """(LaTeX, words) of the letters of the print, in its order.

    Those that `found`'s table of constants has are left out, unless there is a formula for them.

    Of results alone: in a step of a proof a letter may be something else.
    """
    if claim.level not in RESULTS:
        return ()
    known, said = glosses.letters_of(claim.id), _of_constants(found)
    rows: dict[str, str] = {}
    for symbol in symbols(claim.printed):
        name = symbol if symbol in known else bare(symbol)
        if name in known and (symbol not in said or " = " in known[name]):
            rows[name] = known[name]
    return tuple((latex_of_symbol(name), words) for name, words in rows.items())


def undefined(claim: Claim, glosses: Glosses, found: AtInstance | None) -> tuple[str, ...]:
    """The letters of the print that the page says nothing of."""
    if claim.kind == "relation":
        return ()
    said = {*glosses.letters_of(claim.id), *_of_constants(found)}
    return tuple(s for s in symbols(claim.printed) if s not in said and bare(s) not in said)


def _of_constants(found: AtInstance | None) -> set[str]:
    """The letters that the table of constants has with words."""
    rows: Iterable[tuple[str, ...]] = (symbols(c.latex) for c in (found.constants if found else ()) if c.says)
    return {own[0] for own in rows if len(own) == 1}
