"""Theory's order of the rules, from the solved column alone: written down before a network is trained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from statistics import fmean

__all__ = ["ORDERS", "Order", "Series", "digest", "last", "predicted"]

Series = Mapping[str, Sequence[float | None]]
Order = dict[str, float]  # a rule and its value; less is better

ORDERS = {
    "bound": (
        "the bound's term Γₜ − Ωₜ, its mean over the rounds",
        "the one term of Exp-α's bound that does not vanish and hangs on the rule",
    ),
    "solved": ("the last gap F(w) − F* of the solved task", "where each rule ended in column a"),
}


def last(run: Series, key: str) -> float:
    """The last value of a quantity; `ValueError` where there is none, as of a run that diverged."""
    values = run.get(key, ())
    if not values or values[-1] is None:
        raise ValueError(f"a run has no last {key}: it diverged; lower local_lr, or network_lr of the network")
    return values[-1]


def predicted(solved: Mapping[str, Sequence[Series]]) -> dict[str, Order]:
    """Each order of `ORDERS` from rule ↦ its runs of column "solved", a mean over seeds, rules best first."""
    found: dict[str, Order] = {name: {} for name in ORDERS}
    for rule, runs in solved.items():
        terms = [v for run in runs for v in run["gamma_minus_omega"] if v is not None]
        found["bound"][rule] = fmean(terms)
        found["solved"][rule] = fmean(last(run, "gap") for run in runs)
    return {name: dict(sorted(order.items(), key=lambda item: item[1])) for name, order in found.items()}


def digest(document: object) -> str:
    """SHA-256 of its canonical JSON: what the answer names, so that a prediction changed afterwards shows."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
