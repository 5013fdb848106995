"""The verdict words in the order the report shows them, each with its sign and what earns it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VERDICTS", "Verdict", "verdict"]


@dataclass(frozen=True)
class Verdict:
    """A verdict word; `sign` stands beside the word, so that colour never carries the meaning alone."""

    word: str
    sign: str
    earned_by: str


VERDICTS: tuple[Verdict, ...] = (
    Verdict("proved", "∎", "A symbolic identity or inequality, established in computer algebra."),
    Verdict("holds", "✓", "No violation after the search; the worst ratio and the effort are shown."),
    Verdict("refuted", "✗", "False however the print is read, by an exactly recomputed counterexample."),
    Verdict("misprint", "¬", "Refuted as printed by one wrong token; the right one is printed elsewhere or forced."),
    Verdict(
        "unstated-condition",
        "+",
        "Refuted as printed; holds under a named condition that the paper meets.",
    ),
    Verdict("underspecified", "?", "True or false by what the paper leaves undefined or prints twice."),
    Verdict("vacuous", "∅", "The bound says no more than is known anyway, or its hypotheses cannot all be met."),
    Verdict(
        "inconclusive",
        "≈",
        "Violated in floating point only, not decided exactly, or not exercised: nothing is said either way.",
    ),
    Verdict("needs-run", "…", "A published relation that needs a run not yet made."),
    Verdict("not-checked", "–", "Not examined; the reason is given."),
)

_BY_WORD = {v.word: v for v in VERDICTS}


def verdict(word: str, place: str) -> Verdict:
    """The verdict with this word; raises `ValueError` naming the allowed words."""
    if word not in _BY_WORD:
        raise ValueError(f"{place}: verdict is {word!r}; expected one of {', '.join(_BY_WORD)}")
    return _BY_WORD[word]
