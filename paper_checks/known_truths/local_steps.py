"""K21 to K24: FedAvg with one local step and noise, on identical clients, and how far local steps go."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.drawing import (
    TINY,
    descent,
    geometric,
    mirrored,
    offset,
    over,
    quadratic,
    ranging,
    several_steps,
    sized,
)
from paper_checks.known_truths.exact_rounds import LINEAR, after, eye_minus, gathered, margin, power, shortened
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, local_sgd_round, matvec, quadratic_gradient, quadratic_optimum, solve, weighted_sum
from theory.worlds.hull import reflected, turned
from validation import Case, Instance, LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

rho, contraction, D0, Delta, eta, A2, U2 = NOTATION.symbols("rho contraction D0 Delta eta A2 U2")
one_step_each, one_round = NOTATION.symbols("one_step_each one_round")
variance, V, geo, c = NOTATION.symbols("variance V geometric c")
gone2, E, G_max, G_last, G_sum, G_first = NOTATION.symbols("gone2 E G_max G_last G_sum G_first")


def averaged(x: Instance, *, T: int, one_noise: bool) -> Seen:
    """T rounds of one local step: the averaged curvature is diagonalised, and w − w* falls apart into scalar recursions.

    `one_noise`: the same direction and sign for every client. With a `share` p, distances are to the minimiser of Σ pᵢFᵢ.
    """
    a, spectrum, dims = x["weights"], x["spectrum"], x["spectrum"].shape[-1]
    H = mirrored(x["mirror"][..., None, :], np.eye(dims))
    A = np.einsum("nkij,nkj,nklj->nkil", H, spectrum, H)
    mixed = np.einsum("nk,nkij->nij", a, A)
    values, axes = np.linalg.eigh(mixed)
    L, mu = spectrum.max(axis=(1, 2)), spectrum.min(axis=(1, 2))
    eta = x["step"] / L
    rho = np.maximum(np.abs(1 - eta * mu), np.abs(1 - eta * L))
    covariance = np.einsum("nk,nkj->nj", (a * x["sigma"]) ** 2, x["directions"])
    if one_noise:
        covariance = (a * np.abs(x["sigma"])).sum(axis=1)[:, None] ** 2 * x["directions"][:, 0]
    along = np.einsum("nji,nj->ni", axes**2, covariance)
    y = eta[:, None] * values.clip(mu[:, None], L[:, None])
    gap = np.zeros_like(x["offset"])
    if "share" in x:
        pulls, p = np.einsum("nkij,nkj->nki", A, x["optimum"]), x["share"]
        weighed = ((mixed, a), (np.einsum("nk,nkij->nij", p, A), p))
        best, other = (np.linalg.solve(m, np.einsum("nk,nki->ni", w, pulls)[..., None])[..., 0] for m, w in weighed)
        gap = other - best
    start = np.einsum("nji,nj->ni", axes, x["offset"] + gap)
    end = (1 - y) ** T * start - np.einsum("nji,nj->ni", axes, gap)
    return {
        "Delta": (end**2).sum(axis=1) + eta**2 * (along * geometric(y, T)).sum(axis=1),
        "rho": rho,
        "contraction": rho**T,
        "D0": (x["offset"] ** 2).sum(axis=1),
        "eta": eta,
        "A2": (a**2 * x["sigma"] ** 2).sum(axis=1),
        "U2": (x["sigma"] ** 2).mean(axis=1) / a.shape[1],
        "magnitude": (x["optimum"] ** 2).max(axis=(1, 2)) if "share" in x else 0.0 * eta,
        "admissible": rho < 1,
    }


def averaged_exact(x: Seen, *, T: int, one_noise: bool) -> Plain:
    """The mean of w played by gradient steps of every client, its covariance by doubling; both in short form if long."""
    a, m, sigma, directions = x["weights"], x["optimum"], x["sigma"], x["directions"]
    A = [turned(spectrum, [mirror]) for spectrum, mirror in zip(x["spectrum"], x["mirror"], strict=True)]
    mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])
    eta, dims, long = x["step"] / L, range(len(m[0])), T > 8 or len(a) > 10
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    if long:
        A = [shortened(b) for b in A]
    best = quadratic_optimum(a, A, m)
    target = quadratic_optimum(x["share"], A, m) if "share" in x else best
    mean = [y + z for y, z in zip(target, x["offset"], strict=True)]
    step = eye_minus(eta, [[dot(a, [b[i][j] for b in A]) for j in dims] for i in dims])
    if not long:
        for _ in range(T):
            pulls = [quadratic_gradient(b, c, mean) for b, c in zip(A, m, strict=True)]
            mean = [y - eta * g for y, g in zip(mean, weighted_sum(a, pulls), strict=True)]
        apart = [y - z for y, z in zip(mean, target, strict=True)]
    else:
        moved = matvec(after(step, T), [y - z for y, z in zip(mean, best, strict=True)])
        apart = [y + z - t for y, z, t in zip(moved, best, target, strict=True)]
    squares = [(w * s) ** 2 for w, s in zip(a, sigma, strict=True)]
    parts = [dot(squares, [d[j] for d in directions]) for j in dims]
    if one_noise:
        parts = [sum(w * abs(s) for w, s in zip(a, sigma, strict=True)) ** 2 * directions[0][j] for j in dims]
    noise = [[eta * eta * parts[i] if i == j else Fraction(0) for j in dims] for i in dims]
    total, contraction, D0 = gathered(step, noise, T)[1], power(rho, T), dot(x["offset"], x["offset"])
    right = contraction**2 * D0 + eta**2 * sum(squares) / (1 - rho**2) if rho < 1 else 0
    met = {
        "curvatures positive": mu > 0,
        "rho < 1": rho < 1,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "noises have second moments sigma^2": all(sum(d) == 1 and min(d) >= 0 for d in directions),
    }
    return met, {
        "Delta": dot(apart, apart) + sum(total[j][j] for j in dims) - margin(9 if long else T, right),
        "rho": rho,
        "contraction": contraction,
        "D0": D0,
        "eta": eta,
        "A2": sum(squares),
        "U2": dot(sigma, sigma) / len(a) ** 2,
    }


def one_local_step(name: str, *, high: int = 10, one_noise: bool = False, shares: bool = False) -> World:
    """Clients whose curvatures need not commute; `high` rounds, and where these are many up to 300 clients and T = ∞."""
    played = (*LINEAR, reflected, turned, matvec, weighted_sum, solve, quadratic_gradient, quadratic_optimum)

    def at(N: int, d: int, T: int) -> Case:
        of: Coordinates = (LogScale("spectrum", 1e-2, 1e1, (N, d), at=(1e-2, 1.0, 10.0)),)
        of += (Signed("mirror", 1e-2, 1.0, (N, d)), Signed("optimum", 1e-2, 1e2, (N, d)))
        of += (LogScale("step", 1e-3, 1.99, at=(1e-3, 0.1, 1.0, 1.9)), Simplex("weights", N))
        of += (Signed("sigma", 1e-3, 1e2, (N,)), Simplex("directions", d, (N,)), offset(d))
        of += (Simplex("share", N),) if shares else ()
        told: dict[str, Any] = {"uses": played, "cost": max(1.0, N * d / 20), "T": T, "one_noise": one_noise}
        return case(sized(name, N=N, d=d, T=T), Space(of), averaged, averaged_exact, **told)

    many = high > 100
    sizes: dict[str, Any] = {"N": (1, 300 if many else 10, 3), "d": (1, 4, 2), "T": (1, high, 3)}
    return ranging(name, at, ladder="T", limit=many, **sizes)


_ONE_STEP, _GATHERED = one_local_step("FedAvg with one local step", high=10_000), (1 - contraction**2) / (1 - rho**2)
_START = contraction**2 * D0

K21 = remark(
    "K21",
    "known truth",
    "FedAvg with one local step and noise",
    printed=r"\Delta_T\le\rho^{2T}\Delta_0+\eta^2\sum_ia_i^2\sigma_i^2\,\frac{1-\rho^{2T}}{1-\rho^2}",
    plainly="""FedAvg with E = 1 and fixed weights contracts about the minimiser of Σ a_iF_i and gathers the averaged
        noise.""",
    assumes=[
        "client objectives L-smooth, μ-strongly convex quadratics; fixed weights a on the simplex; E = 1",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
        "noise of mean 0, independent over clients and rounds, E‖n_i‖² = σ_i²",
    ],
    says=le(Delta, _START + eta**2 * _GATHERED * A2),
    world=_ONE_STEP,
    readings=[
        reading(
            "as stated",
            """Curvatures that need not commute, to 300 clients; T to 10,000 and to the limit; ρ^T is the contraction,
                A2 = Σ a_i²σ_i².""",
        )
    ],
    mutants=[
        mutant(
            "noise need not be independent over the clients",
            None,
            "one noise for all adds η²(Σ a_iσ_i)² a round, more than η²Σ a_i²σ_i² as soon as two clients have weight",
            world=one_local_step("one noise for all clients", one_noise=True),
        ),
        mutant(
            "about the minimiser of Σ p_iF_i",
            None,
            "without noise w_T tends to the minimiser of Σ a_iF_i, which stays away from that of Σ p_iF_i",
            world=one_local_step("about the minimiser of Σ p_iF_i", shares=True),
        ),
        mutant(
            "the sum over the noise begins one round late",
            le(Delta, _START + rho**2 * eta**2 * _GATHERED * A2),
            "with one curvature for all both sides agree without the extra factor ρ² < 1",
        ),
        mutant(
            "σ_i² weighted by 1/N² in place of a_i²",
            le(Delta, _START + eta**2 * _GATHERED * U2),
            "with all weight on the only noisy client the left side gains σ², the right side σ²/N²",
        ),
    ],
    tight="one curvature for all clients; or one dimension and all averaged curvature at the end of the spectrum",
    supremum=1.0,
    verdict="""It holds. One local step of every client is one gradient step on Σ a_iF_i, whose curvature lies between μ
        and L, with noise of second moment Σ a_i²σ_i² (K9); the rest is K20.""",
)


def identical(x: Instance, *, E: int, T: int) -> Seen:
    """Every client's map over a round is the power (1 − ηλ)^E, direction by direction; the server averages them.

    `scale`: the sum of the weights, where that need not be 1.
    """
    run, a = descent(x), x["weights"]
    kept = (a[:, :, None] * (run.turn**E)[:, None, :]).sum(axis=1)
    if "scale" in x:
        kept = 1.0 + x["scale"][:, None] * (kept - 1.0)
    D0, contraction = (x["offset"] ** 2).sum(axis=1), run.rho ** (T * E)
    return {
        "Delta": ((kept**T * run.start) ** 2).sum(axis=1),
        "one_round": run.rho**E,
        "one_step_each": run.rho**T,
        "contraction": contraction,
        "D0": D0,
        "admissible": (run.rho < 1) & (contraction**2 * D0 > TINY),
    }


def identical_exact(x: Seen, *, E: int, T: int) -> Plain:
    """FedAvg on identical clients: played step by step while T E <= 8, by powers of matrices beyond."""
    A, mu, L, w = turned(x["spectrum"], [x["mirror"]]), min(x["spectrum"]), max(x["spectrum"]), x["offset"]
    eta, origin = x["step"] / L, [Fraction(0) for _ in w]
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    weights = [x.get("scale", 1) * a for a in x["weights"]]
    if T * E <= 8:
        n = len(weights)
        for _ in range(T):
            w, _, _ = local_sgd_round(w, [A] * n, [origin] * n, [eta] * E, None, lambda _: weights)
    else:
        local, total = after(eye_minus(eta, A), E), sum(weights)
        mixed = [[(1 - total) * int(i == j) + total * y for j, y in enumerate(r)] for i, r in enumerate(local)]
        w = matvec(after(mixed, T), w)
    contraction, D0 = power(rho, T * E), dot(x["offset"], x["offset"])
    met = {
        "curvatures positive": mu > 0,
        "rho < 1": rho < 1,
        "weights on the simplex, unless that is dropped": "scale" in x or (sum(weights) == 1 and min(weights) >= 0),
    }
    return met, {
        "Delta": dot(w, w) - margin(T * E, contraction**2 * D0),
        "one_round": power(rho, E),
        "one_step_each": power(rho, T),
        "contraction": contraction,
        "D0": D0,
    }


_PLAYED = (*LINEAR, reflected, turned, matvec, weighted_sum, quadratic_gradient, local_sgd_round)


def alike(*, simplex: bool = True) -> World:
    """Identical clients: up to 300 of them, 300 local steps and 10,000 rounds; with weights of any sum 10 of each."""
    scale = () if simplex else (LogScale("scale", 0.1, 1.9, at=(0.1, 0.5, 1.0)),)
    more = "" if simplex else ", weights of any sum"

    def at(N: int, d: int, E: int, T: int) -> Case:
        space = Space((*quadratic(d, step_from=1e-7), offset(d), Simplex("weights", N), *scale))
        told: dict[str, Any] = {"uses": _PLAYED, "mechanisms": several_steps(E), "E": E, "T": T}
        return case(sized("identical clients", N=N, d=d, E=E, T=T) + more, space, identical, identical_exact, **told)

    sizes: dict[str, Any] = {"N": (1, 300, 3), "d": (1, 8, 2), "E": (1, 300, 2), "T": (1, 10_000, 2)}
    few = {"N": (1, 10, 3), "d": (1, 3, 2), "E": (1, 10, 2), "T": (1, 10, 2)}
    return ranging("identical clients" + more, at, ladder="T", **(sizes if simplex else few))


def unlike(x: Instance, *, E: int, T: int) -> Seen:
    """One-dimensional clients with curvatures and minimisers of their own; a round is w ← Qw + shift."""
    c, m, a = x["curvature"], x["optimum"], x["weights"]
    mu, L = c.min(axis=1), c.max(axis=1)
    eta = x["step"] / L
    local = (1 - eta[:, None] * c) ** E
    best = (a * c * m).sum(axis=1) / (a * c).sum(axis=1)
    Q, shift, end = (a * local).sum(axis=1), (a * (1 - local) * (m - best[:, None])).sum(axis=1), x["offset"]
    for _ in range(T):
        end = Q * end + shift
    rho = np.maximum(np.abs(1 - eta * mu), np.abs(1 - eta * L))
    found = {"Delta": end**2, "contraction": rho ** (T * E), "D0": x["offset"] ** 2}
    return {**found, "magnitude": (m**2).max(axis=1), "admissible": rho < 1}


def unlike_exact(x: Seen, *, E: int, T: int) -> Plain:
    """FedAvg on unlike one-dimensional clients, every local step played; distances to the minimiser of Σ aᵢFᵢ."""
    a, mu, L = x["weights"], min(x["curvature"]), max(x["curvature"])
    eta, curvatures, centers = x["step"] / L, [[[c]] for c in x["curvature"]], [[m] for m in x["optimum"]]
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    best = quadratic_optimum(a, curvatures, centers)
    w = [best[0] + x["offset"]]
    for _ in range(T):
        w, _, _ = local_sgd_round(w, curvatures, centers, [eta] * E, None, lambda _: a)
    met = {"curvatures positive": mu > 0, "rho < 1": rho < 1, "weights on the simplex": sum(a) == 1}
    return met, {"Delta": (w[0] - best[0]) ** 2, "contraction": rho ** (T * E), "D0": x["offset"] ** 2}


def different() -> World:
    """Clients of different curvatures and minimisers on the line."""
    uses = (dot, matvec, solve, weighted_sum, quadratic_gradient, local_sgd_round, quadratic_optimum)

    def at(N: int, E: int, T: int) -> Case:
        of: Coordinates = (LogScale("curvature", 1e-2, 1e1, (N,), at=(1e-2, 1.0, 10.0)),)
        of += (Signed("optimum", 1e-2, 1e2, (N,)), Simplex("weights", N))
        of += (LogScale("step", 1e-3, 1.99, at=(1e-3, 0.1, 1.0)), Signed("offset", 1e-6, 1e3))
        told: dict[str, Any] = {"uses": uses, "mechanisms": several_steps(E), "E": E, "T": T}
        return case(sized("unlike clients", N=N, E=E, T=T), Space(of), unlike, unlike_exact, **told)

    return ranging("unlike clients", at, N=(2, 10, 2), E=(2, 10, 2), T=(1, 5, 2))


K22 = remark(
    "K22",
    "known truth",
    "FedAvg on identical clients",
    printed=r"\|w_{TE}-w^*\|\le\rho^{TE}\|w_0-w^*\|",
    plainly="""T rounds of E local steps of identical clients contract the squared distance by ρ^(2TE) (both sides
        squared).""",
    assumes=[
        "every client has the same L-smooth, μ-strongly convex quadratic",
        "fixed weights on the simplex, full gradients, all clients present",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
    ],
    says=le(Delta, _START),
    world=alike(),
    readings=[
        reading(
            "as stated",
            "Both sides squared; up to 300 clients, 300 local steps and 10,000 rounds; ρ^(TE) is the contraction.",
        )
    ],
    mutants=[
        mutant(
            "one local step more",
            le(Delta, _START * one_step_each**2),
            "ρ^(T(E+1)) < ρ^(TE), and in one dimension the distance is exactly ρ^(TE) of the first",
        ),
        mutant(
            "one round more",
            le(Delta, _START * one_round**2),
            "ρ^((T+1)E) < ρ^(TE), and in one dimension the distance is exactly ρ^(TE) of the first",
        ),
        mutant(
            "clients need not be identical",
            None,
            """started at the minimiser of Σ aᵢFᵢ the right side is 0, yet E >= 2 local steps of clients with unlike
                curvatures and minimisers move the average away from it""",
            world=different(),
        ),
        mutant(
            "weights need not sum to one",
            None,
            """with Σ aᵢ < 1, one step and one dimension the factor of a round is the mean of 1 and 1 − ηλ, more
                than 1 − ηλ""",
            world=alike(simplex=False),
        ),
    ],
    tight="in one dimension always",
    supremum=1.0,
    verdict="""It holds. Identical clients that start together stay together, so a weighted mean of them is each of
        them, and T rounds are one gradient descent of T·E steps (K18).""",
)


def after_round(x: Instance, *, E: int, shared: bool) -> Seen:
    """The part of a model's variance that all clients share and each one's own, step by step, then of their mean.

    `shared`: one noise for all clients.
    """
    a, sigma, turn = x["weights"], x["sigma"], 1 - x["step"]
    eta, own = x["step"] / x["curvature"], np.zeros_like(x["sigma"])
    for _ in range(E):
        own = turn[:, None] ** 2 * own + eta[:, None] ** 2 * sigma**2
    own = (a * np.sqrt(own)).sum(axis=1) ** 2 if shared else (a**2 * own).sum(axis=1)
    return {
        "variance": a.sum(axis=1) ** 2 * turn ** (2 * E) * x["variance"] + own,
        "eta": eta,
        "c": x["curvature"],
        "contraction": np.abs(turn) ** E,
        "V": x["variance"],
        "A2": (a**2 * sigma**2).sum(axis=1),
        "U2": (sigma**2).mean(axis=1) / a.shape[1],
        "geometric": (turn[:, None] ** (2 * np.arange(E))).sum(axis=1),
    }


def after_round_exact(x: Seen, *, E: int, shared: bool) -> Plain:
    """Clients carry w_i as a linear form in the start and the noises; the variance of the mean is Σ coefficients²."""
    a, sigma, eta = x["weights"], x["sigma"], x["step"] / x["curvature"]
    turn = 1 - eta * x["curvature"]
    # The coefficient of the start, and that of the noise of each step, times each client's σ and weight.
    start, powers = Fraction(1), Fraction(0)
    noises: list[Any] = []
    for _ in range(E):
        start, noises, powers = turn * start, [*[turn * k for k in noises], -eta], 1 + turn**2 * powers
    weighed = [u * s for u, s in zip(a, sigma, strict=True)]
    own = sum(weighed) ** 2 if shared else sum(k * k for k in weighed)
    met = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "curvature, step size and variance positive": x["curvature"] > 0 and eta > 0 and x["variance"] > 0,
    }
    return met, {
        "variance": (sum(a) * start) ** 2 * x["variance"] + sum(k * k for k in noises) * own,
        "eta": eta,
        "c": x["curvature"],
        "contraction": abs(1 - x["step"]) ** E,
        "V": x["variance"],
        "A2": sum(k * k for k in weighed),
        "U2": sum(s * s for s in sigma) / len(a) ** 2,
        "geometric": powers,
    }


def on_the_line(name: str, *, shared: bool = False) -> World:
    """Identical clients on the line, up to 300 of them and 300 local steps."""

    def at(N: int, E: int) -> Case:
        of: Coordinates = (LogScale("curvature", 1e-2, 1e2, at=(1e-2, 1.0, 1e2)),)
        of += (
            Uniform("step", 1e-3, 2.0, at=(1e-3, 0.1, 0.5, 1.0, 2.0)),
            LogScale("variance", 1e-6, 1e6, at=(1e-6, 1.0)),
        )
        of += (Simplex("weights", N), LogScale("sigma", 1e-3, 1e3, (N,), at=(1e-3, 1.0, 1e3)))
        told: dict[str, Any] = {
            "cost": max(1.0, N * E / 2000),
            "mechanisms": several_steps(E),
            "E": E,
            "shared": shared,
        }
        return case(sized(name, N=N, E=E), Space(of), after_round, after_round_exact, **told)

    return ranging(name, at, N=(1, 300, 3), E=(1, 300, 2))


_KEPT = contraction**2 * V

K23 = remark(
    "K23",
    "known truth",
    "Variance over a round of local steps",
    printed=r"""\mathrm{Var}\,w^+\le(1-\eta c)^{2E}\,\mathrm{Var}\,w+\eta^2\sum_ia_i^2\sigma_i^2\sum_{e<E}(1-\eta
        c)^{2e}""",
    plainly="Over a round of E local steps the variance contracts by (1 − ηc)^(2E) and gains the averaged local noise.",
    assumes=[
        "identical one-dimensional clients c/2·w²; all take E local steps of size η; fixed weights a on the simplex",
        "noise of mean 0 and variance σ_i², independent over clients, over steps and of the start",
    ],
    says=le(variance, _KEPT + eta**2 * A2 * geo),
    world=on_the_line("identical clients in one dimension"),
    readings=[
        reading(
            "as stated",
            """Up to 300 clients and 300 local steps; V the variance before the round, A2 = Σ a_i²σ_i², contraction |1 −
                ηc|^E, geometric the sum over e.""",
        )
    ],
    mutants=[
        mutant(
            "noise need not be independent over the clients",
            None,
            "one noise for all gives (Σ a_iσ_i)² in place of Σ a_i²σ_i², more as soon as two clients have weight",
            world=on_the_line("one noise for all clients", shared=True),
        ),
        mutant(
            "only the last local step's noise",
            le(variance, _KEPT + eta**2 * A2),
            "both sides agree with the whole sum, which exceeds 1 for E >= 2 and ηc ≠ 1",
        ),
        mutant(
            "the sum runs from e = 1 to E",
            le(variance, _KEPT + eta**2 * A2 * geo * (1 - eta * c) ** 2),
            "each term gains the factor (1 − ηc)² < 1, and both sides agree without it",
        ),
        mutant(
            "σ_i² weighted by 1/N² in place of a_i²",
            le(variance, _KEPT + eta**2 * U2 * geo),
            "with all weight on the noisiest client the left side gains η²σ²Σ…, the right side 1/N² of it and less",
        ),
    ],
    tight="always: the variance after a round equals the right side",
    supremum=1.0,
    verdict="""It holds, with equality. Every local step multiplies a model by 1 − ηc and adds −η times a fresh noise;
        the start is common to all clients, their noises are not, so those enter the mean with a_i².""",
)


def way(x: Instance, *, E: int) -> Seen:
    """E local steps in the eigenbasis; the displacement is summed up, so that nothing cancels."""
    run, moved, squares = descent(x), np.zeros_like(x["offset"]), []
    for e in range(E):
        gradient = x["spectrum"] * (run.start + moved)
        if "noise" in x:
            gradient = gradient + run.L[:, None] * mirrored(x["mirror"], x["noise"][:, e])
        moved = moved - run.eta[:, None] * gradient
        squares.append((gradient**2).sum(axis=1))
    found = {"gone2": (moved**2).sum(axis=1), "eta": run.eta, "E": np.full(len(moved), float(E))}
    sums = {"G_max": np.max(squares, axis=0), "G_sum": np.sum(squares, axis=0)}
    return {**found, **sums, "G_last": squares[-1], "G_first": squares[0]}


def way_exact(x: Seen, *, E: int) -> Plain:
    """E local steps from w = `offset`; the noise of each step, if any, in units of L."""
    A, L, w = turned(x["spectrum"], [x["mirror"]]), max(x["spectrum"]), x["offset"]
    eta, squares = x["step"] / L, []
    for e in range(E):
        gradient = matvec(A, w)
        if "noise" in x:
            gradient = [g + L * n for g, n in zip(gradient, x["noise"][e], strict=True)]
        w = [y - eta * g for y, g in zip(w, gradient, strict=True)]
        squares.append(dot(gradient, gradient))
    moved = [y - z for y, z in zip(w, x["offset"], strict=True)]
    found = {"gone2": dot(moved, moved), "eta": eta, "E": Fraction(E), "G_max": max(squares), "G_sum": sum(squares)}
    met = {"curvatures positive": min(x["spectrum"]) > 0, "step size positive": eta > 0}
    return met, {**found, "G_last": squares[-1], "G_first": squares[0]}


def local_steps(*, noisy: bool) -> World:
    """Full gradients of a quadratic for up to 300 steps, or stochastic ones for up to 50."""
    name = f"{'stochastic' if noisy else 'full'} gradients"

    def at(d: int, E: int) -> Case:
        noise = (Signed("noise", 1e-3, 1e3, (E, d)),) if noisy else ()
        told: dict[str, Any] = {"cost": max(1.0, E / 20), "mechanisms": several_steps(E), "E": E}
        told["uses"] = (dot, matvec, reflected, turned)
        return case(
            sized(name, d=d, E=E), Space((*quadratic(d, step_to=2.5), offset(d), *noise)), way, way_exact, **told
        )

    return ranging(name, at, d=(1, 4, 2), E=(1, 50 if noisy else 300, 2))


K24 = remark(
    "K24",
    "known truth",
    "How far local steps go",
    printed=r"\|w_i^{(E)}-w\|\le\eta E\max_e\|g_{i,e}\|",
    plainly="E local steps move a client by at most η E times its largest gradient (both sides squared).",
    assumes=["E local steps of constant step size η along g_{i,0}, …, g_{i,E−1}"],
    says=le(gone2, eta**2 * E**2 * G_max),
    world=over(local_steps(noisy=False), local_steps(noisy=True)),
    readings=[
        reading(
            "as stated",
            "Both sides squared; full and stochastic gradients of a quadratic, η up to 2.5/L; G_max = max‖g‖².",
        )
    ],
    mutants=[
        mutant(
            "E² lowered to E",
            le(gone2, eta**2 * E * G_max),
            "for ηL → 0 all gradients are nearly alike and the client moves by nearly η E‖g‖, E > 1",
            at(spectrum=[1, 1], mirror=[0, 0], step="1/2", offset=[0, -1]),
        ),
        mutant(
            "the square of the sum replaced by the sum of squares",
            le(gone2, eta**2 * G_sum),
            "E >= 2 nearly equal gradients add up to the square η²E²‖g‖², their squares to η²E‖g‖²",
            at(spectrum=[1, 1], mirror=[0, 0], step="1/2", offset=[0, -1]),
        ),
        mutant(
            "the last gradient in place of the largest",
            le(gone2, eta**2 * E**2 * G_last),
            "on a quadratic with ηL < 1 gradients shrink: the last is the smallest, and the mean of them exceeds it",
            at(spectrum=[1, 1], mirror=[0, 0], step=1, offset=[0, 1]),
        ),
        mutant(
            "the first gradient in place of the largest",
            le(gone2, eta**2 * E**2 * G_first),
            """nothing bounds η or the noise: a first gradient of 0 followed by noise gives right side 0, left side not
                0""",
        ),
        mutant(
            "E − 1 steps in place of E",
            le(gone2, eta**2 * (E - 1) ** 2 * G_max),
            "a single step has length η‖g‖ > 0",
            at(spectrum=[1, 1], mirror=[0, 0], step="1/2", offset=[0, -1]),
        ),
    ],
    tight="one step; or ηL → 0, when all local gradients agree",
    supremum=1.0,
    verdict="""It holds for any gradients at all: a client's displacement is −η times the sum of E of them, and the norm
        of a sum is at most the sum of the norms.""",
)

CLAIMS = (K21, K22, K23, K24)
