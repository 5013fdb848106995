"""K18, K19, K20 and K28: gradient descent on a quadratic, with and without noise, and with steps that fall like 1/t."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max, Min

from paper_checks.known_truths.drawing import TINY, descent, geometric, mirrored, offset, quadratic, ranging, sized
from paper_checks.known_truths.exact_rounds import LINEAR, eye_minus, gathered, margin, power, product, shortened
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, matvec, quadratic_loss
from theory.worlds.hull import reflected, turned
from validation import Case, Instance, LogScale, Signed, Simplex, Space
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

rho, contraction, flattest, steepest, D0 = NOTATION.symbols("rho contraction flattest steepest D0")
Delta, gap, gap_end, mu, L, eta, sigma_sq = NOTATION.symbols("Delta gap gap_end mu L eta sigma_sq")
gamma, T = NOTATION.symbols("gamma T")


def steps(x: Instance, *, T: int, repeated: bool) -> Seen:
    """T steps; every coordinate of the eigenbasis is a scalar recursion with its own part of the noise, if there is any.

    `repeated`: the very same noise at every step, whose effects add up before they are squared.
    """
    run, spectrum = descent(x), x["spectrum"]
    contraction, D0 = run.rho**T, (x["offset"] ** 2).sum(axis=1)
    kept = run.turn**T
    end = kept * run.start
    found = {
        "rho": run.rho,
        "contraction": contraction,
        "flattest": np.abs(1 - run.eta * run.mu) ** T,
        "steepest": np.abs(1 - run.eta * run.L) ** T,
        "mu": run.mu,
        "eta": run.eta,
        "D0": D0,
        "gap": 0.5 * (spectrum * run.start**2).sum(axis=1),
        "gap_end": 0.5 * (spectrum * end**2).sum(axis=1),
        "Delta": (end**2).sum(axis=1),
    }
    if "sigma_sq" not in x:
        least = contraction**2 * D0 * np.minimum(run.mu, 1.0)
        return {**found, "admissible": (run.rho < 1) & (least > TINY)}
    y = run.eta[:, None] * spectrum
    spread = ((1 - kept) / y) ** 2 if repeated else geometric(y, T)
    noise = run.eta**2 * x["sigma_sq"] * (x["directions"] * spread).sum(axis=1)
    return {**found, "Delta": found["Delta"] + noise, "sigma_sq": x["sigma_sq"], "admissible": run.rho < 1}


def steps_exact(x: Seen, *, T: int, repeated: bool) -> Plain:
    """Mean and covariance of w_T − w*, by doubling; a noise repeated at every step by adding up its effects."""
    A, mu, L = turned(x["spectrum"], [x["mirror"]]), min(x["spectrum"]), max(x["spectrum"])
    eta, w, noisy = x["step"] / L, x["offset"], "sigma_sq" in x
    origin = [Fraction(0) for _ in w]
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    parts = [eta * eta * x["sigma_sq"] * part for part in x["directions"]] if noisy else origin
    covariance = turned(parts, [x["mirror"]])
    reach, total = gathered(eye_minus(eta, A), covariance, T)
    if repeated:
        effect = [[Fraction(0) for _ in row] for row in A]
        for t in range(T):
            now = gathered(eye_minus(eta, A), A, t)[0]
            effect = [[u + v for u, v in zip(p, q, strict=True)] for p, q in zip(effect, now, strict=True)]
        total = product(product(effect, covariance), effect)
    end, contraction, D0 = matvec(reach, w), power(rho, T), dot(w, w)
    gap, right = quadratic_loss(A, origin, Fraction(0), w), contraction**2 * D0
    met = {"curvatures positive": mu > 0, "rho < 1": rho < 1}
    if noisy:
        right = right + eta**2 * x["sigma_sq"] / (1 - rho**2) if rho < 1 else 0
        directions = x["directions"]
        met["the noise has second moment sigma_sq"] = sum(directions) == 1 and min(directions) >= 0
    return met, {
        "rho": rho,
        "contraction": contraction,
        "flattest": power(abs(1 - eta * mu), T),
        "steepest": power(abs(1 - eta * L), T),
        "mu": mu,
        "eta": eta,
        "D0": D0,
        "gap": gap,
        "gap_end": quadratic_loss(A, origin, Fraction(0), end) - margin(T, contraction**2 * gap),
        "Delta": dot(end, end) + sum(total[j][j] for j in range(len(A))) - margin(T, right),
        "sigma_sq": x.get("sigma_sq", Fraction(0)),
    }


_NOISE = (LogScale("sigma_sq", 1e-6, 1e4, at=(1e-6, 1.0, 1e4)),)
_MATRICES = (*LINEAR, reflected, turned, matvec)


def full_gradients() -> World:
    """Gradient descent, to a million steps."""

    def at(d: int, T: int) -> Case:
        space, name = Space((*quadratic(d, step_from=1e-7), offset(d))), "gradient descent on a quadratic"
        uses = (*_MATRICES, quadratic_loss)
        return case(sized(name, d=d, T=T), space, steps, steps_exact, uses=uses, T=T, repeated=False)

    return ranging("gradient descent", at, ladder="T", d=(1, 8, 2), T=(1, 1_000_000, 3))


def noisy(*, repeated: bool = False) -> World:
    """SGD, to 10,000 steps and to the limit; with one noise for all steps to 8."""

    def at(d: int, T: int) -> Case:
        of: Coordinates = (*quadratic(d), offset(d), *_NOISE, Simplex("directions", d))
        name = sized("SGD on a quadratic", d=d, T=T) + (", one noise for all steps" if repeated else "")
        uses = (*_MATRICES, quadratic_loss)
        return case(name, Space(of), steps, steps_exact, uses=uses, T=T, repeated=repeated)

    if repeated:
        return ranging("SGD, one noise for all steps", at, d=(1, 3, 1), T=(1, 8, 2))
    return ranging("SGD", at, ladder="T", limit=True, d=(1, 8, 2), T=(1, 10_000, 3))


def falling(x: Instance, *, T: int, free: bool) -> Seen:
    """Second moments in the eigenbasis, round by round; `free`: γ >= 1 whatever L/μ."""
    spectrum = x["spectrum"]
    mu, L = spectrum.min(axis=1), spectrum.max(axis=1)
    gamma = x["stretch"] * (1.0 if free else 2 * L / mu)
    square, noise = mirrored(x["mirror"], x["offset"]) ** 2, x["sigma_sq"][:, None] * x["directions"]
    for t in range(T):
        eta = (2 / (mu * (gamma + t)))[:, None]
        square = (1 - eta * spectrum) ** 2 * square + eta**2 * noise
    found = {"Delta": square.sum(axis=1), "D0": (x["offset"] ** 2).sum(axis=1), "sigma_sq": x["sigma_sq"]}
    return {**found, "gamma": gamma, "mu": mu, "L": L, "T": np.full(len(mu), float(T))}


def falling_exact(x: Seen, *, T: int, free: bool) -> Plain:
    """Mean and covariance of w_t − w*: as matrices up to 8 rounds, beyond along the eigenvectors in short form."""
    spectrum, mirror, w = x["spectrum"], x["mirror"], x["offset"]
    mu, L = min(spectrum), max(spectrum)
    gamma = x["stretch"] * (1 if free else 2 * L / mu)
    parts = [x["sigma_sq"] * part for part in x["directions"]]
    steps, D0, end = [2 / (mu * (gamma + t)) for t in range(T)], dot(w, w), Fraction(0)
    if T <= 8:
        A, noise, mean = turned(spectrum, [mirror]), turned(parts, [mirror]), w
        covariance = [[Fraction(0) for _ in spectrum] for _ in spectrum]
        for eta in steps:
            M = eye_minus(eta, A)
            mean, spread = matvec(M, mean), product(product(M, covariance), M)
            covariance = [
                [u + eta * eta * v for u, v in zip(p, q, strict=True)] for p, q in zip(spread, noise, strict=True)
            ]
        end = dot(mean, mean) + sum(covariance[j][j] for j in range(len(spectrum)))
    else:
        for curvature, y, part in zip(spectrum, reflected([mirror], w), parts, strict=True):
            square = y**2
            for eta in steps:
                square = shortened([[(1 - eta * curvature) ** 2 * square + eta * eta * part]])[0][0]
            end += square
    right = (gamma * D0 + 4 * x["sigma_sq"] / mu**2) / (gamma + T)
    found = {"Delta": end - margin(T, right), "D0": D0, "sigma_sq": x["sigma_sq"]}
    met = {
        "curvatures positive": mu > 0,
        "gamma >= 2L/mu, unless that is dropped": free or gamma * mu >= 2 * L,
        "the noise has second moment sigma_sq": sum(x["directions"]) == 1 and min(x["directions"]) >= 0,
    }
    return met, {**found, "gamma": gamma, "mu": mu, "L": L, "T": Fraction(T)}


def falling_steps(*, free: bool = False) -> World:
    """SGD with steps 2/(μ(γ + t)), to 10,000 of them, where γ >= 2L/μ; `free`: γ >= 1."""

    def at(d: int, T: int) -> Case:
        of: Coordinates = (LogScale("spectrum", 1e-2, 1e1, (d,), at=(1e-2, 0.1, 1.0, 10.0)),)
        of += (Signed("mirror", 1e-2, 1.0, (d,)), LogScale("stretch", 1.0, 1e3, at=(1.0, 2.0)), offset(d))
        of += (*_NOISE, Simplex("directions", d))
        name = sized("SGD with falling steps", d=d, T=T) + (", any γ >= 1" if free else "")
        uses: Any = (dot, matvec, reflected, turned, product, eye_minus, shortened, margin)
        return case(name, Space(of), falling, falling_exact, uses=uses, cost=max(1.0, T / 50), T=T, free=free)

    if free:
        return ranging("SGD with falling steps, any γ >= 1", at, d=(1, 3, 2), T=(1, 10, 1))
    return ranging("SGD with falling steps", at, ladder="T", d=(1, 8, 2), T=(1, 10_000, 10))


_FULL, _FLOOR = full_gradients(), 4 * sigma_sq / mu**2
_GATHERED = eta**2 * sigma_sq * (1 - contraction**2) / (1 - rho**2)

K18 = remark(
    "K18",
    "known truth",
    "Gradient descent contracts the distance",
    printed=r"\|w_T-w^*\|\le\rho^T\|w_0-w^*\|\qquad(T\le10^6)",
    plainly="""After T steps the squared distance to the minimiser is at most ρ^(2T) times the first (both sides
        squared).""",
    assumes=[
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
    ],
    says=le(Delta, contraction**2 * D0),
    world=_FULL,
    readings=[
        reading(
            "as stated",
            """Both sides squared; curvature in general position, dimension to 8, T to a million; ρ^T is the
                contraction.""",
        )
    ],
    mutants=[
        mutant(
            "T + 1 in place of T",
            le(Delta, contraction**2 * rho**2 * D0),
            "with one curvature and 0 < ρ < 1 the distance is exactly ρ^T of the first, which exceeds ρ^(T+1) of it",
        ),
        mutant(
            "|1 − ηL| left out of ρ",
            le(Delta, flattest**2 * D0),
            """for ηL near its limit the steepest direction contracts by |1 − ηL| only, more than |1 − ημ| when ημ
                is near 1""",
            at(spectrum=[2, 1], mirror=[0, 0], step="3/2", offset=[-1, 0]),
        ),
        mutant(
            "|1 − ημ| left out of ρ",
            le(Delta, steepest**2 * D0),
            "for ηL = 1 the right side is 0, and the flattest direction still has the factor 1 − μ/L > 0",
            at(spectrum=[1, 2], mirror=[0, 0], step=1, offset=[1, 0]),
        ),
        mutant(
            "ρ^T squared once more",
            le(Delta, contraction**4 * D0),
            "with one curvature and 0 < ρ < 1 the squared distance is ρ^(2T) of the first, more than ρ^(4T) of it",
        ),
    ],
    tight="w_0 − w* an eigenvector of the curvature whose factor |1 − ηλ| is ρ; always so in one dimension",
    supremum=1.0,
    verdict="""It holds. In the eigenbasis of the curvature every coordinate of w − w* is multiplied by 1 − ηλ at each
        step, and |1 − ηλ| is convex in λ, so it is largest at an end of the spectrum.""",
)

K19 = remark(
    "K19",
    "known truth",
    "Gradient descent contracts the excess loss",
    printed=r"F(w_T)-F^*\le\rho^{2T}\,(F(w_0)-F^*)",
    plainly="After T steps of gradient descent the excess loss is at most ρ^(2T) times the first.",
    assumes=[
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
    ],
    says=le(gap_end, contraction**2 * gap),
    world=_FULL,
    readings=[
        reading("as stated", "Curvature in general position, dimension to 8, T to a million; ρ^T is the contraction.")
    ],
    mutants=[
        mutant(
            "2T + 1 in place of 2T",
            le(gap_end, contraction**2 * rho * gap),
            "with one curvature and 0 < ρ < 1 the excess loss is exactly ρ^(2T) of the first",
        ),
        mutant(
            "the first excess loss replaced by μ/2‖w_0 − w*‖²",
            le(gap_end, contraction**2 * mu * D0 / 2),
            """μ stands where L must: for η(L + μ) > 2, hence ρ = |1 − ηL|, and w_0 − w* in the steepest direction the
                left side is ρ^(2T) L/2 ‖w_0 − w*‖² > ρ^(2T) μ/2 ‖w_0 − w*‖²""",
            at(spectrum=[1, 2], mirror=[0, 0], step="1/10", offset=[0, -1]),
        ),
        mutant(
            "|1 − ημ| left out of ρ",
            le(gap_end, steepest**2 * gap),
            "for ηL = 1 the right side is 0, and the flattest direction still has the factor 1 − μ/L > 0",
            at(spectrum=[1, 2], mirror=[0, 0], step=1, offset=[1, 0]),
        ),
    ],
    tight="w_0 − w* an eigenvector of the curvature whose factor |1 − ηλ| is ρ; always so in one dimension",
    supremum=1.0,
    verdict="""It holds. The excess loss is half the sum of λ times the squared coordinate over the eigenbasis, and a
        step multiplies each of these terms by (1 − ηλ)², which is at most ρ².""",
)

K20 = remark(
    "K20",
    "known truth",
    "SGD with additive noise",
    printed=r"\Delta_T\le\rho^{2T}\Delta_0+\eta^2\sigma^2\,\frac{1-\rho^{2T}}{1-\rho^2}",
    plainly="The mean squared distance of SGD is at most the contracted first one plus the noise gathered on the way.",
    assumes=[
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
        "noise of mean 0, independent over the steps, E‖n‖² = σ²",
    ],
    says=le(Delta, contraction**2 * D0 + _GATHERED),
    world=noisy(),
    readings=[
        reading(
            "as stated",
            """Curvature and noise covariance with common axes in general position; T to 10,000 and to the limit; ρ^T is
                the contraction.""",
        )
    ],
    mutants=[
        mutant(
            "noise term dropped",
            le(Delta, contraction**2 * D0),
            "started at w* the right side is 0, and one noisy step leaves Δ_1 = η²σ² > 0",
        ),
        mutant(
            "1 − ρ^T in place of 1 − ρ^(2T)",
            le(Delta, contraction**2 * D0 + eta**2 * sigma_sq * (1 - contraction) / (1 - rho**2)),
            "in one dimension the noise gathered is exactly η²σ²(1 − ρ^(2T))/(1 − ρ²), and ρ^T > ρ^(2T) for 0 < ρ < 1",
        ),
        mutant(
            "the sum over the noise begins one step late",
            le(Delta, contraction**2 * D0 + rho**2 * _GATHERED),
            "in one dimension both sides agree without the extra factor ρ² < 1",
        ),
        mutant(
            "noise need not be independent over the steps",
            None,
            "with the same noise n at two steps w_2 − w* gains −η(1 + q)n, q = 1 − ηλ, and (1 + q)² > 1 + q² for q > 0",
            at(spectrum=[1], mirror=[0], step="1/2", offset=[0], sigma_sq=1, directions=[1]),
            world=noisy(repeated=True),
        ),
    ],
    tight="one dimension, or the start and all noise along an eigenvector whose factor |1 − ηλ| is ρ",
    supremum=1.0,
    verdict="""It holds. Independent noise of mean 0 adds its second moment at every step, after which each part
        contracts by factors (1 − ηλ)² <= ρ² in the eigenbasis; summing the geometric series gives the bound.""",
)

K28 = remark(
    "K28",
    "known truth",
    "SGD with steps falling like 1/t",
    printed=r"\Delta_T\le\frac{\max(\gamma\Delta_0,\,4\sigma^2/\mu^2)}{\gamma+T},\qquad\eta_t=\frac{2}{\mu(\gamma+t)}",
    plainly="With steps 2/(μ(γ+t)) and γ >= 2L/μ the mean squared distance falls like 1/(γ+T).",
    assumes=[
        "F an L-smooth, μ-strongly convex quadratic with minimiser w*",
        "η_t = 2/(μ(γ+t)) for t = 0, 1, …, with γ >= 2L/μ",
        "noise of mean 0, independent over the steps, E‖n‖² = σ²",
    ],
    says=le(Delta, Max(gamma * D0, _FLOOR) / (gamma + T)),
    world=falling_steps(),
    readings=[
        reading(
            "as stated",
            """Curvature and noise covariance with common axes in general position; γ up to a thousand times 2L/μ; T to
                10,000.""",
        )
    ],
    mutants=[
        mutant(
            "γ >= 2L/μ dropped",
            None,
            "with a small γ the first step multiplies the steepest coordinate by far less than −1",
            world=falling_steps(free=True),
        ),
        mutant(
            "the larger of the two replaced by the smaller",
            le(Delta, Min(gamma * D0, _FLOOR) / (gamma + T)),
            "started at w* the right side is 0, and the first noisy step leaves η_0²σ² > 0",
        ),
        mutant(
            "μ² replaced by μL in the noise",
            le(Delta, Max(gamma * D0, 4 * sigma_sq / (mu * L)) / (gamma + T)),
            """started at w* with all noise in the flattest direction (γ+T)Δ_T tends to 4σ²/(3μ²), more than 4σ²/(μL)
                once L > 3μ""",
        ),
        mutant(
            "γ + T squared",
            le(Delta, Max(gamma * D0, _FLOOR) / (gamma + T) ** 2),
            "started at w* one step leaves η_0²σ² = 4σ²/(μγ)², more than 4σ²/(μ²(γ+1)²)",
        ),
        mutant(
            "noise term dropped",
            le(Delta, gamma * D0 / (gamma + T)),
            "started at w* the right side is 0, and the first noisy step leaves η_0²σ² > 0",
        ),
    ],
    tight="only in the trivial limit γ/T → ∞, where nothing has moved yet",
    verdict="""It holds: γ >= 2L/μ keeps every step within 1/L, so a step contracts by (1 − η_tμ)² and adds η_t²σ²;
        induction on t with the constant max(γΔ_0, 4σ²/μ²) gives the bound.""",
)

CLAIMS = (K18, K19, K20, K28)
