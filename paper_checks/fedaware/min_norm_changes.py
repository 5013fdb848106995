"""FA-MN6 to FA-MN9: how the shortest point answers to permutations, scalings, rotations and joins."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, fact, flagged, hulls, nearest, never, shortest, squares
from paper_checks.known_truths.exact import reflected
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from validation import Canary, Choice, Claim, Instance, LogScale, Reading, Signed
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _reordered(x: Instance) -> Mapping[str, Any]:
    """‖d − d'‖² of the clients in reverse order, then turned by `shift`; `weights`: ‖λ − λ'‖² instead."""
    m, k = x["m"], int(x["shift"][0])
    weights, d = nearest(m)
    other, e = nearest(np.roll(m[:, ::-1], k, axis=1))
    if "weights" in x:
        return {"lhs": squares(weights - np.roll(other, -k, axis=1)[:, ::-1]), "magnitude": np.full(len(m), 1e7)}
    return {"lhs": squares(d - e), "magnitude": squares(m).max(axis=1)}


def reordered_exact(x: Mapping[str, Any]) -> Checked:
    """The clients in reverse order, the last k of them moved to the front."""
    m, k = x["m"], int(x["shift"]) % len(x["m"])
    back = m[::-1]
    weights, d = shortest(m)
    other, e = shortest([*back[len(m) - k :], *back[: len(m) - k]])
    if "weights" in x:
        weights, other = weights[::-1], [*other[k:], *other[:k]]
        d, e = weights, other
    return {}, {"lhs": sum((a - b) ** 2 for a, b in zip(d, e, strict=True))}


def _scaled(x: Instance) -> Mapping[str, Any]:
    """‖d(sm) − s·d‖² + (‖Σλᵢsmᵢ‖² − ‖d(sm)‖²), over s²; `each`: a factor of its own for every client."""
    m, s = x["m"], x["scale"]
    weights, d = nearest(m)
    if "each" in x:
        moved = s[:, :, None] * m
        _, e = nearest(moved)
        return {"lhs": squares(pseudo_gradient(moved, weights)) - squares(e), "magnitude": squares(moved).max(axis=1)}
    safe = np.where(s != 0, s, 1.0)[:, None]
    moved = safe[:, :, None] * m
    _, e = nearest(moved)
    same = squares(pseudo_gradient(moved, weights)) - squares(e)
    missed = (squares(e - safe * d) + same) / safe[:, 0] ** 2
    return {"lhs": missed, "admissible": s != 0, "magnitude": squares(m).max(axis=1)}


def scaled_exact(x: Mapping[str, Any]) -> Checked:
    """Every vector times s (`each`: times its own), and the old weights on the new vectors."""
    m, s = x["m"], x["scale"]
    factors = s if "each" in x else [s for _ in m]
    weights, d = shortest(m)
    moved = [[f * c for c in v] for f, v in zip(factors, m, strict=True)]
    e, kept = shortest(moved)[1], weighted_sum(weights, moved)
    missed = dot(kept, kept) - dot(e, e)
    if "each" in x:
        return {}, {"lhs": missed}
    missed += sum((a - s * b) ** 2 for a, b in zip(e, d, strict=True))
    return {"s is not 0": s != 0}, {"lhs": missed / (s * s) if s != 0 else missed}


def _turned(x: Instance) -> Mapping[str, Any]:
    """‖d(Um) − U d‖² + (‖Σλᵢ(Um)ᵢ‖² − ‖d(Um)‖²), U the reflection along `mirror`; `stretch`: diag(mirror)."""
    m, r = x["m"], x["mirror"]
    weights, d = nearest(m)
    size = np.where(squares(r) > 0, squares(r), 1.0)
    if "stretch" in x:
        moved, target = m * r[:, None], d * r
    else:
        moved = m - 2 * (m @ r[..., None]) * r[:, None] / size[:, None, None]
        target = d - 2 * (d * r).sum(axis=-1)[:, None] * r / size[:, None]
    _, e = nearest(moved)
    missed = squares(e - target) + squares(pseudo_gradient(moved, weights)) - squares(e)
    return {"lhs": missed, "magnitude": squares(m).max(axis=1) + squares(moved).max(axis=1)}


def turned_exact(x: Mapping[str, Any]) -> Checked:
    """Every vector reflected (`stretch`: each coordinate times its own factor), and the old weights on the new vectors."""
    m, r = x["m"], x["mirror"]
    weights, d = shortest(m)
    images = [[a * b for a, b in zip(v, r, strict=True)] if "stretch" in x else reflected([r], v) for v in [*m, d]]
    moved, target = images[:-1], images[-1]
    e, kept = shortest(moved)[1], weighted_sum(weights, moved)
    missed = dot(kept, kept) - dot(e, e)
    return {}, {"lhs": missed + sum((a - b) ** 2 for a, b in zip(e, target, strict=True))}


def _joined(x: Instance) -> Mapping[str, Any]:
    """A vector joins: ‖d'‖² − ‖d‖²; `leaning`: ‖d' − d‖² if ⟨m, d⟩ = (1 + slack)‖d‖²; `copy`: the same for a copy of m₁.

    `half` asks for ⟨m, d⟩ = ‖d‖²/2 only, `away` lets the m₁ leave instead.
    """
    m = x["m"]
    d = nearest(m)[1]
    largest, size = squares(m).max(axis=1), squares(d)
    if "away" in x:
        return {"lhs": squares(nearest(m[:, 1:])[1]) - size, "magnitude": largest}
    if "copy" in x:
        both = np.concatenate([m, m[:, :1]], axis=1)
        return {"lhs": squares(nearest(both)[1] - d), "magnitude": largest}
    new = x["joining"]
    clear = np.ones(len(m), dtype=bool)
    if "slack" in x or "half" in x:
        clear = size > 1e-6 * largest
        share = np.full(len(m), 0.5) if "half" in x else 1.0 + x["slack"]
        lean = share - (new * d).sum(axis=-1) / np.where(clear, size, 1.0)
        new = new + lean[:, None] * d
    after = nearest(np.concatenate([m, new[:, None]], axis=1))[1]
    largest = np.maximum(largest, squares(new))
    changed = squares(after - d) if "slack" in x or "half" in x else squares(after) - size
    return {"lhs": changed, "admissible": clear, "magnitude": largest}


def joined_exact(x: Mapping[str, Any]) -> Checked:
    """The shortest point before and after a vector joins (or, as a mutant, the first one leaves)."""
    m = x["m"]
    d = shortest(m)[1]
    if "away" in x:
        after = shortest(m[1:])[1]
        return {}, {"lhs": dot(after, after) - dot(d, d)}
    if "copy" in x:
        after = shortest([*m, m[0]])[1]
        return {}, {"lhs": sum((a - b) ** 2 for a, b in zip(after, d, strict=True))}
    new = x["joining"]
    if "slack" not in x and "half" not in x:
        after = shortest([*m, new])[1]
        return {}, {"lhs": dot(after, after) - dot(d, d)}
    lean = (Fraction(1, 2) if "half" in x else 1 + x["slack"]) - dot(new, d) / dot(d, d)
    new = [a + lean * b for a, b in zip(new, d, strict=True)]
    after = shortest([*m, new])[1]
    apart = sum((a - b) ** 2 for a, b in zip(after, d, strict=True))
    return {"d is not 0": dot(d, d) > 0}, {"lhs": apart}


def _shift(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Choice("shift", (float(n // 3),)),)


def _scale(_n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Signed("scale", 1e-2, 1e2),)


def _scales(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Signed("scale", 1e-2, 1e2, (n,)), Choice("each", (1.0,)))


def _mirror(_n: int, d: int) -> tuple[Coordinate, ...]:
    return (Signed("mirror", 1e-2, 1.0, (d,)),)


def _joining(_n: int, d: int) -> tuple[Coordinate, ...]:
    return (Signed("joining", 1e-2, 1e2, (d,)),)


def _leaning(n: int, d: int) -> tuple[Coordinate, ...]:
    return (*_joining(n, d), LogScale("slack", 1e-3, 10.0))


MN6 = fact(
    "FA-MN6",
    "Clients in another order",
    r"\lambda\mapsto\text{permuted},\ d\text{ unchanged under permutations of the clients}",
    "The order of the clients does not matter to the shortest point.",
    (
        Reading(
            "the point",
            "The same d with the clients reversed and turned.",
            never(hulls(_reordered, reordered_exact, _shift)),
        ),
    ),
    (
        Canary(
            "whatever weights are found",
            never(hulls(_reordered, reordered_exact, flagged("weights", _shift), symmetric=False), (0, 0)),
            "for m₁ = m₂ the weights are not unique, and a solver's choice may follow the order",
        ),
    ),
    None,
    "The problem does not know the order. Where the weights are not unique only d may be compared, as the catalogue says.",
)

MN7 = fact(
    "FA-MN7",
    "All updates times a number",
    r"m_i\mapsto s\,m_i,\ s\ne0\ \Rightarrow\ d\mapsto s\,d,\ \lambda\text{ kept}",
    "Scaling all updates by one number scales the shortest point and leaves the weights optimal.",
    (
        Reading(
            "one factor for all",
            "Any s other than 0, negative ones too.",
            never(hulls(_scaled, scaled_exact, _scale)),
        ),
    ),
    (
        Canary(
            "a factor of its own for each client",
            never(hulls(_scaled, scaled_exact, _scales, clients=("scale",))),
            "for m = 1 and 2 and factors 2 and 1/2 the other client is the shorter one",
        ),
    ),
    "always equal",
    "‖Σλᵢsmᵢ‖ = |s|‖Σλᵢmᵢ‖ has the same minimisers. Updates scaled one by one, by their lengths say, have others.",
)

MN8 = fact(
    "FA-MN8",
    "Updates in a turned space",
    r"m_i\mapsto Um_i,\ U^\top U=I\ \Rightarrow\ d\mapsto Ud;\quad\lambda\text{ depends on }Q=MM^\top\text{ only}",
    "An orthogonal map carries the shortest point along and leaves the weights optimal.",
    (
        Reading(
            "reflections",
            "Reflections generate all orthogonal maps.",
            never(hulls(_turned, turned_exact, _mirror, uses=(reflected,), vectors=("mirror",))),
        ),
    ),
    (
        Canary(
            "any linear map",
            never(hulls(_turned, turned_exact, flagged("stretch", _mirror), uses=(reflected,), symmetric=False)),
            "for (1, 0) and (0, 1) the stretch (1, 2) moves the weights from 1/2 to 4/5",
        ),
    ),
    "always equal",
    "The objective is λᵀQλ, and U leaves Q as it is.",
)

MN9 = fact(
    "FA-MN9",
    "A client joins",
    r"\|d\|\text{ cannot grow};\quad\langle m,d\rangle\ge\|d\|^2\Rightarrow d\text{ stays};\quad\text{a duplicate leaves }d",
    "Another client can only shorten the shortest point, and leaves it if its update leans on it enough.",
    (
        Reading(
            "never longer", "Any vector joins.", never(hulls(_joined, joined_exact, _joining, vectors=("joining",)))
        ),
        Reading(
            "unchanged by one that leans on d",
            "⟨m, d⟩ = (1 + slack)‖d‖², d not 0.",
            never(hulls(_joined, joined_exact, _leaning, vectors=("joining",))),
        ),
        Reading(
            "unchanged by a duplicate",
            "The first vector once more.",
            never(hulls(_joined, joined_exact, flagged("copy"), symmetric=False)),
        ),
    ),
    (
        Canary(
            "a client leaves",
            never(hulls(_joined, joined_exact, flagged("away"), symmetric=False, least=2)),
            "for m = 1 and 2 the point is 1, without the first it is 2",
        ),
        Canary(
            "leaning half as much",
            never(hulls(_joined, joined_exact, flagged("half", _joining), vectors=("joining",))),
            "for d = m₁ = 2 the joining m = 1 is itself the shorter point",
        ),
    ),
    None,
    "A larger hull has no longer shortest point. A vector on the far side of the plane through d does not change it, since "
    "the conditions of optimality still hold; a duplicate is one of them or carries no weight.",
    ("FA-MN2",),
)

CLAIMS: tuple[Claim, ...] = (MN6, MN7, MN8, MN9)
