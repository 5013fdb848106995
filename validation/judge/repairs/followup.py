"""What is asked after a search: dimensions and symmetries of every reading, and the repairs of a refuted one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from theory.base.streams import stream
from validation.judge.inequalities import joined
from validation.judge.repairs.edits import edits, measured_sample, survivors
from validation.judge.repairs.switches import restorations
from validation.search.arms import arms
from validation.statement.claim import Case, Inequality
from validation.statement.instances.symmetry import Symmetry, largest_change
from validation.statement.outcome import Outcome, finite

__all__ = ["dimensions", "repairs", "symmetries"]

__judges__ = "inequalities"


class Run(Protocol):
    """A search beside the verdict: what, what it says, its key, and where it starts; the rest as in `run_test`."""

    def __call__(
        self, test: Inequality, says: str, stage: str, warm: Mapping[str, Any], *rounds: float, shown: bool = True
    ) -> Outcome: ...


_SAME = 1e-6  # relative to the sides' own size: rounding of both runs, far below any mix-up of units
_AFFORDABLE = 2000.0  # coordinates times cost
_TRIED = 4  # edits that get a search of their own
_SHOWN = 3
_QUICK = 0.25  # of the budget, for what may fall at once
_WHOLE = (_QUICK, 1 - _QUICK)  # the rest goes on where that ended


def dimensions(test: Inequality) -> dict[str, Any] | None:
    """The (loss, length) degrees of both sides, symbolically; None when the bound declares none."""
    if not test.bound.degrees:
        return None
    right = sorted(test.bound.scaling())
    left = None if test.degrees is None else list(test.degrees)
    same = len(right) == 1 and (test.degrees is None or right == [test.degrees])
    return {"left": left, "right": [list(r) for r in right], "consistent": same}


def symmetries(test: Inequality, *, seed: int, label: str) -> list[dict[str, Any]]:
    """Every declared symmetry, re-measured on changed instances of cases of a few sizes; the largest change is kept."""
    by_name: dict[str, list[tuple[Case, Symmetry]]] = {}
    for arm in arms(test):
        for symmetry in arm.case.symmetries:
            by_name.setdefault(symmetry.name, []).append((arm.case, symmetry))
    out: list[dict[str, Any]] = []
    for name, pairs in by_name.items():
        pairs.sort(key=lambda p: p[0].space.n_cube * p[0].cost)
        affordable = [p for p in pairs if p[0].space.n_cube * p[0].cost <= _AFFORDABLE] or pairs[:1]
        # The smallest case often has the symmetry trivially: look at larger ones, too.
        chosen = {
            id(affordable[i * (len(affordable) - 1) // 4][0]): affordable[i * (len(affordable) - 1) // 4]
            for i in range(5)
        }
        worst = (-1.0, "")
        for place, (case, symmetry) in enumerate(chosen.values()):
            rng = stream(seed, f"symmetry/{label}", len(out), place)
            change = largest_change(symmetry, test.bound, test.degrees, case.space, case.measure, rng)
            worst = max(worst, (change, case.name))
        row = {"name": name, "case": worst[1], "cases": len(chosen), "change": worst[0], "holds": worst[0] <= _SAME}
        out.append(row)
    return out


def repairs(test: Inequality, run: Run, best: Mapping[str, Any], *, seed: int, label: str) -> dict[str, Any]:
    """The smallest extras that restore a refuted statement, a witness of each mechanism, and edits that hold.

    `best` are the leading points of the search that refuted it: whatever repairs the statement must survive them.
    """
    found = restorations(test, lambda t, says, key: run(t, says, f"with {key}", best, *_WHOLE))
    restored = [
        {
            "switches": [s.name for s in r.switches],
            "says": [s.says for s in r.switches],
            "worst_ratio": None if r.outcome.worst_ratio is None else finite(r.outcome.worst_ratio),
            "instances": r.outcome.instances,
        }
        for r in found
    ]
    mechanisms = [
        {"without": switch.name, "why": outcome.why, "counterexample_source": outcome.script, "stage": outcome.stage}
        for r in found[:1]
        for switch, outcome in r.mechanisms
        if outcome.script is not None
    ]
    return {"restored_by": restored, "mechanisms": mechanisms, "edits": _edits(test, run, best, seed, label)}


def _edits(test: Inequality, run: Run, best: Mapping[str, Any], seed: int, label: str) -> list[dict[str, Any]]:
    rng = stream(seed, f"edits/{label}")
    cases = [arm.case for arm in arms(test)]
    cheap = sorted(cases, key=lambda c: c.cost * c.space.n_cube)[:12]
    measured = measured_sample(
        {id(c): c for c in (*cheap, *(c for c in cases if c.name in best))}.values(), best, rng, 256
    )
    out: list[dict[str, Any]] = []
    candidates = edits(test.bound, test.degrees, measured)
    warm = best
    for place, (edit, _) in enumerate(survivors(candidates, measured, _TRIED)):
        rounds = (_QUICK,) if out else _WHOLE  # the tightest is searched as long as the statement itself
        edited, stage = replace(test, bound=edit.bound), f"edit {place + 1}"
        outcome = run(edited, f"edit: {edit.says}", stage, warm, *rounds, shown=False)
        warm = joined(best, outcome.best)  # what came near to breaking one may break the next
        if outcome.verdict.true:
            ratio = None if outcome.worst_ratio is None else finite(outcome.worst_ratio)
            formula = str(edit.bound.expression)
            out.append({"says": edit.says, "formula": formula, "worst_ratio": ratio, "instances": outcome.instances})
            if len(out) == _SHOWN:
                break
    out.sort(key=lambda e: -float(e["worst_ratio"] or 0))
    return out
