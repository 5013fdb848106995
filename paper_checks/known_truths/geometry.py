"""K11, K12, K14 and K16: shortest points of hulls, the cost of heterogeneity, and the largest entries of a vector."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.known_truths.drawing import mirrored, ranging, sized
from paper_checks.known_truths.functions import TURNED, is_within
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, quadratic_loss, quadratic_optimum, solve, weighted_sum
from theory.worlds.hull import SHORTEST, nearest, shortest, turned
from theory.worlds.hull import squares as square
from validation import Case, Choice, Instance, Integer, LogScale, Signed, Simplex, Space
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

d2, lean, pairs, least2, plain, n = NOTATION.symbols("d2 lean pairs least2 plain n")
Gamma, L, mu, L_mean, far2, squares, mean_off2 = NOTATION.symbols("Gamma L mu L_mean far2 squares mean_off2")
lost2, k, norm2, largest2 = NOTATION.symbols("lost2 k norm2 largest2")

Point: TypeAlias = Literal["shortest", "mean", "shortest but for the last"]
"""The point d: the shortest of the hull, the mean of the vectors, or the shortest of the hull without the last one."""


def point(x: Instance, *, of: Point, direction: bool) -> Seen:
    """A point d of the hull against the vectors; with `direction` only where floats know which way it points."""
    m = x["vectors"]
    d = m.mean(axis=1) if of == "mean" else nearest(m if of == "shortest" else m[:, :-1])[1]
    found = {
        "d2": square(d),
        "lean": np.einsum("nid,nd->ni", m, d).min(axis=-1),
        "pairs": np.einsum("nid,njd->nij", m, m).min(axis=(1, 2)),
        "least2": square(m).min(axis=-1),
        "plain": square(m).mean(axis=-1),
        "n": np.full(len(m), float(m.shape[1])),
    }
    largest = square(m).max(axis=-1)
    # A point that is 0 but for rounding, or nearly so, has no direction in floats.
    known = (found["d2"] > 1e-5 * largest) | (found["d2"] < 1e-20 * largest)
    return {**found, "magnitude": largest, "admissible": known | (not direction)}


def point_exact(x: Seen, *, of: Point) -> Plain:
    """d is the shortest of the stationary points of all faces of the hull, or the mean."""
    m = x["vectors"]
    hull = m[:-1] if of == "shortest but for the last" else m
    weights, d = ([Fraction(1, len(m)) for _ in m], []) if of == "mean" else shortest(hull)
    d = weighted_sum(weights, hull)
    met = {"d in the hull": sum(weights) == 1 and min(weights) >= 0}
    met["d meets the condition of optimality, or is the mean"] = of == "mean" or all(
        dot(v, d) >= dot(d, d) for v in hull
    )
    return met, {
        "d2": dot(d, d),
        "lean": min(dot(v, d) for v in m),
        "pairs": min(dot(u, v) for u in m for v in m),
        "least2": min(dot(v, v) for v in m),
        "plain": sum(dot(v, v) for v in m) / len(m),
        "n": Fraction(len(m)),
    }


def any_vectors(of: Point = "shortest", *, direction: bool = False) -> World:
    """Up to four vectors in up to 8 dimensions."""

    def at(N: int, d: int) -> Case:
        space = Space((Signed("vectors", 1e-3, 1e3, (N, d)),))
        seen, exact = partial(point, of=of, direction=direction), partial(point_exact, of=of)
        return case(sized("any vectors", N=N, d=d), space, seen, exact, uses=SHORTEST, cost=2.0)

    return ranging("any vectors", at, N=(2 if of == "shortest but for the last" else 1, 4, 3), d=(1, 8, 2))


def federation(x: Instance) -> Seen:
    """The minimum of quadratic clients, each in one of three bases."""
    s, m, p = x["spectrum"], x["optima"], x["shares"]
    Q: Any = np.eye(s.shape[-1])
    for r in np.moveaxis(x["reflectors"], 2, 0) if "reflectors" in x else ():
        Q = mirrored(r[:, :, None, :], Q)
    Q = Q[:, np.arange(s.shape[1]) % 3] if "reflectors" in x else np.ones((*s.shape, 1))
    A = (Q * s[..., None, :]) @ np.swapaxes(Q, -1, -2)
    mixed, pull = np.einsum("ni,nijk->njk", p, A), np.einsum("ni,nijk,nik->nj", p, A, m)
    off = np.linalg.solve(mixed, pull[..., None])[..., 0][:, None, :] - m
    bent, far = 0.5 * np.einsum("nij,nijk,nik->ni", off, A, off), square(off)
    return {
        "Gamma": (p * (bent + x["floor"])).sum(axis=-1) - (p * x["floor"]).sum(axis=-1),
        "L": s.max(axis=(1, 2)),
        "mu": s.min(axis=(1, 2)),
        "L_mean": (p * s.max(axis=-1)).sum(axis=-1),
        "far2": (p * far).sum(axis=-1),
        "squares": (p**2 * far).sum(axis=-1),
        "mean_off2": square(np.einsum("ni,nij->nj", p, off)),
        "magnitude": s.max(axis=(1, 2)) * (m**2).max(axis=(1, 2)),
        # Γ far below the minima it is left from when they cancel is rounding.
        "admissible": (p * bent).sum(axis=-1) >= 1e-6 * (p * np.abs(x["floor"])).sum(axis=-1),
    }


def federation_exact(x: Seen) -> Plain:
    """F_i(w) = (w − m_i)^T A_i (w − m_i)/2 + c_i; client i in basis i mod 3; w* solves the mixed equations."""
    s, m, p, floor = x["spectrum"], x["optima"], x["shares"], x["floor"]
    bases = x.get("reflectors", [[]] * 3)
    A = [turned(one, bases[i % 3]) for i, one in enumerate(s)]
    L, mu = max(max(one) for one in s), min(min(one) for one in s)
    best, center = quadratic_optimum(p, A, m), weighted_sum(p, m)
    far = [sum((a - b) ** 2 for a, b in zip(best, one, strict=True)) for one in m]
    met = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "mu-strong convexity and L-smoothness, by exact LDL^T": mu > 0 and all(is_within(a, mu, L) for a in A),
    }
    losses = [quadratic_loss(a, one, c, best) for a, one, c in zip(A, m, floor, strict=True)]
    return met, {
        "Gamma": dot(p, losses) - dot(p, floor),
        "L": L,
        "mu": mu,
        "L_mean": dot(p, [max(one) for one in s]),
        "far2": dot(p, far),
        "squares": sum(a * a * b for a, b in zip(p, far, strict=True)),
        "mean_off2": sum((a - b) ** 2 for a, b in zip(best, center, strict=True)),
    }


def federations() -> World:
    """Quadratic clients, each with its own curvatures, minimiser and minimum, in three bases in turn."""

    def at(N: int, d: int) -> Case:
        of: Coordinates = (Simplex("shares", N), LogScale("spectrum", 1e-2, 1e2, (N, d), at=(1e-2, 1.0, 1e2)))
        of += (Signed("reflectors", 1e-2, 1.0, (3, min(2, d - 1), d)),) if d > 1 else ()
        of += (Signed("optima", 1e-2, 1e2, (N, d)), Signed("floor", 1e-3, 1e1, (N,)))
        uses = (*TURNED, solve, weighted_sum, quadratic_loss, quadratic_optimum)
        name, cost = sized("quadratic clients", N=N, d=d), max(1.0, N * d * d / 30)
        return case(name, Space(of), federation, federation_exact, uses=uses, cost=cost)

    return ranging("quadratic clients", at, N=(2, 300, 3), d=(1, 8, 2))


def entries(x: Instance, *, first: bool) -> Seen:
    """What is lost where the k largest entries of a vector are kept, or the `first` k."""
    of, k = x["entries"] ** 2, x["k"]
    rising = np.sort(of, axis=-1)
    ranked = of if first else rising[:, ::-1]
    return {
        "lost2": (ranked * (np.arange(of.shape[1]) >= k[:, None])).sum(axis=-1),
        "k": k,
        "n": np.full(len(k), float(of.shape[1])),
        "norm2": of.sum(axis=-1),
        "largest2": rising[:, -1],
    }


def entries_exact(x: Seen, *, first: bool) -> Plain:
    """The k entries of largest size are kept, or the first k."""
    of, k = [v * v for v in x["entries"]], int(x["k"])
    rest = of[k:] if first else sorted(of)[: len(of) - k]
    return {"0 < k <= n": 0 < k <= len(of)}, {
        "lost2": sum(rest, Fraction(0)),
        "k": Fraction(k),
        "n": Fraction(len(of)),
        "norm2": sum(of),
        "largest2": max(of),
    }


def any_vector(*, first: bool = False) -> World:
    """Any vector and any k; a vector of one entry keeps it."""

    def at(n: int) -> Case:
        ends = tuple(sorted({1, n // 2, n - 1} - {0}))
        k = Integer("k", 1, n, at=ends) if n > 1 else Choice("k", (1.0,))
        space = Space((Signed("entries", 1e-3, 1e3, (n,)), k))
        return case(sized("any vector", n=n), space, entries, entries_exact, cost=max(1.0, n / 100), first=first)

    return ranging("any vector", at, n=(1, 300, 3))


K11 = remark(
    "K11",
    "known truth",
    "Every vector leans towards the shortest point",
    printed=r"\|d\|^2\le\langle m_i,d\rangle\quad\forall i,\qquad d=\arg\min_{u\in\mathrm{conv}\{m_1,\dots,m_N\}}\|u\|",
    plainly="The shortest point d of the hull of the mᵢ has an inner product of at least ‖d‖² with each of them.",
    assumes=["d is the point of least norm in the convex hull of the mᵢ"],
    says=le(d2, lean),
    world=any_vectors(direction=True),
    readings=[
        reading(
            "as stated",
            """The least inner product over i; d is the shortest of the stationary points of all faces, up to four
                vectors.""",
        )
    ],
    mutants=[
        mutant(
            "mean instead of the shortest point",
            None,
            "for m = 1 and −3 the mean is −1, and its inner product with 1 is −1 < 1",
            at(vectors=[[0, 0], [0, 0], [0, -1]]),
            world=any_vectors("mean", direction=True),
        ),
        mutant(
            "one vector left out of the hull",
            None,
            "for m = 1 and −1 the point is d = 1 if −1 is left out, and −1 has inner product −1 with it",
            at(vectors=[[0, -1], [1, 0], [0, 0]]),
            world=any_vectors("shortest but for the last", direction=True),
        ),
        mutant(
            "inner products of pairs",
            le(d2, pairs),
            "two vectors may lean on each other by less than on the shortest point of their hull",
            at(vectors=[[0, 0], [0, 1], [0, -1]]),
        ),
        mutant(
            "inner product squared",
            le(d2, lean**2),
            "for one vector both printed sides are ‖m‖², and ‖m‖⁴ < ‖m‖² for ‖m‖ < 1",
            at(vectors=[[-1, 0], [-1, 0], [0, -1]]),
        ),
    ],
    tight="every mᵢ that takes part in d",
    supremum=1.0,
    verdict="""Moving from d towards any mᵢ stays in the hull and cannot shorten d, so the derivative ⟨mᵢ − d, d⟩ is >=
        0. It is 0 for every mᵢ of positive weight.""",
)

K12 = remark(
    "K12",
    "known truth",
    "The shortest point is no longer than any vector",
    printed=r"\|d\|\le\min_i\|m_i\|",
    plainly="The shortest point of the hull is no longer than the shortest vector; both sides are squared here.",
    assumes=["d is the point of least norm in the convex hull of the mᵢ"],
    says=le(d2, least2),
    world=any_vectors(),
    readings=[
        reading(
            "as stated",
            "d is the stationary point of a face that meets the condition of optimality, up to four vectors.",
        )
    ],
    mutants=[
        mutant(
            "mean instead of the shortest point",
            None,
            "the mean of vectors in one direction is longer than the shortest",
            at(vectors=[[0, 0], [0, 0], [0, 1]]),
            world=any_vectors("mean"),
        ),
        mutant(
            "one vector left out of the hull",
            None,
            "of two vectors in one direction the longer one is d if the shorter one is left out",
            at(vectors=[[0, 1], [-1, 0], [0, 0]]),
            world=any_vectors("shortest but for the last"),
        ),
        mutant(
            "mean of squared norms over n, as for independent vectors",
            le(d2, plain / n),
            "for equal vectors ‖d‖² = ‖m‖², and the right side is ‖m‖²/n",
            at(vectors=[[0, 1000], [0, 1000], [0, 1000]]),
        ),
        mutant(
            "inner products of pairs",
            le(d2, pairs),
            "two vectors may lean on each other by less than on the shortest point of their hull",
            at(vectors=[[0, -1], [0, 0], [0, 1]]),
        ),
    ],
    tight="⟨mᵢ, m⟩ >= ‖m‖² for the shortest m and all i",
    supremum=1.0,
    verdict="Each mᵢ is itself a point of the hull, and d is the shortest of them all.",
)

K14 = remark(
    "K14",
    "known truth",
    "Cost of heterogeneity",
    printed=r"\Gamma=F^\star-\sum_ip_iF_i^\star\le\frac L2\sum_ip_i\|w^\star-w_i^\star\|^2",
    plainly="The gap Γ is at most L/2 times the weighted mean square distance of the clients' minimisers to w*.",
    assumes=["every Fᵢ is L-smooth with minimiser wᵢ*", "w* minimises F = Σ pᵢFᵢ", "p on the simplex"],
    says=le(Gamma, L * far2 / 2),
    world=federations(),
    readings=[
        reading("as stated", "Strongly convex quadratic clients in up to three bases, each with its own minimum.")
    ],
    mutants=[
        mutant(
            "μ in place of L",
            le(Gamma, mu * far2 / 2),
            "the same argument from below gives Γ >= (μ/2)Σ pᵢ‖w* − wᵢ*‖², strictly unless all curvatures are μ",
        ),
        mutant(
            "weights squared",
            le(Gamma, L * squares / 2),
            "with one curvature for all both printed sides are equal, and pᵢ² < pᵢ",
        ),
        mutant(
            "square of the mean instead of the mean square",
            le(Gamma, L * mean_off2 / 2),
            "with one curvature for all w* is the mean of the wᵢ*, so the right side is 0 and Γ > 0",
        ),
        mutant(
            "mean of the clients' smoothness in place of the largest",
            le(Gamma, L_mean * far2 / 2),
            "a steep client that hardly counts makes the mean of the smoothness too small",
        ),
    ],
    tight="every w* − wᵢ* along an axis of curvature L",
    supremum=1.0,
    verdict="""Each Fᵢ(w*) − Fᵢ* is at most (L/2)‖w* − wᵢ*‖², the parabola above Fᵢ at its own minimiser; the weighted
        mean of these is the statement.""",
)

K16 = remark(
    "K16",
    "known truth",
    "What keeping the k largest entries loses",
    printed=r"\|x-\mathrm{top}_k(x)\|^2\le\Big(1-\frac kn\Big)\|x\|^2",
    plainly="Keeping the k largest of n entries loses at most the share 1 − k/n of the squared norm.",
    assumes=["top_k keeps k entries of largest size", "0 < k <= n"],
    says=le(lost2, (1 - k / n) * norm2),
    world=any_vector(),
    readings=[reading("as stated", "Every k from 1 to n.")],
    mutants=[
        mutant(
            "first entries instead of the largest",
            None,
            "if the first entry is 0 keeping it loses everything",
            at(entries=[0, 0, 1], k=1),
            world=any_vector(first=True),
        ),
        mutant(
            "1 − k/n squared",
            le(lost2, (1 - k / n) ** 2 * norm2),
            "entries of equal size lose exactly the share 1 − k/n, more than its square for k < n",
            at(entries=[0, 1, 1], k=1),
        ),
        mutant(
            "k + 1 in place of k",
            le(lost2, (1 - (k + 1) / n) * norm2),
            "entries of equal size lose exactly the share 1 − k/n",
            at(entries=[0, 0, 1], k=3),
        ),
        mutant(
            "largest entry in place of the norm",
            le(lost2, (1 - k / n) * largest2),
            "entries of equal size: n − k entries of size 1 are lost, against (n − k)/n",
            at(entries=[0, 1, 1], k=1),
        ),
    ],
    tight="all entries of equal size",
    supremum=1.0,
    verdict="""The k largest squared entries have at least the mean of all n, so they carry at least the share k/n of
        the sum.""",
)

CLAIMS = (K11, K12, K14, K16)
