"""Which assumptions a statement uses: each dropped in turn, all others kept, and the statement searched again.

An assumption is used when the statement fails without it, by an exact witness. Else it was not seen to be needed, with
the effort.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.judge.repairs.switches import switched
from validation.judge.run import run_test
from validation.script.page import plain_line
from validation.script.script import inequality_script
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck, Family, Inequality
from validation.statement.forms.studies import Hypothesis
from validation.statement.outcome import Outcome, Witness, finite
from validation.statement.verdict import Verdict

__all__ = ["Ablation", "ablate"]


Float = NDArray[np.float64]


@dataclass(frozen=True)
class Ablation:
    """What dropping one assumption did: `used` when an exact witness refutes the statement without it.

    `used` is None when violations were seen only in floats or nothing could be drawn; `witness` in exact numbers.
    """

    hypothesis: str
    says: str
    used: bool | None
    why: str
    worst_ratio: float | str | None
    instances: int
    witness: Mapping[str, Any] | None = None
    script: str | None = None

    def json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def ablate(
    test: Inequality, hypotheses: Sequence[Hypothesis], *, budget: int = 20_000, seed: int = 0, label: str = "statement"
) -> tuple[Ablation, ...]:
    """Drop every assumption in turn, all others kept; `test` is the statement before any switch of `hypotheses`.

    Raises `ValueError` when the statement is not true to begin with: without that, nothing says what is needed.
    """
    full = run_test(
        _assuming(test, hypotheses), claim_id=label, name="all assumptions", key="all", budget=budget, seed=seed
    )
    if not full.verdict.true:
        raise ValueError(f"ablate({label!r}): with all assumptions the statement is {full.verdict}: {full.why}")
    out = []
    for place, h in enumerate(hypotheses):
        kept = [other for other in hypotheses if other is not h]
        wider = test if h.cases is None else replace(test, cases=h.cases)
        dropped = _forgetting(_assuming(wider, kept), h.forgets)
        outcome = run_test(
            dropped,
            claim_id=label,
            name=f"without {h.name}",
            key=f"without {place + 1}",
            budget=budget,
            seed=seed,
            stop_at_witness=True,
            warm=full.best,
        )
        out.append(_ablation(h, outcome, test.bound, label))
    return tuple(out)


def _assuming(test: Inequality, hypotheses: Sequence[Hypothesis]) -> Inequality:
    on = [h.switch for h in hypotheses if h.switch is not None]
    return switched(test, on) if on else test


def _ablation(h: Hypothesis, outcome: Outcome, bound: Bound, label: str) -> Ablation:
    ratio = None if outcome.worst_ratio is None else finite(outcome.worst_ratio)
    if outcome.verdict is Verdict.REFUTED and outcome.witness is not None:
        shown = {"case": outcome.witness.case.name, **{k: _plain(v) for k, v in outcome.witness.instance.items()}}
        script = outcome.script or _script(bound, outcome.witness, label, h)
        return Ablation(h.name, h.says, True, outcome.why, ratio, outcome.instances, shown, script)
    if outcome.verdict.true:
        why = f"not seen to be needed: {outcome.why}"
        return Ablation(h.name, h.says, False, why, ratio, outcome.instances)
    return Ablation(h.name, h.says, None, outcome.why, ratio, outcome.instances)


@dataclass(frozen=True)
class _Weaker:
    """The function of an exact check without some of its hypotheses."""

    check: ExactCheck
    names: tuple[str, ...]

    def __call__(self, x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        hypotheses, constants = self.check.function(x)
        unknown = sorted(set(self.names) - set(hypotheses))
        if unknown:
            raise ValueError(f"Hypothesis(forgets={self.names}): the exact check names no {unknown}")
        return {k: v for k, v in hypotheses.items() if k not in self.names}, constants


_ASKED = "for words, met in hypotheses.items():\n"


def _forgetting(test: Inequality, names: tuple[str, ...]) -> Inequality:
    """The same statement whose exact checks no longer ask for the named hypotheses."""

    def weaker(case: Case) -> Case:
        if case.exact is None:
            return case
        weak = _Weaker(case.exact, names)
        return replace(case, exact=ExactCheck(weak, case.exact.uses, standalone=False, measured=case.exact.measured))

    def item(entry: Case | Family) -> Case | Family:
        if isinstance(entry, Case):
            return weaker(entry)
        return replace(entry, at=lambda **sizes: weaker(entry.at(**sizes)))

    return replace(test, cases=tuple(item(c) for c in test.cases)) if names else test


def _script(bound: Bound, witness: Witness, label: str, h: Hypothesis) -> str | None:
    """The witness as a script of its own that leaves the dropped hypotheses out; None where none can be written."""
    exact = witness.case.exact
    weaker = exact.function if exact is not None else None
    if not isinstance(weaker, _Weaker):
        return None
    if not weaker.check.standalone:
        return None
    full = replace(witness, case=replace(witness.case, exact=weaker.check))
    source = inequality_script(label, f"without {h.name}", h.says, bound, full)
    if source is None:
        return None
    says, asked = "Written out step by step it would be more than a page, or of numbers too long to be read.\n", _ASKED
    left_out = f"hypotheses = {{k: met for k, met in hypotheses.items() if k not in {weaker.names!r}}}\n"
    if asked not in source:
        raise RuntimeError(f"ablation of {label}: the script has another form than that of a carried function")
    told = f"The statement without a hypothesis, which is not asked for: {plain_line('; '.join(weaker.names))}.\n"
    return source.replace(says, told, 1).replace(asked, left_out + asked, 1)


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, list) else str(value)
