"""App. A, Remarks A.6 and A.7: the bound as a function of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.settings import UNIFORM
from paper_checks.fedssa.settling import settling
from paper_checks.fedssa.theorem import DENOMINATOR, PRINTED, bound_again
from theory.quantities import weight_discrepancy
from validation import (
    Case,
    Choice,
    Claim,
    Family,
    Identity,
    Instance,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)
from validation.world import Le, World, all_of, case, le, lt, mutant, reading, remark

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]


def weighed(x: Instance, *, by: str) -> Mapping[str, Any]:
    """W_D and Σw² at weights w, and at those compared with them: p, or where `turned` the point towards equal weights.

    `mix` moves from p towards the drawn weights. `target`: p on client 1, w equal. `even`: p equal. `turned`: the move from
    p to equal weights, reflected in the hyperplane of a drawn normal; compared with it is the move itself.
    """
    p, s = x["share"], x["mix"][:, None]
    equal = np.full_like(p, 1 / p.shape[1])
    p = np.eye(p.shape[1])[np.zeros(len(p), dtype=int)] if by == "target" else equal if by == "even" else p
    w, near = (equal if by == "target" else p + s * (x["weights"] - p)), p
    if by == "turned":
        normal = x["normal"] - x["normal"].mean(axis=1, keepdims=True)
        length = np.maximum((normal**2).sum(axis=1, keepdims=True), 1e-300)
        move = s * (equal - p)
        near = p + move
        w = near - 2 * normal * (normal * move).sum(axis=1, keepdims=True) / length
    steps = x["local_steps"]
    found = {"tau": steps, "eta": x["reach"] / (steps * x["L"]), "C": 2 * (steps - 1) / steps * x["reach"] ** 2}
    found |= {
        "W_D": weight_discrepancy(w, p),
        "square_weights": (w**2).sum(axis=1),
        "K": np.full(len(p), p.shape[1] * 1.0),
    }
    found |= {"W_near": weight_discrepancy(near, p), "square_near": (near**2).sum(axis=1), "T": x["n_rounds"]}
    found |= {
        "gap2_largest": ((p - w) ** 2).max(axis=1),
        **{name: x[name] for name in ("L", "A", "B", "drop", "noise")},
    }
    return {**found, "magnitude": 1 + found["W_D"]}


def weighed_exact(x: Mapping[str, Any], *, by: str) -> Checked:
    """The same, entry by entry."""
    n, p = len(x["share"]), list(x["share"])
    equal = [Fraction(1, n)] * n
    p = [Fraction(k == 0) for k in range(n)] if by == "target" else equal if by == "even" else p
    w, near = (equal if by == "target" else [a + x["mix"] * (v - a) for a, v in zip(p, x["weights"], strict=True)]), p
    if by == "turned":
        mean = sum(x["normal"]) / n
        normal = [v - mean for v in x["normal"]]
        move = [x["mix"] * (e - a) for e, a in zip(equal, p, strict=True)]
        length = sum(v * v for v in normal)
        factor = 2 * sum(a * b for a, b in zip(normal, move, strict=True)) / length if length else Fraction(0)
        near = [a + m for a, m in zip(p, move, strict=True)]
        w = [a - factor * v for a, v in zip(near, normal, strict=True)]

    def gap(a: list[Any]) -> Any:
        return 2 * n * sum((u - v) ** 2 for u, v in zip(p, a, strict=True))

    steps, eta = x["local_steps"], x["reach"] / (x["local_steps"] * x["L"])
    met = {
        "eta L <= 1/(2 tau)": 0 < 2 * x["reach"] <= 1,
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w sums to one": sum(w) == 1,
    }
    found = {"tau": Fraction(steps), "eta": eta, "C": 2 * steps * (steps - 1) * eta**2 * x["L"] ** 2, "K": Fraction(n)}
    found |= {"W_D": gap(w), "square_weights": sum(v * v for v in w), "T": Fraction(x["n_rounds"])}
    found |= {"W_near": gap(near), "square_near": sum(v * v for v in near)}
    found |= {"gap2_largest": max((a - b) ** 2 for a, b in zip(p, w, strict=True))}
    return met, {**found, **{name: x[name] for name in ("L", "A", "B", "drop", "noise")}}


def _weights(*where: Le, by: str = "") -> World:
    """Two weightings of up to 300 clients."""

    def at(K: float) -> Case:
        n = int(K)
        drawn = (
            Simplex("share", n),
            Simplex("weights", n),
            LogScale("mix", 1e-4, 1.0, at=(1.0, 0.1)),
            *((Signed("normal", 1e-1, 1e1, (n,)),) if by == "turned" else ()),
            Integer("local_steps", 1, 100, at=(2,)),
            LogScale("reach", 1e-3, 0.5, at=(0.1,)),
            LogScale("L", 1e-1, 1e1, at=(1.0,)),
            LogScale("noise", 1e-2, 1e4, at=(1.0,)),
            LogScale("A", 1e-1, 1e1, at=(1.0,)),
            LogScale("B", 1e-4, 1e2, at=(1.0,)),
            LogScale("drop", 1e-4, 1e2, at=(1.0,)),
            Integer("n_rounds", 1, 10_000, at=(100,)),
        )
        scaled = units({"L": (1, -2), "noise": (2, -2), "B": (2, -2), "drop": (1, 0)})
        same = (
            scaled,
            permuted_clients(dict.fromkeys(("share", "weights", *(("normal",) if by == "turned" else ())), 0)),
        )
        how: dict[str, Any] = {"cost": max(1.0, n / 100), "symmetries": same, "by": by}
        return case(f"{n} clients", Space(drawn), weighed, weighed_exact, **how)

    sizes = (Size("K", 2 if by == "target" else 1, 300, 3),)
    return World(NOTATION, (Family("two weightings of one federation", sizes, at),), where)


W_D, W_near, square_weights, square_near, noise, K, C, B = NOTATION.symbols(
    "W_D W_near square_weights square_near noise K C B"
)
gap2_largest, slope2_shares, slope2_weights = NOTATION.symbols("gap2_largest slope2_shares slope2_weights")
_NEAR = {W_D: W_near, square_weights: square_near}
_THERE = PRINTED.subs(_NEAR, simultaneous=True)
_TIGHTEST, _SWAPPED = le(_THERE, PRINTED, again=bound_again), le(PRINTED, _THERE)
_QUIET, _QUIET_SWAPPED = (le(s.left.subs(noise, 0), s.right.subs(noise, 0)) for s in (_TIGHTEST, _SWAPPED))
_BY_W_D = le(PRINTED.subs(W_D, W_near), PRINTED, again=bound_again)
_BOTH = lt(0, DENOMINATOR), lt(0, DENOMINATOR.subs(_NEAR, simultaneous=True))
_POSITIVE = _weights(*_BOTH)

_EXCHANGED = mutant(
    "p and w exchanged",
    _QUIET_SWAPPED,
    "without noise W_D > 0 makes the numerator larger and the denominator smaller",
    world=_POSITIVE,
)

RA6 = remark(
    "SSA-RA6",
    "Remark A.6",
    "The bound is tightest at w = p",
    printed=r"w=p\ \Rightarrow\ W_D=0,\ T_2=0,\ \text{largest denominator, and the right side of A.5 is smallest}",
    plainly="With weights equal to the objective's coefficients W_D and T₂ vanish, and the bound is the tightest.",
    assumes=["p and w on the simplex", "everything but w the same"],
    says=_TIGHTEST,
    world=_weights(),
    readings=[
        reading(
            "the formula as it stands",
            "Denominators of any sign.",
            part="tightest",
            cuts={"denominator": "negative"},
            because="nothing in A.5 keeps the denominator positive",
        ),
        reading(
            "denominators positive",
            "The right side at p is at most that at any w on the simplex with a positive denominator, too.",
            world=_POSITIVE,
            part="tightest",
            because="T₃ carries Σw², which is smallest at equal weights",
        ),
        reading(
            "denominators positive and no noise",
            "σ² = 0.",
            _QUIET,
            world=_POSITIVE,
            part="tightest",
            conditions=["denominators positive", "σ² = 0"],
        ),
        reading(
            "denominators positive and equal coefficients",
            "pₖ = 1/K, any noise.",
            world=_weights(*_BOTH, by="even"),
            part="tightest",
            conditions=["denominators positive", "p_k = 1/K"],
            met_by=UNIFORM,
        ),
        reading(
            "W_D, T₂ and the denominator only",
            "W_D = T₂ = 0 at p and the denominator is largest there.",
            all_of(le(W_near, 0), le((1 - C) * B * W_near / B, 0), le(DENOMINATOR - DENOMINATOR.subs(_NEAR), 0)),
            part="W_D, T₂ and the denominator",
        ),
    ],
    mutants=[
        _EXCHANGED,
        mutant(
            "p and w exchanged, equal coefficients",
            _SWAPPED,
            "equal weights have the least Σw² as well",
            world=_weights(*_BOTH, by="even"),
        ),
    ],
    tight="w = p",
    rests_on=["SSA-TA5", "SSA-D2", "SSA-D4", "SSA-S23"],
    written="the implication, for the sentences of the remark",
    verdict="""That the bound is the tightest at w = p needs conditions that are not printed: positive denominators and
        equal coefficients, pₖ = 1/K (or no noise). The Uniform target of NIID-1, pₖ = nₖ = 1/K, meets them, with a step
        for which 1 − C − 2AC > 0. The other facts are right as printed: at w = p W_D and T₂ are 0 and the denominator
        is largest. But T₃ carries σ²Σwₖ², which is smallest at equal weights. For p not uniform a small step from p
        towards equal weights lowers T₃ to first order and raises the rest to second order only (SSA-S23), so with any
        noise the bound is smaller somewhere else (by up to an eighth in the search). Where the denominator at w is
        negative, so is the right side.""",
)

RA7 = remark(
    "SSA-RA7",
    "Remark A.7",
    "FedAvg's weights make the bound looser",
    printed=r"w_k:=n_k\ne p_k\ \Rightarrow\ W_D>0\ \text{and the right side of A.5 is larger than at }w=p",
    plainly="With weights by data size, different from p, W_D is positive and the bound is looser.",
    assumes=["n any point of the simplex", "everything but w the same"],
    says=_TIGHTEST,
    world=_weights(by="target"),
    readings=[
        reading(
            "the formula as it stands, the paper's example",
            "p on client 1 and equal data sizes, K >= 2; denominators of any sign.",
            part="looser",
            cuts={"denominator": "negative"},
        ),
        reading(
            "denominators positive",
            "Any p and n with both denominators positive.",
            world=_POSITIVE,
            part="looser",
            because="FedAvg's Σn² may be smaller than Σp², and T₃ with it",
        ),
        reading(
            "denominators positive and no noise",
            "σ² = 0.",
            _QUIET,
            world=_POSITIVE,
            part="looser",
            conditions=["denominators positive", "σ² = 0"],
            because="Sec. 4.1 writes the gradient over 𝒟_k and calls it SGD; Sec. 5.1 has batches of 64",
        ),
        reading(
            "denominators positive and Σwₖ² held",
            "Charitable: looser through W_D alone, with T₃ the same as at p.",
            _BY_W_D,
            world=_POSITIVE,
            part="looser",
            conditions=["denominators positive", "T₃ unchanged"],
            because="""T₃ changes with the weights, and in NIID-1 Σn_k² = 1/5 is the least there is, equal to Σp_k² for
                p = n alone""",
        ),
        reading(
            "W_D > 0",
            "W_D is at least 2K times the largest squared gap.",
            le(2 * K * gap2_largest - W_D, 0),
            world=_weights(),
            part="W_D > 0",
        ),
    ],
    mutants=[_EXCHANGED],
    tight="n = p",
    rests_on=["SSA-RA6", "SSA-TA5"],
    written="the implication, for the sentences of the remark",
    verdict="""W_D > 0 is true, looser is refuted: with noise and both denominators positive the bound can be smaller at
        n than at p. The reason is T₃, as n may have the smaller Σwₖ². Through W_D alone, with T₃ as it is, the bound
        does grow where the denominator is positive. Without noise and with positive denominators the remark holds, but
        the paper trains with SGD on mini-batches (Sec. 5.1). Equal coefficients, under which SSA-RA6 holds, do not
        help: no setting of the paper has pₖ = 1/K and n ≠ p. In the paper's own example, p on one client and equal
        sizes, W_D = 2(K − 1) >= 2, the denominator is negative for every K >= 2 and the right side negative, so that no
        comparison is possible (for the targets Imb-A and Imb-B in NIID-1 W_D > 2 with ten classes, neighbouring ones on a client, so the same is
        true there).""",
)


def _limits(*steps: float) -> World:
    """Runs without noise with w = p and with other weights, where they settle."""
    drawn = LogScale("reach", 1e-2, 0.5, at=(0.5,)), Choice("local_steps", steps)
    sizes = (Size("K", 1, 100, 3),)
    return settling(lambda n: (Simplex("share", n), Simplex("weights", n)), sizes, *drawn, wide=1e1)


_SETTLES = le(slope2_shares - slope2_weights, 0)
D5 = remark(
    "SSA-D5",
    "Appendix A, after Remark A.7",
    "Weights that minimise the bound",
    printed=r"\exists\,w^\star\ \text{minimising the right side of A.5},\qquad w^\star_k\approx p_k",
    plainly="Some weights minimise the bound, and weights close to p are to be sought.",
    assumes=["denominators positive unless said", "weights that sum to one"],
    says=_TIGHTEST,
    world=_weights(*_BOTH, by="turned"),
    readings=[
        reading(
            "a minimiser exists",
            """Of all weights equally far from p those on the way to equal weights have the smallest bound, so the
                minimum is one over a segment, and the bound tends to ∞ where the denominator vanishes.""",
            because="it lies on the way from p to equal weights, within 1/√(2K) of p",
        ),
        reading(
            "it is p",
            "Ours here: exactly p, where the sentence says wₖ ≈ pₖ; Remark A.6 has the exact form (SSA-RA6).",
            world=_POSITIVE,
            ours="exact where the print says w_k ≈ p_k; the exact form is Remark A.6, judged at SSA-RA6",
        ),
        reading(
            "it is p, the formula as it stands",
            "Ours here: exactly p, and denominators of any sign.",
            world=_weights(),
            ours="exact where the print says w_k ≈ p_k; the sign of the denominator is judged at SSA-TA5 and SSA-D4",
        ),
        reading(
            "p is best for the error itself",
            """Ours, the print speaks of the bound: ‖∇F‖² where noiseless runs settle, w = p against any other weights,
                τ = 2, 5, 20.""",
            _SETTLES,
            world=_limits(2.0, 5.0, 20.0),
            ours="the print says «minimizes the optimization bound», not the error",
        ),
        reading(
            "p is best for the error, τ = 1",
            "Ours as well: one local step, no noise.",
            _SETTLES,
            world=_limits(1.0),
            conditions=["τ = 1", "no noise"],
            ours="the print says «minimizes the optimization bound», not the error",
        ),
    ],
    mutants=[
        mutant(
            "away from equal weights",
            _SWAPPED,
            "at the same distance from p the weights turned away have the larger Σw²",
            world=_weights(*_BOTH, by="turned"),
        )
    ],
    tight="w = p without noise, p uniform",
    rests_on=["SSA-RA6", "SSA-RA7"],
    written="the formula, for «there exists an optimal set of aggregation weights»",
    verdict="""It holds: where the denominator is positive at p some weights minimise the bound, and they are near p,
        never farther than 1/√(2K). They lie between p and equal weights, nearer to p the smaller the noise; the
        distance is limited because W_D < 1 is needed. That the minimiser is exactly p, true without noise or for equal
        coefficients, is Remark A.6 and judged there (SSA-RA6); here the print says wₖ ≈ pₖ. Of the error itself the
        print says nothing: with τ > 1 and unequal curvatures runs with w = p do not settle at the minimiser of F, and
        other weights do better; with τ = 1 and no noise none do. Denominators of any sign, for which the formula has no
        least value, are counted at SSA-TA5 and SSA-D4.""",
)

# near = 1 − C, below = 1 − C − 2AC, level = 2(1 − C)Lησ², rest = T₁ + T₄ + T₅: none of them depends on w.
B, near, below, level, rest = symbols("B near below level rest", positive=True)
# Of p and v only Σp², ⟨p, v⟩ and ‖v‖² occur, for any number K of clients.
K, _OF_P, _TURN, _LENGTH = symbols("K squares_p p_v squares_v", positive=True)
eps = sp.Symbol("eps")
_GAP = 2 * K * eps**2 * _LENGTH
_POWER = _OF_P + 2 * eps * _TURN + eps**2 * _LENGTH
_RIGHT = (rest + near * B * _GAP + level * _POWER) / (below - near * _GAP)
_FIRST = 2 * level * _TURN / below
_AT_P = rest + level * _OF_P
_FLAT = 2 * _LENGTH * (level + 2 * K * near * B) / below
_SECOND = _FLAT + 4 * K * _LENGTH * near * _AT_P / below**2
_SAMPLE = tuple(Fraction(1, k) for k in (2, 3, 5))

S23 = remark(
    "SSA-S23",
    "Right side of Theorem A.5",
    "The bound around w = p",
    printed=r"""\frac{d}{d\epsilon}\Big|_0\mathrm{RHS}(p+\epsilon v)=\frac{4(1-C)L\eta\sigma^2\langle p,v\rangle}{1-C
        -2AC},\quad\frac{d^2}{d\epsilon^2}\Big|_0>0""",
    plainly="""The bound's slope at w = p in a direction v is proportional to σ²⟨p, v⟩; its second derivative is
        positive.""",
    assumes=["Σvₖ = 0, any number of clients", "T₁, T₄, T₅, C and 1 − C − 2AC do not depend on w"],
    says=Identity(sp.diff(_RIGHT, eps).subs(eps, 0), _FIRST, _SAMPLE),
    readings=[
        reading("first derivative", "Only T₃ contributes.", part="first derivative"),
        reading(
            "second derivative",
            "T₂, T₃ and the denominator; a sum of positive terms where 1 − C − 2AC > 0.",
            Identity(sp.diff(_RIGHT, eps, 2).subs(eps, 0), _SECOND, _SAMPLE),
            part="second derivative",
        ),
    ],
    mutants=[
        mutant(
            "p stationary",
            Identity(sp.diff(_RIGHT, eps).subs(eps, 0), sp.Integer(0), _SAMPLE),
            "the slope of Σwₖ² at p in the direction v is 2⟨p, v⟩",
        ),
        mutant(
            "second derivative without the denominator's part",
            Identity(sp.diff(_RIGHT, eps, 2).subs(eps, 0), _FLAT, _SAMPLE),
            "the denominator falls by 2K‖v‖²(1 − C)ε²",
        ),
    ],
    rests_on=["SSA-TA5"],
    ours="the paper nowhere differentiates its bound; Remark A.6, which we test by it, has no formula",
    verdict="""T₂ and the denominator are flat at w = p, T₃ is not: its slope is 4(1−C)Lησ²⟨p, v⟩, which vanishes in all
        directions only for equal pₖ or σ = 0. So p is no stationary point of the bound in general.""",
)

CLAIMS: tuple[Claim, ...] = (RA6, RA7, D5, S23)
