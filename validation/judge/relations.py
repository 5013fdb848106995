"""How a relation between printed cells is judged: exactly, each comparison by itself."""

from __future__ import annotations

from functools import partial
from typing import Any

from validation.published.runs import OURS
from validation.published.tables import decide
from validation.script.printed_relation import comparison_script
from validation.statement.bound import exact_value
from validation.statement.claim import Relation
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

__all__ = ["judge_relation"]

__judges__ = "relations"


def judge_relation(test: Relation, claim_id: str, name: str) -> Outcome:
    """The verdict on a relation between printed cells, decided exactly."""
    if test.needs_run is not None:
        return Outcome(Verdict.NEEDS_RUN, test.needs_run)
    comparisons = test.comparisons()
    if not comparisons:
        return Outcome(Verdict.INCONCLUSIVE, "nothing is compared: the relation names no cells")
    results = [(c, decide(c)) for c in comparisons]
    cells = {cell.where: cell.value for c in comparisons for cell in c.cells.values()}
    shown = [{"cell": where, "value": value} for where, value in cells.items()]
    failed = [c for c, holds in results if not holds]
    outcome = partial(Outcome, instances=len(results), admissible=len(results))
    detail: dict[str, Any] = {"cells": shown, "stages": {"cells": len(results)}}
    if not failed:
        what = "means of our runs" if all(where.startswith(OURS) for where in cells) else "printed cells"
        why = f"all {len(results)} comparisons of {what} hold, exactly"
        return outcome(Verdict.HOLDS, why, detail=detail)
    first = failed[0]
    values = {n: c.value for n, c in first.cells.items()}
    left, right = (float(exact_value(side, values)) for side in (first.left, first.right))
    why = f"{len(failed)} of {len(results)} comparisons fail; «{first.says}»"
    why += f": {left:.6g} {first.relation} {right:.6g} is false"
    script = comparison_script(claim_id, name, first)
    detail["cells"] = [{"cell": c.where, "value": c.value} for f in failed for c in f.cells.values()] or shown
    return outcome(Verdict.REFUTED, why, script=script, stage="cells", detail=detail)
