"""The instances EA-T1 is attacked with: what is drawn, what is measured, and the same once more exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory import Scheduled, from_spectra, global_loss, simulate
from theory.exact import (
    dot,
    is_positive_semidefinite,
    local_sgd_round,
    matvec,
    quadratic_gradient,
    quadratic_loss,
    quadratic_optimum,
    rotated,
    solve,
    weighted_sum,
)
from theory.families import plane_rotation
from theory.quantities import weighted_excess
from validation import (
    Case,
    Choice,
    ExactCheck,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Space,
    permuted_clients,
    split_client,
    units,
)

__all__ = ["in_advance", "noise_case", "phase_case"]


def _gamma(kappa: Any, local_steps: Any, proof_gamma: Any) -> Any:
    """Theorem 1 prints γ = L/μ; A.9 works with γ = max{8L/μ, E} − 1 (EA-D8)."""
    return np.where(proof_gamma > 0, np.maximum(8 * kappa, local_steps) - 1, kappa)


def _over_horizon(omega: Any, smooth: Any, convex: Any, offset: Any, n_steps: int, all_time: Any) -> Any:
    """Ω over the run, or a value of Ω over all t >= 0 that favours the bound.

    When the last weights are kept for ever, Γ stays and Ω over all t lies between 0 and Ω over the run; the right side
    is affine in Ω, so the better of the two ends is at least its value.
    """
    coefficient = 12 * smooth**2 / (convex**2 * (offset + n_steps)) - smooth / convex
    return np.where((all_time > 0) & (coefficient < 0), 0.0, omega)


def _scalar_moments(x: Instance) -> Mapping[str, Any]:
    """One-dimensional clients, weights fixed in advance, independent ±σᵢ noise: means and variances, exactly."""
    h, m, p, weights = x["curvature"], x["optimum"], x["share"], x["weights"]
    sigma = x["sigma"] * x["noisy"][:, None]
    n_rounds, n_local = weights.shape[1], int(x["local_steps"][0])
    mu_, L_ = h.min(axis=1), h.max(axis=1)
    offset = _gamma(L_ / mu_, n_local, x["proof_gamma"])
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    model, spread = x["start"], np.zeros(len(h))
    g2 = np.zeros(len(h))
    omegas, gammas, noises = [], [], []
    for r in range(n_rounds):
        a = weights[:, r]
        local, carried, own = np.repeat(model[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
        gammas.append(0.5 * (a * h * (best[:, None] - m) ** 2).sum(axis=1))
        noises.append((a**2 * sigma**2).sum(axis=1))
        for e in range(n_local):
            middle = (a * local).sum(axis=1)
            variance = (a * carried).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
            omegas.append(0.5 * (a * h * ((middle[:, None] - m) ** 2 + variance[:, None])).sum(axis=1))
            second = h**2 * ((local - m) ** 2 + carried**2 * spread[:, None] + own) + sigma**2
            g2 = np.maximum(g2, second.max(axis=1))
            eta = (2 / (mu_ * (offset + r * n_local + e)))[:, None]
            local = local - eta * h * (local - m)
            carried = (1 - eta * h) * carried
            own = (1 - eta * h) ** 2 * own + eta**2 * sigma**2
        spread = (a * carried).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
        model = (a * local).sum(axis=1)
    n_steps = n_rounds * n_local
    omega = np.min(omegas, axis=0)
    return {
        "lhs": 0.5 * (p * h).sum(axis=1) * ((model - best) ** 2 + spread),
        "L": L_,
        "mu": mu_,
        "gamma": offset,
        "T": np.full(len(h), float(n_steps)),
        "E": x["local_steps"],
        "noise": np.max(noises, axis=0),
        "G2": g2,
        "Omega": _over_horizon(omega, L_, mu_, offset, n_steps, x["all_time"]),
        "Gamma": np.max(gammas, axis=0),
        "delta0": (x["start"] - best) ** 2,
        "magnitude": L_ * np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2,
    }


def scalar_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on one-dimensional clients with weights fixed in advance: exact first and second moments."""
    h, m, p, n_local = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    clients = range(len(h))
    sigma = [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    gamma = max(8 * L / mu, Fraction(n_local)) - 1 if x["proof_gamma"] > 0 else L / mu
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    model, spread, t, G2 = x["start"], Fraction(0), 0, Fraction(0)
    Omegas, Gammas, noises = [], [], []
    for a in x["weights"]:
        w = [model for i in clients]  # mean of each local model
        c = [Fraction(1) for i in clients]  # how much of the broadcast model's deviation it still carries
        v = [Fraction(0) for i in clients]  # variance from its own noise
        for _ in range(n_local):
            mean = sum(a[i] * w[i] for i in clients)
            var = sum(a[i] * c[i] for i in clients) ** 2 * spread + sum(a[i] ** 2 * v[i] for i in clients)
            Omegas.append(sum(a[i] * h[i] * ((mean - m[i]) ** 2 + var) for i in clients) / 2)
            Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2)
            noises.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
            G2 = max(
                [G2] + [h[i] ** 2 * ((w[i] - m[i]) ** 2 + c[i] ** 2 * spread + v[i]) + sigma[i] ** 2 for i in clients]
            )
            eta = 2 / (mu * (gamma + t))
            w = [w[i] - eta * h[i] * (w[i] - m[i]) for i in clients]
            v = [(1 - eta * h[i]) ** 2 * v[i] + eta**2 * sigma[i] ** 2 for i in clients]
            c = [(1 - eta * h[i]) * c[i] for i in clients]
            t = t + 1
        spread = sum(a[i] * c[i] for i in clients) ** 2 * spread + sum(a[i] ** 2 * v[i] for i in clients)
        model = sum(a[i] * w[i] for i in clients)
    Omega = min(Omegas)
    if x["all_time"] > 0 and 12 * L * L / (mu * mu * (gamma + t)) < L / mu:
        Omega = Fraction(0)  # all t >= 0, last weights kept: any value between 0 and the run's; this favours the bound
    hypotheses = {
        "mu-strong convexity and L-smoothness": mu > 0,
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "noise +-sigma_i, independent over clients and steps: variance sigma_i^2": min(sigma) >= 0,
    }
    constants = {
        "lhs": sum(p[i] * h[i] for i in clients) * ((model - best) ** 2 + spread) / 2,
        "L": L,
        "mu": mu,
        "gamma": gamma,
        "T": Fraction(t),
        "E": Fraction(n_local),
        "noise": max(noises),
        "G2": G2,
        "Omega": Omega,
        "Gamma": max(Gammas),
        "delta0": (x["start"] - best) ** 2,
    }
    return hypotheses, constants


def _plane(x: Instance) -> Mapping[str, Any]:
    """Two-dimensional clients with their own rotations, no noise: the array simulator."""
    n, n_clients = x["spectrum"].shape[:2]
    n_rounds, n_local = x["weights"].shape[1], int(x["local_steps"][0])
    floor = np.zeros((n, n_clients))
    federation = from_spectra(x["spectrum"], plane_rotation(x["tilt"]), x["optimum"], floor, x["share"])
    constants = federation.constants()
    mu_, L_ = constants.mu, constants.L
    offset = _gamma(L_ / mu_, n_local, x["proof_gamma"])
    n_steps = n_rounds * n_local
    steps = 2 / (mu_ * (offset + np.arange(n_steps)[:, None]))
    weights = x["weights"].swapaxes(0, 1)
    run = simulate(
        federation,
        Scheduled(weights),
        start=x["start"],
        step_sizes=steps,
        n_local_steps=n_local,
        record=("step_losses", "gradients"),
    )
    best = federation.optimum()
    at_best = federation.losses(best[:, None, :])
    gammas = weighted_excess(weights, at_best[None], federation.floor[None])
    each = np.repeat(weights, n_local, axis=0)
    omega = weighted_excess(each, run.step_losses[:-1], federation.floor[None]).min(axis=0)
    return {
        "lhs": global_loss(federation, run.final) - global_loss(federation, best),
        "L": L_,
        "mu": mu_,
        "gamma": offset,
        "T": np.full(n, float(n_steps)),
        "E": x["local_steps"],
        "noise": np.zeros(n),
        "G2": run.gradients.max(axis=(0, -1)),
        "Omega": _over_horizon(omega, L_, mu_, offset, n_steps, x["all_time"]),
        "Gamma": gammas.max(axis=0),
        "delta0": ((x["start"] - best) ** 2).sum(axis=-1),
        "magnitude": L_ * np.maximum(np.abs(x["optimum"]).max(axis=(1, 2)), np.abs(x["start"]).max(axis=1)) ** 2,
        "admissible": run.diverged < 0,
    }


def plane_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on two-dimensional clients, no noise, weights fixed in advance."""
    p, n_local = x["share"], int(x["local_steps"])
    A = [rotated(spectrum, tilt) for spectrum, tilt in zip(x["spectrum"], x["tilt"], strict=True)]
    m = x["optimum"]
    clients = range(len(p))
    mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])
    gamma = max(8 * L / mu, Fraction(n_local)) - 1 if x["proof_gamma"] > 0 else L / mu
    best = quadratic_optimum(p, A, m)
    model, t, G2, Omegas, Gammas = x["start"], 0, Fraction(0), [], []
    for a in x["weights"]:
        steps = [2 / (mu * (gamma + t + e)) for e in range(n_local)]

        def given(_local: list[Any], row: Any = a) -> Any:
            return row

        new, _, paths = local_sgd_round(model, A, m, steps, None, given)
        for e in range(n_local):
            mean = weighted_sum(a, [path[e] for path in paths])
            Omegas.append(sum(a[i] * quadratic_loss(A[i], m[i], Fraction(0), mean) for i in clients))
            Gammas.append(sum(a[i] * quadratic_loss(A[i], m[i], Fraction(0), best) for i in clients))
            for i in clients:
                g = quadratic_gradient(A[i], m[i], paths[i][e])
                G2 = max(G2, dot(g, g))
        model, t = new, t + n_local
    Omega = min(Omegas)
    if x["all_time"] > 0 and 12 * L * L / (mu * mu * (gamma + t)) < L / mu:
        Omega = Fraction(0)  # all t >= 0, last weights kept: any value between 0 and the run's; this favours the bound
    low = [[[A[i][r][c] - (mu if r == c else 0) for c in (0, 1)] for r in (0, 1)] for i in clients]
    high = [[[(L if r == c else 0) - A[i][r][c] for c in (0, 1)] for r in (0, 1)] for i in clients]
    hypotheses = {
        "mu-strong convexity, by exact LDL^T": mu > 0 and all(is_positive_semidefinite(q) for q in low),
        "L-smoothness, by exact LDL^T": all(is_positive_semidefinite(q) for q in high),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
    }
    gaps = [sum(p[i] * quadratic_loss(A[i], m[i], Fraction(0), w) for i in clients) for w in (model, best)]
    constants = {
        "lhs": gaps[0] - gaps[1],
        "L": L,
        "mu": mu,
        "gamma": gamma,
        "T": Fraction(t),
        "E": Fraction(n_local),
        "noise": Fraction(0),
        "G2": G2,
        "Omega": Omega,
        "Gamma": max(Gammas),
        "delta0": sum((u - v) ** 2 for u, v in zip(x["start"], best, strict=True)),
    }
    return hypotheses, constants


def _noise_seeing(x: Instance) -> Mapping[str, Any]:
    """Identical clients h/2·w², E = 1, start at w*; all weight on a client whose noise is +σ if there is one."""
    h, sigma = x["curvature"], x["sigma"]
    n_steps, n_clients = int(x["n_steps"][0]), x["n_clients"]
    offset = _gamma(np.ones_like(h), 1, x["proof_gamma"])
    bias = sigma * (1 - 2 * 0.5**n_clients)
    first, second = np.zeros_like(h), np.zeros_like(h)
    for t in range(n_steps):
        eta = 2 / (h * (offset + t))
        keep = 1 - eta * h
        second = keep**2 * second - 2 * keep * eta * bias * first + eta**2 * sigma**2
        first = keep * first - eta * bias
    zero = np.zeros_like(h)
    return {
        "lhs": 0.5 * h * second,
        "L": h,
        "mu": h,
        "gamma": offset,
        "T": x["n_steps"],
        "E": np.ones_like(h),
        "noise": sigma**2,
        "G2": zero,
        "Omega": zero,
        "Gamma": zero,
        "delta0": zero,
    }


def noise_seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Identical clients h/2 w^2, E = 1, start at w*; all weight on a client whose noise is +sigma, if there is one."""
    h, sigma, n_clients = x["curvature"], x["sigma"], int(x["n_clients"])
    gamma = Fraction(7) if x["proof_gamma"] > 0 else Fraction(1)  # L = mu = h, E = 1
    plus = 1 - Fraction(1, 2**n_clients)  # probability that some client draws +sigma
    first, second = Fraction(0), Fraction(0)  # E w_t and E w_t^2; each step w -> (1 - eta h) w - eta n
    for t in range(int(x["n_steps"])):
        eta = 2 / (h * (gamma + t))
        up, down = (1 - eta * h), eta * sigma
        second = up**2 * second - 2 * up * down * (2 * plus - 1) * first + down**2
        first = up * first - down * (2 * plus - 1)
    hypotheses = {
        "mu-strong convexity and L-smoothness": h > 0,
        "each client's own noise has mean 0 and variance sigma^2": sigma >= 0,
        "at least one client, weights one-hot": n_clients >= 1,
    }
    zero = Fraction(0)  # Omega = Gamma = 0: identical clients, and the run starts at the optimum
    constants = {
        "lhs": h * second / 2,
        "L": h,
        "mu": h,
        "gamma": gamma,
        "T": Fraction(int(x["n_steps"])),
        "E": Fraction(1),
        "noise": sigma**2,
        "G2": zero,
        "Omega": zero,
        "Gamma": zero,
        "delta0": zero,
    }
    return hypotheses, constants


_PLANE_USES = (
    dot,
    matvec,
    weighted_sum,
    solve,
    is_positive_semidefinite,
    rotated,
    quadratic_loss,
    quadratic_gradient,
    quadratic_optimum,
    local_sgd_round,
)


def _flags(n_local: int, proof_gamma: bool, all_time: bool) -> tuple[Choice, ...]:
    return (
        Choice("local_steps", (float(n_local),)),
        Choice("proof_gamma", (float(proof_gamma),)),
        Choice("all_time", (float(all_time),)),
    )


def _scalar_case(
    n_clients: int, n_local: int, n_rounds: int, *, proof_gamma: bool, all_time: bool, kappa: float = 1e4
) -> Case:
    low, high = kappa**-0.5, kappa**0.5
    space = Space(
        (
            LogScale("curvature", low, high, (n_clients,), at=(low, 1.0, high)),
            Signed("optimum", 1e-3, 1e2, (n_clients,)),
            Simplex("share", n_clients),
            Simplex("weights", n_clients, (n_rounds,)),
            Signed("start", 1e-3, 1e3),
            LogScale("sigma", 1e-2, 1e1, (n_clients,)),
            Choice("noisy", (0.0, 0.0, 1.0)),
            *_flags(n_local, proof_gamma, all_time),
        )
    )
    name = f"1-D, {n_clients} clients, E = {n_local}, {n_rounds} rounds, weights fixed in advance"
    return Case(
        name,
        space,
        _scalar_moments,
        ExactCheck(scalar_exact),
        symmetries=(
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0}),
        ),
    )


def _plane_case(n_clients: int, n_local: int, n_rounds: int, *, proof_gamma: bool, all_time: bool) -> Case:
    space = Space(
        (
            LogScale("spectrum", 1e-2, 1e2, (n_clients, 2), at=(1e-2, 1.0, 1e2)),
            Signed("tilt", 1e-2, 1.0, (n_clients,)),
            Signed("optimum", 1e-2, 1e2, (n_clients, 2)),
            Simplex("share", n_clients),
            Simplex("weights", n_clients, (n_rounds,)),
            Signed("start", 1e-2, 1e2, (2,)),
            *_flags(n_local, proof_gamma, all_time),
        )
    )
    name = f"2-D, {n_clients} clients, E = {n_local}, {n_rounds} rounds, no noise, weights fixed in advance"
    every = {"spectrum": 0, "tilt": 0, "optimum": 0, "share": 0, "weights": 1}
    same = (
        units({"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
        permuted_clients(every),
        split_client(every, ("share", "weights")),
    )
    return Case(name, space, _plane, ExactCheck(plane_exact, _PLANE_USES), symmetries=same)


def noise_case(n_steps: int, *, proof_gamma: bool) -> Case:
    """Weights that see the round's noise: identical clients, `n_steps` rounds of one local step."""
    space = Space(
        (
            LogScale("curvature", 1e-1, 1e1, at=(1.0,)),
            LogScale("sigma", 1e-1, 1e1, at=(1.0,)),
            Choice("n_clients", (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)),
            Choice("n_steps", (float(n_steps),)),
            Choice("proof_gamma", (float(proof_gamma),)),
        )
    )
    name = f"identical 1-D clients, {n_steps} rounds of E = 1, weights see the round's noise"
    same = (units({"curvature": (1, -2), "sigma": (1, -1)}),)
    return Case(name, space, _noise_seeing, ExactCheck(noise_seeing_exact), symmetries=same)


def phase_case(kappa: float, E: float, T: float) -> Case:
    """Two one-dimensional clients of curvatures within a factor κ, T steps in rounds of E, γ of A.9."""
    n_rounds = max(1, round(T / E))
    return _scalar_case(2, int(E), n_rounds, proof_gamma=True, all_time=False, kappa=kappa)


_SIZES = (
    (1, 1, 1),
    (2, 1, 1),
    (3, 1, 2),
    (3, 1, 3),
    (2, 1, 8),
    (2, 1, 40),
    (2, 2, 2),
    (3, 5, 2),
    (2, 20, 1),
    (2, 10, 6),
)


def in_advance(*, proof_gamma: bool, all_time: bool) -> tuple[Case, ...]:
    """Weights fixed in advance: one- and two-dimensional federations of several sizes, with E = 1 and larger."""
    scalar = tuple(_scalar_case(*size, proof_gamma=proof_gamma, all_time=all_time) for size in _SIZES)
    plane = tuple(
        _plane_case(*size, proof_gamma=proof_gamma, all_time=all_time) for size in ((2, 1, 3), (3, 2, 2), (2, 4, 3))
    )
    return (*scalar, *plane)
