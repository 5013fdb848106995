"""FA-R5 and FA-R6: consensus at the optimum against its decay, and whether runs end in the hull of the local minima."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedaware.hulls import SHORTEST, Checked, nearest, shortest, squares
from paper_checks.known_truths.exact import reflected, turned
from theory.exact import dot, matvec, quadratic_optimum
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

first, rate = symbols("first rate")


def _decay(x: Instance) -> Mapping[str, Any]:
    """Σ_{t<T}ρᵗ of FedAvg on the line in closed form; `own`: ρ at the minimum of f instead, for clients with minima."""
    h, m, lam = x["curvature"], x["optimum"], x["weights"]
    K, T = x["local_steps"], x["rounds"]
    eta = x["step"] / (8 * h.max(axis=1) * K)
    pull = 1 - (1 - eta[:, None] * h) ** K[:, None]
    total = (lam * pull).sum(axis=1)
    size = (np.abs(x["start"]) + np.abs(m).max(axis=1)) ** 2
    if "own" in x:
        best = (lam * h * m).sum(axis=1) / (lam * h).sum(axis=1)
        return {"lhs": (lam * pull * (best[:, None] - m)).sum(axis=1) ** 2 / eta**2, "magnitude": size / eta**2}
    keep = (1 - x["server"] / 3 * total) ** 2
    rho0 = (lam * pull * (x["start"][:, None] - m)).sum(axis=1) ** 2
    return {"lhs": rho0 * (1 - keep**T) / (1 - keep), "first": rho0, "rate": 1 - keep, "magnitude": size * total**2}


def decay_exact(x: Mapping[str, Any]) -> Checked:
    """The rounds one by one, K local steps each; the model contracts by a factor whose square is 1 - rate."""
    h, lam, K, T = x["curvature"], x["weights"], int(x["local_steps"]), int(x["rounds"])
    clients = range(len(h))
    m = x["optimum"]
    eta, server = x["step"] / (8 * max(h) * K), x["server"] / 3
    pull = [1 - (1 - eta * a) ** K for a in h]
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "eta_l <= 1/(8 L K), eta <= 1/(24 L K)": 0 < 8 * eta * max(h) * K <= 1 and 0 < 3 * server <= 1,
    }
    if "own" in x:
        best = sum(lam[i] * h[i] * m[i] for i in clients) / sum(lam[i] * h[i] for i in clients)
        return met, {"lhs": sum(lam[i] * pull[i] * (best - m[i]) for i in clients) ** 2 / eta**2}
    at, total, rho0 = x["start"], Fraction(0), None
    for _ in range(T):
        G = sum(lam[i] * pull[i] * (at - m[i]) for i in clients)
        rho0 = G * G if rho0 is None else rho0
        total, at = total + G * G, at - server * G
    keep = (1 - server * sum(a * b for a, b in zip(lam, pull, strict=True))) ** 2
    return met, {"lhs": total, "first": rho0, "rate": 1 - keep}


def _decays(*flags: str) -> Family:
    def at(N: float, T: float) -> Case:
        size = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (size,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (size,)),
                Simplex("weights", size),
                Signed("start", 1e-2, 1e3),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
                LogScale("server", 1e-2, 1.0, at=(1.0,)),
                Choice("local_steps", (1.0, 2.0, 5.0, 20.0)),
                Choice("rounds", (float(T),)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
        return Case(
            f"{size} clients on the line, T = {int(T)}",
            space,
            _decay,
            ExactCheck(decay_exact),
            cost=max(1.0, size / 75),
            symmetries=same,
        )

    return Family("clients on the line", (Size("N", 1, 300, 3), Size("T", 1, 60, 5)), at)


def noisy(T: Fraction) -> tuple[Fraction, Fraction]:
    """Mean over t < T of E|E[G^t | x^t]|^2, one client x^2/2, eta_l = 1/8, eta_g = 1/3, noise and x^0 +-1; and 1."""
    keep = Fraction(23, 24) ** 2
    limit = Fraction(1, 24) ** 2 / (1 - keep)  # of E (x^t)^2 = limit + keep^t (1 - limit)
    falling = sum(keep**t for t in range(min(int(T), 60)))
    return (limit + (1 - limit) * falling / T) / 64, Fraction(1)


R5 = Claim(
    id="FA-R5",
    kind=Kind.INEQUALITY,
    source="§4.2, after Property 4.1",
    title="Decaying consensus is weaker than consensus at the optimum",
    statement=r"\rho(x^*)=0\ \Rightarrow\ \frac1T\sum_{t<T}\rho^t(\lambda)\le\mathcal O(T^{-c}),\ c>0",
    says="Property 4.1 asks less than the client consensus hypothesis, which it follows from.",
    assumes=(
        "the hypothesis: 𝔼G = 0 at the minimum x* of f",
        "strongly convex quadratic clients, η_l <= 1/(8LK), η <= 1/(24LK)",
    ),
    readings=(
        Reading(
            "without noise",
            "Clients on the line with any minima, ρ(x*) = 0 or not, any K: Σρᵗ <= ρ⁰/(1 − q²), so the mean falls like 1/T.",
            Inequality(
                Bound(first / rate, lambda first, rate: first * (1 / rate), {"first": (0, 2), "rate": (0, 0)}),
                (_decays(),),
                degrees=(0, 2),
            ),
        ),
        Reading(
            "with noise, ρ conditional on the model",
            "One client with gradient noise: 𝔼‖𝔼[Gᵗ | xᵗ]‖², its mean over rounds tends to 0.",
            Order(
                "faster",
                (
                    OrderFamily(
                        "one noisy client",
                        noisy,
                        {"T": n},
                        form=sp.Rational(1, 64 * 47),
                        because="E x² stays at or above its limit 1/47, and 𝔼[G | x] = x/8",
                    ),
                ),
            ),
        ),
    ),
    canaries=(
        Canary(
            "the other way round",
            Property((_decays("own"),), degrees=(2, -2)),
            "FedAvg with K > 1 has vanishing ρ at its own fixed point and, for unequal curvatures, not at the minimum of f",
        ),
        Canary(
            "Σρᵗ <= ρ⁰",
            Inequality(Bound(first, degrees={"first": (0, 2)}), (_decays(),), degrees=(0, 2)),
            "the second round adds to the first",
        ),
    ),
    tight="T → ∞",
    depends_on=("FA-PR4.1",),
    verdict_words=(
        "Without noise, or with 𝔼 over whole runs, the dynamics ask less than the hypothesis; with noise and 𝔼 given "
        "the model they do not follow from it. Without noise the mean decays like 1/T whether ρ(x*) = 0 or not. The "
        "converse fails: for K > 1 and unequal curvatures ρ vanishes at FedAvg's own fixed point and not at x*. With "
        "noise, ρ given the current model settles at the noise floor and does not decay at any power of T, although "
        "𝔼G vanishes at x*. Over whole runs ‖𝔼G‖² of a quadratic decays. Which 𝔼 is meant is not printed (FA-PR4.1)."
    ),
)


def _outside(x: Instance) -> Mapping[str, Any]:
    """The squared distance from the hull of the minima to the minimum of f, where gradient descent on f (K = 1) ends."""
    h, m, lam = x["spectrum"], x["optimum"], x["weights"]
    dim = m.shape[2]
    if "mirror" in x:
        r = x["mirror"]
        size = np.where(squares(r) > 0, squares(r), 1.0)[..., None, None]
        H = np.eye(dim) - 2 * r[..., :, None] * r[..., None, :] / size
        A = np.einsum("nijk,nik,nilk->nijl", H, h, H)
    else:
        A = h[:, :, :1, None] * np.eye(dim)
    mixed = np.einsum("ni,nijk->njk", lam, A)
    pulled = np.einsum("ni,nijk,nik->nj", lam, A, m)
    best = np.linalg.solve(mixed, pulled[..., None])[..., 0]
    largest = squares(m).max(axis=1)
    m = m[:, 1:] if "without" in x else m
    return {"lhs": squares(nearest(m - best[:, None])[1]), "magnitude": largest * 1e3}


def outside_exact(x: Mapping[str, Any]) -> Checked:
    """The minimum of f, and the shortest point of the hull of the m_i seen from there."""
    m, dim = x["optimum"], range(len(x["optimum"][0]))
    if "mirror" in x:
        A = [turned(s, [r]) for s, r in zip(x["spectrum"], x["mirror"], strict=True)]
    else:
        A = [[[s[0] if i == j else Fraction(0) for j in dim] for i in dim] for s in x["spectrum"]]
    best = quadratic_optimum(x["weights"], A, m)
    away = shortest([[a - b for a, b in zip(v, best, strict=True)] for v in (m[1:] if "without" in x else m)])[1]
    met = {
        "mu > 0": min(min(s) for s in x["spectrum"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"lhs": dot(away, away)}


def _limits(*flags: str, isotropic: bool) -> Property:
    def at(N: float, d: float) -> Case:
        size, dim = int(N), int(d)
        mirror = () if isotropic else (Signed("mirror", 1e-2, 1.0, (size, dim)),)
        space = Space(
            (
                LogScale("spectrum", 1e-1, 1e1, (size, dim), at=(1.0,)),
                *mirror,
                Signed("optimum", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size, interior=True),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"spectrum": 0, "optimum": 0, "weights": 0, **({} if isotropic else {"mirror": 0})}
        same = (units({"spectrum": (1, -2), "optimum": (0, 1)}), permuted_clients(every))[: 1 if flags else 2]
        check = ExactCheck(outside_exact, (*SHORTEST, reflected, turned, matvec, quadratic_optimum))
        return Case(f"{size} clients, d = {dim}", space, _outside, check, symmetries=same)

    return Property((Family("clients", (Size("N", 1 + len(flags), 4, 3), Size("d", 1, 6, 2)), at),), degrees=(0, 2))


R6 = Claim(
    id="FA-R6",
    kind=Kind.PROPERTY,
    source="§4.2, after Property 4.1",
    title="Runs end in the hull of the local minima",
    statement=r"\lim_tx^t\in\mathrm{conv}\{x_1^*,\dots,x_N^*\}",
    says="FedAvg typically converges to a point of the convex hull of the local solutions.",
    assumes=(
        "strongly convex quadratic clients, no noise",
        "K = 1 and short steps, where FedAvg ends at the minimum of f",
    ),
    readings=(
        Reading("any Hessians", "«Typically»: any strongly convex quadratics.", _limits(isotropic=False)),
        Reading(
            "Hessians that are multiples of the identity",
            "Or any clients on the line.",
            _limits(isotropic=True),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "the first client's minimum left out",
            _limits("without", isotropic=True),
            "with all weight on the first client the limit is its minimum",
        ),
    ),
    tight=None,
    depends_on=("FA-E1",),
    verdict_words=(
        "With Hessians that differ it is false, also as «typically»: for more dimensions than clients (d ≫ N, Sec. "
        "3) the limit lies off the hull except by accident. Two clients in the plane, each steep in its own "
        "direction, end at a point off the segment between their minima, as the weights of the limit are matrices. "
        "Any small change of that witness does the same: where the hull has no interior, one exception stands for "
        "nearly all unequal Hessians. With Hessians that are multiples of the identity, and on the line, the limit "
        "is a weighted mean of the local minima. Judged for K = 1 and short steps, where FedAvg ends at the minimum "
        "of f."
    ),
)

CLAIMS: tuple[Claim, ...] = (R5, R6)
