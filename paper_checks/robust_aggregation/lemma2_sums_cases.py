"""The sums of gradients in the proof of Lemma 2: any gradients, any weights, any decaying step sizes.

`line` 2 Jensen over pairs, 4 Cauchy–Schwarz over steps, 5 gradients one by one (51 with the sum over steps kept), 6 the
unweighted sum, 7 and 71 the two inequalities after it (72 the first from the weighted sum), 8 from ηₜ₀ to ηₜ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot, weighted_sum
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    rotated_space,
    units,
)

__all__ = ["DEGREES", "any_gradients", "corollary_steps"]

DEGREES = {
    **dict.fromkeys(("eta", "eta0"), (-1, 2)),
    **dict.fromkeys(("E", "k", "N"), (0, 0)),
    **dict.fromkeys(("G2", "apart2", "now2", "mean2", "all2"), (2, -2)),
    "pairs": (0, 2),
}


def _sums(x: Instance) -> Mapping[str, Any]:
    g, a, line = x["gradients"], x["weights"], int(x["line"][0])
    E, n_clients = g.shape[1], g.shape[2]
    past = g[:, :-1]
    first, drop = x["first"], x["drop"]
    place = np.arange(E) / (E - 1)
    late = np.where(np.arange(E) < E - 1, 1.0, drop[:, None])
    etas = first[:, None] * np.where((x["late"] > 0)[:, None], late, 1 - (1 - drop[:, None]) * place)

    def spread(v: Any) -> Any:
        middle = np.einsum("ni,n...id->n...d", a, v)[..., None, :]
        return np.einsum("ni,n...i->n...", a, ((v - middle) ** 2).sum(axis=-1))

    moved = np.einsum("ns,nsid->nid", etas[:, :-1], past)
    sizes = (g**2).sum(axis=-1)
    mean2, all2 = np.einsum("ni,nsi->n", a, sizes[:, :-1]), sizes[:, :-1].sum(axis=(1, 2))
    apart2 = 2 * spread(past).sum(axis=1)
    eta, G2, k = etas[:, -1], sizes.max(axis=(1, 2)), np.full(len(a), E - 1.0)
    left = {
        2: spread(moved),
        4: 2 * spread(moved),
        5: first**2 * E * apart2,
        51: first**2 * E * apart2,
        6: spread(moved),
        7: 4 * eta**2 * E * n_clients * all2,
        71: 4 * first**2 * E * k * G2,
        72: 4 * first**2 * E * mean2,
        8: 4 * first**2 * E**2 * G2,
    }[line]
    return {
        "lhs": left,
        "eta": eta,
        "eta0": first,
        "E": np.full(len(a), float(E)),
        "k": k,
        "N": np.full(len(a), float(n_clients)),
        "G2": G2,
        "pairs": 2 * spread(moved),
        "apart2": apart2,
        "now2": np.einsum("ni,ni->n", a, sizes[:, -1]),
        "mean2": mean2,
        "all2": all2,
        "magnitude": first**2 * E**2 * G2,
    }


def sums_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gradients of every client at the steps t_0, ..., t, t = t_0 + E - 1; the sums run to t - 1."""
    g, a, line = x["gradients"], x["weights"], int(x["line"])
    E, clients, dims = len(g), range(len(a)), range(len(g[0][0]))
    first, drop = x["first"], x["drop"]
    etas = [first * (1 - (1 - drop) * Fraction(s, E - 1)) for s in range(E)]
    if x["late"] > 0:
        etas = [first] * (E - 1) + [first * drop]

    def over_pairs(v: Any) -> Any:
        middle = weighted_sum(a, v)
        return 2 * sum(a[i] * sum((v[i][c] - middle[c]) ** 2 for c in dims) for i in clients)

    moved = [[sum(etas[s] * g[s][i][c] for s in range(E - 1)) for c in dims] for i in clients]
    sizes = [[dot(v, v) for v in row] for row in g]
    c = {
        "eta": etas[-1],
        "eta0": first,
        "E": Fraction(E),
        "k": Fraction(E - 1),
        "N": Fraction(len(a)),
        "G2": max(max(row) for row in sizes),
        "pairs": over_pairs(moved),
        "apart2": sum(over_pairs(row) for row in g[:-1]),
        "now2": dot(a, sizes[-1]),
        "mean2": sum(dot(a, row) for row in sizes[:-1]),
        "all2": sum(sum(row) for row in sizes[:-1]),
    }
    left = {
        2: c["pairs"] / 2,
        4: c["pairs"],
        5: first**2 * E * c["apart2"],
        51: first**2 * E * c["apart2"],
        6: c["pairs"] / 2,
        7: 4 * c["eta"] ** 2 * E * len(a) * c["all2"],
        71: 4 * first**2 * E * (E - 1) * c["G2"],
        72: 4 * first**2 * E * c["mean2"],
        8: 4 * first**2 * E**2 * c["G2"],
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "step sizes positive and not increasing": etas[-1] > 0 and sorted(etas, reverse=True) == etas,
    }
    return hypotheses, {**c, "lhs": left[line]}


def any_gradients(line: int, *, slow: bool = False) -> Family:
    """E >= 2 steps; `slow`: the last step size is at least half the first."""

    def at(E: float, N: float, d: float) -> Case:
        steps, n, dim = int(E), int(N), int(d)
        space = Space(
            (
                Signed("gradients", 1e-2, 1e2, (steps, n, dim)),
                Simplex("weights", n),
                LogScale("first", 1e-3, 1e1, at=(1.0,)),
                Uniform("drop", 0.5, 1.0) if slow else LogScale("drop", 1e-4, 1.0, at=(1e-4, 0.5, 1.0)),
                Choice("late", (0.0, 1.0)),
                Choice("line", (float(line),)),
            )
        )
        return Case(
            f"any gradients, E = {steps}, N = {n}, d = {dim}",
            space,
            _sums,
            ExactCheck(sums_exact, (dot, weighted_sum)),
            cost=max(1.0, steps * n * dim / 40),
            symmetries=(
                permuted_clients({"gradients": 1, "weights": 0}),
                rotated_space(("gradients",)),
                units({"gradients": (1, -1), "first": (-1, 2)}),
            ),
        )

    return Family("any gradients", (Size("E", 2, 300, 3), Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)


def _harmonic(x: Instance) -> Mapping[str, Any]:
    E, start, gamma = x["local_steps"], x["round"] * x["local_steps"], 4 * x["kappa"]
    eta0, eta = 1 / (start + gamma), 1 / (start + E - 1 + gamma)
    return {
        "lhs": 4 * eta0**2 * E**2,
        "eta": eta,
        "eta0": eta0,
        "E": E,
        "G2": np.ones_like(E),
        "admissible": (x["short"] == 0) | (gamma + 1 >= E),
    }


def harmonic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Step sizes 1/(mu (t + 4L/mu)), mu = 1, at the first and at the last step of a round; G = 1."""
    E, gamma = x["local_steps"], 4 * x["kappa"]
    start = x["round"] * E
    eta0, eta = 1 / (start + gamma), 1 / (start + E - 1 + gamma)
    met = {
        "kappa = L/mu >= 1": x["kappa"] >= 1,
        "E <= gamma + 1 where that is required": x["short"] == 0 or gamma + 1 >= E,
    }
    return met, {"lhs": 4 * eta0**2 * E**2, "eta": eta, "eta0": eta0, "E": E, "G2": Fraction(1)}


def corollary_steps(short: float) -> Case:
    """ηₜ = 1/(μ(t + 4L/μ)) at the ends of any round; `short` 1: rounds of at most 4L/μ + 1 steps."""
    space = Space(
        (
            Integer("local_steps", 1, 10_000, at=(5,)),
            Integer("round", 0, 1000),
            LogScale("kappa", 1.0, 1e4, at=(1.0,)),
            Choice("short", (short,)),
        )
    )
    return Case("step sizes of Corollary 1", space, _harmonic, ExactCheck(harmonic_exact))
