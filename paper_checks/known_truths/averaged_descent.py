"""K21: FedAvg with one local step is noisy gradient descent on the averaged objective."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import (
    LINEAR,
    after,
    eye_minus,
    gathered,
    margin,
    power,
    shortened,
    symmetric,
)
from paper_checks.known_truths.spectra import geometric, horizon, offset, sizes_in_words
from theory.exact import dot, matvec, quadratic_gradient, quadratic_optimum, solve, weighted_sum
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
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

rho, contraction, D0, eta, A2, U2 = symbols("rho contraction D0 eta A2 U2")


def settled_again(rho: Any, contraction: Any, D0: Any, eta: Any, A2: Any) -> Any:
    """K21 once more."""
    floor = A2 * (eta * eta) / ((1 - rho) * (1 + rho))
    return floor + (D0 - floor) * contraction * contraction


_GATHERED = eta**2 * (1 - contraction**2) / (1 - rho**2)
SETTLED = Bound(
    contraction**2 * D0 + _GATHERED * A2,
    again=settled_again,
    degrees={"rho": (0, 0), "contraction": (0, 0), "D0": (0, 2), "eta": (-1, 2), "A2": (2, -2)},
)


def _averaged(x: Instance) -> Mapping[str, Any]:
    """The averaged curvature is diagonalised; w − w* then falls apart into scalar recursions."""
    a, spectrum, v, T = x["weights"], x["spectrum"], x["mirror"], x["rounds"]
    dims = spectrum.shape[-1]
    size = (v**2).sum(axis=-1)[..., None, None]
    H = np.eye(dims) - 2 * v[..., :, None] * v[..., None, :] / np.where(size > 0, size, 1.0)
    A = np.einsum("nkij,nkj,nklj->nkil", H, spectrum, H)
    averaged = np.einsum("nk,nkij->nij", a, A)
    values, axes = np.linalg.eigh(averaged)
    L, mu = spectrum.max(axis=(1, 2)), spectrum.min(axis=(1, 2))
    eta = x["step"] / L
    rho = np.maximum(np.abs(1 - eta * mu), np.abs(1 - eta * L))
    square = (x["sigma"][:, :, None] ** 2) * x["directions"]
    covariance = np.einsum("nk,nkj->nj", a**2, square)
    if "one_noise" in x:  # the same direction and sign for every client
        covariance = (a * np.abs(x["sigma"])).sum(axis=1)[:, None] ** 2 * x["directions"][:, 0]
    along = np.einsum("nji,nj->ni", axes**2, covariance)
    y = eta[:, None] * values.clip(mu[:, None], L[:, None])
    gap = np.zeros_like(x["offset"])
    if "share" in x:
        pulls = np.einsum("nkij,nkj->nki", A, x["optimum"])
        best = _solved(averaged, np.einsum("nk,nki->ni", a, pulls))
        other = _solved(np.einsum("nk,nkij->nij", x["share"], A), np.einsum("nk,nki->ni", x["share"], pulls))
        gap = other - best
    start = np.einsum("nji,nj->ni", axes, x["offset"] + gap)
    end = (1 - y) ** T[:, None] * start - np.einsum("nji,nj->ni", axes, gap)
    return {
        "lhs": (end**2).sum(axis=1) + eta**2 * (along * geometric(y, T[:, None])).sum(axis=1),
        "rho": rho,
        "contraction": rho**T,
        "D0": (x["offset"] ** 2).sum(axis=1),
        "eta": eta,
        "A2": (a**2 * x["sigma"] ** 2).sum(axis=1),
        "U2": (x["sigma"] ** 2).mean(axis=1) / a.shape[1],
        "magnitude": (x["optimum"] ** 2).max(axis=(1, 2)) if "share" in x else 0.0 * eta,
        "admissible": rho < 1,
    }


def _solved(matrix: Any, right: Any) -> Any:
    return np.linalg.solve(matrix, right[..., None])[..., 0]


def averaged_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean of w played by gradient steps of every client, its covariance by doubling; both in short form if long."""
    a, m, T = x["weights"], x["optimum"], int(x["rounds"])
    A = [symmetric(spectrum, mirror) for spectrum, mirror in zip(x["spectrum"], x["mirror"], strict=True)]
    mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])
    eta, dims = x["step"] / L, range(len(m[0]))
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    long = T > 8 or len(a) > 10
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
    parts = [sum((w * s) ** 2 * d[j] for w, s, d in zip(a, x["sigma"], x["directions"], strict=True)) for j in dims]
    if "one_noise" in x:
        parts = [sum(w * abs(s) for w, s in zip(a, x["sigma"], strict=True)) ** 2 * x["directions"][0][j] for j in dims]
    noise = [[eta * eta * parts[i] if i == j else Fraction(0) for j in dims] for i in dims]
    total = gathered(step, noise, T)[1]
    constants = {
        "rho": rho,
        "contraction": power(rho, T),
        "D0": dot(x["offset"], x["offset"]),
        "eta": eta,
        "A2": sum((w * s) ** 2 for w, s in zip(a, x["sigma"], strict=True)),
        "U2": dot(x["sigma"], x["sigma"]) / len(a) ** 2,
    }
    right = constants["contraction"] ** 2 * constants["D0"] + eta**2 * constants["A2"] / (1 - rho**2) if rho < 1 else 0
    constants["lhs"] = dot(apart, apart) + sum(total[j][j] for j in dims) - margin(9 if long else T, right)
    hypotheses = {
        "curvatures positive": mu > 0,
        "rho < 1": rho < 1,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "noises have second moments sigma^2": all(sum(d) == 1 and min(d) >= 0 for d in x["directions"]),
    }
    return hypotheses, constants


_EXACT = ExactCheck(averaged_exact, (*LINEAR, matvec, weighted_sum, solve, quadratic_gradient, quadratic_optimum))


def _family(name: str, high: int, *extra: Callable[[int], Any]) -> tuple[Family, ...]:
    def at(N: float, d: float, T: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e1, (n, dim), at=(1e-2, 1.0, 10.0)),
                Signed("mirror", 1e-2, 1.0, (n, dim)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                LogScale("step", 1e-3, 1.99, at=(1e-3, 0.1, 1.0, 1.9)),
                Simplex("weights", n),
                Signed("sigma", 1e-3, 1e2, (n,)),
                Simplex("directions", dim, (n,)),
                offset(dim),
                horizon(T),
                *(more(n) for more in extra),
            )
        )
        cost = max(1.0, n * dim / 20)
        return Case(f"{name}, {sizes_in_words(N=N, d=d, T=T)}", space, _averaged, _EXACT, cost)

    rounds = Size("T", 1, high, min(3, high), ladder=True, limit=high > 100)
    return (Family(name, (Size("N", 1, 300 if high > 100 else 10, 3), Size("d", 1, 4, 2), rounds), at),)


_CASES = _family("FedAvg with one local step", 10_000)
_ONE_NOISE = _family("one noise for all clients", 10, lambda _: Choice("one_noise", (1.0,)))
_OTHER = _family("about the minimiser of Σ p_iF_i", 10, lambda n: Simplex("share", n))

K21 = Claim(
    id="K21",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="FedAvg with one local step and noise",
    statement=r"\Delta_T\le\rho^{2T}\Delta_0+\eta^2\sum_ia_i^2\sigma_i^2\,\frac{1-\rho^{2T}}{1-\rho^2}",
    says="FedAvg with E = 1 and fixed weights contracts about the minimiser of Σ a_iF_i and gathers the averaged noise.",
    assumes=(
        "client objectives L-smooth, μ-strongly convex quadratics; fixed weights a on the simplex; E = 1",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
        "noise of mean 0, independent over clients and rounds, E‖n_i‖² = σ_i²",
    ),
    readings=(
        Reading(
            "as stated",
            "Curvatures that need not commute, to 300 clients; T to 10,000 and to the limit; ρ^T is the contraction, "
            "A2 = Σ a_i²σ_i².",
            Inequality(SETTLED, _CASES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "noise need not be independent over the clients",
            Inequality(SETTLED, _ONE_NOISE),
            "one noise for all adds η²(Σ a_iσ_i)² a round, more than η²Σ a_i²σ_i² as soon as two clients have weight",
        ),
        Canary(
            "about the minimiser of Σ p_iF_i",
            Inequality(SETTLED, _OTHER),
            "without noise w_T tends to the minimiser of Σ a_iF_i, which stays away from that of Σ p_iF_i",
        ),
        Canary(
            "the sum over the noise begins one round late",
            Inequality(Bound(contraction**2 * D0 + rho**2 * _GATHERED * A2), _CASES),
            "with one curvature for all both sides agree without the extra factor ρ² < 1",
        ),
        Canary(
            "σ_i² weighted by 1/N² in place of a_i²",
            Inequality(Bound(contraction**2 * D0 + _GATHERED * U2), _CASES),
            "with all weight on the only noisy client the left side gains σ², the right side σ²/N²",
        ),
    ),
    tight="one curvature for all clients; or one dimension and all averaged curvature at the end of the spectrum",
    verdict_words=(
        "It holds. One local step of every client is one gradient step on Σ a_iF_i, whose curvature lies between μ and "
        "L, with noise of second moment Σ a_i²σ_i² (K9); the rest is K20."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K21,)
