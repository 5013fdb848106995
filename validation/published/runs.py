"""What committed runs decide of a sentence: paired differences over seeds, kept by `compare --published --keep`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from validation.statement.forms.kinds import Cell, Comparison, Relation

__all__ = ["BEYOND_CHANCE", "DECIDED", "OURS", "played"]

DECIDED = "results/statements.json"
OURS = "our runs of "
"""How the places of numbers that no paper prints begin."""
BEYOND_CHANCE = 0.05
"""Of an adjusted p-value."""
_SAID = {"above": ("0", "<", "mean"), "below": ("mean", "<", "0")}


def played(paper: Path, claim: str, missing: str, under: str = "") -> Relation:
    """The sentence on our runs: each difference in means points as it says. `paper`: the paper's folder.

    `under`: "choice = option" of a recipe, where the print names several options and each is a reading; else the
    defaults, which an option that was run and says the contrary leaves undecided.

    It is decided where every part holds at published scale and under every option that was left open, or where one part
    is refuted so, whatever the others are: false and anything is false. Else a run is needed, and the relation says
    what is there, or `missing` where nothing is.
    Raises `ValueError` naming the file for one that cannot be read.
    """
    rows = [row for row in _rows(paper / DECIDED) if (row["claim"], row.get("under", "")) == (claim, under)]
    fallen = tuple(row for row in rows if row["verdict"] == "refuted")
    if fallen or (rows and all(row["verdict"] == "holds" for row in rows)):
        return Relation(partial(_comparisons, fallen or tuple(rows)))
    seen = "; ".join(_told(row) for row in rows if row["differences"])
    asked = f"{missing}, {under}" if under else missing
    return Relation(tuple, needs_run=f"{asked}; so far {seen}" if seen else asked)


def _told(row: Mapping[str, Any]) -> str:
    """A part in words: what it says, its word at the moment and why it is no more, and its differences."""
    why = f" ({row['spread'][0]})" if row["spread"] and row["options"] else ""
    return f"{row['status']}{why}: {row['says']}: {_shown(row)}"


def _rows(path: Path) -> list[Mapping[str, Any]]:
    if not path.is_file():
        return []
    try:
        rows: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        for row in rows:
            _comparisons((row,))
            _ = row["status"], row["verdict"], row["options"], row["spread"]
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise ValueError(f"{path}: no statements decided by runs: {error}") from error
    return rows


def _comparisons(rows: tuple[Mapping[str, Any], ...]) -> tuple[Comparison, ...]:
    found = []
    for row in rows:
        left, sign, right = _SAID[row["is"]]
        allowed = f", after the {row['margin']:g} that is allowed" if row.get("margin") else ""
        if row.get("most"):
            found.append(_of_most(row))
            continue
        for one in row["differences"]:
            what = f"{row['arm']} minus {one['than']}, {row['measure']}, mean of {one['n']}"
            where = f"{OURS}{row['recipe']}{_under(row)}: {what}{allowed}"
            cells = {"mean": Cell(format(Decimal(repr(one["mean"])), "f"), where)}
            says = f"{row['says']}{allowed}: {_mean(one)}"
            found.append(Comparison(says, left, sign, right, cells))  # type: ignore[arg-type]
    return tuple(found)


def _of_most(row: Mapping[str, Any]) -> Comparison:
    """More than half of the differences point as said, beyond chance, as the row's status is by `recipe.statements`."""
    sign = 1 if row["is"] == "above" else -1
    clear = [one for one in row["differences"] if one["p"] is not None and one["p"] < BEYOND_CHANCE]
    as_said = sum(sign * one["mean"] > 0 for one in clear)
    others = len(row["differences"])
    where = f"{OURS}{row['recipe']}{_under(row)}: {row['measure']} of {row['arm']}, against {others} others"
    cells = {
        "as_said": Cell(str(as_said), f"{where}, as said beyond chance"),
        "others": Cell(str(others), where),
    }
    return Comparison(f"{row['says']}: {_shown(row)}", "others", "<", "2 * as_said", cells)


def _under(row: Mapping[str, Any]) -> str:
    return f", {row['under']}" if row.get("under") else ""


def _mean(one: Mapping[str, Any]) -> str:
    """Mean with 95 % interval, seeds and the p that counts looks and family, of one difference."""
    interval = "" if one["low"] is None else f" ({one['low']:+.4g} to {one['high']:+.4g})"
    p = "" if one["p"] is None else f", corrected p = {one['p']:.2g}"
    return f"{one['mean']:+.4g}{interval} against {one['than']} over {one['n']} seeds{p}"


def _shown(row: Mapping[str, Any]) -> str:
    return ", ".join(_mean(one) for one in row["differences"])
