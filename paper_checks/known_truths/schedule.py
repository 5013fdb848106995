"""K28: SGD with steps that fall like 1/t."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from paper_checks.known_truths.exact_rounds import eye_minus, margin, product, shortened, symmetric
from paper_checks.known_truths.spectra import offset, reflected, sizes_in_words
from theory.exact import dot, matvec
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

gamma, D0, sigma_sq, mu, L, T = symbols("gamma D0 sigma_sq mu L T")


def schedule_again(gamma: Any, D0: Any, sigma_sq: Any, mu: Any, T: Any) -> Any:
    """K28 once more; the larger of two numbers as half their sum and distance."""
    first, second = gamma * D0, sigma_sq * (2 / mu) ** 2
    return (first + second + abs(first - second)) / (2 * T + 2 * gamma)


_DEGREES = {"gamma": (0, 0), "D0": (0, 2), "sigma_sq": (2, -2), "mu": (1, -2), "L": (1, -2), "T": (0, 0)}
_FLOOR = 4 * sigma_sq / mu**2
SCHEDULE = Bound(sp.Max(gamma * D0, _FLOOR) / (gamma + T), again=schedule_again, degrees=_DEGREES)


def _measure(x: Instance) -> Mapping[str, Any]:
    """Second moments in the eigenbasis, round by round."""
    spectrum, T = x["spectrum"], int(x["rounds"][0])
    mu, L = spectrum.min(axis=1), spectrum.max(axis=1)
    gamma = x["stretch"] * (1.0 if "free" in x else 2 * L / mu)
    square = reflected(x["mirror"], x["offset"]) ** 2
    noise = x["sigma_sq"][:, None] * x["directions"]
    for t in range(T):
        eta = (2 / (mu * (gamma + t)))[:, None]
        square = (1 - eta * spectrum) ** 2 * square + eta**2 * noise
    return {
        "lhs": square.sum(axis=1),
        "gamma": gamma,
        "D0": (x["offset"] ** 2).sum(axis=1),
        "sigma_sq": x["sigma_sq"],
        "mu": mu,
        "L": L,
        "T": x["rounds"],
    }


def schedule_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Mean and covariance of w_t − w*: as matrices up to 8 rounds, beyond along the eigenvectors in short form."""
    spectrum, mirror, T = x["spectrum"], x["mirror"], int(x["rounds"])
    mu, L = min(spectrum), max(spectrum)
    gamma = x["stretch"] * (1 if "free" in x else 2 * L / mu)
    parts = [x["sigma_sq"] * part for part in x["directions"]]
    steps = [2 / (mu * (gamma + t)) for t in range(T)]
    D0 = dot(x["offset"], x["offset"])
    if T <= 8:
        A, noise, mean = symmetric(spectrum, mirror), symmetric(parts, mirror), x["offset"]
        covariance = symmetric([Fraction(0) for _ in spectrum], mirror)
        for eta in steps:
            M = eye_minus(eta, A)
            mean, spread = matvec(M, mean), product(product(M, covariance), M)
            covariance = [
                [u + eta * eta * v for u, v in zip(p, q, strict=True)] for p, q in zip(spread, noise, strict=True)
            ]
        lhs = dot(mean, mean) + sum(covariance[j][j] for j in range(len(spectrum)))
    else:
        size = dot(mirror, mirror)
        along = 2 * dot(mirror, x["offset"]) / size if size else Fraction(0)
        lhs = Fraction(0)
        for curvature, v, y, part in zip(spectrum, mirror, x["offset"], parts, strict=True):
            square = (y - along * v) ** 2
            for eta in steps:
                square = shortened([[(1 - eta * curvature) ** 2 * square + eta * eta * part]])[0][0]
            lhs += square
    constants = {"gamma": gamma, "D0": D0, "sigma_sq": x["sigma_sq"], "mu": mu, "L": L, "T": Fraction(T)}
    constants["lhs"] = lhs - margin(T, (gamma * D0 + 4 * x["sigma_sq"] / mu**2) / (gamma + T))
    hypotheses = {
        "curvatures positive": mu > 0,
        "gamma >= 2L/mu, unless that is dropped": "free" in x or gamma * mu >= 2 * L,
        "the noise has second moment sigma_sq": sum(x["directions"]) == 1 and min(x["directions"]) >= 0,
    }
    return hypotheses, constants


_EXACT = ExactCheck(schedule_exact, (dot, matvec, symmetric, product, eye_minus, shortened, margin))


def _case(*, free: bool) -> Callable[..., Case]:
    def at(d: float, T: float) -> Case:
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e1, (int(d),), at=(1e-2, 0.1, 1.0, 10.0)),
                Signed("mirror", 1e-2, 1.0, (int(d),)),
                LogScale("stretch", 1.0, 1e3, at=(1.0, 2.0)),
                offset(int(d)),
                LogScale("sigma_sq", 1e-6, 1e4, at=(1e-6, 1.0, 1e4)),
                Simplex("directions", int(d)),
                Choice("rounds", (float(T),)),
                *((Choice("free", (1.0,)),) if free else ()),
            )
        )
        name = f"SGD with falling steps, {sizes_in_words(d=d, T=T)}" + (", any γ >= 1" if free else "")
        return Case(name, space, _measure, _EXACT, cost=max(1.0, T / 50))

    return at


_SIZES = (Size("d", 1, 8, 2), Size("T", 1, 10_000, 10, ladder=True))
_CASES = (Family("SGD with falling steps", _SIZES, _case(free=False)),)
_FREE = (Family("SGD with falling steps, any γ >= 1", (Size("d", 1, 3, 2), Size("T", 1, 10, 1)), _case(free=True)),)

K28 = Claim(
    id="K28",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="SGD with steps falling like 1/t",
    statement=r"\Delta_T\le\frac{\max(\gamma\Delta_0,\,4\sigma^2/\mu^2)}{\gamma+T},\qquad\eta_t=\frac{2}{\mu(\gamma+t)}",
    says="With steps 2/(μ(γ+t)) and γ >= 2L/μ the mean squared distance falls like 1/(γ+T).",
    assumes=(
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "η_t = 2/(μ(γ+t)) for t = 0, 1, …, with γ >= 2L/μ",
        "noise of mean 0, independent over the steps, E‖n‖² = σ²",
    ),
    readings=(
        Reading(
            "as stated",
            "Curvature and noise covariance with common axes in general position; γ up to a thousand times 2L/μ; T to "
            "10,000.",
            Inequality(SCHEDULE, _CASES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "γ >= 2L/μ dropped",
            Inequality(SCHEDULE, _FREE),
            "with γ = 1 and L = 100μ the first step multiplies the steepest coordinate by 1 − 200",
        ),
        Canary(
            "the larger of the two replaced by the smaller",
            Inequality(Bound(sp.Min(gamma * D0, _FLOOR) / (gamma + T)), _CASES),
            "started at w* the right side is 0, and the first noisy step leaves η_0²σ² > 0",
        ),
        Canary(
            "μ² replaced by μL in the noise",
            Inequality(Bound(sp.Max(gamma * D0, 4 * sigma_sq / (mu * L)) / (gamma + T)), _CASES),
            "started at w* with all noise in the flattest direction (γ+T)Δ_T tends to 4σ²/(3μ²), more than 4σ²/(μL) "
            "once L > 3μ",
        ),
        Canary(
            "γ + T squared",
            Inequality(Bound(sp.Max(gamma * D0, _FLOOR) / (gamma + T) ** 2), _CASES),
            "started at w* one step leaves η_0²σ² = 4σ²/(μγ)², more than 4σ²/(μ²(γ+1)²)",
        ),
        Canary(
            "noise term dropped",
            Inequality(Bound(gamma * D0 / (gamma + T)), _CASES),
            "started at w* the right side is 0, and the first noisy step leaves η_0²σ² > 0",
        ),
    ),
    tight="only in the trivial limit γ/T → ∞, where nothing has moved yet",
    verdict_words=(
        "It holds: γ >= 2L/μ keeps every step within 1/L, so a step contracts by (1 − η_tμ)² and adds η_t²σ²; induction "
        "on t with the constant max(γΔ_0, 4σ²/μ²) gives the bound."
    ),
)

CLAIMS: tuple[Claim, ...] = (K28,)
