"""The shortest point of a hull, which eq. (2) asks for: what the paper uses of it without printing it, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.vectors import MANY, any_order, any_vectors, in_order, one_more, vectors
from theory.exact import dot, matvec, quadratic_gradient, quadratic_loss, weighted_sum
from theory.quantities import pseudo_gradient
from theory.worlds.hull import SHORTEST, nearest, reflected, shortest, squares, turned
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.world import World, all_of, case, le, mutant, reading, remark

__all__ = ["ANY_VECTORS", "CLAIMS", "pair", "pair_exact"]

d2, lean, most_lean, tied, mean2, lean_mean, v2, lean_v = NOTATION.symbols(
    "d2 lean most_lean tied mean2 lean_mean v2 lean_v"
)
v_apart2, order2, Gamma, u2, margin, most_margin, N = NOTATION.symbols("v_apart2 order2 Gamma u2 margin most_margin N")
after2, moved2, kept2, least2, claimed2, rooted2 = NOTATION.symbols("after2 moved2 kept2 least2 claimed2 rooted2")
free2, swapped2, inverse2, grown, room, room_least, shaken2 = NOTATION.symbols(
    "free2 swapped2 inverse2 grown room room_least shaken2"
)
D2, k, rise = NOTATION.symbols("D2 k rise")

_MU = any_vectors("mu")

ANY_VECTORS = [
    "m₁, …, m_N any vectors, searched up to eight in eight dimensions and 300 on a line",
    "d the point of least norm in their convex hull, λ its weights",
]

MN1 = remark(
    "FA-MN1",
    "min-norm points, used by eq. (2), §3",
    "A shortest point exists and is unique",
    printed=r"""d=\arg\min_{v\in C}\|v\|\ \text{ exists and is unique, weights need not be};\quad
        C=\mathrm{conv}\{m_1,\dots,m_N\}""",
    plainly="The hull of the updates has exactly one shortest point.",
    assumes=ANY_VECTORS,
    says=le(v_apart2, v2 - d2),
    world=_MU,
    readings=[
        reading(
            "no second shortest point",
            "‖v − d‖² <= ‖v‖² − ‖d‖² for every v of the hull, so that a point as short as d is d.",
        )
    ],
    mutants=[
        mutant(
            "the weights are unique too",
            le(order2, 0),
            "for m₁ = m₂ all weights give the same point",
            world=any_vectors("mu", asked="same", symmetric=False),
        )
    ],
    tight="v on the line through d at a right angle to d",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""The hull is compact and the norm strictly convex. A point v of the hull exceeds d in squared norm by at
        least ‖v − d‖². The weights are another matter: equal updates share their weight in any proportion.""",
)

MN2 = remark(
    "FA-MN2",
    "min-norm points, used by eq. (2), §3",
    "Conditions of optimality",
    printed=r"""\lambda\text{ optimal}\iff\langle m_i,d\rangle\ge\|d\|^2\ \forall i,\text{ with equality where }
        \lambda_i>0""",
    plainly="Weights are optimal if and only if no update leans on their point by less than its squared length.",
    assumes=[
        "m₁, …, m_N any vectors, searched up to eight in eight dimensions and 300 on a line",
        "d = Σλᵢmᵢ, the point of the weights; where they are optimal, the point of least norm in the convex hull",
    ],
    says=all_of(le(d2, lean), le(tied, 0)),
    world=any_vectors(),
    readings=[
        reading(
            "optimal weights meet them",
            "At the shortest of the stationary points of all faces.",
            part="optimal weights meet them",
        ),
        reading(
            "weights that meet them are optimal",
            "‖v‖² − ‖d‖² is at most 2(‖v‖² − minᵢ⟨mᵢ, v⟩), which is 0 where the conditions hold.",
            le(v2 - d2, Gamma),
            world=_MU,
            part="weights that meet them are optimal",
        ),
    ],
    mutants=[
        mutant(
            "equality for every client",
            all_of(le(d2, lean), le(most_lean, d2)),
            "of two updates in one direction the longer one leans more",
        )
    ],
    tight="every mᵢ of positive weight",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""Both directions hold: moving from d towards mᵢ cannot shorten it, and the duality gap vanishes where no
        update leans less.""",
)

MN3 = remark(
    "FA-MN3",
    "min-norm points, used by eq. (2), §3",
    "A common descent direction",
    printed=r"d\ne0\ \Rightarrow\ \langle d,m_i\rangle\ge\|d\|^2>0",
    plainly="The negative of a non-zero shortest point is a descent direction for every client at once.",
    assumes=ANY_VECTORS,
    says=le(d2, lean),
    world=any_vectors(asked="d"),
    readings=[reading("as stated", "For every client, d not 0.")],
    mutants=[
        mutant(
            "the mean in place of d",
            le(mean2, lean_mean),
            "for m = 1 and −3 the mean is −1 and leans against 1",
            world=any_vectors(asked="mean"),
        ),
        mutant("twice as steep", le(2 * d2, lean), "for one client ⟨d, m⟩ = ‖d‖²"),
    ],
    tight="every mᵢ of positive weight",
    rests_on=["FA-MN2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="This is MN2 read at d ≠ 0: every local loss falls along −d to first order, at the rate ‖d‖² or faster.",
)


def zero_inside(x: Instance) -> Mapping[str, Any]:
    """‖d‖² once −Σrᵢmᵢ has joined the m."""
    joined = np.concatenate([x["m"], -pseudo_gradient(x["m"], x["ratio"])[:, None]], axis=1)
    return {"d2": squares(nearest(joined)[1]), "sizes": {"d2": squares(joined).max(axis=1)}}


def zero_inside_exact(x: Mapping[str, Any]) -> Checked:
    """0 = (last + sum r_i m_i)/(1 + sum r_i) is in the hull for r >= 0."""
    d = shortest([*x["m"], [-c for c in weighted_sum(x["ratio"], x["m"])]])[1]
    return {}, {"d2": dot(d, d)}


MN4 = remark(
    "FA-MN4",
    "min-norm points, used by eq. (2), §3",
    "When the shortest point is 0",
    printed=r"d=0\iff0\in C",
    plainly="""The shortest point vanishes exactly if 0 is in the hull, for gradients: if the model is Pareto
        stationary.""",
    assumes=ANY_VECTORS,
    says=le(d2, 0),
    world=vectors(zero_inside, zero_inside_exact, "ratio", most=MANY),
    readings=[
        reading(
            "0 in the hull gives d = 0",
            "The last vector is a negative combination of the others.",
            part="0 in the hull gives d = 0",
        ),
        reading(
            "0 outside keeps d away",
            "A direction with ⟨u, mᵢ⟩ >= c > 0 for all i gives ‖d‖ >= c/‖u‖.",
            le(margin**2, u2 * d2),
            world=any_vectors("u"),
            part="0 outside keeps d away",
        ),
    ],
    mutants=[
        mutant(
            "linear dependence is enough",
            None,
            "for m and 2m the hull does not contain 0",
            world=vectors(zero_inside, zero_inside_exact, "any ratio", most=MANY),
        ),
        mutant(
            "one client on the right side is enough",
            le(most_margin**2, u2 * d2),
            "for m = 1 and −1 the direction u = 1 leans on one of them, and d = 0",
            world=any_vectors("u"),
        ),
    ],
    tight="u = d for the second",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""Both directions hold. For updates that are gradients, d = 0 says that no direction lowers all local
        losses to first order.""",
)

MN5 = remark(
    "FA-MN5",
    "min-norm points, used by eq. (2), §3",
    "When the weights are unique",
    printed=r"""\text{weights are unique if the }m_i\text{ with }\langle m_i,d\rangle=\|d\|^2
        \text{ are affinely independent}""",
    plainly="Optimal weights are unique if the updates that lean least on d are affinely independent.",
    assumes=[
        "m₁, …, m_N any vectors, searched up to eight in eight dimensions",
        "d the point of least norm in their convex hull, λ its weights",
    ],
    says=le(order2, 0),
    world=in_order("active"),
    readings=[reading("as stated", "Optimal weights found from the faces in one order and in the other are the same.")],
    mutants=[
        mutant(
            "independence not asked for",
            None,
            "for m₁ = m₂ each order puts the weight on another of the two",
            world=in_order(),
        )
    ],
    rests_on=["FA-MN2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""Optimal weights live on the active vectors, and a point has one set of weights over affinely independent
        vectors.""",
)

MN6 = remark(
    "FA-MN6",
    "min-norm points, used by eq. (2), §3",
    "Clients in another order",
    printed=r"d\text{ unchanged under permutations of the clients}",
    plainly="The order of the clients does not matter to the shortest point.",
    assumes=ANY_VECTORS,
    says=le(moved2, 0),
    world=any_order(turn=True),
    readings=[reading("the point", "The same d with the clients reversed and turned.")],
    mutants=[
        mutant(
            "whatever weights are found",
            le(order2, 0),
            "for m₁ = m₂ the weights are not unique, and a solver's choice may follow the order",
            world=any_order(turn=True, symmetric=False),
        )
    ],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""The problem does not know the order, so the point does not depend on it. The weights go with their
        clients where they are unique; where they are not, a solver may return others, so that only d is compared.""",
)

MN7 = remark(
    "FA-MN7",
    "min-norm points, used by eq. (2), §3",
    "All updates times a number",
    printed=r"m_i\mapsto s\,m_i,\ s\ne0\ \Rightarrow\ d\mapsto s\,d,\ \lambda\text{ kept}",
    plainly="Scaling all updates by one number scales the shortest point and leaves the weights optimal.",
    assumes=ANY_VECTORS,
    says=le(moved2 + kept2, after2),
    world=one_more("scale", "scale"),
    readings=[reading("one factor for all", "Any s other than 0, negative ones too.")],
    mutants=[
        mutant(
            "a factor of its own for each client",
            le(kept2, after2),
            "with factors of their own another client may become the shorter one",
            world=one_more("each", "scales"),
        )
    ],
    tight="always equal",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""‖Σλᵢsmᵢ‖ = |s|‖Σλᵢmᵢ‖ has the same minimisers. Updates scaled one by one, by their lengths say, have
        others.""",
)

MN8 = remark(
    "FA-MN8",
    "min-norm points, used by eq. (2), §3",
    "Updates in a turned space",
    printed=r"""m_i\mapsto Um_i,\ U^\top U=I\ \Rightarrow\ d\mapsto Ud;\quad\lambda\text{ depends on }Q=
        MM^\top\text{ only}""",
    plainly="An orthogonal map carries the shortest point along and leaves the weights optimal.",
    assumes=ANY_VECTORS,
    says=le(moved2 + kept2, after2),
    world=one_more("mirror", "mirror"),
    readings=[reading("reflections", "Reflections generate all orthogonal maps.")],
    mutants=[
        mutant(
            "any linear map",
            None,
            "a stretch along one axis moves the weights of two orthogonal updates",
            world=one_more("stretch", "mirror", symmetric=False),
        )
    ],
    tight="always equal",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="The objective is λᵀQλ, and U leaves Q as it is.",
)

MN9 = remark(
    "FA-MN9",
    "min-norm points, used by eq. (2), §3",
    "A client joins",
    printed=r"""\|d\|\text{ cannot grow};\quad\langle m,d\rangle\ge\|d\|^2\Rightarrow d\text{ stays};
        \quad\text{a duplicate leaves }d""",
    plainly="Another client can only shorten the shortest point, and leaves it if its update leans on it enough.",
    assumes=ANY_VECTORS,
    says=le(after2, d2),
    world=one_more("join", "joining"),
    readings=[
        reading("never longer", "Any vector joins.", part="never longer"),
        reading(
            "unchanged by one that leans on d",
            "⟨m, d⟩ = (1 + slack)‖d‖², d not 0.",
            le(moved2, 0),
            world=one_more("lean", "joining", "slack"),
            part="unchanged by one that leans on d",
        ),
        reading(
            "unchanged by a duplicate",
            "The first vector once more.",
            le(moved2, 0),
            world=one_more("copy", symmetric=False),
            part="unchanged by a duplicate",
        ),
    ],
    mutants=[
        mutant(
            "a client leaves",
            None,
            "without the shorter of two updates in one direction the point moves",
            world=one_more("leave", symmetric=False, least=2),
        ),
        mutant(
            "leaning half as much",
            le(moved2, 0),
            "a joining update in the direction of d, and shorter, is itself the shortest point",
            world=one_more("half", "joining"),
        ),
    ],
    rests_on=["FA-MN2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""A larger hull has no longer shortest point. A vector on the far side of the plane through d does not
        change it, since the conditions of optimality still hold; a duplicate is one of them or carries no weight.""",
)


def orthogonal(x: Instance) -> Mapping[str, Any]:
    """‖Σλᵢmᵢ‖² of vectors ℓᵢUeᵢ for λᵢ ∝ ‖mᵢ‖⁻², for ∝ ‖mᵢ‖⁻¹ (`rooted2`) and for other weights μ (`v2`)."""
    length, r = x["length"], x["mirror"]
    m = np.eye(length.shape[1]) * length[:, :, None]
    size = np.where(squares(r) > 0, squares(r), 1.0)
    m = m - 2 * (m @ r[..., None]) * r[:, None] / size[:, None, None]
    found = {"v2": squares(pseudo_gradient(m, x["mu"]))}
    for name, power in (("claimed2", length**-2.0), ("rooted2", length**-1.0)):
        found[name] = squares(pseudo_gradient(m, power / power.sum(axis=1, keepdims=True)))
    sizes = dict.fromkeys(found, (length**2).max(axis=1))
    return {**found, "inverse2": (length**-2.0).sum(axis=1), "least2": (length**2).min(axis=1), "sizes": sizes}


def orthogonal_exact(x: Mapping[str, Any]) -> Checked:
    """Orthogonal vectors of the given lengths in a reflected basis, and any other weights mu."""
    length, n = x["length"], len(x["length"])
    m = [reflected([x["mirror"]], [length[i] * (i == j) for j in range(n)]) for i in range(n)]
    found = {"inverse2": sum(1 / dot(v, v) for v in m), "least2": min(dot(v, v) for v in m)}
    weights = {"v2": x["mu"], "claimed2": [1 / (a * a) for a in length], "rooted2": [1 / a for a in length]}
    for name, w in weights.items():
        v = weighted_sum([p / sum(w) for p in w], m)
        found[name] = dot(v, v)
    return {"orthogonal": all(dot(m[i], m[j]) == 0 for i in range(min(n, 6)) for j in range(i))}, found


def _orthogonal(N: float) -> Case:
    n = int(N)
    lengths = LogScale("length", 1e-2, 1e2, (n,), at=(1.0,))
    space = Space((lengths, Signed("mirror", 1e-2, 1.0, (n,)), Simplex("mu", n)))
    same = (units({"length": (0, 1)}), permuted_clients({"length": 0, "mirror": 0, "mu": 0}))
    return case(
        f"{n} orthogonal vectors",
        space,
        orthogonal,
        orthogonal_exact,
        uses=(dot, weighted_sum, reflected),
        cost=max(1.0, n * n / 4000),
        symmetries=same,
    )


def _as_claimed(square: Any) -> Any:
    return all_of(le(square, v2), le(abs(square * inverse2 - 1) * least2, 0))


MN10 = remark(
    "FA-MN10",
    "min-norm points, used by eq. (2), §3",
    "Orthogonal updates",
    printed=r"""\langle m_i,m_j\rangle=0\ \Rightarrow\ \lambda_i\propto\frac1{\|m_i\|^2},\quad\|d\|^{-2}=
        \sum_i\|m_i\|^{-2}""",
    plainly="Orthogonal updates are weighted by their inverse squared lengths.",
    assumes=["m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights"],
    says=_as_claimed(claimed2),
    world=World(NOTATION, (Family("orthogonal vectors", (Size("N", 1, 100, 3),), _orthogonal),)),
    readings=[reading("as stated", "No other weights give a shorter point, and its length is as stated.")],
    mutants=[
        mutant(
            "inverse lengths",
            _as_claimed(rooted2),
            "of two orthogonal updates of unlike length the weights by squared lengths give a shorter point",
        )
    ],
    tight="always equal",
    rests_on=["FA-MN2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""The inner product of mᵢ with Σλⱼmⱼ is λᵢ‖mᵢ‖², the same for all clients: the conditions of optimality
        hold.""",
)


def pair(x: Instance) -> Mapping[str, Any]:
    """Of the first two vectors: ‖λ₁m₁ + (1 − λ₁)m₂‖² for the printed λ₁, against ‖d‖².

    `free2` without the clip, `swapped2` with m₁ for m₂ in the product, `mean2` with λ₁ = 1/2.
    """
    u, v = x["m"][:, 0], x["m"][:, 1]
    size = squares(u - v)

    def of(share: Any) -> Any:
        return squares(share[:, None] * u + (1 - share)[:, None] * v)

    one, other = (((v - u) * w).sum(axis=-1) / np.where(size > 0, size, 1.0) for w in (v, u))
    found = {"claimed2": of(np.clip(one, 0.0, 1.0)), "free2": of(one), "swapped2": of(np.clip(other, 0.0, 1.0))}
    found |= {"mean2": of(0 * one + 0.5), "d2": squares(nearest(x["m"][:, :2])[1])}
    return {**found, "sizes": dict.fromkeys(found, squares(x["m"]).max(axis=1)), "admissible": size > 0}


def pair_exact(x: Mapping[str, Any]) -> Checked:
    """The printed weight of the first two vectors, and others, against the shortest of the hull's faces."""
    u, v = m = x["m"][:2]
    apart = [b - a for a, b in zip(u, v, strict=True)]
    one, other = (dot(apart, w) / dot(apart, apart) for w in (v, u))
    clipped = [min(max(share, Fraction(0)), Fraction(1)) for share in (one, other)]
    shares = {"claimed2": clipped[0], "free2": one, "swapped2": clipped[1], "mean2": Fraction(1, 2)}
    points = {name: weighted_sum([share, 1 - share], m) for name, share in shares.items()}
    points["d2"] = shortest(m)[1]
    return {"m_1 and m_2 differ": any(apart)}, {name: dot(point, point) for name, point in points.items()}


_TWO = vectors(pair, pair_exact, symmetric=False, line=False, least=2, most=2)

MN11 = remark(
    "FA-MN11",
    "min-norm points, used by eq. (2), §3",
    "Two clients in closed form",
    printed=r"N=2:\quad\lambda_1=\mathrm{clip}\Big(\frac{\langle m_2-m_1,m_2\rangle}{\|m_1-m_2\|^2},0,1\Big)",
    plainly="For two different updates the optimal weight has a closed form.",
    assumes=["m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights"],
    says=le(claimed2, d2),
    world=_TWO,
    readings=[reading("as stated", "Two different vectors; equal ones leave 0/0, and any weight is optimal.")],
    mutants=[
        mutant(
            "without the clip",
            le(abs(free2 - d2), 0),
            "the line through two updates in one direction passes 0, which is not in the hull",
        ),
        mutant(
            "m₁ in place of m₂ in the product",
            le(swapped2, d2),
            "for two orthogonal updates it gives all weight to the longer one",
        ),
    ],
    tight="always equal",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="‖λ₁m₁ + (1 − λ₁)m₂‖² is a parabola in λ₁ whose vertex is the fraction printed.",
)

MN12 = remark(
    "FA-MN12",
    "min-norm points, used by eq. (2), §3",
    "No point of the hull is shorter",
    printed=r"\|d\|\le\Big\|\sum_i\mu_im_i\Big\|\ \forall\mu\in\Delta_N,\qquad\|d\|\le\min_i\|m_i\|",
    plainly="The shortest point is no longer than any weighted mean, nor than any update.",
    assumes=ANY_VECTORS,
    says=all_of(le(d2, v2), le(d2, least2)),
    world=_MU,
    readings=[reading("as stated", "Any weights.")],
    mutants=[
        mutant(
            "shorter by the number of clients",
            all_of(le(d2, v2), le(d2, least2 / N)),
            "for equal vectors ‖d‖ = ‖m‖, whatever their number",
        )
    ],
    tight="μ = λ",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="This is what d is.",
)

MN13 = remark(
    "FA-MN13",
    "min-norm points, used by eq. (2), §3",
    "The largest common lean",
    printed=r"\|d\|=\max_{\|u\|\le1}\min_i\langle u,m_i\rangle",
    plainly="The length of the shortest point is the largest margin by which a unit vector can lean on all updates.",
    assumes=ANY_VECTORS,
    says=all_of(le(margin**2, u2 * d2), le((d2 - lean) * u2, 0)),
    world=any_vectors("u"),
    readings=[reading("as stated", "No u leans more, and d/‖d‖ as much; squared, negative margins count as 0.")],
    mutants=[
        mutant(
            "the largest inner product in place of the least",
            all_of(le(most_margin**2, u2 * d2), le((d2 - lean) * u2, 0)),
            "of two updates in one direction the longer one leans by more than ‖d‖",
        )
    ],
    tight="u = d/‖d‖",
    rests_on=["FA-MN2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""⟨u, d⟩ is a mean of the ⟨u, mᵢ⟩ and at most ‖u‖‖d‖, so no margin is larger; by MN2 u = d/‖d‖ has margin
        ‖d‖.""",
)


def fw_run(x: Instance) -> Mapping[str, Any]:
    """h(λ_k) = ‖Σλᵢmᵢ‖² (`d2`) after k steps of 2/(j + 2) from the vertex of client 1, and h at other weights μ (`v2`)."""
    m = x["m"]
    gram = np.einsum("nid,njd->nij", m, m)
    n = m.shape[1]
    weights = np.zeros(m.shape[:2])
    weights[:, 0] = 1.0
    steps = x["k"].astype(int)
    for j in range(int(steps.max())):
        corner = np.eye(n)[np.einsum("nij,nj->ni", gram, weights).argmin(axis=1)]
        moved = weights + 2 / (j + 2) * (corner - weights)
        weights = np.where((j < steps)[:, None], moved, weights)
    v = pseudo_gradient(m, weights)
    largest = np.einsum("nii->ni", gram)
    apart = largest[:, :, None] + largest[:, None, :] - 2 * gram
    found = {"d2": squares(v), "v2": squares(pseudo_gradient(m, x["mu"]))}
    found["Gamma"] = 2 * (squares(v) - np.einsum("nid,nd->ni", m, v).min(axis=1))
    sizes = dict.fromkeys(("d2", "v2"), largest.max(axis=1))
    return {**found, "D2": np.maximum(apart, 0.0).max(axis=(1, 2)), "k": x["k"], "sizes": sizes}


def fw_run_exact(x: Mapping[str, Any]) -> Checked:
    """k steps on |sum lambda_i m_i|^2 from the first vertex, each towards the vertex of the least inner product."""
    m, n_steps = x["m"], int(x["k"])
    v = m[0]
    for j in range(n_steps):
        inner = [dot(u, v) for u in m]
        corner = m[inner.index(min(inner))]
        v = [a + Fraction(2, j + 2) * (b - a) for a, b in zip(v, corner, strict=True)]
    other = weighted_sum(x["mu"], m)
    apart = max(sum((a - b) ** 2 for a, b in zip(u, w, strict=True)) for u in m for w in m)
    gap = 2 * (dot(v, v) - min(dot(u, v) for u in m))
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0, "k >= 0": n_steps >= 0}
    return met, {"d2": dot(v, v), "v2": dot(other, other), "D2": apart, "k": Fraction(n_steps), "Gamma": gap}


def fw_step(x: Instance) -> Mapping[str, Any]:
    """h at v = Σμᵢmᵢ (`v2`), after a step with line search (`after2`) and at the vertex it goes to (`kept2`)."""
    m = x["m"]
    v = pseudo_gradient(m, x["mu"])
    corner = m[np.arange(len(m)), np.einsum("nid,nd->ni", m, v).argmin(axis=1)]
    curve = squares(corner - v)
    length = np.clip(-((corner - v) * v).sum(axis=-1) / np.where(curve > 0, curve, 1.0), 0.0, 1.0)
    found = {"v2": squares(v), "after2": squares(v + length[:, None] * (corner - v)), "kept2": squares(corner)}
    return {**found, "sizes": dict.fromkeys(found, squares(m).max(axis=1))}


def fw_step_exact(x: Mapping[str, Any]) -> Checked:
    """One step from v = sum mu_i m_i towards the vertex of the least inner product."""
    m = x["m"]
    v = weighted_sum(x["mu"], m)
    inner = [dot(u, v) for u in m]
    corner = m[inner.index(min(inner))]
    move = [b - a for a, b in zip(v, corner, strict=True)]
    curve = dot(move, move)
    length = min(max(-dot(v, move) / curve, Fraction(0)), Fraction(1)) if curve else Fraction(0)
    after = [a + length * b for a, b in zip(v, move, strict=True)]
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
    return met, {"v2": dot(v, v), "after2": dot(after, after), "kept2": dot(corner, corner)}


def _fw(observe: Any, plain: Any, words: str, *steps: Integer, most: int, most_cost: float) -> World:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space((Signed("m", 1e-2, 1e2, (n, dim)), Simplex("mu", n), *steps))
        cost, same = max(1.5 if steps else 1.0, n / most_cost), (units({"m": (0, 1)}),)
        uses = (dot, weighted_sum)
        return case(f"{n} vectors, d = {dim}", space, observe, plain, uses=uses, cost=cost, symmetries=same)

    return World(NOTATION, (Family(words, (Size("N", 1, most, 3), Size("d", 1, 8, 2)), at),))


def _fw_runs(low: int) -> World:
    steps = Integer("k", low, 200, at=(1, 2, 3))
    return _fw(fw_run, fw_run_exact, "runs of Frank–Wolfe", steps, most=100, most_cost=25)


_RATE = le(d2 - v2, 4 * D2 / (k + 2), again=lambda D2, k: D2 / (k / 4 + 0.5))
_SEARCHED = _fw(fw_step, fw_step_exact, "steps of Frank–Wolfe", most=300, most_cost=50)

MN14 = remark(
    "FA-MN14",
    "min-norm points, used by eq. (2), §3 (Jaggi 2013)",
    "Frank–Wolfe on the squared length",
    printed=r"""h(\lambda_k)-h^*\le\frac{4D^2}{k+2},\ D=\max_{i,j}\|m_i-m_j\|;\qquad h(\lambda_k)-h^*\le\text{gap};
        \qquad\text{line search decreases }h""",
    plainly="Frank–Wolfe comes within 4D²/(k + 2) of the least squared length, and its gap says how near it is.",
    assumes=["h(λ) = ‖Σλᵢmᵢ‖²", "τⱼ = 2/(j + 2), or the exact line search", "k >= 1 for the rate"],
    says=_RATE,
    world=_fw_runs(1),
    readings=[
        reading("rate, k >= 1", "Against h at any other weights, hence against the least.", part="rate"),
        reading("gap", "At every iterate, the first one included.", le(d2 - v2, Gamma), world=_fw_runs(0), part="gap"),
        reading("line search", "From any point of the hull.", le(after2, v2), world=_SEARCHED, part="line search"),
    ],
    mutants=[
        mutant(
            "a quadratic rate",
            le(d2 - v2, 4 * D2 / (k + 2) ** 2),
            """k steps reach at most k + 1 of N orthonormal updates, so h − h* >= 1/(k + 1) − 1/N, more than 8/(k +
                2)² for many steps and more updates""",
        ),
        mutant(
            "the rate at k = 0 too",
            _RATE,
            "far from 0 the start exceeds the least squared length by about 2‖d‖D, which no D² pays for",
            world=_fw_runs(0),
        ),
        mutant(
            "a full step in place of the line search",
            le(kept2, v2),
            "from the middle of m = ±1 it goes from 0 to 1",
            world=_SEARCHED,
        ),
    ],
    rests_on=["FA-E2"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""The curvature constant of ‖Σλᵢmᵢ‖² over the simplex is 2D², so Jaggi's bound is 4D²/(k + 2), for k >= 1:
        the first step, of length 1, forgets the start. The paper gives neither the step rule nor when to stop; a
        certificate has to be asked for.""",
)

MN15 = remark(
    "FA-MN15",
    "min-norm points, used by eq. (2), §3",
    "What the gap of approximate weights tells",
    printed=r"\|v-d\|^2\le\|v\|^2-\|d\|^2\le\Gamma,\qquad\langle v,m_i\rangle\ge\|v\|^2-\Gamma/2",
    plainly="""The Frank-Wolfe gap bounds how far an approximate point is from the shortest, and how much it may fail to
        lean.""",
    assumes=ANY_VECTORS,
    says=all_of(le(v_apart2, v2 - d2), le(v2 - d2, Gamma), le(v2 - Gamma / 2, lean_v)),
    world=_MU,
    readings=[reading("as stated", "Any weights.")],
    mutants=[
        mutant(
            "half the gap",
            all_of(le(v_apart2, v2 - d2), le(v2 - d2, Gamma / 2), le(v2 - Gamma / 2, lean_v)),
            "at the longer of two updates in one direction the excess is more than half the gap",
        )
    ],
    tight="v on a line through d at a right angle to d for the first",
    rests_on=["FA-MN1"],
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="The first is MN1, the second convexity of the squared norm, the third the definition of the gap.",
)


def shaken(x: Instance) -> Mapping[str, Any]:
    """t|t| with t = ‖d‖² − ‖d'‖² − δ², so that ‖d‖ <= ‖d'‖ + δ exactly if t|t| <= 4‖d'‖²δ²; the same of the least δ."""
    m, other = x["m"], x["m"] + x["shake"]
    d, e = nearest(m)[1], nearest(other)[1]
    largest = np.maximum(squares(m).max(axis=1), squares(other).max(axis=1))
    found = {"moved2": squares(d - e), "shaken2": squares(x["shake"]).max(axis=1)}
    for grown, room, delta2 in (
        ("grown", "room", found["shaken2"]),
        ("grown_least", "room_least", squares(x["shake"]).min(axis=1)),
    ):
        t = squares(d) - squares(e) - delta2
        found |= {grown: t * np.abs(t), room: 4 * squares(e) * delta2}
    sizes = {"moved2": largest, **dict.fromkeys(("grown", "grown_least"), largest**2)}
    return {**found, "sizes": sizes}


def shaken_exact(x: Mapping[str, Any]) -> Checked:
    """The shortest points of m and of m + shake, and the largest and the least change of a vector."""
    other = [[a + b for a, b in zip(u, v, strict=True)] for u, v in zip(x["m"], x["shake"], strict=True)]
    d, e = shortest(x["m"])[1], shortest(other)[1]
    sizes = [dot(v, v) for v in x["shake"]]
    found = {"moved2": sum((a - b) ** 2 for a, b in zip(d, e, strict=True)), "shaken2": max(sizes)}
    for grown, room, delta2 in (("grown", "room", max(sizes)), ("grown_least", "room_least", min(sizes))):
        t = dot(d, d) - dot(e, e) - delta2
        found |= {grown: t * abs(t), room: 4 * dot(e, e) * delta2}
    return {}, found


MN16 = remark(
    "FA-MN16",
    "min-norm points, used by eq. (2), §3",
    "Noisy updates",
    printed=r"\big|\,\|d\|-\|d'\|\,\big|\le\max_i\|m_i-m_i'\|",
    plainly="The length of the shortest point moves no further than the update that moves furthest.",
    assumes=ANY_VECTORS,
    says=le(grown, room, again=lambda room: 1 * room),
    world=vectors(shaken, shaken_exact, "shake", most=MANY),
    readings=[
        reading(
            "the length", "Both directions, since m and m′ are any two sets of vectors; the roots are squared away."
        )
    ],
    mutants=[
        mutant(
            "the least change",
            le(NOTATION.symbols("grown_least"), room_least),
            "for one moved client of two the least change is 0",
        ),
        mutant(
            "the point itself",
            le(moved2, shaken2),
            "from (0, 1), (ℓ, 1) to (0, 1), (ℓ, 1 − δ) the point moves by about δ/ℓ, further than δ for short ℓ",
        ),
    ],
    tight="all vectors moved along d by the same length",
    ours="the paper uses the shortest point of a hull and does not state this property of it",
    verdict="""The length of d is Lipschitz with constant 1, because d of one hull gives a point of the other that is at
        most maxᵢ‖mᵢ − mᵢ′‖ away. The point itself is not: it may move like the square root of the noise, and the
        weights may jump.""",
)


def losses(x: Instance, *, rounds: int, longest: float, mean: bool = False) -> Mapping[str, Any]:
    """The largest rise of a client's loss in any round; step lengths `step`/L; `mean` weighs all alike."""
    h, m, r, at = x["spectrum"], x["optimum"], x["mirror"], x["start"]
    size = np.where(squares(r) > 0, squares(r), 1.0)[..., None]
    eta = x["step"] / np.abs(h).max(axis=(1, 2))

    def mirrored(v: Any) -> Any:
        return v - 2 * (v * r).sum(axis=-1, keepdims=True) * r / size

    def bent(v: Any) -> Any:
        return mirrored(h * mirrored(v))

    worst = np.full(len(h), -np.inf)
    for _ in range(rounds):
        away = at[:, None] - m
        slope = bent(away)
        d = slope.mean(axis=1) if mean else nearest(slope)[1]
        at = at - eta[:, None] * d
        after = at[:, None] - m
        rise = ((after * bent(after)).sum(axis=-1) - (away * slope).sum(axis=-1)) / 2
        worst = np.maximum(worst, rise.max(axis=1))
    reach = squares(x["start"]) + squares(m).max(axis=1)
    sizes = {"rise": np.abs(h).max(axis=(1, 2)) * reach * 10}
    return {"rise": worst, "sizes": sizes, "admissible": x["step"] <= longest}


def losses_exact(x: Mapping[str, Any], *, rounds: int, longest: float, mean: bool = False) -> Checked:
    """FedAWARE with alpha = 1, K = 1, full participation, no noise, on quadratics, convex or not."""
    A = [turned(s, [v]) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
    m, at, L = x["optimum"], x["start"], max(abs(c) for s in x["spectrum"] for c in s)
    worst = []
    for _ in range(rounds):
        slope = [quadratic_gradient(a, c, at) for a, c in zip(A, m, strict=True)]
        d = [sum(c) / len(m) for c in zip(*slope, strict=True)] if mean else shortest(slope)[1]
        new = [a - x["step"] / L * b for a, b in zip(at, d, strict=True)]
        for a, c in zip(A, m, strict=True):
            worst.append(quadratic_loss(a, c, Fraction(0), new) - quadratic_loss(a, c, Fraction(0), at))
        at = new
    return {"0 < eta L <= the longest asked for": 0 < x["step"] <= longest}, {"rise": max(worst)}


def _losses(longest: float = 2.0, **chosen: Any) -> World:
    """Steps up to `longest`/L."""

    def at(N: float, d: float, T: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                Signed("spectrum", 1e-2, 1e2, (n, dim)),
                Signed("mirror", 1e-2, 1.0, (n, dim)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Signed("start", 1e-2, 1e2, (dim,)),
                LogScale("step", 1e-3, longest, at=(0.1, 1.0, longest)),
            )
        )
        same = (
            units({"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients({"spectrum": 0, "mirror": 0, "optimum": 0}),
        )
        name = f"{n} quadratic clients, d = {dim}, T = {int(T)}"
        uses = (*SHORTEST, reflected, turned, matvec, quadratic_gradient, quadratic_loss)
        how: dict[str, Any] = {
            "uses": uses,
            "cost": max(1.0, T),
            "symmetries": same,
            "rounds": int(T),
            "longest": longest,
        }
        return case(name, space, losses, losses_exact, **how, **chosen)

    sizes = (Size("N", 1, MANY, 2), Size("d", 1, 4, 2), Size("T", 1, 3, 1))
    return World(NOTATION, (Family("quadratic clients", sizes, at), at(MANY, 5, 1), at(6, 4, 2)))


MN17 = remark(
    "FA-MN17",
    "min-norm points, used by Algorithm 1",
    "No client gets worse",
    printed=r"""\alpha=1,\ S^t=[N],\ K=1,\ \sigma_l=0,\ \eta_g\eta_l\le\tfrac2L\ \Rightarrow\ f_i(x^{t+1})
        \le f_i(x^t)\ \forall i,t""",
    plainly="With fresh exact gradients of all clients and short steps, FedAWARE raises no client's loss in any round.",
    assumes=[
        "every fᵢ is L-smooth, convex or not",
        "α = 1, everyone takes part, K = 1, no noise",
        "η_gη_l small: at most 2/L",
    ],
    says=le(rise, 0),
    world=_losses(),
    readings=[
        reading(
            "η_gη_l <= 2/L", "«Small» made precise; quadratic clients, up to eight in five dimensions, three rounds."
        )
    ],
    mutants=[
        mutant("steps up to 4/L", None, "one client alone diverges beyond 2/L", world=_losses(4.0)),
        mutant(
            "the mean in place of the shortest point",
            None,
            "between two minimisers the mean of the gradients is bad for one of the two",
            world=_losses(mean=True),
        ),
    ],
    tight="η = 2/L on the steepest client alone",
    rests_on=["FA-MN3", "FA-A4.2"],
    ours="the paper does not state it; a property of the shortest point carried over to one step",
    verdict="""Smoothness and ⟨∇fᵢ, d⟩ >= ‖d‖² give fᵢ(x − ηd) <= fᵢ(x) − η(1 − ηL/2)‖d‖² for every client, so no loss
        rises up to η = 2/L. With moving averages, several local steps or noise, d is no longer made of the current
        gradients, and nothing of this is left in general.""",
)

CLAIMS: tuple[Claim, ...] = (
    MN1,
    MN2,
    MN3,
    MN4,
    MN5,
    MN6,
    MN7,
    MN8,
    MN9,
    MN10,
    MN11,
    MN12,
    MN13,
    MN14,
    MN15,
    MN16,
    MN17,
)
