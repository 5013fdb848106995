"""Sec. 2 and 3, Algorithm 1: the local update, weights of smallest norm, the memory, and the extension by projection."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.min_norm import ANY_VECTORS, pair, pair_exact
from paper_checks.fedaware.notation import NOTATION, ROUNDED_0, Checked
from paper_checks.fedaware.open_points import M0
from paper_checks.fedaware.settings import PROJECTED
from paper_checks.fedaware.vectors import any_order, in_order, vectors
from theory.exact import dot, solve, weighted_sum
from theory.quantities import pseudo_gradient
from theory.rules.projection import aware_projection
from theory.worlds.hull import nearest, shortest, squares
from validation import Case, Claim, Family, Instance, LogScale, Signed, Size, Space, Uniform, rotated_space, units
from validation.world import World, all_of, case, definition, eq, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

d2, claimed2, mean2, moved2, half2, order2, largest2 = NOTATION.symbols(
    "d2 claimed2 mean2 moved2 half2 order2 largest2"
)
printed2, uploaded2, late2, unrolled2, memory2 = NOTATION.symbols("printed2 uploaded2 late2 unrolled2 memory2")
still, formula2, faces2, negative, regular = NOTATION.symbols("still formula2 faces2 negative regular")
affine, apart2 = NOTATION.symbols("affine apart2")
p2, line2, pd, other2, off, again2, turned2, mixed2, toward = NOTATION.symbols(
    "p2 line2 pd other2 off again2 turned2 mixed2 toward"
)


def local_run(x: Instance, *, steps: int) -> Mapping[str, Any]:
    """‖±(x^K − x⁰) − η_lΣ∇F‖², + for eq. (1) and − for line 8; `late2`: line 8, gradients after each step."""
    h, m, at = x["curvature"], x["optimum"], x["start"]
    eta = x["step"][:, None] / np.abs(h).max(axis=1)[:, None]
    total, late, here, way = np.zeros_like(at), np.zeros_like(at), at, np.abs(at) + np.abs(m)
    for k in range(steps):
        noise = x["noise"] * (-1.0) ** k
        slope = h * (here - m) + noise
        here = here - eta * slope
        total, late, way = total + slope, late + h * (here - m) + noise, way + np.abs(eta * slope)
    found = {
        "printed2": squares(here - at - eta * total),
        "uploaded2": squares(at - here - eta * total),
        "late2": squares(at - here - eta * late),
    }
    return {**found, "sizes": dict.fromkeys(found, squares(way))}


def local_run_exact(x: Mapping[str, Any], *, steps: int) -> Checked:
    """K steps x <- x - eta_l grad F(x) on one quadratic client; the noise changes sign from step to step."""
    h, m, at = x["curvature"], x["optimum"], x["start"]
    eta = x["step"] / max(abs(c) for c in h)
    here, total, late = list(at), [Fraction(0) for _ in at], [Fraction(0) for _ in at]
    for k in range(steps):
        noise = [c * (-1) ** k for c in x["noise"]]
        slope = [a * (b - c) + e for a, b, c, e in zip(h, here, m, noise, strict=True)]
        here = [b - eta * s for b, s in zip(here, slope, strict=True)]
        total = [a + b for a, b in zip(total, slope, strict=True)]
        late = [t + a * (b - c) + e for t, a, b, c, e in zip(late, h, here, m, noise, strict=True)]
    found = {}
    for name, sign, sums in (("printed2", -1, total), ("uploaded2", 1, total), ("late2", 1, late)):
        missed = [sign * (b - a) - eta * s for a, b, s in zip(here, at, sums, strict=True)]
        found[name] = dot(missed, missed)
    return {"eta_l > 0": eta > 0}, found


def _local(d: float, K: float) -> Case:
    names = ("curvature", "optimum", "start", "noise")
    space = Space((*(Signed(name, 1e-2, 1e2, (int(d),)) for name in names), LogScale("step", 1e-3, 1.0)))
    name, cost = f"a quadratic client, d = {int(d)}, K = {int(K)}", max(1.0, K / 25)
    how: dict[str, Any] = {"uses": (dot,), "cost": cost, "mechanisms": switched_on(K)}
    return case(name, space, local_run, local_run_exact, **how, steps=int(K))


E1 = definition(
    "FA-E1",
    "Eq. (1), §2; Algorithm 1, line 8",
    "Sign of the local update",
    printed=r"""g_i^t=x_i^{t,K}-x_i^{t,0}=\eta_l\sum_{k=0}^{K-1}\nabla F_i(x_i^{t,k}),\qquad x^{t+1}=x^t-\eta_g\sum_i
        \lambda_ig_i^t=x^t-\eta_gG^t""",
    plainly="The uploaded difference of models is the step size times the sum of the local stochastic gradients.",
    assumes=["local steps x ← x − η_l∇F_i(x), as in line 6 of Algorithm 1", "any noise in the gradients"],
    says=le(printed2, 0),
    world=World(NOTATION, (Family("local runs", (Size("d", 1, 8, 2), Size("K", 1, 100, 2)), _local),)),
    readings=[
        reading(
            "eq. (1)",
            "g = x^K − x⁰, as in eq. (1).",
            because="""a plain slip, not two readings: the second equality of (1) itself fails, and the server's minus
                needs the other sign""",
        ),
        reading(
            "Algorithm 1",
            "g = x⁰ − x^K, as in line 8.",
            le(uploaded2, 0),
            edits=["x^{t,0} − x^{t,K} in place of x^{t,K} − x^{t,0}"],
            token=True,
            forced_by="""Algorithm 1, line 8, prints g = x^{t,0} − x^{t,K}; its line 6, x^{t,k} = x^{t,k−1} − η_l∇F,
                with the second equality of (1)""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "gradients at k = 1, …, K",
            le(late2, 0),
            """the first step uses the gradient at x⁰, which differs from that at x¹ unless the step or the curvature is
                0""",
        )
    ],
    tight="always equal with the sign of line 8",
    verdict="""A sign is misprinted in eq. (1): x^{t,K} − x^{t,0} should be x^{t,0} − x^{t,K}, as in line 8 of Algorithm
        1. Line 6 forces it: local descent gives x^{t,K} − x^{t,0} = −η_lΣ∇F, so the second equality of (1) fails
        whenever a client moves, and a server that subtracts that g would climb. A.2 repeats the display with the same
        sign. With the sign of line 8 everything fits, and all later formulas use it. A slip of the pen, but one to know
        before implementing eq. (1).""",
)

E2 = definition(
    "FA-E2",
    "min-norm points, used by eq. (2), §3",
    "Min-norm weights",
    printed=r"\lambda^t=\min_\lambda\Big\{\Big\|\sum_i\lambda_im_i^t\Big\|^2:\ \sum_i\lambda_i=1,\ \lambda_i\ge0\Big\}",
    plainly="The weights are those of the shortest point of the hull of the averaged updates.",
    assumes=ANY_VECTORS,
    says=le(moved2, 0),
    world=any_order(),
    readings=[
        reading("the direction", "dᵗ = Σλᵢmᵢ is the same for every minimiser."),
        reading(
            "the weights",
            "λᵗ itself is determined by the mᵢ.",
            le(order2, 0),
            world=in_order(),
            ours="that the minimiser is unique is printed nowhere; equal updates share their weight in any proportion",
        ),
        reading(
            "the weights of affinely independent updates",
            "No update is an affine combination of the others.",
            le(order2, 0),
            world=in_order("all"),
            conditions=["no update is an affine combination of the others"],
        ),
    ],
    mutants=[
        mutant(
            "half way to the mean",
            le(half2, 0),
            "half way to the mean is beyond the shortest point of two updates in one direction",
        )
    ],
    rests_on=["FA-MN1", "FA-MN5"],
    verdict="""The direction dᵗ that eq. (2) yields is well defined for all updates; the weights themselves need not be.
        The print has a minimum where a minimiser is meant. That the minimiser is unique is not printed; the question is
        ours. Clients with equal updates, or more updates than dimensions, can share their weight in many ways.
        Algorithm 1 uses only d, so nothing depends on the choice there; χ² in Corollary 4.1 uses λ̃ᵗ itself and then
        depends on the solver. Affinely independent updates, the typical case for more dimensions than clients, have
        unique weights.""",
)


def memory(x: Instance, *, wrong: str = "") -> Mapping[str, Any]:
    """‖m^T‖² and ‖m^T − unrolled‖²; `wrong`: absent clients forget as well («fading»), α on the old average («swapped»)."""
    g, here, a = x["g"], x["here"] > 0.5, x["alpha"][:, None]
    keep, new = (a, 1 - a) if wrong == "swapped" else (1 - a, a)
    start = m = x["m"][:, 0]
    for t in range(g.shape[1]):
        m = np.where(here[:, t : t + 1], keep * m + new * g[:, t], keep * m if wrong == "fading" else m)
    later: Any = np.cumsum(here[:, ::-1], axis=1)[:, ::-1] - here
    weights = np.where(here, a * (1 - a) ** later, 0.0)
    unrolled = (1 - a) ** here.sum(axis=1)[:, None] * start + (weights[..., None] * g).sum(axis=1)
    largest = np.maximum(squares(start), np.where(here, squares(g), 0.0).max(axis=1))
    found = {"memory2": squares(m), "unrolled2": squares(m - unrolled)}
    sizes = dict.fromkeys(found, np.maximum(largest, squares(g).max(axis=1)))
    return {**found, "largest2": largest, "sizes": sizes}


def memory_exact(x: Mapping[str, Any], *, wrong: str = "") -> Checked:
    """Eq. (3) round by round, against the weights alpha (1 - alpha)^(later rounds with the client) on its updates."""
    g, here, a, start = x["g"], [v > Fraction(1, 2) for v in x["here"]], x["alpha"], x["m"][0]
    keep, new = (a, 1 - a) if wrong == "swapped" else (1 - a, a)
    m, unrolled = list(start), [(1 - a) ** sum(here) * b for b in start]
    for t in range(len(g)):
        if here[t]:
            m = [keep * b + new * c for b, c in zip(m, g[t], strict=True)]
            weight = a * (1 - a) ** sum(here[t + 1 :])
            unrolled = [b + weight * c for b, c in zip(unrolled, g[t], strict=True)]
        elif wrong == "fading":
            m = [keep * b for b in m]
    largest = max([dot(start, start), *(dot(v, v) for v, p in zip(g, here, strict=True) if p)])
    apart = sum((b - c) ** 2 for b, c in zip(m, unrolled, strict=True))
    return {"0 <= alpha <= 1": 0 <= a <= 1}, {"memory2": dot(m, m), "unrolled2": apart, "largest2": largest}


def _memories(wrong: str = "") -> World:
    def at(T: float, d: float) -> Case:
        rounds, dim = int(T), int(d)
        space = Space(
            (
                Signed("g", 1e-2, 1e2, (rounds, dim)),
                Signed("m", 1e-2, 1e2, (1, dim)),
                Uniform("here", 0.0, 1.0, (rounds,)),
                Uniform("alpha", 0.0, 1.0, at=(0.0, 0.5, 1.0)),
            )
        )
        same = (units({"g": (0, 1), "m": (0, 1)}), rotated_space(("g", "m")))
        name, cost = f"{rounds} rounds, d = {dim}", max(1.0, T / 40)
        return case(name, space, memory, memory_exact, uses=(dot,), cost=cost, symmetries=same, wrong=wrong)

    return World(NOTATION, (Family("a client's memory", (Size("T", 1, 150, 4), Size("d", 1, 8, 2)), at),))


E3 = definition(
    "FA-E3",
    "Eq. (3), §3",
    "Moving average of the updates",
    printed=r"""m_i^t=\begin{cases}(1-\alpha)m_i^{t-1}+\alpha g_i^t,&i\in S^t\\m_i^{t-1},&i\notin S^t\end{cases}\;=\;(1
        -\alpha)^{n}m_i^0+\sum_{s\le t,\,i\in S^s}\alpha(1-\alpha)^{n_s}g_i^s""",
    plainly="""The memory of a client is a weighted mean of its start and of the updates it sent, the latest counting
        most.""",
    assumes=[
        "0 <= α <= 1, whose range is not printed",
        "any participation",
        "n, n_s count the client's rounds, those after s",
        "the closed form after the second «=» is ours",
    ],
    says=le(unrolled2, 0),
    world=_memories(),
    readings=[
        reading("unrolled", "The recursion against its closed form.", part="the closed form"),
        reading(
            "never longer than what it was made of",
            "‖mᵗ‖² is at most the largest of ‖m⁰‖² and the ‖gˢ‖² sent.",
            le(memory2, largest2, again=lambda largest2: largest2 * 1),
            part="the length",
        ),
    ],
    mutants=[
        mutant(
            "absent clients fade as well",
            None,
            "one round away takes α of m⁰, which the closed form keeps",
            world=_memories("fading"),
        ),
        mutant("α on the old average", None, "for α = 1 it never learns anything", world=_memories("swapped")),
    ],
    tight="all updates equal for the second",
    written="the closed form after the second «=»",
    verdict="""Eq. (3) is an exponential moving average over the rounds in which a client takes part, with weights that
        sum to 1. It holds for every α in [0, 1]; α = 1 keeps the last update only. An absent client's memory does not
        fade, however old it is.""",
)


def first_round(x: Instance, *, start: str) -> Mapping[str, Any]:
    """‖d‖² with all clients' updates, and `still`: 1 where the first direction of Algorithm 1 is 0.

    m⁰ is all clients' first update («all»), 0 («zero»), or eq. (2) is over the clients «seen» so far. Client 1 is there.
    """
    g = x["m"]
    here = (x["here"] > 0.5) | (np.arange(g.shape[1]) == 0)
    everyone = first = squares(nearest(g)[1])
    if start == "zero":
        first = squares(nearest(np.where(here[..., None], x["alpha"][:, None, None] * g, 0.0))[1])
    if start == "seen":
        # A copy of a client's update never changes the hull: absent clients stand in for the first one present.
        first = squares(nearest(np.where(here[..., None], g, g[:, :1]))[1])
    return {"d2": everyone, "still": (first == 0).astype(float), "sizes": {"d2": squares(g).max(axis=1)}}


def first_round_exact(x: Mapping[str, Any], *, start: str) -> Checked:
    """Round 1 with m^0 = g, m^0 = 0, or only the clients seen; client 1 is present."""
    g, a = x["m"], x["alpha"]
    here = [i == 0 or p > Fraction(1, 2) for i, p in enumerate(x["here"])]
    m = {
        "all": g,
        "zero": [[a * c if p else Fraction(0) for c in v] for v, p in zip(g, here, strict=True)],
        "seen": [v for v, p in zip(g, here, strict=True) if p],
    }[start]
    everyone, first = shortest(g)[1], shortest(m)[1]
    met = {"0 < alpha <= 1": 0 < a <= 1, "somebody takes part": any(here)}
    return met, {"d2": dot(everyone, everyone), "still": Fraction(int(dot(first, first) == 0))}


def _first(start: str) -> World:
    return vectors(first_round, first_round_exact, "here", "alpha", symmetric=False, start=start)


ALG1 = remark(
    "FA-ALG1",
    "Algorithm 1, §3, with «‖dᵗ‖ > 0 for all t»",
    "FedAWARE moves in its first round",
    printed=r"""m^0\text{ given},\ S^1\ne\emptyset,\ 0\notin\mathrm{conv}\{g_i^1\}_{i\in[N]}\ \Rightarrow\ d^1=\sum_i
        \lambda_i^1m_i^1\ne0""",
    plainly="Where the clients' updates leave room for a common descent, Algorithm 1 takes a step.",
    assumes=[
        "m⁰ is an input whose value Algorithm 1 does not give",
        "any first cohort, 0 < α <= 1",
        "eq. (2) over all N clients",
        "‖d‖² is of the shortest point of the first updates, [d = 0] of Algorithm 1's own direction",
    ],
    says=le(still * d2, 0),
    world=_first("all"),
    open={"m0": M0},
    readings=[
        reading("m⁰ = first updates of all", "As A.4 assumes: 𝔼‖m⁰ − g⁰‖² = 0.", options={"m0": "gᵢ⁰, as in A.4"}),
        reading(
            "m⁰ = 0",
            "The usual start of a momentum.",
            world=_first("zero"),
            options={"m0": "0, an input of Algorithm 1"},
        ),
        reading(
            "only clients seen so far",
            "Eq. (2) over those with a memory.",
            world=_first("seen"),
            edits=["eq. (2) over the clients seen so far, not over all N"],
        ),
    ],
    mutants=[mutant("no step at all", le(d2, 0), "an algorithm that stands still has d = 0 whatever the updates")],
    rests_on=["FA-E2", "FA-E3", "FA-MN4"],
    ours="""Sec. 3 argues «‖dᵗ‖ > 0 for all t» for the training of networks, with m⁰ left open; that any updates with a
        common descent move Algorithm 1 in its first round is our question""",
    verdict="""It hangs on m⁰. Started at 0, every client not yet seen keeps 0 in the hull, the shortest point is 0, and
        the model does not move until each of the N clients has taken part once (with 10 of 100 clients a round, some
        fifty rounds on average). Started from everyone's first update, which costs one round of full participation and
        is what the appendix assumes, or with eq. (2) restricted to clients seen, it moves at once.""",
)


def projected(x: Instance, *, divided: bool = True) -> Mapping[str, Any]:
    """The projection p of d̃ on d, d the shortest point of the m and not 0, and what a projection must not miss.

    p2 = ‖p‖², its part along d `line2`, pd = ⟨p, d⟩, off = |⟨d̃ − p, d⟩|; squared differences when projected again, on −3d,
    and for 2d̃ + d; `toward`: ⟨p, d⟩ for d̃ = Σμᵢmᵢ. Not `divided`: a factor ⟨d, d⟩ is left.
    """
    m, other = x["m"], x["other"]
    d = nearest(m)[1]
    largest = squares(m).max(axis=1)
    safe = np.where(squares(d)[:, None] > 0, d, 1.0)
    p = aware_projection(other, safe)
    p = p if divided else p * squares(safe)[:, None] / largest[:, None]
    along = (p * safe).sum(axis=-1)
    found = {
        "p2": squares(p),
        "line2": along**2 / squares(safe),
        "pd": along,
        "off": np.abs(((other - p) * safe).sum(axis=-1)),
        "again2": squares(aware_projection(p, safe) - p),
        "turned2": squares(aware_projection(other, -3 * safe) - p),
        "mixed2": squares(aware_projection(2 * other + safe, safe) - 2 * p - safe),
        "toward": (aware_projection(pseudo_gradient(m, x["mu"]), safe) * safe).sum(axis=-1),
    }
    sizes = dict.fromkeys(found, 10 * (largest + squares(other)))
    seen = {
        "other2": squares(other),
        "admissible": squares(d) > ROUNDED_0 * largest,
        "resolved": squares(d) > 1e-14 * largest,
    }
    return {**found, "sizes": sizes, **seen}


def projected_exact(x: Mapping[str, Any], *, divided: bool = True) -> Checked:
    """The same from p = (<d~, d>/<d, d>) d written out."""
    m, other = x["m"], x["other"]
    d = shortest(m)[1]

    def onto(v: Any, line: Any) -> Any:
        return [dot(v, line) / dot(line, line) * c for c in line]

    def apart2(u: Any, v: Any) -> Any:
        return sum((a - b) ** 2 for a, b in zip(u, v, strict=True))

    p = onto(other, d)
    p = p if divided else [c * dot(d, d) / max(dot(v, v) for v in m) for c in p]
    mixed = onto([2 * a + b for a, b in zip(other, d, strict=True)], d)
    found = {
        "p2": dot(p, p),
        "line2": dot(p, d) ** 2 / dot(d, d),
        "pd": dot(p, d),
        "off": abs(dot(other, d) - dot(p, d)),
        "again2": apart2(onto(p, d), p),
        "turned2": apart2(onto(other, [-3 * c for c in d]), p),
        "mixed2": apart2(mixed, [2 * a + b for a, b in zip(p, d, strict=True)]),
        "toward": dot(onto(weighted_sum(x["mu"], m), d), d),
        "other2": dot(other, other),
    }
    return {"d is not 0": dot(d, d) > 0, "mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}, found


_PARALLEL = (le(p2, line2), le(p2, other2), le(off, 0), le(again2, 0))

PROP31 = remark(
    "FA-PROP3.1",
    "Proposition 3.1, §3",
    "AWARE extension by projection",
    printed=r"""d^t_{proj}=\frac{\langle\tilde d^t,d^t\rangle}{\langle d^t,d^t\rangle}d^t,\qquad
        x^{t+1}=x^t-\eta_gd^t_{proj};
        \quad\text{``modifies the descent to the direction that enhances generalization''}""",
    plainly="Another method's direction is projected to that of AWARE, which is said to enhance generalization.",
    assumes=["d̃ any direction of the method", "d the direction of FedAWARE, not 0"],
    says=all_of(*_PARALLEL, le(turned2, 0), le(mixed2, 0)),
    world=vectors(projected, projected_exact, "other", "mu"),
    readings=[
        reading(
            "an orthogonal projection",
            """Parallel to d, no longer than d̃, idempotent, linear, blind to the scale of d; the error is at a right
                angle to d.""",
            part="the display projects d̃ to the line of d",
        ),
        reading(
            "a step along d",
            "d_proj is a non-negative multiple of d, for any d̃.",
            le(-pd, 0),
            part="«to the direction that enhances generalization»",
            because="the direction said to enhance generalization is d; where ⟨d̃, d⟩ < 0 the step is along −d",
        ),
        reading(
            "a step along d for averages of the remembered updates",
            "d̃ = Σμᵢmᵢ, such as FedAvg's with α = 1 and full participation.",
            le(-toward, 0),
            part="«to the direction that enhances generalization»",
            conditions=["d̃ a weighted mean of the remembered updates"],
            met_by=PROJECTED,
        ),
    ],
    mutants=[
        mutant(
            "not divided by ⟨d, d⟩",
            all_of(*_PARALLEL),
            "a factor ‖d‖² over the largest ‖mᵢ‖² is left, so that d̃ − d_proj leans on d unless all m are d",
            world=vectors(projected, projected_exact, "other", "mu", divided=False),
        )
    ],
    tight="d̃ parallel to d",
    rests_on=["FA-E2", "FA-MN3"],
    verdict="""The display is the orthogonal projection on the line of d, as it says; that the step then goes along d,
        as the next sentence has it («to the direction that enhances generalization»), needs ⟨d̃, d⟩ >= 0. For any
        weighted mean of the remembered updates this product is at least ‖d‖²: that is FedAvg's direction at α = 1 and
        full participation, which Sec. 4.2 names for FedAWARE. With momentum, adaptive denominators or a proximal term
        d̃ can lean the other way. The step then goes along −d, up the hill that all clients agree on. Where d = 0,
        which Sec. 3 argues away, the display is 0/0.""",
)


def _stationary(m: Any) -> tuple[Any, Any, Any]:
    """w = Q⁻¹1/(1ᵀQ⁻¹1) of vectors, whether Q is regular as far as rounding tells, and whether it is clearly so."""
    gram = np.einsum("nid,njd->nij", m, m)
    size = np.einsum("nii->ni", gram)
    root = np.sqrt(np.where(size > 0, size, 1.0))
    scaled = gram / (root[:, :, None] * root[:, None, :])
    lowest, none = np.linalg.eigvalsh(scaled)[:, 0], size.min(axis=1) == 0
    clear = (lowest > 1e-9) & ~none
    scaled = np.where(clear[:, None, None], scaled, np.eye(m.shape[1]))
    found = np.linalg.solve(scaled, (1 / root)[..., None])[..., 0] / root
    return found / found.sum(axis=1, keepdims=True), (lowest > 1e-14) & ~none, clear


def formula(x: Instance, *, inside: bool = False) -> Mapping[str, Any]:
    """‖Σwᵢmᵢ‖² for w = Q⁻¹1/(1ᵀQ⁻¹1), against ‖d‖², and Σ(wᵢ)₋ in units of a square; `inside`: w >= 0."""
    m = x["m"]
    weights, regular, clear = _stationary(m)
    largest = squares(m).max(axis=1)
    seen = {"formula2": squares(pseudo_gradient(m, weights)), "d2": squares(nearest(m)[1])}
    sizes = dict.fromkeys((*seen, "negative"), largest * 1e4)
    seen["negative"] = np.maximum(-weights, 0.0).sum(axis=1) * largest
    there = regular & (np.all(weights >= 0, axis=1) | (not inside) | ~clear)
    return {**seen, "sizes": sizes, "admissible": there, "resolved": clear}


def formula_exact(x: Mapping[str, Any], *, inside: bool = False) -> Checked:
    """The one stationary point over the affine hull, and the negative part of its weights (in units of a square)."""
    m = x["m"]
    found = solve([[dot(u, v) for v in m] for u in m], [Fraction(1) for _ in m])
    weights = [a / sum(found) for a in found]
    v, d = weighted_sum(weights, m), shortest(m)[1]
    negative = sum((-a for a in weights if a < 0), Fraction(0)) * max(dot(u, u) for u in m)
    met = {"weights >= 0 where that is asked": not inside or min(weights) >= 0}
    return met, {"formula2": dot(v, v), "d2": dot(d, d), "negative": negative}


def by_faces(x: Instance) -> Mapping[str, Any]:
    """The least ‖Σwᵢmᵢ‖² of w = Q⁻¹1/(1ᵀQ⁻¹1) over the sets of clients where no weight is negative, against ‖d‖²."""
    m = x["m"]
    seen = formula(x)
    least = np.full(m.shape[0], np.inf)
    for clients in _sets(m.shape[1]):
        some = m[:, clients]
        weights = _stationary(some)[0]
        there = np.all(weights >= 0, axis=1)
        least = np.where(there, np.fmin(least, squares(pseudo_gradient(some, weights))), least)
    return {"faces2": least, "d2": seen["d2"], "sizes": {**seen["sizes"], "faces2": seen["sizes"]["d2"]}} | {
        "admissible": seen["admissible"],
        "resolved": seen["resolved"],
    }


def by_faces_exact(x: Mapping[str, Any]) -> Checked:
    """The same by elimination on each set of clients; `ZeroDivisionError` where some of the updates are dependent."""
    m = x["m"]
    squared = []
    for clients in _sets(len(m)):
        some = [m[i] for i in clients]
        found = solve([[dot(u, v) for v in some] for u in some], [Fraction(1) for _ in some])
        if min(found) >= 0:
            v = weighted_sum([a / sum(found) for a in found], some)
            squared.append(dot(v, v))
    d = shortest(m)[1]
    return {}, {"faces2": min(squared), "d2": dot(d, d)}


def _sets(n: int) -> list[tuple[int, ...]]:
    """All sets of n clients but the empty one."""
    return [c for k in range(1, n + 1) for c in combinations(range(n), k)]


def _formula(*, inside: bool = False) -> World:
    return vectors(formula, formula_exact, symmetric=False, line=False, dim=4, inside=inside)


_FORMULA = le(abs(formula2 - d2) + negative, 0)

R10 = remark(
    "FA-R10",
    "min-norm points, used by eq. (2), §3",
    "A closed-form solution",
    printed=r"""\lambda^t=\arg\min\|\textstyle\sum_i\lambda_im_i^t\|^2\ \text{``a clear objective with a closed
        -form solution''}""",
    plainly="The min-norm weights have a closed form.",
    assumes=["m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights"],
    says=le(claimed2, d2),
    world=vectors(pair, pair_exact, symmetric=False, least=2),
    open={"closed form": nowhere("«closed-form» is explained nowhere and no formula is printed")},
    readings=[
        reading(
            "two clients",
            "The clipped quotient of two updates, another formula than Q⁻¹1/(1ᵀQ⁻¹1), for N = 2.",
            conditions=["N = 2"],
            because="no setting of the paper has two clients (100, and 20 in Figure 7)",
        ),
        reading(
            "one formula a set of clients",
            """Finitely many formulas and the least of them: Q⁻¹1/(1ᵀQ⁻¹1) on each set of clients where no weight comes
                out negative.""",
            eq(faces2, d2),
            world=vectors(by_faces, by_faces_exact, symmetric=False, line=False, dim=4),
            options={"closed form": "finitely many formulas"},
        ),
        reading(
            "one formula for all clients",
            "Without a search over sets, not clipped: Q⁻¹1/(1ᵀQ⁻¹1); the formula is ours, none is printed.",
            _FORMULA,
            world=_formula(),
            options={"closed form": "one formula"},
        ),
        reading(
            "where that formula is non-negative",
            "The same, if no weight comes out negative.",
            _FORMULA,
            world=_formula(inside=True),
            conditions=["the formula's weights are non-negative"],
        ),
    ],
    mutants=[
        mutant(
            "equal weights for two clients",
            le(mean2, d2),
            "the mean of two updates in one direction is longer than the shorter one",
        )
    ],
    rests_on=["FA-E2", "FA-MN11"],
    verdict="""«Closed-form» can be meant in two ways, and the paper prints no formula to tell which. On each set of
        clients the weights are a rational function of the inner products, Q⁻¹1/(1ᵀQ⁻¹1), and the shortest of those
        finitely many points is d: in this sense it holds. One such formula for all clients, without a search over the
        2ᴺ − 1 sets and without clipping, can give negative weights already for N = 2. The paper solves by Frank-Wolfe and has 20 or 100 clients. That no other
        single formula serves for N >= 3 is not tested here.""",
)


def independence(x: Instance, *, wide: bool = False) -> Mapping[str, Any]:
    """`regular`, `affine`: 1 where the vectors are linearly, affinely independent; `still`: 1 where d = 0.

    `wide`: in more dimensions than there are vectors; where there are fewer, none are independent.
    """
    m = x["m"]
    gram = np.einsum("nid,njd->nij", m, m)
    size = np.einsum("nii->ni", gram)
    root = np.sqrt(np.where(size > 0, size, 1.0))
    length, largest = squares(nearest(m)[1]), size.max(axis=1)
    lifted = gram / np.where(largest > 0, largest, 1.0)[:, None, None] + 1
    still = length <= 1e-20 * largest
    return {
        "regular": (np.linalg.eigvalsh(gram / (root[:, :, None] * root[:, None, :]))[:, 0] > 1e-9).astype(float),
        "affine": (np.linalg.eigvalsh(lifted)[:, 0] > 1e-9).astype(float),
        "still": still.astype(float),
        "d2": np.where(still, 0.0, length),
        "largest2": largest,
        "sizes": {"d2": largest},
        "admissible": np.full(len(m), m.shape[2] > m.shape[1] or not wide),
    }


def independence_exact(x: Mapping[str, Any], *, wide: bool = False) -> Checked:
    """Linear and affine independence as regular Gram matrices, beside the shortest point."""
    m, found = x["m"], {}
    for name, shift in (("regular", 0), ("affine", 1)):
        try:
            solve([[dot(u, v) + shift for v in m] for u in m], [Fraction(0) for _ in m])
            found[name] = Fraction(1)
        except ZeroDivisionError:
            found[name] = Fraction(0)
    d = shortest(m)[1]
    found |= {"d2": dot(d, d), "still": Fraction(int(dot(d, d) == 0)), "largest2": max(dot(v, v) for v in m)}
    return {"more dimensions than clients, where asked": len(m[0]) > len(m) or not wide}, found


def _independent(dim: int, **chosen: Any) -> World:
    return vectors(independence, independence_exact, symmetric=False, line=False, dim=dim, **chosen)


R13 = remark(
    "FA-R13",
    "min-norm points, used by eq. (2), §3",
    "Non-zero directions and independence",
    printed=r"""\|d^t\|>0\ \forall t\in[T];
        \quad\text{``In other words, these cases mean that all the vectors should be linearly independent''}""",
    plainly="The direction never vanishes, which is to say that the updates are linearly independent.",
    assumes=["m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights"],
    says=le((1 - regular) * d2, 0),
    world=_independent(5, least_dim=2, wide=True),
    readings=[
        reading(
            "d ≠ 0 means independent updates",
            "Where d ≠ 0 the updates are independent, in more dimensions than there are clients (Sec. 3: d ≫ N).",
            because="«In other words, these cases mean that all the vectors should be linearly independent»",
        ),
        reading(
            "independent updates have d ≠ 0",
            "The converse: linear independence gives ‖d‖ > 0.",
            le(regular * still * largest2, 0),
            world=_independent(4),
            ours="the converse is not what «these cases mean» says",
        ),
    ],
    mutants=[
        mutant(
            "affinely independent updates have d ≠ 0",
            le(affine * still * largest2, 0),
            "1 and −1 are affinely independent and have d = 0",
            world=_independent(2),
        )
    ],
    rests_on=["FA-MN4", "FA-ALG1"],
    verdict="""‖d‖ > 0 does not mean that the updates are independent; it asks much less. Two equal updates are
        dependent, and d is their common value. The converse is right, as independent updates cannot combine to 0, and
        would do for the sentence: independence is enough, it is not needed. What decides is whether 0 is in the hull
        (FA-MN4). That ‖d‖ > 0 in every
        round is argued for networks and judged where it matters: d = 0 does happen with m⁰ = 0 from the first round on
        (FA-ALG1), and in the limit at every Pareto stationary model, which is where FedAWARE goes (FA-R4).""",
)


def from_model(x: Instance, *, sign: int, first: bool) -> Mapping[str, Any]:
    """‖v − d‖² with v the vector from the model to the nearest point of the hull of the local models.

    The local models are x − mᵢ (`sign` 1, Algorithm 1) or x + mᵢ (−1, eq. (1)); `first`: v is seen from x⁰.
    """
    m, model = x["m"], x["model"]
    base = x["first"] if first else model
    away = nearest(-sign * m)[1]
    size = squares(m).max(axis=1) + squares(model) + squares(base)
    return {"apart2": squares(away + model - base - nearest(m)[1]), "sizes": {"apart2": size}}


def from_model_exact(x: Mapping[str, Any], *, sign: int, first: bool) -> Checked:
    """The point of the hull of the local models that is nearest to the broadcast model, seen from there."""
    m, model = x["m"], x["model"]
    local = [[a - sign * b for a, b in zip(model, v, strict=True)] for v in m]
    base = x["first"] if first else model
    away = shortest([[a - b for a, b in zip(v, model, strict=True)] for v in local])[1]
    d = shortest(m)[1]
    return {}, {"apart2": sum((a + b - c - e) ** 2 for a, b, c, e in zip(away, model, base, d, strict=True))}


def _from_model(sign: int, *more: str) -> World:
    return vectors(from_model, from_model_exact, "model", *more, sign=sign, first=bool(more))


R14 = remark(
    "FA-R14",
    "min-norm points, used by eq. (2), §3",
    "From the model to the nearest point",
    printed=r"d\ \text{is a vector from initial model parameters to this minimum-norm point}",
    plainly="""The direction is the vector from the model to the point of least norm in the hull of the averaged
        updates.""",
    assumes=[
        "m₁, …, m_N any vectors, searched up to four in eight dimensions and 300 on a line",
        "d the point of least norm in their convex hull, λ its weights",
    ],
    says=le(apart2, 0),
    world=_from_model(-1),
    readings=[
        reading(
            "g = x^K − x⁰ as in eq. (1)",
            "From the broadcast model to the nearest point of the hull of the local models x + mᵢ.",
            because="the hull of the mᵢ carried to the model, x + mᵢ: so whatever the sign of g",
        ),
        reading(
            "g = x⁰ − x^K as in Algorithm 1",
            "The same, with the local models x − mᵢ.",
            world=_from_model(1),
            ours="the print speaks of the hull of the mᵢ, taken «as base vectors», not of the local models x − mᵢ",
        ),
    ],
    mutants=[
        mutant("from the first model of the run", None, "x⁰ is not the current model", world=_from_model(-1, "first"))
    ],
    tight="always equal",
    rests_on=["FA-E1", "FA-E2"],
    verdict="""It holds: d leads from the model to the point of least norm in the hull of the mᵢ, the mᵢ being «base
        vectors» laid at the model. With the sign of eq. (1) and fresh updates of all clients, x + mᵢ are the local
        models, so d leads to the nearest point of their hull. That picture is ours. With the sign of Algorithm 1, which
        the server step needs, the local models are x − mᵢ, and d points the opposite way. With α < 1 or absent clients
        the mᵢ belong to no current local models. The sign of eq. (1) counts at FA-E1.""",
)

CLAIMS: tuple[Claim, ...] = (E1, E2, E3, ALG1, PROP31, R10, R13, R14)
