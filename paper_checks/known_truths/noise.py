"""K20: gradient descent with additive noise forgets its start and settles at the level of the noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from paper_checks.known_truths.exact_rounds import LINEAR, eye_minus, gathered, margin, power, product, symmetric
from paper_checks.known_truths.spectra import descent, geometric, horizon, offset, quadratic, sizes_in_words
from theory.exact import dot, matvec
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Simplex,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

rho, contraction, D0, eta, sigma_sq = symbols("rho contraction D0 eta sigma_sq")


def settled_again(rho: Any, contraction: Any, D0: Any, eta: Any, sigma_sq: Any) -> Any:
    """K20 once more."""
    floor = sigma_sq * (eta * eta) / ((1 - rho) * (1 + rho))
    return floor + (D0 - floor) * contraction * contraction


_NOISE = eta**2 * sigma_sq * (1 - contraction**2) / (1 - rho**2)
SETTLED = Bound(
    contraction**2 * D0 + _NOISE,
    again=settled_again,
    degrees={"rho": (0, 0), "contraction": (0, 0), "D0": (0, 2), "eta": (-1, 2), "sigma_sq": (2, -2)},
)


def _noisy(x: Instance) -> Mapping[str, Any]:
    """Every coordinate of the eigenbasis is a scalar recursion with its own part of the noise."""
    run, T = descent(x), x["rounds"]
    y = run.eta[:, None] * x["spectrum"]
    spread = geometric(y, T[:, None])
    if "repeated" in x:  # the very same noise at every step: its effects add up before they are squared
        spread = ((1 - run.turn ** T[:, None]) / y) ** 2
    forgotten = (run.turn ** (2 * T[:, None]) * run.start**2).sum(axis=1)
    noise = run.eta**2 * x["sigma_sq"] * (x["directions"] * spread).sum(axis=1)
    return {
        "lhs": forgotten + noise,
        "rho": run.rho,
        "contraction": run.rho**T,
        "D0": (x["offset"] ** 2).sum(axis=1),
        "eta": run.eta,
        "sigma_sq": x["sigma_sq"],
        "admissible": run.rho < 1,
    }


def noisy_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Mean and covariance of w_T − w*, by doubling; a noise repeated at every step by adding up its effects."""
    A, T, L = symmetric(x["spectrum"], x["mirror"]), int(x["rounds"]), max(x["spectrum"])
    eta, mu = x["step"] / L, min(x["spectrum"])
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    covariance = symmetric([eta * eta * x["sigma_sq"] * part for part in x["directions"]], x["mirror"])
    reach, total = gathered(eye_minus(eta, A), covariance, T)
    if "repeated" in x:
        effect = [[Fraction(0) for _ in row] for row in A]
        for t in range(T):
            now = gathered(eye_minus(eta, A), A, t)[0]
            effect = [[u + v for u, v in zip(p, q, strict=True)] for p, q in zip(effect, now, strict=True)]
        total = product(product(effect, covariance), effect)
    mean = matvec(reach, x["offset"])
    constants = {
        "rho": rho,
        "contraction": power(rho, T),
        "D0": dot(x["offset"], x["offset"]),
        "eta": eta,
        "sigma_sq": x["sigma_sq"],
    }
    right = constants["contraction"] ** 2 * constants["D0"] + eta**2 * x["sigma_sq"] / (1 - rho**2) if rho < 1 else 0
    constants["lhs"] = dot(mean, mean) + sum(total[j][j] for j in range(len(A))) - margin(T, right)
    hypotheses = {
        "curvatures positive": mu > 0,
        "rho < 1": rho < 1,
        "the noise has second moment sigma_sq": sum(x["directions"]) == 1 and min(x["directions"]) >= 0,
    }
    return hypotheses, constants


_EXACT = ExactCheck(noisy_exact, (*LINEAR, matvec))


def _case(*, repeated: bool) -> Callable[..., Case]:
    def at(d: float, T: float) -> Case:
        space = Space(
            (
                *quadratic(int(d)),
                offset(int(d)),
                LogScale("sigma_sq", 1e-6, 1e4, at=(1e-6, 1.0, 1e4)),
                Simplex("directions", int(d)),
                horizon(T),
                *((LogScale("repeated", 1.0, 2.0),) if repeated else ()),
            )
        )
        name = f"SGD on a quadratic, {sizes_in_words(d=d, T=T)}"
        return Case(name + (", one noise for all steps" if repeated else ""), space, _noisy, _EXACT)

    return at


_CASES = (Family("SGD", (Size("d", 1, 8, 2), Size("T", 1, 10_000, 3, ladder=True, limit=True)), _case(repeated=False)),)
_REPEATED = (Family("SGD, one noise for all steps", (Size("d", 1, 3, 1), Size("T", 1, 8, 2)), _case(repeated=True)),)

K20 = Claim(
    id="K20",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="SGD with additive noise",
    statement=r"\Delta_T\le\rho^{2T}\Delta_0+\eta^2\sigma^2\,\frac{1-\rho^{2T}}{1-\rho^2}",
    says="The mean squared distance of SGD is at most the contracted first one plus the noise gathered on the way.",
    assumes=(
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
        "noise of mean 0, independent over the steps, E‖n‖² = σ²",
    ),
    readings=(
        Reading(
            "as stated",
            "Curvature and noise covariance with common axes in general position; T to 10,000 and to the limit; ρ^T is "
            "the contraction.",
            Inequality(SETTLED, _CASES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "noise term dropped",
            Inequality(Bound(contraction**2 * D0), _CASES),
            "started at w* the right side is 0, and one noisy step leaves Δ_1 = η²σ² > 0",
        ),
        Canary(
            "1 − ρ^T in place of 1 − ρ^(2T)",
            Inequality(Bound(contraction**2 * D0 + eta**2 * sigma_sq * (1 - contraction) / (1 - rho**2)), _CASES),
            "in one dimension the noise gathered is exactly η²σ²(1 − ρ^(2T))/(1 − ρ²), and ρ^T > ρ^(2T) for 0 < ρ < 1",
        ),
        Canary(
            "the sum over the noise begins one step late",
            Inequality(Bound(contraction**2 * D0 + rho**2 * _NOISE), _CASES),
            "in one dimension both sides agree without the extra factor ρ² < 1",
        ),
        Canary(
            "noise need not be independent over the steps",
            Inequality(SETTLED, _REPEATED),
            "with the same noise n at two steps w_2 − w* gains −η(1 + q)n, q = 1 − ηλ, and (1 + q)² > 1 + q² for q > 0",
        ),
    ),
    tight="one dimension, or the start and all noise along an eigenvector whose factor |1 − ηλ| is ρ",
    verdict_words=(
        "It holds. Independent noise of mean 0 adds its second moment at every step, after which each part contracts by "
        "factors (1 − ηλ)² <= ρ² in the eigenbasis; summing the geometric series gives the bound."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K20,)
