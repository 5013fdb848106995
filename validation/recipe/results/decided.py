"""What committed runs say of a paper's sentences, kept in one small file that its claims read: no claim makes a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from theory.base.files import replace_file
from validation.published.runs import DECIDED
from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.results.by_seed import TOLD
from validation.recipe.results.statements import StatementRow, lines_of, statements_of
from validation.recipe.results.tables import ClaimApart, claims_apart
from validation.recipe.shelf import Shelf

__all__ = ["decided_rows", "write_decided"]

_NOT_OWNED = "data not owned"


def decided_rows(shelf: Shelf) -> list[dict[str, Any]]:
    """Each sentence of a recipe that runs of its whole configuration speak of: its word, verdict and differences.

    Where a claim has several, those that wait for runs or for data stand beside, as "not run": they hold nothing up
    where another part refutes the claim, and keep it from holding. Then the same under each option that is a reading
    (`Open.readings`), of claims of which all is told there or one part is refuted.
    Means to six digits. Demonstrations and calibration seeds are in none of them (`statements_of`).
    """
    results, recipes = shelf.read(), shelf.recipes()
    elsewhere = [one for one in claims_apart(shelf.folder / "recipes" / "tables.toml") if one.status == _NOT_OWNED]
    parts = {r.id: lines_of((o for o in recipes if o.id != r.id), (one.claim for one in elsewhere)) for r in recipes}
    pairs = [
        (recipe, said, row)
        for recipe in recipes
        for said, row in zip(recipe.statements, statements_of(recipe, results, elsewhere=parts[recipe.id]), strict=True)
    ]
    seen = {row.claim for _, _, row in pairs if row.status in TOLD}
    told = [_told(recipe, said, row) for recipe, said, row in pairs if row.claim in seen]
    for recipe in recipes:
        told += _of_readings(recipe, results, parts[recipe.id])
    return told + [_waiting(one) for one in elsewhere if one.claim in seen]


def _of_readings(
    recipe: Recipe, results: Mapping[str, Result], elsewhere: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """Rows under each reading, of claims that are told there whole, or refuted by a part; others are told elsewhere."""
    for one, option in recipe.readings:
        rows = statements_of(recipe, results, {one.name: option}, elsewhere)
        found = list(zip(recipe.statements, rows, strict=True))
        waiting = {row.claim for _, row in found if row.status not in TOLD} | set(elsewhere)
        fallen = {row.claim for _, row in found if row.verdict == "refuted"}
        for said, row in found:
            if row.claim in fallen or row.claim not in waiting:
                yield _told(recipe, said, row) | {"under": f"{one.name} = {option}"}


def _told(recipe: Recipe, said: Statement, row: StatementRow) -> dict[str, Any]:
    known = row.status in TOLD
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
        "verdict": row.verdict,
        "differences": found,
        "options": dict(row.options) if known else {},
        "spread": list(row.spread),
    }


def _waiting(one: ClaimApart) -> dict[str, Any]:
    """What a sentence says of data that are not at hand."""
    told = {"claim": one.claim, "says": one.why, "is": "above", "status": "not run", "verdict": "needs-run"}
    return {**told, "differences": [], "options": {}, "spread": []}


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
