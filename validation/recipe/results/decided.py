"""What committed runs say of a paper's sentences, kept in one small file that its claims read: no claim makes a run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from theory.base.files import replace_file
from validation.published.runs import DECIDED
from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.results.statements import StatementRow, statements_of
from validation.recipe.results.tables import ClaimApart, claims_apart
from validation.recipe.shelf import Shelf

__all__ = ["decided_rows", "write_decided"]

_TOLD = {"agrees", "differs", "undecided"}
_NOT_OWNED = "data not owned"


def decided_rows(shelf: Shelf) -> list[dict[str, Any]]:
    """Each sentence of a recipe that runs of its whole configuration speak of: its status and paired differences.

    Where a claim has several, those that wait for runs or for data stand beside, as "not run": half of a claim decides
    nothing. Then the same under each option that is a reading (`Open.readings`), of claims of which all is told there.
    Means to six digits. Demonstrations and calibration seeds are in none of them (`statements_of`).
    """
    results = shelf.read()
    pairs = [
        (recipe, said, row)
        for recipe in shelf.recipes()
        for said, row in zip(recipe.statements, statements_of(recipe, results), strict=True)
    ]
    seen = {row.claim for _, _, row in pairs if row.status in _TOLD}
    told = [_told(recipe, said, row) for recipe, said, row in pairs if row.claim in seen]
    elsewhere = [one for one in claims_apart(shelf.folder / "recipes" / "tables.toml") if one.status == _NOT_OWNED]
    for recipe in shelf.recipes():
        others = {said.claim for other in shelf.recipes() if other.id != recipe.id for said in other.statements}
        told += _of_readings(recipe, results, others | {one.claim for one in elsewhere})
    return told + [_waiting(one) for one in elsewhere if one.claim in seen]


def _of_readings(recipe: Recipe, results: Mapping[str, Result], apart: Collection[str]) -> Iterator[dict[str, Any]]:
    """Rows under each reading, of claims that are told there whole; none of claims that are told elsewhere, too."""
    for one, option in recipe.readings:
        found = list(zip(recipe.statements, statements_of(recipe, results, {one.name: option}), strict=True))
        waiting = {row.claim for _, row in found if row.status not in _TOLD}
        for said, row in found:
            if row.claim not in waiting and row.claim not in apart:
                yield _told(recipe, said, row) | {"under": f"{one.name} = {option}"}


def _told(recipe: Recipe, said: Statement, row: StatementRow) -> dict[str, Any]:
    known = row.status in _TOLD
    found = [
        {
            "than": one.than,
            "mean": _six(one.mean.value),
            "low": _six(one.mean.low),
            "high": _six(one.mean.high),
            "n": one.n,
            "p": _six(one.p),
        }
        for one in row.differences
        if known and one.mean is not None
    ]
    told: dict[str, Any] = {
        "claim": row.claim,
        "recipe": recipe.id,
        "says": row.says,
        "measure": said.measure,
        "arm": said.arm,
    }
    told |= {"margin": said.margin} if said.margin else {}
    told |= {"most": True} if said.most else {}
    return {
        **told,
        "is": said.is_,
        "status": row.status if known else "not run",
        "differences": found,
        "spread": list(row.spread),
    }


def _waiting(one: ClaimApart) -> dict[str, Any]:
    """What a sentence says of data that are not at hand."""
    return {"claim": one.claim, "says": one.why, "is": "above", "status": "not run", "differences": [], "spread": []}


def write_decided(shelf: Shelf) -> Path | None:
    """Keep `decided_rows` beside the results; None where there are none and no file."""
    path, rows = shelf.folder / DECIDED, decided_rows(shelf)
    if not rows and not path.exists():
        return None
    lines = ",\n".join(" " + json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"[\n{lines}\n]\n".encode())
    return path


def _six(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
