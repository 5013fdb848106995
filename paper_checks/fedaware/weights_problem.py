"""FA-E2, FA-R10 and FA-R13: what eq. (2) defines, in closed form or not, and when its point is 0."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, fact, flagged, hulls, nearest, never, shortest, squares
from theory.exact import dot, solve, weighted_sum
from theory.quantities import pseudo_gradient
from validation import Canary, Claim, Instance, Reading

__all__ = ["CLAIMS"]


def _defined(x: Instance) -> Mapping[str, Any]:
    """Two solutions of eq. (2), clients in order and in reverse: ‖d − d'‖², with `weights` ‖λ − λ'‖² instead.

    `apart`: only where all N vectors are affinely independent. `half` compares with the point of half the weights.
    """
    m = x["m"]
    weights, d = nearest(m)
    other, e = nearest(m[:, ::-1])
    largest = squares(m).max(axis=1)
    if "weights" not in x:
        e = (e + pseudo_gradient(m, np.full(m.shape[:2], 1.0 / m.shape[1]))) / 2 if "half" in x else e
        return {"lhs": squares(d - e), "magnitude": largest}
    unit = np.where(largest > 0, largest, 1.0)[:, None, None]
    edges = m[:, 1:] - m[:, :1]
    lifted = np.einsum("nid,njd->nij", edges, edges) / unit
    free = np.ones(len(m), dtype=bool) if m.shape[1] == 1 else np.linalg.eigvalsh(lifted)[:, 0] > 1e-4
    apart = {"lhs": squares(weights - other[:, ::-1]), "magnitude": np.full(len(m), 1e7)}
    return {**apart, "admissible": free | ("apart" not in x)}


def defined_exact(x: Mapping[str, Any]) -> Checked:
    """Both solutions by faces; affine independence as a regular matrix of the edges from the first vector."""
    m = x["m"]
    weights, d = shortest(m)
    other, e = shortest(m[::-1])
    if "weights" not in x:
        if "half" in x:
            e = [(a + sum(c) / len(m)) / 2 for a, c in zip(e, zip(*m, strict=True), strict=True)]
        return {}, {"lhs": sum((a - b) ** 2 for a, b in zip(d, e, strict=True))}
    edges = [[a - b for a, b in zip(v, m[0], strict=True)] for v in m[1:]]
    free = True
    if "apart" in x and edges:
        try:
            solve([[dot(u, v) for v in edges] for u in edges], [Fraction(0) for _ in edges])
        except ZeroDivisionError:
            free = False
    gap = sum((a - b) ** 2 for a, b in zip(weights, other[::-1], strict=True))
    return {"affinely independent where that is asked": free}, {"lhs": gap}


def _formula(x: Instance) -> Mapping[str, Any]:
    """How much longer than d the point of the weights Q⁻¹1/(1ᵀQ⁻¹1) is, infeasible ones counting by their negative part."""
    m = x["m"]
    gram = np.einsum("nid,njd->nij", m, m)
    size = np.einsum("nii->ni", gram)
    root = np.sqrt(np.where(size > 0, size, 1.0))
    scaled = gram / (root[:, :, None] * root[:, None, :])
    clear = (np.linalg.eigvalsh(scaled)[:, 0] > 1e-5) & np.all(size > 0, axis=1)
    scaled = np.where(clear[:, None, None], scaled, np.eye(m.shape[1]))
    found = np.linalg.solve(scaled, (1 / root)[..., None])[..., 0] / root
    weights = found / found.sum(axis=1, keepdims=True)
    negative = np.maximum(-weights, 0.0).sum(axis=1) * size.max(axis=1)
    excess = np.abs(squares(pseudo_gradient(m, weights)) - squares(nearest(m)[1]))
    if "inside" in x:
        clear = clear & np.all(weights >= 0, axis=1)
    return {"lhs": excess + negative, "admissible": clear, "magnitude": size.max(axis=1) * 1e4}


def formula_exact(x: Mapping[str, Any]) -> Checked:
    """The one stationary point over the affine hull, and the negative part of its weights (in units of a square)."""
    m = x["m"]
    found = solve([[dot(u, v) for v in m] for u in m], [Fraction(1) for _ in m])
    weights = [a / sum(found) for a in found]
    v, d = weighted_sum(weights, m), shortest(m)[1]
    negative = sum(-a for a in weights if a < 0) * max(dot(u, u) for u in m)
    met = {"weights >= 0 where that is asked": "inside" not in x or min(weights) >= 0}
    return met, {"lhs": abs(dot(v, v) - dot(d, d)) + negative}


def _pair(x: Instance) -> Mapping[str, Any]:
    """The closed form for two clients, clip(⟨m₂ − m₁, m₂⟩/‖m₁ − m₂‖², 0, 1), against the shortest point."""
    u, v = x["m"][:, 0], x["m"][:, 1]
    size = squares(u - v)
    share = np.clip(((v - u) * v).sum(axis=-1) / np.where(size > 0, size, 1.0), 0.0, 1.0)[:, None]
    share = np.full_like(share, 0.5) if "even" in x else share
    excess = squares(share * u + (1 - share) * v) - squares(nearest(x["m"][:, :2])[1])
    return {"lhs": excess, "admissible": size > 0, "magnitude": squares(x["m"]).max(axis=1)}


def pair_exact(x: Mapping[str, Any]) -> Checked:
    """The first two vectors only."""
    u, v = x["m"][:2]
    apart = [b - a for a, b in zip(u, v, strict=True)]
    share = min(max(dot(apart, v) / dot(apart, apart), Fraction(0)), Fraction(1))
    share = Fraction(1, 2) if "even" in x else share
    point, d = weighted_sum([share, 1 - share], x["m"][:2]), shortest(x["m"][:2])[1]
    return {"m_1 and m_2 differ": any(apart)}, {"lhs": dot(point, point) - dot(d, d)}


def _independent(x: Instance) -> Mapping[str, Any]:
    """det of the scaled Gram matrix where d = 0, so that independent vectors with d = 0 miss; `back`: 1 − det > 0 at d ≠ 0.

    `back` asks the converse: d ≠ 0 with a singular Gram matrix misses by the length of d.
    """
    m = x["m"]
    gram = np.einsum("nid,njd->nij", m, m)
    size = np.einsum("nii->ni", gram)
    root = np.sqrt(np.where(size > 0, size, 1.0))
    regular = np.linalg.eigvalsh(gram / (root[:, :, None] * root[:, None, :]))[:, 0] > 1e-9
    length, largest = squares(nearest(m)[1]), size.max(axis=1)
    zero = length <= 1e-20 * largest
    if "back" in x:
        return {"lhs": np.where(regular | zero, 0.0, length), "magnitude": largest}
    affine = np.linalg.eigvalsh(gram / np.where(largest > 0, largest, 1.0)[:, None, None] + 1)[:, 0] > 1e-9
    holds = affine if "affine" in x else regular
    return {"lhs": np.where(holds & zero, 1.0, 0.0) * np.maximum(largest, 1e-30)}


def independent_exact(x: Mapping[str, Any]) -> Checked:
    """Linear (or affine, as a mutant) independence as a regular Gram matrix, against the shortest point being 0."""
    m = x["m"]
    shift = 1 if "affine" in x else 0
    try:
        solve([[dot(u, v) + shift for v in m] for u in m], [Fraction(0) for _ in m])
        regular = True
    except ZeroDivisionError:
        regular = False
    d = shortest(m)[1]
    length, largest = dot(d, d), max(dot(v, v) for v in m)
    if "back" in x:
        return {}, {"lhs": Fraction(0) if regular or length == 0 else length}
    return {}, {"lhs": largest if regular and length == 0 else Fraction(0)}


E2 = fact(
    "FA-E2",
    "Min-norm weights",
    r"\lambda^t=\min_\lambda\Big\{\Big\|\sum_i\lambda_im_i^t\Big\|^2:\ \sum_i\lambda_i=1,\ \lambda_i\ge0\Big\}",
    "The weights are those of the shortest point of the hull of the averaged updates.",
    (
        Reading("the direction", "dᵗ = Σλᵢmᵢ is the same for every minimiser.", never(hulls(_defined, defined_exact))),
        Reading(
            "the weights",
            "λᵗ itself is determined by the mᵢ.",
            never(hulls(_defined, defined_exact, flagged("weights"), symmetric=False, line=False), (0, 0)),
        ),
        Reading(
            "the weights of affinely independent updates",
            "No update is an affine combination of the others.",
            never(
                hulls(_defined, defined_exact, flagged("apart", flagged("weights")), symmetric=False, line=False),
                (0, 0),
            ),
            repair="condition",
        ),
    ),
    (
        Canary(
            "half way to the mean",
            never(hulls(_defined, defined_exact, flagged("half"))),
            "for m = 1 and 3 the shortest point is 1 and half way to the mean is 3/2",
        ),
    ),
    None,
    "The direction dᵗ that eq. (2) yields is well defined for all updates; the weights themselves need not be. The "
    "print has a minimum where a minimiser is meant. That the minimiser is unique is not printed; the question is "
    "ours. Clients with equal updates, or more updates than dimensions, can share their weight in many ways. "
    "Algorithm 1 uses only d, so nothing depends on the choice there; χ² in Corollary 4.1 uses λ̃ᵗ itself and then "
    "depends on the solver. Affinely independent updates, the typical case for more dimensions than clients, have "
    "unique weights.",
    ("FA-MN1", "FA-MN5"),
)

R10 = fact(
    "FA-R10",
    "A closed-form solution",
    r"\lambda^t=\arg\min\|\textstyle\sum_i\lambda_im_i^t\|^2\ \text{``a clear objective with a closed-form solution''}",
    "The min-norm weights have a closed form.",
    (
        Reading(
            "two clients", "The clipped quotient, for N = 2.", never(hulls(_pair, pair_exact, symmetric=False, least=2))
        ),
        Reading(
            "any number of independent updates",
            "One formula without a search over faces: Q⁻¹1/(1ᵀQ⁻¹1).",
            never(hulls(_formula, formula_exact, symmetric=False, line=False, dim=4)),
        ),
        Reading(
            "where that formula is non-negative",
            "The same, if no weight comes out negative.",
            never(hulls(_formula, formula_exact, flagged("inside"), symmetric=False, line=False, dim=4)),
            repair="condition",
        ),
    ),
    (
        Canary(
            "equal weights for two clients",
            never(hulls(_pair, pair_exact, flagged("even"), symmetric=False, least=2)),
            "for m = 1 and 2 the mean is 3/2 and the shortest point is 1",
        ),
    ),
    None,
    "For any number of clients it is false: the one formula without a search, Q⁻¹1/(1ᵀQ⁻¹1), can give negative "
    "weights. Where it gives none, and for two clients, there is a closed form. The paper prints none, solves by "
    "Frank-Wolfe and has 20 or 100 clients. The solution is a rational function of the inner products on each face "
    "of the hull, but which face is a search. That no other formula serves for N >= 3 is not tested here.",
    ("FA-E2", "FA-MN11"),
)

R13 = fact(
    "FA-R13",
    "Non-zero directions and independence",
    r"\|d^t\|>0\ \forall t\in[T];\quad\text{``in other words, all the vectors should be linearly independent''}",
    "The direction never vanishes, which is to say that the updates are linearly independent.",
    (
        Reading(
            "independent updates have d ≠ 0",
            "Linear independence gives ‖d‖ > 0.",
            never(hulls(_independent, independent_exact, symmetric=False, line=False, dim=4)),
        ),
        Reading(
            "d ≠ 0 means independent updates",
            "«In other words», the other way round.",
            never(hulls(_independent, independent_exact, flagged("back"), symmetric=False, line=False)),
        ),
    ),
    (
        Canary(
            "affinely independent updates have d ≠ 0",
            never(hulls(_independent, independent_exact, flagged("affine"), symmetric=False, line=False)),
            "1 and −1 are affinely independent and have d = 0",
        ),
    ),
    None,
    "Only one direction holds: linearly independent updates have d ≠ 0, but d ≠ 0 does not mean that they are "
    "independent. Independent updates cannot combine to 0. But d ≠ 0 asks much less: two equal updates are dependent "
    "and d is their common value. What decides is whether 0 is in the hull (FA-MN4). That does happen: with m⁰ = 0 "
    "from the first round on (FA-ALG1), and in the limit at every Pareto stationary model, which is where FedAWARE "
    "goes (FA-R4).",
    ("FA-MN4", "FA-ALG1"),
)

CLAIMS: tuple[Claim, ...] = (E2, R10, R13)
