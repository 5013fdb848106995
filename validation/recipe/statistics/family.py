"""What a difference between runs is worth among all that a table is asked: Holm's correction over its sentences.

A sentence holds only where each of its differences is beyond chance, so that these need no correction among themselves
(an intersection-union test: Berger, «Multiparameter hypothesis testing and acceptance sampling», 1982). It falls by any
one of them, so that those which point the other way are multiplied by their number; what is said of most rivals lies
between (Benjamini and Heller, «Screening for partial conjunction hypotheses», 2008). Over the sentences goes Holm's
step-down, those that nobody ran included: what else is played later takes nothing back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validation.recipe.statistics.intervals import Step, step_down

__all__ = ["Line", "over_sentences"]


@dataclass(frozen=True)
class Line:
    """One comparison of a sentence with its rivals: whether it is said of `most` of them, and by rival what was found.

    `found`: whether the mean points as said, and Student's p; None where fewer than two seeds say something.
    """

    most: bool
    found: tuple[tuple[bool, float] | None, ...]

    @property
    def for_(self) -> int:
        """By what a p is multiplied that speaks for the line: 1 where all rivals have to, more where most do."""
        return len(self.found) - self.needed + 1

    @property
    def against(self) -> int:
        """The same of one that speaks against it: the number of rivals where one is enough."""
        return self.needed if self.most else len(self.found)

    @property
    def needed(self) -> int:
        """How many rivals have to be met."""
        return len(self.found) // 2 + 1 if self.most else len(self.found)

    def p(self, as_said: bool) -> float:
        """Of the line's holding, or of its failing: at most 1, which it is where too few differences point there."""
        enough = self.needed if as_said else len(self.found) - self.needed + 1
        mine = sorted(p for one in self.found if one is not None for side, p in [one] if side is as_said)
        return min(1.0, (self.for_ if as_said else self.against) * mine[enough - 1]) if len(mine) >= enough else 1.0


def over_sentences(
    sentences: Sequence[Sequence[Line]], elsewhere: Sequence[int] = ()
) -> list[list[list[float | None]]]:
    """By sentence, line and rival the p that counts: of one family, all sentences of the table; None where none is.

    `elsewhere`: by sentence, how many of its lines are asked in other places: these are chances to fail, too.
    """
    counted = [len(lines) + more for lines, more in zip(sentences, elsewhere or [0] * len(sentences), strict=True)]
    steps = step_down([_alone(lines, n) for lines, n in zip(sentences, counted, strict=True)])
    return [
        [[_worth(one, line, n, step) for one in line.found] for line in lines]
        for lines, n, step in zip(sentences, counted, steps, strict=True)
    ]


def _alone(lines: Sequence[Line], n: int) -> float:
    """A sentence's own p: of all its lines here holding, or of one of all n failing, whichever is smaller."""
    holds = max((line.p(as_said=True) for line in lines), default=1.0)
    fails = min((line.p(as_said=False) for line in lines), default=1.0)
    return min(holds, n * fails, 1.0)


def _worth(one: tuple[bool, float] | None, line: Line, lines: int, step: Step) -> float | None:
    if one is None:
        return None
    as_said, p = one
    return min(1.0, max(step.least, step.factor * (line.for_ if as_said else lines * line.against) * p))
