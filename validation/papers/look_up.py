"""A judged statement by its id: its committed verdict, and both sides of any reading at an instance of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from validation.judge.entry import Entry
from validation.ledger.ledger import EVIDENCE, load_entries
from validation.ledger.words import check_weights
from validation.papers.index import folder_of, points
from validation.statement.claim import Claim, Inequality
from validation.statement.instances.at import exactly
from validation.study.at_instance import BothSides, sides_at
from validation.study.courses import case_named

__all__ = ["LookedUp", "look_up"]


@dataclass(frozen=True)
class LookedUp:
    """A claim with its committed ledger entry."""

    claim: Claim
    entry: Entry

    @property
    def verdict(self) -> str:
        """The committed verdict, its weight, and what restores the statement, in one line."""
        entry = self.entry
        restored = [f"{n}: {text}" for n, text in (("condition", entry.condition), ("edit", entry.edit)) if text]
        weight = f" ({entry.weight})" if entry.weight else ""
        return "; ".join([f"{self.claim.id} {entry.verdict}{weight}", *restored])

    def at(self, reading: str, case: str, **numbers: Any) -> BothSides:
        """The sides of a reading, its name or the start of it, in a case at the numbers given.

        Numbers are exact: whole, `Fraction`, or text such as "1/3"; lists of them for clients and rounds, and lists of
        lists. Raises `ValueError` naming the readings, cases or numbers there are.
        """
        found = [r for r in self.claim.readings if r.name == reading] or [
            r for r in self.claim.readings if r.name.startswith(reading)
        ]
        place = f"look_up({self.claim.id!r}).at"
        if len(found) != 1 or not isinstance(found[0].test, Inequality):
            names = "; ".join(r.name for r in self.claim.readings if isinstance(r.test, Inequality))
            raise ValueError(f"{place}(reading={reading!r}): expected one of: {names}")
        test = found[0].test
        chosen = case_named(test, case)
        if chosen is None:
            names = "; ".join(item.name for item in test.cases)
            raise ValueError(
                f"{place}(case={case!r}): expected one of: {names}; of a family with its numbers filled in"
            )
        return sides_at(test, chosen, {name: exactly(value) for name, value in numbers.items()}, place)


def look_up(claim_id: str) -> LookedUp:
    """The claim of that id of any installed paper; `ValueError` where there is none, or none is committed.

    Raises `ValueError` naming the file, too, where a paper's committed verdicts are damaged or edited.
    """
    for point in points():
        folder = folder_of(point)
        entries = {} if folder is None else _entries(folder)
        if folder is not None and claim_id in entries:
            own = point.load().claims
            claims = {claim.id: claim for claim in own}
            if claim_id in claims:
                if (folder / EVIDENCE).is_file():  # the ledger of a single check has no weights
                    check_weights(list(entries.values()), own, folder / "ledger.json")
                return LookedUp(claims[claim_id], entries[claim_id])
    raise ValueError(f"look_up({claim_id!r}): no installed paper has a committed verdict of that id")


@lru_cache(maxsize=16)
def _entries(folder: Path) -> Mapping[str, Entry]:
    """The committed entries of a paper by id; kept, as its file takes a second to read."""
    return {e.id: e for e in load_entries(folder / "ledger.json")}
