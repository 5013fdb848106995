"""The verdict words in the order the report shows them, each with its sign and its meaning."""

from __future__ import annotations

from dataclasses import dataclass

from validation.statement import verdict as words

__all__ = ["VERDICTS", "Verdict", "verdict"]


@dataclass(frozen=True)
class Verdict:
    """A verdict word; `sign` is shown next to the word, so that colour never carries the meaning alone."""

    word: str
    sign: str
    earned_by: str


_SIGNS = {
    words.Verdict.PROVED: "∎",
    words.Verdict.HOLDS: "✓",
    words.Verdict.REFUTED: "✗",
    words.Verdict.MISPRINT: "¬",
    words.Verdict.UNSTATED_CONDITION: "+",
    words.Verdict.UNDERSPECIFIED: "?",
    words.Verdict.VACUOUS: "∅",
    words.Verdict.INCONCLUSIVE: "≈",
    words.Verdict.NEEDS_RUN: "…",
    words.Verdict.NOT_CHECKED: "–",
}

VERDICTS: tuple[Verdict, ...] = tuple(Verdict(str(word), _SIGNS[word], words.MEANINGS[word]) for word in words.Verdict)

_BY_WORD = {v.word: v for v in VERDICTS}


def verdict(word: str, place: str) -> Verdict:
    """The verdict with this word; raises `ValueError` naming the allowed words."""
    if word not in _BY_WORD:
        raise ValueError(f"{place}: verdict is {word!r}; expected one of {', '.join(_BY_WORD)}")
    return _BY_WORD[word]
