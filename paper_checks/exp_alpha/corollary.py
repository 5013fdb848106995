"""Sec. 3.3 and A.11: weights that lean away from large excess losses, and whether Ω then falls below Ω_pr.

Worlds: a common sequence of models, runs of each strategy on its own, a run that rests; and clients of any sizes with
excess losses Ωᵢ, aᵢ = NpᵢΩᵢ with pᵢ = |Ξᵢ|/Σ|Ξⱼ|, weights ρ̃ᵢ ∝ U(−aᵢ). U is one of 1/(1 + y/c), a step at y = c down to
`floor`, max(c − y, 0) and a constant, y = −x: non-negative and non-decreasing in x; `falling` turns it round.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, several_steps, signed
from paper_checks.exp_alpha.notation import NOTATION, Plain, Seen
from paper_checks.exp_alpha.settings import DIGITS, SAME_SIZES
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, Switch
from validation.world import World, identity, le, mutant, nowhere, reading, remark, step, theorem, twice

__all__ = ["CLAIMS"]

Omega, Omega_A11, Omega_pr, N, size, jump = NOTATION.symbols("Omega Omega_A11 Omega_pr N size jump")
tilted_mean, plain_mean, total, rewritten = NOTATION.symbols("tilted_mean plain_mean total rewritten")
normalised, proportional, last = NOTATION.symbols("normalised proportional last")


def _values_of_u(arguments: Any, rise: Any) -> Any:
    """Any non-decreasing 𝒰 >= 0 on the arguments met, rows: the sum of the rises at arguments up to this one."""
    order = np.argsort(arguments, axis=1)  # in what order equal ones come is all the same
    ordered = np.take_along_axis(arguments, order, axis=1)
    risen = np.cumsum(rise, axis=1)
    last = np.concatenate([ordered[:, :-1] < ordered[:, 1:], np.ones_like(ordered[:, :1], dtype=bool)], axis=1)
    # Equal arguments share the value reached after the last of them.
    risen = np.minimum.accumulate(np.where(last, risen, np.inf)[:, ::-1], axis=1)[:, ::-1]
    found = np.empty_like(risen)
    np.put_along_axis(found, order, risen, axis=1)
    return found


def common(x: Instance, *, falling: bool) -> Seen:
    """Ω, Ω with ρᵢ = nᵢρ̃ᵢ as in A.11, which need not sum to 1, and Ω_pr along given points; `falling`: 𝒰 non-increasing."""
    h, m, points = x["curvature"], x["optimum"], x["points"]
    size = x.get("size", np.ones_like(h))
    factor = size * size.shape[1] / size.sum(axis=1, keepdims=True)
    excess = 0.5 * h[:, None] * (points[:, :, None] - m[:, None]) ** 2
    arguments = -factor[:, None] * excess
    sign = -1.0 if falling else 1.0
    u = _values_of_u(sign * arguments.reshape(len(h), -1), x["rise"]).reshape(excess.shape)
    raw = factor[:, None] * u
    with np.errstate(all="ignore"):
        omega = (raw * excess).sum(axis=2) / raw.sum(axis=2)
        as_in_a11 = (raw * excess).sum(axis=2) / u.sum(axis=2)
    defined = (u.sum(axis=2) > 0).all(axis=1)
    plain = (factor[:, None] * excess).mean(axis=2).min(axis=1)
    found = {"Omega": np.where(defined, omega.min(axis=1), 0.0), "Omega_pr": plain}
    return {**found, "Omega_A11": np.where(defined, as_in_a11.min(axis=1), 0.0), "admissible": defined}


def common_exact(x: Seen, *, falling: bool) -> Plain:
    """Omega of the strategy of Corollary 1.1 and Omega_pr along the same models; U rises by `rise` at each argument."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    size = x.get("size", [Fraction(1)] * n)
    mean = sum(size) / n
    factor = [s / mean for s in size]
    excess = [[h[i] * (w - m[i]) ** 2 / 2 for i in range(n)] for w in x["points"]]
    sign = -1 if falling else 1
    met = sorted(-sign * factor[i] * row[i] for row in excess for i in range(n))
    omegas, sums, plains, defined = [], [], [], True
    for row in excess:
        u = [sum(r for a, r in zip(met, x["rise"], strict=True) if a <= -sign * factor[i] * row[i]) for i in range(n)]
        defined = defined and sum(u) > 0
        if not defined:
            break
        raw = [factor[i] * u[i] for i in range(n)]
        left = sum(raw[i] * row[i] for i in range(n))
        omegas.append(left / sum(raw))
        sums.append(left / sum(u))
        plains.append(sum(factor[i] * row[i] for i in range(n)) / n)
    hypotheses = {"strongly convex, smooth": min(h) > 0, "data sizes positive": min(size) > 0}
    hypotheses |= {"U non-negative and non-decreasing": min(x["rise"]) >= 0, "weights defined at every t": defined}
    found = {"Omega": omegas, "Omega_A11": sums, "Omega_pr": plains}
    return hypotheses, {name: min(values, default=Fraction(0)) for name, values in found.items()}


def common_sequence(*, equal: bool = False, falling: bool = False) -> World:
    """N one-dimensional clients of any or equal sizes, and P models."""

    def at(N: int, P: int) -> Case:
        size = () if equal else (positive("size", N),)
        of = (*size, *quadratics(N), signed("points", P), Simplex("rise", N * P))
        name, cost = f"{N} clients, {P} models", max(1.0, N * P / 20)
        return drawn(name, of, common, common_exact, cost=cost, falling=falling)

    return ranging("one sequence of models", at, N=(1, 300, 3), P=(1, 60, 1))


def chosen_u(x: Seen, y: Any, falling: bool = False) -> Any:
    """U(-y), by steps of `height` at `drop` where x has these; decreasing in x = -y where `falling`."""
    if "height" in x:
        return x["height"][0] + sum(b for b, d in zip(x["height"][1:], x["drop"], strict=True) if y <= d)
    c, kind = x["level"], int(x["kind"])
    if falling:
        y = max(2 * c - y, Fraction(0))
    if kind == 0:
        return c / (c + y)
    if kind == 1:
        return Fraction(1) if y <= c else Fraction(x["floor"])
    return max(c - y, Fraction(0)) if kind == 2 else Fraction(1)


def fast_u(x: Instance, a: Any, falling: bool = False) -> tuple[Any, Any]:
    """U(−aᵢ), (n, N), and whether no aᵢ is so near the level that rounding could put it on the other side."""
    if "height" in x:
        passed = a[:, :, None] <= x["drop"][:, None, :]
        return x["height"][:, :1] + (passed * x["height"][:, None, 1:]).sum(axis=2), True
    c, kind = x["level"][:, None], x["kind"][:, None]
    y = np.maximum(2 * c - a, 0.0) if falling else a
    smooth, step = 1 / (1 + y / c), np.where(y <= c, 1.0, x["floor"][:, None])
    u = np.where(kind == 0, smooth, np.where(kind == 1, step, np.where(kind == 2, np.maximum(c - y, 0), 1.0)))
    return u, (np.abs(a - c) > 1e-9 * a).all(axis=1)


def own(x: Instance, *, E: int, T: int) -> Seen:
    """Ω and Ω_pr over 0 <= t < T, each on its own noiseless run; 𝒰 drawn, steps of `step`/L or else A.9's."""
    h, m, n_clients = x["curvature"], x["optimum"], x["optimum"].shape[1]
    factor = n_clients * x["share"] if "share" in x else np.ones_like(h)
    mu_, L_, least = h.min(axis=1), h.max(axis=1), []
    defined, decided = np.ones(len(h), dtype=bool), np.ones(len(h), dtype=bool)
    for chosen in (True, False):
        local, middle, seen = np.repeat(x["start"][:, None], n_clients, axis=1), x["start"], []
        for t in range(T):
            excess = 0.5 * h * (middle[:, None] - m) ** 2
            weights = factor / n_clients
            if chosen:
                u, sure = fast_u(x, factor * excess)
                raw = factor * u
                total = raw.sum(axis=1, keepdims=True)
                defined, decided = defined & (total[:, 0] > 0), decided & sure
                weights = raw / np.where(total > 0, total, 1.0)
            seen.append((weights * excess).sum(axis=1))
            eta = x["step"] / L_ if "step" in x else 2 / (mu_ * (np.maximum(8 * L_ / mu_, E) - 1 + t))
            local = local - eta[:, None] * h * (local - m)
            middle = (weights * local).sum(axis=1)
            if (t + 1) % E == 0:
                local = np.repeat(middle[:, None], n_clients, axis=1)
        least.append(np.min(seen, axis=0))
    return {"Omega": least[0], "Omega_pr": least[1], "admissible": defined | ~decided, "resolved": decided}


def own_exact(x: Seen, *, E: int, T: int) -> Plain:
    """The strategy of Corollary 1.1 and proportional weights, each on its own run from one start, no noise.

    Steps step/L where x has a step, else A.9's.
    """
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    factor = [n * s for s in x["share"]] if "share" in x else [Fraction(1) for _ in range(n)]
    mu, L = min(h), max(h)
    least, defined = [], True
    for strategy in ("chosen", "proportional"):
        local, middle, seen = [x["start"] for _ in range(n)], x["start"], []
        for t in range(T):
            excess = [h[i] * (middle - m[i]) ** 2 / 2 for i in range(n)]
            weights = [f / n for f in factor]
            if strategy == "chosen":
                u = [chosen_u(x, factor[i] * excess[i]) for i in range(n)]
                total = sum(factor[i] * u[i] for i in range(n))
                defined = defined and total > 0
                weights = [factor[i] * u[i] / total if total else weights[i] for i in range(n)]
            seen.append(sum(weights[i] * excess[i] for i in range(n)))
            eta = x["step"] / L if "step" in x else 2 / (mu * (max(8 * L / mu, Fraction(E)) - 1 + t))
            local = [local[i] - eta * h[i] * (local[i] - m[i]) for i in range(n)]
            middle = sum(weights[i] * local[i] for i in range(n))
            if (t + 1) % E == 0:
                local = [middle for _ in range(n)]
        least.append(min(seen))
    hypotheses = {
        "strongly convex, smooth": mu > 0,
        "sizes positive": min(factor) > 0,
        "U >= 0, non-decreasing": min(x["height"]) >= 0 if "height" in x else x["level"] > 0 and 0 <= x["floor"] <= 1,
        "0 < eta <= 1/(4 L), where eta is drawn": "step" not in x or 0 < x["step"] <= Fraction(1, 4),
        "weights defined at every t": defined,
    }
    return hypotheses, {"Omega": least[0], "Omega_pr": least[1]}


def own_runs(*, equal: bool) -> World:
    """Each strategy on its own run of T steps in rounds of E, N one-dimensional clients of equal or any sizes."""

    def at(N: int, E: int, T: int) -> Case:
        share = () if equal else (Simplex("share", N, interior=True),)
        of = (*share, *quadratics(N, decades=1), signed("start", decades=1), positive("drop", 2, at=()))
        name, cost = f"{N} clients, {T} steps in rounds of {E}", max(1.0, T * N / 40)
        told: dict[str, Any] = {"cost": cost, "mechanisms": several_steps(E), "E": E, "T": T}
        return drawn(name, (*of, Simplex("height", 3)), own, own_exact, **told)

    return ranging("each strategy on its own run", at, N=(1, 30, 3), E=(1, 10, 1), T=(1, 50, 3))


def resting(x: Instance) -> Seen:
    """Ω of a run that rests between two clients, `copies` of a third without weight; Ω_pr = Γ, where proportional ones end."""
    h, m = x["curvature"], np.stack([x["middle"] - x["apart"], x["middle"] + x["apart"], x["third"]], axis=1)
    curved = np.stack([h[:, 0], h[:, 0], h[:, 1]], axis=1)
    excess = 0.5 * curved * (x["middle"][:, None] - m) ** 2
    often = np.stack([np.ones(len(h)), np.ones(len(h)), x["copies"]], axis=1)
    best = (often * curved * m).sum(axis=1) / (often * curved).sum(axis=1)
    least = (often * 0.5 * curved * (best[:, None] - m) ** 2).sum(axis=1) / often.sum(axis=1)
    omega, apart = 0.5 * (excess[:, 0] + excess[:, 1]), excess[:, 2] > excess[:, 0]
    return {"Omega": omega, "Omega_pr": least, "admissible": apart}


def resting_exact(x: Seen) -> Plain:
    """Clients 1, 2 at middle -+ apart with one curvature, the others alike; U(y) = 1 for y >= -(their excess), else 0.

    From the middle the weights are (1/2, 1/2, 0, ...) and the two gradients cancel at every step, inside rounds too: W_bar
    stays for all t >= 0. Proportional weights with A.9's steps tend to W*, so the infimum over t of their weighted
    excess is its value at W*.
    """
    others = int(x["copies"])
    h = [x["curvature"][0], x["curvature"][0]] + [x["curvature"][1]] * others
    m = [x["middle"] - x["apart"], x["middle"] + x["apart"]] + [x["third"]] * others
    excess = [c * (x["middle"] - v) ** 2 / 2 for c, v in zip(h, m, strict=True)]
    u = [1 if -e >= -excess[0] else 0 for e in excess]
    best = sum(c * v for c, v in zip(h, m, strict=True)) / sum(h)
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "weights (1/2, 1/2, 0, ...)": u == [1, 1] + [0] * others,
        "the run rests: the weighted gradient is 0 and the first two mirror each other": h[0] * (x["middle"] - m[0])
        == -h[1] * (x["middle"] - m[1]),
    }
    omega = sum(a * e for a, e in zip(u, excess, strict=True)) / 2
    least = sum(c * (best - v) ** 2 for c, v in zip(h, m, strict=True)) / (2 * len(h))
    return hypotheses, {"Omega": omega, "Omega_pr": least}


_CURVED = LogScale("curvature", 1e-2, 1e4, (2,), at=(1e-2, 1.0, 1e4))
_OF = (_CURVED, signed("middle", decades=1), positive("apart"), Signed("third", 1e-2, 1e3))
_COPIES = Choice("copies", (1.0, 2.0, 6.0, 30.0))
RESTING = over(drawn("a run at rest, all t >= 0", (*_OF, _COPIES), resting, resting_exact, permuted=False))
"""A run of the strategy that never moves, against the limit of proportional weights; equal sizes."""

_BELOW = le(Omega, Omega_pr)
_ANY, _EQUAL = common_sequence(), common_sequence(equal=True)

C11 = theorem(
    "EA-C1.1",
    "Corollary 1.1 (Sec. 3.3), proof A.11",
    "Down-weighting large excess losses lowers Ω",
    printed=r"""\rho_i^{t+1}\propto\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}\,\mathcal U
        \Big(\tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}(F_i(\mathbf W_i^*)-F_i(\bar{\mathbf W}^t))\Big)\ \forall t,
        \quad\mathcal U\ge0\text{ non-decreasing}\ \Rightarrow\ \Omega\le\Omega_{pr}""",
    plainly="""Weights that do not grow with a client's excess loss give an Ω no larger than that of proportional
        weights.""",
    assumes=[
        "𝒰 >= 0 non-decreasing, not 0 at every client",
        "clients numbered by decreasing N|Ξᵢ|/Σ|Ξⱼ| · (Fᵢ(W̄ᵗ) − Fᵢ*), anew at each t",
        "W̄ᵗ: one sequence for both minima, or each strategy's own, as the reading says",
    ],
    says=_BELOW,
    world=_ANY,
    open={
        "normalised": twice("""Corollary 1.1 prints ρ_i^{t+1} ∝ …, a weight of Sec. 3.1 («ρ_i^{t+1} ≥ 0 and Σρ_i^{t+1}
            = 1»); its proof (A.11) ends with «where ρ_i^{t+1} = (N|Ξ_i|/Σ|Ξ_j|)·ρ̃_i^{t+1}», which sums to 1 only by
            accident"""),
        "minima": nowhere("""whose W̄^t stands in Ω and in Ω_pr, «the quantity Ω defined by proportional aggregation»:
            A.11 compares both sums at one W̄^t, but W̄^t is the virtual model of Eq. 2, which the weights make"""),
    },
    readings=[
        reading(
            "one sequence, «∝» normalised",
            "Both minima over the same models W̄ᵗ, one or many; weights sum to 1; data sizes are any.",
            options={"normalised": "to sum 1, Sec. 3.1", "minima": "over one sequence"},
        ),
        reading(
            "one sequence, weights of A.11",
            "ρᵢ = N|Ξᵢ|/Σ|Ξⱼ| · ρ̃ᵢ with ρ̃ on the simplex, as the proof writes; they need not sum to 1.",
            le(Omega_A11, Omega_pr),
            options={"normalised": "the weights of A.11", "minima": "over one sequence"},
        ),
        reading(
            "own runs, 0 <= t < T",
            "Each strategy's minimum over its own run from one start, A.9's steps, no noise; weights sum to 1.",
            world=own_runs(equal=False),
            options={"normalised": "to sum 1, Sec. 3.1", "minima": "each over its own run, t < T"},
        ),
        reading(
            "own runs, all t >= 0",
            """The infimum over an endless run: one that rests against the limit of proportional weights. All sizes are
                equal; two clients with optima middle ∓ apart, and as many others with their optimum at third as copies
                says, whose curvature is the second one.""",
            world=RESTING,
            options={"normalised": "to sum 1, Sec. 3.1", "minima": "each over its own run, all t >= 0"},
        ),
        reading(
            "one sequence, equal sizes",
            "|Ξᵢ| = |Ξⱼ|, as in the experiments.",
            world=_EQUAL,
            options={"normalised": "to sum 1, Sec. 3.1", "minima": "over one sequence"},
            conditions=["|Ξ_i| = |Ξ_j|"],
            met_by=SAME_SIZES,
        ),
    ],
    mutants=[
        mutant(
            "𝒰 non-increasing",
            None,
            "with all weight on the largest excess the left side is the largest, not the mean",
            world=common_sequence(equal=True, falling=True),
        ),
        mutant(
            "equal sizes removed from the repaired reading",
            _BELOW,
            """one client with few samples and a large excess has the smaller argument in size, so a step 𝒰 gives it all
                weight: its excess against a mean that hardly counts it""",
        ),
    ],
    tight="𝒰 constant, where both sides are equal",
    rests_on=["EA-D5", "EA-ALG2", "EA-E25a", "EA-E25b", "EA-E25c", "EA-E25d"],
    verdict="""The proof is Chebyshev's sum inequality for products N|Ξᵢ|Ωᵢ/Σ|Ξⱼ| at one model. It is right for the
        weights the proof writes, ρᵢ = (N|Ξᵢ|/Σ|Ξⱼ|)ρ̃ᵢ, but these sum to 1 only by accident; once normalised, as a
        weighting has to be, the inequality fails for unequal sizes: a small client with a large excess can have the
        smallest product and win all the weight. With equal sizes the two coincide and it holds, at each model and for
        minima over one sequence. Sec. 3.3 keeps the sizes equal in its experiments. The proof also says nothing of two
        different runs: each strategy's minimum over its own run can come out the other way, with equal sizes too, even
        over all t, since a step 𝒰 may rest at a point that proportional weights leave for a lower one. Which of these
        is meant the paper does not say.""",
)

_FACTOR = N * size / (N * size)

C11B = remark(
    "EA-C1.1b",
    "Sec. 3.3, after Corollary 1.1",
    "Equal data sizes",
    printed=r"|\Xi_i|=|\Xi_j|\ \Rightarrow\ \tfrac{N|\Xi_i|}{\sum_j|\Xi_j|}=1",
    plainly="With equal data sizes the size factor is 1.",
    assumes=["all clients hold equally many samples", "𝒰 >= 0 non-decreasing, not 0 at every client"],
    says=identity(_FACTOR, N / N),
    world=_EQUAL,
    readings=[
        reading("the factor", "N|Ξ|/(N|Ξ|) is 1."),
        reading(
            "Corollary 1.1, one sequence",
            "Both minima over the same models.",
            _BELOW,
            ours="""Sec. 3.3 prints «|Ξ_i| = |Ξ_j|. Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; Corollary 1.1 is judged at
                EA-C1.1, whose special case this is""",
        ),
        reading(
            "Corollary 1.1, own runs, 0 <= t < T",
            "Each strategy over its own run from one start.",
            _BELOW,
            world=own_runs(equal=True),
            ours="""Sec. 3.3 prints «|Ξ_i| = |Ξ_j|. Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; whose W̄^t is meant is
                judged at EA-C1.1""",
        ),
        reading(
            "Corollary 1.1, own runs, all t >= 0",
            "A run that rests against the limit of the other.",
            _BELOW,
            world=RESTING,
            ours="""Sec. 3.3 prints «|Ξ_i| = |Ξ_j|. Therefore N|Ξ_i|/Σ|Ξ_j| = 1» and no more; whose W̄^t is meant is
                judged at EA-C1.1""",
        ),
    ],
    mutants=[
        mutant(
            "𝒰 non-increasing",
            _BELOW,
            "with all weight on the largest excess the left side is the largest, not the mean",
            world=common_sequence(equal=True, falling=True),
        ),
        mutant(
            "the factor without N",
            identity(size / (N * size), N / N, sample=(2, 3)),
            "that is a client's share, 1/N, which is 1 for one client only",
        ),
    ],
    tight="𝒰 constant",
    rests_on=["EA-C1.1", "EA-P25"],
    verdict="""With equal sizes the factor N|Ξᵢ|/Σ|Ξⱼ| is 1, which is all that the sentence prints. The corollary then
        holds at every model and for minima over one sequence of models, by Chebyshev's sum inequality. If Ω and Ω_pr
        are taken along each strategy's own run, which is stronger than the sentence, it does not: leaning towards
        clients with little excess can leave the run where the mean excess, and what it weighs, is larger than what
        proportional weights reach (EA-C1.1). That sizes were equal in the experiments is EA-P25.""",
)


def tilted_exact(x: Seen, falling: bool) -> tuple[dict[str, bool], list[Any], list[Any]]:
    """Hypotheses, a_i = N p_i Omega_i and U(-a_i)."""
    p, n = x["share"], len(x["share"])
    a = [n * p[i] * x["Omega"][i] for i in range(n)]
    met = {"sizes positive, shares sum to one": min(p) > 0 and sum(p) == 1}
    met |= {"Omega_i >= 0": min(x["Omega"]) >= 0, "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1}
    return met, a, [chosen_u(x, y, falling) for y in a]


def tilted(x: Instance, falling: bool = False) -> tuple[Any, Any, Any]:
    """a and U(−a), (n, N), and whether rounding cannot have decided the latter."""
    a = x["share"].shape[1] * x["share"] * x["Omega"]
    return a, *fast_u(x, a, falling)


def ordered(x: Instance, *, falling: bool) -> Seen:
    """The largest U(−aᵢ) − U(−aⱼ) over pairs aᵢ >= aⱼ, or 0."""
    a, u, sure = tilted(x, falling)
    down = np.take_along_axis(u, np.argsort(-a, axis=1, kind="stable"), axis=1)
    # Equal aᵢ give equal U; a mere rounding of U is within the magnitude.
    highest = np.maximum.accumulate(down, axis=1)
    jump = (highest[:, :-1] - down[:, 1:]).max(axis=1) if a.shape[1] > 1 else np.zeros(len(a))
    spread = np.where(x["kind"] == 2, x["level"], 1.0)
    return {"jump": np.maximum(jump, 0.0), "magnitude": spread, "resolved": sure}


def ordered_exact(x: Seen, *, falling: bool) -> Plain:
    """The largest U(-a_i) - U(-a_j) over pairs with a_i >= a_j, or 0."""
    met, a, u = tilted_exact(x, falling)
    pairs = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and a[i] >= a[j]]
    return met, {"jump": max([Fraction(0), *(u[i] - u[j] for i, j in pairs)])}


def weighted(x: Instance, *, falling: bool = False, equal: bool = False) -> Seen:
    """Σρ̃ᵢaᵢ and the plain mean of aᵢ; the sum of ρᵢ = Npᵢρ̃ᵢ; ΣρᵢΩᵢ, the same divided by that sum, and ΣpᵢΩᵢ."""
    x = EQUAL_SIZES.project(x) if equal else x
    a, u, sure = tilted(x, falling)
    n, p, total = a.shape[1], x["share"], u.sum(axis=1)
    tilde = u / np.where(total > 0, total, 1.0)[:, None]
    rho = n * p * tilde
    whole, left = rho.sum(axis=1), (rho * x["Omega"]).sum(axis=1)
    found = {"tilted_mean": (tilde * a).sum(axis=1), "plain_mean": a.mean(axis=1), "total": whole}
    found |= {"rewritten": left, "normalised": left / np.where(total > 0, whole, 1.0)}
    found |= {"proportional": (p * x["Omega"]).sum(axis=1)}
    return {**found, "admissible": (total > 0) | ~sure, "resolved": sure}


def weighted_exact(x: Seen, *, falling: bool = False, equal: bool = False) -> Plain:
    """The same; equal: every share is 1/N."""
    n = len(x["share"])
    x = {**x, "share": [Fraction(1, n)] * n} if equal else x
    met, a, u = tilted_exact(x, falling)
    p, Omega = x["share"], x["Omega"]
    whole = sum(u)
    tilde = [v / whole for v in u]
    rho = [n * p[i] * tilde[i] for i in range(n)]
    left = sum(rho[i] * Omega[i] for i in range(n))
    found = {"tilted_mean": sum(tilde[i] * a[i] for i in range(n)), "plain_mean": sum(a) / n, "total": sum(rho)}
    found |= {"rewritten": left, "normalised": left / sum(rho), "proportional": sum(p[i] * Omega[i] for i in range(n))}
    return met, found


EQUAL_SIZES = Switch(
    "equal sizes", "|Ξᵢ| = |Ξⱼ|", lambda x: {**x, "share": np.full_like(x["share"], 1 / x["share"].shape[1])}
)
_LEVEL, _ANY_U = positive("level", decades=3), (Choice("floor", (0.0, 0.25, 1.0)), Choice("kind", (0.0, 1.0, 2.0, 3.0)))


def _clients(N: int, *, order: bool, **chosen: Any) -> Case:
    of = (Simplex("share", N, interior=True), positive("Omega", N, decades=3), _LEVEL, *_ANY_U)
    observe, plain = (ordered, ordered_exact) if order else (weighted, weighted_exact)
    told: dict[str, Any] = {"cost": max(1.0, N / 60), "scaled": None}
    return drawn(f"{N} clients", of, observe, plain, **told, **chosen)


def _world(low: int, order: bool, **chosen: bool) -> World:
    return ranging("clients of any sizes", partial(_clients, order=order, **chosen), N=(low, 300, 3))


def weights_world(*, falling: bool = False, equal: bool = False) -> World:
    """Clients of any sizes, or of equal ones."""
    return _world(1, False, falling=falling, equal=equal)


ORDERED = {falling: _world(2 if falling else 1, True, falling=falling) for falling in (False, True)}


def several(x: Instance, *, falling: bool = False) -> Seen:
    """ΣρᵢΩᵢ at the last of several steps, the least over them, and the least ΣpᵢΩᵢ; excess losses free at every step."""
    rows = [weighted({**x, "Omega": row}, falling=falling) for row in np.moveaxis(x["Omegas"], 1, 0)]
    left = np.stack([r["rewritten"] for r in rows])
    return {
        "last": left[-1],
        "Omega": left.min(axis=0),
        "Omega_pr": np.min([r["proportional"] for r in rows], axis=0),
        **{flag: np.all([r[flag] for r in rows], axis=0) for flag in ("admissible", "resolved")},
    }


def several_exact(x: Seen, *, falling: bool = False) -> Plain:
    """The same, step by step."""
    rows = [weighted_exact({**x, "Omega": row}, falling=falling) for row in x["Omegas"]]
    met = {f"{name}, step {t}": ok for t, (hyp, _) in enumerate(rows) for name, ok in hyp.items()}
    left = [seen["rewritten"] for _, seen in rows]
    return met, {"last": left[-1], "Omega": min(left), "Omega_pr": min(seen["proportional"] for _, seen in rows)}


def steps_world(*sizes: tuple[int, int], falling: bool = False) -> World:
    """One sequence of models for both weightings; `sizes`: (clients, steps)."""
    positive_u = (Choice("floor", (0.25, 1.0)), Choice("kind", (0.0, 1.0, 3.0)))

    def at(n: int, steps: int) -> Case:
        of = (Simplex("share", n, interior=True), positive("Omegas", steps, n, decades=3), _LEVEL, *positive_u)
        told: dict[str, Any] = {"cost": 1.5, "scaled": None}
        return drawn(f"{n} clients, {steps} steps of one sequence", of, several, several_exact, **told, falling=falling)

    return over(*(at(*size) for size in sizes))


_ANY_E25, _FALLING = weights_world(), weights_world(falling=True)

E25A = step(
    "EA-E25a",
    "A.11",
    "Order reversed by the negation, kept by U",
    printed=r"a_i\ge a_{i+1}\ \Rightarrow\ -a_i\le-a_{i+1}\ \Rightarrow\ \mathcal U(-a_i)\le\mathcal U(-a_{i+1})",
    plainly="The larger the scaled excess loss, the smaller the value of U.",
    assumes=["U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0"],
    says=le(jump, 0),
    world=ORDERED[False],
    readings=[reading("as printed", "Four kinds of U, any sizes.")],
    mutants=[mutant("U decreasing", None, "a decreasing function reverses the order once more", world=ORDERED[True])],
    rests_on=["EA-D5"],
    verdict="The definition of a non-decreasing function, applied to negated numbers.",
)

E25B = step(
    "EA-E25b",
    "A.11",
    "Chebyshev's sum inequality",
    printed=r"\sum_i\tilde\rho_i^{t+1}a_i\le\frac1N\sum_ia_i,\qquad a_i=\frac{N|\Xi_i|}{\sum_j|\Xi_j|}\Omega_i^t",
    plainly="Weights that fall as the numbers grow give a mean of at most the plain one.",
    assumes=["U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0", "ρ̃ᵢ = U(−aᵢ)/ΣU(−aⱼ), not all U(−aᵢ) zero"],
    says=le(tilted_mean, plain_mean),
    world=_ANY_E25,
    readings=[reading("as printed", "Four kinds of U, any sizes, wherever the weights exist.")],
    mutants=[
        mutant(
            "U decreasing", None, "weights that grow with the numbers give a mean above the plain one", world=_FALLING
        ),
        mutant(
            "half of the plain mean", le(tilted_mean, plain_mean / 2), "for a constant U both printed sides are equal"
        ),
    ],
    tight="U constant on the values taken, or all aᵢ equal",
    rests_on=["EA-E25a"],
    verdict="""Chebyshev's inequality for oppositely ordered sequences, whose hypothesis is EA-E25a. It needs weights
        that exist: for U(x) = max(x, 0) all U(−aᵢ) are 0 at any model that is nobody's optimum, and ρ̃ is 0/0.""",
)

E25C = step(
    "EA-E25c",
    "A.11",
    "From ρ̃ to ρ",
    printed=r"""\sum_i\rho_i^{t+1}\Omega_i^t\le\sum_i\rho_i\Omega_i^t,\qquad\rho_i^{t+1}=\frac{N|\Xi_i|}{\sum_j|\Xi_j|}
        \tilde\rho_i^{t+1},\ \rho_i=\frac{|\Xi_i|}{\sum_j|\Xi_j|}""",
    plainly="The weighted excess under the weights of the corollary is at most the proportional one.",
    assumes=["U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0", "ρ̃ on the simplex", "weights sum to one (Eq. 2)"],
    says=le(rewritten, proportional),
    world=_ANY_E25,
    open={"normalisation": twice("Corollary 1.1 prints «∝», and (2) a sum of one; A.11 sets ρ = (N|Ξᵢ|/Σ|Ξⱼ|)ρ̃")},
    readings=[
        reading(
            "ρᵗ⁺¹ as A.11 defines it, whatever its sum",
            "N|Ξᵢ|/Σ|Ξⱼ| times ρ̃ᵢ.",
            options={"normalisation": "as A.11 writes it"},
        ),
        reading(
            "its weights sum to one",
            "As (2) requires of aggregation weights; the squared distance of the sum from 1 must be 0.",
            le((total - 1) ** 2, 0),
            world=replace(_ANY_E25, switches=(EQUAL_SIZES,)),
            ours="another statement: what (2) asks of weights; it shows why the choice matters",
        ),
        reading(
            "«∝» with normalisation",
            "The same weights divided by their sum.",
            le(normalised, proportional),
            world=replace(_ANY_E25, switches=(EQUAL_SIZES,)),
            options={"normalisation": "«∝», of sum one"},
        ),
        reading(
            "equal sizes",
            "|Ξᵢ| = |Ξⱼ|; ρᵗ⁺¹ = ρ̃ then.",
            world=weights_world(equal=True),
            options={"normalisation": "«∝», of sum one"},
            conditions=["equal sizes"],
            met_by=DIGITS,
        ),
    ],
    mutants=[
        mutant(
            "half of the proportional excess",
            le(rewritten, proportional / 2),
            "for a constant U and the weights of A.11 both sides are equal",
        ),
        mutant("U decreasing, weights of A.11", None, "EA-E25b turned round", world=_FALLING),
    ],
    tight="U constant",
    rests_on=["EA-E25b", "EA-D3"],
    verdict="""With ρᵗ⁺¹ = Npᵢρ̃ᵢ it is EA-E25b rewritten. But these numbers are no aggregation weights: their sum is
        ΣNpᵢρ̃ᵢ, which is not 1 for unequal sizes, and a sum below 1 makes the left side small for no good reason.
        Normalised, as «∝» in the corollary suggests, the inequality fails: of two clients the smaller one may have the smaller product and get more than its share, though its excess is larger. For
        equal sizes all readings agree, and it holds.""",
)


def _own(n: int, steps: int) -> Case:
    of = (*quadratics(n), signed("start"), LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)), _LEVEL, *_ANY_U)
    told: dict[str, Any] = {"cost": 2.0, "scaled": {"level": (1, 0)}, "E": 1, "T": steps}
    return drawn(f"{n} clients of equal sizes, {steps} steps", of, own, own_exact, **told)


_OWN = over(*(_own(n, t) for n, t in ((2, 2), (2, 3), (3, 3))))

E25D = step(
    "EA-E25d",
    "A.11",
    "Minima over the steps",
    printed=r"""\min_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\le\min_t\sum_i
        \rho_i(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))""",
    plainly="What holds at every step holds for the smallest values over the steps.",
    assumes=["U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0", "ρᵗ⁺¹ as A.11 defines it"],
    says=le(Omega, Omega_pr),
    world=steps_world((1, 2), (2, 2), (3, 5), (20, 3)),
    open={
        "models": nowhere("""whose W̄ᵗ it is: A.11 writes W̄ᵗ on both sides and does not say of which training; Sec.
        3.3 defines Ω_pr «by proportional aggregation», and Ω by other weights""")
    },
    readings=[
        reading("one common sequence of models", "As A.11 writes W̄ᵗ.", options={"models": "one sequence"}),
        reading(
            "each strategy on its own run",
            """As Ω and Ω_pr are defined for two trainings from one start; minima over the first two or three steps,
                equal sizes, E = 1, full gradients.""",
            world=_OWN,
            options={"models": "each its own"},
        ),
    ],
    mutants=[
        mutant(
            "the last step in place of the minimum",
            le(last, Omega_pr),
            "the last step may have the largest excess losses of all",
            world=steps_world((2, 2), (3, 3)),
        ),
        mutant(
            "U decreasing",
            None,
            "then the inequality is turned round at every step",
            world=steps_world((2, 2), (3, 2), falling=True),
        ),
    ],
    tight="U constant",
    rests_on=["EA-E25c"],
    verdict="""From an inequality at each step of one sequence the one of the minima follows. But Ω belongs to a
        training with the new weights and Ω_pr to one with proportional weights, and these visit different models. On
        their own runs the inequality fails even for equal sizes: weights that leaned away from one client on the first
        step slow the descent of the mean loss, and once U treats all alike the proportional run is ahead. The proof
        writes W̄ᵗ on both sides; the definitions do not say whose it is.""",
)

CLAIMS = (C11, C11B, E25A, E25B, E25C, E25D)
