"""The aggregation rules once more, in exact arithmetic: the oracle of the array versions.

Losses and shares are lists of python-flint numbers; rules with an exponential need balls (``arb``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from theory.exact.reference.plain import dot, solve

__all__ = ["exp_alpha", "fed_soft_worse", "fed_worse", "min_norm", "proportional"]

Number = Any


def _normalised(raw: list[Number]) -> list[Number]:
    total = raw[0]
    for value in raw[1:]:
        total = total + value
    return [value / total for value in raw]


def proportional(share: Sequence[Number], present: Sequence[bool]) -> list[Number]:
    """aₖ = pₖ over the clients present."""
    return _normalised([p if here else p * 0 for p, here in zip(share, present, strict=True)])


def exp_alpha(
    before: Sequence[Number], after: Sequence[Number], present: Sequence[bool], alpha: Number
) -> list[Number]:
    """aₖ ∝ exp((Fₖ(wₖ) − Fₖ(w))/α), in balls. Source: exp_alpha eq. (3)."""
    raw = [((a - b) / alpha).exp() for b, a in zip(before, after, strict=True)]
    return _normalised([x if here else x * 0 for x, here in zip(raw, present, strict=True)])


def fed_soft_worse(
    share: Sequence[Number],
    before: Sequence[Number],
    best: Sequence[Number],
    present: Sequence[bool],
    temperature: Number,
) -> list[Number]:
    """aₖ ∝ pₖ exp((Fₖ(w) − Fₖ*)/T), in balls. Source: robust_aggregation RA-S-SW."""
    raw = [p * ((b - s) / temperature).exp() for p, b, s in zip(share, before, best, strict=True)]
    return _normalised([x if here else x * 0 for x, here in zip(raw, present, strict=True)])


def fed_worse(before: Sequence[Number], best: Sequence[Number], present: Sequence[bool]) -> list[Number]:
    """aₖ = 1/|J| on J = argmax(Fₖ(w) − Fₖ*). Source: robust_aggregation RA-S-W.

    In balls an undecided comparison raises `ArithmeticError` rather than guess; rationals always decide.
    """
    excess = [b - s for b, s in zip(before, best, strict=True)]
    cohort = [k for k, here in enumerate(present) if here]
    worst = []
    for k in cohort:
        relations = [(excess[k] >= excess[j], excess[k] < excess[j]) for j in cohort if j != k]
        if any(not above and not below for above, below in relations):
            raise ArithmeticError("fed_worse: two balls overlap, the worst client is undecided; raise the precision")
        if all(above for above, _ in relations):
            worst.append(k)
    one = excess[0] * 0 + 1
    return [one / len(worst) if k in worst else one * 0 for k in range(len(before))]


def min_norm(updates: Sequence[Sequence[Number]], present: Sequence[bool]) -> list[Number]:
    """The point of least norm of the hull, by enumerating faces in rationals; for at most 8 clients.

    A face is accepted when its weights are >= 0 and ⟨mᵢ, d⟩ >= ‖d‖² for every client (KKT). Source: fedaware FA-MN2.
    """
    cohort = [k for k, here in enumerate(present) if here]
    if len(cohort) > 8:
        raise ValueError(f"min_norm: {len(cohort)} clients; enumeration is for at most 8")
    gram = {(i, j): dot(updates[i], updates[j]) for i in cohort for j in cohort}
    zero = gram[cohort[0], cohort[0]] * 0
    for size in range(1, len(cohort) + 1):
        for face in combinations(cohort, size):
            system = [[gram[i, j] for j in face] + [zero + 1] for i in face] + [[zero + 1] * size + [zero]]
            try:
                weights = solve(system, [zero] * size + [zero + 1])[:-1]
            except ZeroDivisionError:
                continue
            inner = {i: sum((w * gram[i, j] for w, j in zip(weights, face, strict=True)), zero) for i in cohort}
            square = dot(weights, [inner[i] for i in face])
            if all(w >= 0 for w in weights) and all(inner[i] >= square for i in cohort):
                return [weights[face.index(k)] if k in face else zero for k in range(len(present))]
    raise ArithmeticError("min_norm: no face satisfies the optimality conditions; were the updates exact rationals?")
