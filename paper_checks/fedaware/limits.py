"""Sec. 4.2, after Property 4.1: whether FedAvg's runs end in the hull of the local minima."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, Checked
from theory.exact import dot, matvec, quadratic_optimum
from theory.worlds.hull import SHORTEST, nearest, reflected, shortest, squares, turned
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world import World, case, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

outside2 = NOTATION.symbols("outside2")


def limit_of(x: Instance, *, without: bool = False, trained: bool = False) -> Mapping[str, Any]:
    """The squared distance from the hull of the minima to the minimum of f; Hessians along `mirror`, else the first × 1.

    `trained`: the hull of the models that the clients come to from there, up to the step size.
    """
    h, m, lam = x["spectrum"], x["optimum"], x["weights"]
    dim = m.shape[2]
    if "mirror" in x:
        r = x["mirror"]
        size = np.where(squares(r) > 0, squares(r), 1.0)[..., None, None]
        H = np.eye(dim) - 2 * r[..., :, None] * r[..., None, :] / size
        A = np.einsum("nijk,nik,nilk->nijl", H, h, H)
    else:
        A = h[:, :, :1, None] * np.eye(dim)
    mixed, pulled = np.einsum("ni,nijk->njk", lam, A), np.einsum("ni,nijk,nik->nj", lam, A, m)
    best = np.linalg.solve(mixed, pulled[..., None])[..., 0]
    largest = squares(m).max(axis=1)
    steepest = A.max(axis=(1, 2, 3))[:, None, None]
    m, A = (m[:, 1:], A[:, 1:]) if without else (m, A)
    away = m - best[:, None]
    if trained:
        away = np.einsum("nijk,nik->nij", A, away) / steepest
    return {"outside2": squares(nearest(away)[1]), "magnitude": largest * 1e3}


def limit_of_exact(x: Mapping[str, Any], *, without: bool = False, trained: bool = False) -> Checked:
    """The minimum of f, and the shortest point of the hull of the m_i, or of A_i(m_i - w), seen from there."""
    m, dim = x["optimum"], range(len(x["optimum"][0]))
    if "mirror" in x:
        A = [turned(s, [r]) for s, r in zip(x["spectrum"], x["mirror"], strict=True)]
    else:
        A = [[[s[0] if i == j else Fraction(0) for j in dim] for i in dim] for s in x["spectrum"]]
    best = quadratic_optimum(x["weights"], A, m)
    seen = [[a - b for a, b in zip(v, best, strict=True)] for v in m]
    if trained:
        steepest = max(max(max(row) for row in rows) for rows in A)
        seen = [[v / steepest for v in matvec(rows, d)] for rows, d in zip(A, seen, strict=True)]
    seen = seen[1:] if without else seen
    away = shortest(seen)[1]
    met = {
        "mu > 0": min(min(s) for s in x["spectrum"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"outside2": dot(away, away)}


def _limits(*, isotropic: bool, without: bool = False, trained: bool = False) -> World:
    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        mirror = () if isotropic else (Signed("mirror", 1e-2, 1.0, (size, dim)),)
        space = Space(
            (
                LogScale("spectrum", 1e-1, 1e1, (size, dim), at=(1.0,)),
                *mirror,
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size, interior=True),
            )
        )
        every = {"spectrum": 0, "optimum": 0, "weights": 0, **({} if isotropic else {"mirror": 0})}
        same = (units({"spectrum": (1, -2), "optimum": (0, 1)}), permuted_clients(every))[: 1 if without else 2]
        uses = (*SHORTEST, reflected, turned, matvec, quadratic_optimum)
        name = f"{size} clients, d = {dim}"
        also: dict[str, Any] = {"trained": True} if trained else {}
        return case(name, space, limit_of, limit_of_exact, uses=uses, symmetries=same, without=without, **also)

    return World(NOTATION, (Family("clients", (Size("N", 1 + without, 4, 3), Size("d", 1, 6, 2)), at),))


R6 = remark(
    "FA-R6",
    "§4.2, after Property 4.1",
    "Runs end in the hull of the local minima",
    printed=r"\lim_tx^t\in\mathrm{conv}\{x_1^*,\dots,x_N^*\}",
    plainly="FedAvg typically converges to a point of the convex hull of the local solutions.",
    assumes=[
        "strongly convex quadratic clients, no noise",
        "K = 1 and short steps, where FedAvg ends at the minimum of f",
    ],
    says=le(outside2, 0),
    world=_limits(isotropic=False),
    open={
        "local_solutions": nowhere("""«heterogeneous local solutions», a word used once: the minima of the clients, or
            the models that they come to in a round; the next sentence speaks of «the local minimum»""")
    },
    readings=[
        reading(
            "any Hessians",
            "The minima; «typically»: any strongly convex quadratics.",
            options={"local_solutions": "the clients' minima"},
            because="also as «typically» false: with d > N the limit is off the hull for almost all unequal Hessians",
        ),
        reading(
            "Hessians that are multiples of the identity",
            "Or any clients on the line.",
            world=_limits(isotropic=True),
            options={"local_solutions": "the clients' minima"},
            conditions=["every Hessian a multiple of the identity"],
        ),
        reading(
            "the clients' models of a round",
            "The limit is the mean of the models that the clients come to from it.",
            world=_limits(isotropic=False, trained=True),
            options={"local_solutions": "the clients' models after a round"},
        ),
    ],
    mutants=[
        mutant(
            "the first client's minimum left out",
            None,
            "with all weight on the first client the limit is its minimum",
            world=_limits(isotropic=True, without=True),
        ),
        mutant(
            "the first client's model of a round left out",
            None,
            "of two clients one model is left, and it is the limit only where that client's minimum is",
            world=_limits(isotropic=False, trained=True, without=True),
        ),
    ],
    rests_on=["FA-E1"],
    written="the limit, for «typically converges to the points within the convex hull»",
    verdict="""It depends on what «local solutions» are. For the models that the clients come to in a round it is true
        of every limit of FedAvg at η_g = 1, which is their weighted mean. For the clients' minima it is false where
        Hessians differ, also as «typically»: for more dimensions than clients (d ≫ N, Sec. 3) the limit lies off the
        hull except by accident. Two clients in the plane end at a point off the segment between their minima, as the
        weights of the limit are matrices. Any small change of that witness does the same: where the hull has no
        interior, one exception stands for nearly all unequal Hessians. With Hessians that are multiples of the
        identity, and on the line, the limit is a weighted mean of the local minima. Judged for K = 1 and short steps,
        where FedAvg ends at the minimum of f.""",
)

CLAIMS: tuple[Claim, ...] = (R6,)
