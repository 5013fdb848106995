"""The engine's own score: known truths, planted errors, and what share of the draws stayed undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.report import fields
from validation.report.claims.claims import Claim

__all__ = ["Calibration", "Draws", "draws_of", "mutant_score"]


@dataclass(frozen=True)
class Calibration:
    """How strong the search is on statements known to be true: per claim, and over all their planted errors."""

    claims: tuple[Claim, ...]

    @property
    def score(self) -> tuple[int, int]:
        """(caught, planted) over the known truths."""
        return mutant_score(self.claims)

    @property
    def strengths(self) -> tuple[float, ...]:
        """Worst ratio found over the known supremum, sorted."""
        return tuple(sorted(c.strength for c in self.claims if c.strength is not None))

    @property
    def median(self) -> float | None:
        """Middle of `strengths`."""
        known = self.strengths
        return None if not known else (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2


def mutant_score(claims: Sequence[Claim]) -> tuple[int, int]:
    """(killed, planted) over all claims: the engine's own score."""
    judged = [mutant.killed for c in claims for mutant in c.mutants if mutant.killed is not None]
    return sum(judged), len(judged)


@dataclass(frozen=True)
class Draws:
    """What became of the draws of a paper's readings; `exactly` counts those that exact arithmetic looked at."""

    all: int
    decided: int
    ties: int
    beyond: int
    exactly: int
    undecided: int

    @property
    def share(self) -> float | None:
        """Of those that exact arithmetic looked at, how many it could not decide."""
        return self.undecided / self.exactly if self.exactly else None


def draws_of(entries: Sequence[Mapping[str, object]]) -> Mapping[str, Draws]:
    """The draws by paper, of the ledger entries that say what became of them."""
    found: dict[str, list[int]] = {}
    for entry in entries:
        place = f"render(entries=…): {entry.get('id')}"
        for reading in fields.objects(entry, "readings", place):
            draws = fields.mapping(reading, "draws", place)
            if not draws:
                continue
            decided, ties, beyond = (fields.whole(draws, k, place) or 0 for k in ("decided", "tie", "beyond floats"))
            looked = undecided = 0
            exactly = fields.mapping(draws, "exactly", place)
            for kind in exactly:
                counts = fields.mapping(exactly, kind, place)
                numbers = {k: fields.whole(counts, k, place) or 0 for k in counts}
                looked += sum(n for k, n in numbers.items() if k not in {"candidates", "left out"})
                undecided += numbers.get("undecided", 0)
            row = found.setdefault(str(entry.get("paper")), [0] * 6)
            for i, n in enumerate((decided + ties + beyond, decided, ties, beyond, looked, undecided)):
                row[i] += n
    return {key: Draws(*row) for key, row in found.items()}
