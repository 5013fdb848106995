"""EA-E9: from the squared distance to the excess loss, and to v/(γ + t)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import STEP_USES, clients_of, curvature_of
from paper_checks.exp_alpha.runs import runs
from theory.exact import quadratic_loss, quadratic_optimum
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

L, mu, gamma, T, E, first, after = NOTATION.symbols("L mu gamma T E first after")
noise, G2, Omega, Gamma, excess, excess_first = NOTATION.symbols("noise G2 Omega Gamma excess excess_first")


def any_point(x: Instance) -> Mapping[str, Any]:
    """F(w) − F* and ‖w − W*‖² for any shares and any point."""
    clients, best, w = clients_of(x), clients_of(x).best(), x["point"]
    shape = x["optimum"].shape
    there, here = (clients.losses(np.broadcast_to(v[:, None, :], shape)) for v in (best, w))
    L_ = x["spectrum"].max(axis=(1, 2))
    reach = (np.abs(w).max(axis=1) + np.abs(x["optimum"]).max(axis=(1, 2))) ** 2
    found = {"excess": (x["share"] * (here - there)).sum(axis=1), "after": ((w - best) ** 2).sum(axis=1)}
    return {**found, "L": L_, "mu": x["spectrum"].min(axis=(1, 2)), "magnitude": L_ * reach}


def any_point_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w) - F(W*) and |w - W*|^2, F = sum p_i F_i."""
    clients, p, m, w = range(len(x["share"])), x["share"], x["optimum"], x["point"]
    A = [curvature_of(s, u) for s, u in zip(x["spectrum"], x["mirror"], strict=True)]
    best = quadratic_optimum(p, A, m)
    here, there = (sum(p[i] * quadratic_loss(A[i], m[i], Fraction(0), v) for i in clients) for v in (w, best))
    mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])
    met = {"A1, A2: mu > 0": mu > 0, "data shares on the simplex": sum(p) == 1 and min(p) >= 0}
    apart = sum((a - b) ** 2 for a, b in zip(w, best, strict=True))
    return met, {"excess": here - there, "L": L, "mu": mu, "after": apart}


def _point(N: float, d: float) -> Case:
    n, dim = int(N), int(d)
    drawn = Space(
        (
            LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
            Signed("mirror", 1e-2, 1.0, (n, dim)),
            Signed("optimum", 1e-2, 1e2, (n, dim)),
            Simplex("share", n),
            Signed("point", 1e-2, 1e2, (dim,)),
        )
    )
    every = dict.fromkeys(("spectrum", "mirror", "optimum", "share"), 0)
    same = (
        permuted_clients(every),
        split_client(every, ("share",)),
        units({"spectrum": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
    )
    uses = (*STEP_USES, quadratic_loss)
    name, cost = f"{n} clients, d = {dim}", max(2.0, n * dim / 8)
    return case(name, drawn, any_point, any_point_exact, uses=uses, cost=cost, symmetries=same)


_POINTS = World(NOTATION, (Family("any model", (Size("N", 1, 100, 2), Size("d", 1, 8, 2)), _point),))
_RUNS = runs(most=(100, 30, 100), usual=(2, 2, 4))
_APART = runs("t = 0 and T", most=(20, 1, 30), usual=(2, 1, 4))


def smooth_again(L: Any, after: Any) -> Any:
    """The middle once more."""
    return 0.5 * L * after


def induced_again(
    L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Omega: Any, Gamma: Any, first: Any
) -> Any:
    """(L/2)·v/(γ + T) once more, B the larger of those of the first and the last step."""
    sums = noise + 8 * E * G2 - 8 * G2 + 6 * L * Omega
    gap = mu * Gamma - mu * Omega
    largest = sums + gap * np.where((gap > 0) == (T > 1), gamma + T - 1, gamma)
    return 0.5 * L * np.maximum(4 * largest / mu**2, gamma * first) / (gamma + T)


_LARGEST = Max(mu * gamma * (Gamma - Omega), mu * (gamma + T - 1) * (Gamma - Omega))
_V = Max(4 * (noise + 8 * (E - 1) * G2 + 6 * L * Omega + _LARGEST) / mu**2, gamma * first)

E9 = stated(
    r"""EA-E9 (step; A.9, (9)): From the distance to the excess loss
    Print: \mathbb E[F(\bar{\mathbf W}^t)]-F(\mathbf W^*)\le\frac L2\mathbb E\|\bar{\mathbf W}^T-\mathbf W^*\|^2
        \le\frac L2\frac v{\gamma+t}
    Plainly: The excess loss is at most L/2 times the squared distance, and that at most v/(γ + t).
    Assumes: every Fᵢ μ-strongly convex and L-smooth, W* the minimiser of F = ΣρᵢFᵢ | (8) for the second inequality
    Reading: as printed, t and T two steps | The loss at t (here 0), the distance at T.
    Reading: t = T, first inequality | Any model in any dimension, path by path. | edit: W̄^t in place of W̄^T |
        token | forced by: both sides of the line are at t: E[F(W̄^t)] and v/(γ + t), and (8) bounds Δ_t by v/(γ +
        t) | carries: yes | because: (11) goes on with t alone, Theorem 1 with T alone: the same step in both places
    Reading: t = T, both inequalities | On runs with the steps of A.9 and weights fixed in advance, v from the
        largest B of the run. | condition: weights fixed before the samples | condition: v from the largest B of the
        run | edit: W̄^t in place of W̄^T | because: the second inequality is (8), judged at EA-E8d and EA-S5
    Mutant: μ/2 in place of L/2 | along the direction of the largest curvature the excess is L/2 times the squared
        distance
    Mutant: 4B/μ² dropped from v | from W* the noise alone, or a weight that is not the data share, moves the model
    Tight: the first for one client with one curvature, L
    Rests on: EA-E8d, EA-A2
    Verdict: The line prints t on the left and on the right and T between. Taken as two different steps it is false:
        at t = 0 the model has not moved, at T it may have arrived. With one letter the first inequality is
        smoothness at the minimiser, where the gradient of F is 0, and the second is the induction; no violation was
        found with v from the largest B of the run. A slip of the letter, from which nothing follows.""",
    says=le(excess_first, L / 2 * after, again=smooth_again),
    world=_APART,
    readings={
        "t = T, first inequality": but(le(excess, L / 2 * after, again=smooth_again), world=_POINTS),
        "t = T, both inequalities": but(le(excess, L / 2 * _V / (gamma + T), again=induced_again), world=_RUNS),
    },
    mutants={
        "μ/2 in place of L/2": but(le(excess, mu / 2 * after), world=_POINTS),
        "4B/μ² dropped from v": but(le(excess, L / 2 * gamma * first / (gamma + T)), world=_RUNS),
    },
)

CLAIMS: tuple[Claim, ...] = (E9,)
