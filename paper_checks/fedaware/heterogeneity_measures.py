"""FA-TAB1.1 to FA-TAB1.4: the four measures of heterogeneity of Table 1, as printed, on quadratic clients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked
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
    split_client,
    symbols,
)
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

slope, mean_slope2, sigma, sigma2, kappa, norm0, reach = symbols("slope mean_slope2 sigma sigma2 kappa norm0 reach")


def _measured(x: Instance) -> Mapping[str, Any]:
    """1-D quadratic clients: the mean of |∇fᵢ|, or of its square (`square`), at x, at x* (`best`) or one minimum (`common`)."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    if "common" in x:
        m = np.broadcast_to(m[:, :1], h.shape)
    H = (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / H
    at = best if "best" in x else x["point"]
    g = h * (at[:, None] - m)
    mean = (p * g).sum(axis=1) * (0.0 if "best" in x else 1.0)
    other = (p * np.abs(h * (x["other"][:, None] - m))).sum(axis=1)
    spread = (p * (g - mean[:, None]) ** 2).sum(axis=1)
    return {
        "lhs": (p * g**2).sum(axis=1) if "square" in x else (p * np.abs(g)).sum(axis=1),
        "slope": np.abs(mean),
        "mean_slope2": mean**2,
        "sigma": np.sqrt(spread) * (1 + x["slack"]),
        "sigma2": spread,
        "kappa": h.max(axis=1) / h.min(axis=1),
        "norm0": other,
        "reach": h.max(axis=1) * np.abs(at - x["other"]),
        "magnitude": np.abs(h).max(axis=1) * (np.abs(at) + np.abs(m).max(axis=1)),
    }


def measured_exact(x: Mapping[str, Any]) -> Checked:
    """The same at rational points; the root of the dissimilarity is rounded up to a rational sigma."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    m = [m[0] for _ in m] if "common" in x else m
    clients = range(len(h))
    H = sum(p[i] * h[i] for i in clients)
    best = sum(p[i] * h[i] * m[i] for i in clients) / H
    at = best if "best" in x else x["point"]
    g = [h[i] * (at - m[i]) for i in clients]
    mean = sum(p[i] * g[i] for i in clients)
    spread = sum(p[i] * (g[i] - mean) ** 2 for i in clients)
    scale = 10**18
    root = Fraction(int(Fraction(spread * scale * scale)) + 1, 1)
    low, high = 0, max(1, int(root))
    while low < high:  # the least whole number whose square is at least root
        middle = (low + high) // 2
        low, high = (low, middle) if middle * middle >= root else (middle + 1, high)
    sigma = Fraction(low, scale) * (1 + x["slack"])
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(p) == 1 and min(p) >= 0,
        "sigma^2 at least the dissimilarity": sigma * sigma >= spread,
    }
    constants = {
        "lhs": sum(p[i] * (g[i] ** 2 if "square" in x else abs(g[i])) for i in clients),
        "slope": abs(mean),
        "mean_slope2": mean * mean,
        "sigma": sigma,
        "sigma2": spread,
        "kappa": max(h) / min(h),
        "norm0": sum(p[i] * abs(h[i] * (x["other"] - m[i])) for i in clients),
        "reach": max(h) * abs(at - x["other"]),
    }
    return met, constants


def _federations(*flags: str) -> Family:
    def at(N: float) -> Case:
        size = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (size,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (size,)),
                Simplex("weights", size),
                Signed("point", 1e-2, 1e3),
                Signed("other", 1e-2, 1e3),
                LogScale("slack", 1e-3, 1.0),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"curvature": 0, "optimum": 0, "weights": 0}
        same = () if "common" in flags else (permuted_clients(every), split_client(every, ("weights",)))
        cost = max(1.0, size / 75)
        return Case(
            f"{size} clients on the line", space, _measured, ExactCheck(measured_exact), cost=cost, symmetries=same
        )

    return Family("clients on the line", (Size("N", 1, 300, 3),), at)


def _at_most(expression: Any, again: Any, *flags: str) -> Inequality:
    return Inequality(Bound(expression, again), (_federations(*flags),), degrees=None)


def two_slopes(R: Fraction) -> tuple[Fraction, Fraction]:
    """The mean of |grad f_i| at x = R for (x - 1)^2/2 and (x + 1)^2/2, and the constant 1."""
    return (abs(R - 1) + abs(R + 1)) / 2, Fraction(1)


_SPACE = "E over the clients with the weights λ of the objective; quadratic clients"

TAB11 = Claim(
    id="FA-TAB1.1",
    kind=Kind.INEQUALITY,
    source="Table 1, row 1",
    title="Gradient dissimilarity",
    statement=r"\mathbb E\|\nabla f_i(x)-\nabla f(x)\|^2\le\sigma_g^2",
    says="Bounded dissimilarity bounds the mean square of the local gradients by that of the global one plus σ_g².",
    assumes=(_SPACE,),
    readings=(
        Reading(
            "what it says of the local gradients",
            "𝔼‖∇fᵢ‖² = ‖∇f‖² + dissimilarity, so at most ‖∇f‖² + σ_g².",
            _at_most(mean_slope2 + sigma2, lambda mean_slope2, sigma2: sigma2 + mean_slope2, "square"),
        ),
    ),
    canaries=(
        Canary(
            "‖∇f‖² dropped",
            _at_most(sigma2, None, "square"),
            "identical clients have no dissimilarity and gradients all the same",
        ),
        Canary(
            "σ_g² dropped",
            _at_most(mean_slope2, None, "square"),
            "at the minimum of f the local gradients do not vanish",
        ),
    ),
    tight="always equal, with the least σ_g",
    depends_on=("FA-A4.1",),
    verdict_words=(
        "Row 1 is Assumption 4.1 with 𝔼 over clients. With its weights those of the objective it is the same as a bound on "
        "the mean square of the local gradients with γ = 1. Where a finite σ_g exists is the matter of FA-A4.1."
    ),
)

TAB12 = Claim(
    id="FA-TAB1.2",
    kind=Kind.INEQUALITY,
    source="Table 1, row 2",
    title="Gradient diversity",
    statement=r"\mathbb E\|\nabla f_i(x)\|\le\gamma^2\|\nabla f(x)\|",
    says="The mean norm of the local gradients is at most a constant times the norm of the global one.",
    assumes=(_SPACE, "γ a finite constant"),
    readings=(
        Reading(
            "minima of their own",
            "At the minimum of f, where any finite γ asks all local gradients to be 0.",
            Property((_federations("best"),), degrees=None),
        ),
        Reading(
            "one common minimum, strongly convex clients",
            "γ² = L/μ serves.",
            _at_most(kappa * slope, lambda kappa, slope: slope * kappa, "common"),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "minima of their own, γ² = L/μ",
            _at_most(kappa * slope, None),
            "near the minimum of f the right side vanishes",
        ),
    ),
    tight=None,
    depends_on=("FA-TAB1.1",),
    verdict_words=(
        "As a measure it can be met: for strongly convex clients with one common minimum γ² = L/μ serves. That is "
        "interpolation. Where f is stationary the right side is 0, so γ is finite only if every client is stationary "
        "there too. That it is finite for clients with minima of their own is a stronger statement, ours; the paper "
        "calls such measures pessimistic. The cited works square both norms. Of single norms that would only change "
        "γ² into γ⁴, but a mean of squares exceeds the square of the mean: for gradients 0 and 2 of equal shares the "
        "mean norm is that of the mean, 1, and the mean square is 2."
    ),
)

TAB13 = Claim(
    id="FA-TAB1.3",
    kind=Kind.INEQUALITY,
    source="Table 1, row 3",
    title="General gradient diversity",
    statement=r"\mathbb E\|\nabla f_i(x)\|\le\gamma^2\|\nabla f(x)\|+\sigma_g^2",
    says=(
        "The mean norm of the local gradients is at most a constant times the norm of the global one plus a constant."
    ),
    assumes=(_SPACE, "σ_g² is printed in all rows, in row 1 for a squared gradient, here for a gradient"),
    readings=(
        Reading(
            "σ_g a constant of this row",
            "γ = 1 and, in place of σ_g², any number of at least the root of the dissimilarity.",
            _at_most(slope + sigma, lambda slope, sigma: sigma + slope),
        ),
        Reading(
            "σ_g of row 1",
            "At the minimum of f, where γ does not matter, and σ_g² the dissimilarity there.",
            _at_most(sigma2, lambda sigma2: sigma2 * 1, "best"),
        ),
    ),
    canaries=(Canary("σ_g dropped", _at_most(slope, None), "at the minimum of f the local gradients do not vanish"),),
    tight=None,
    depends_on=("FA-TAB1.1", "FA-TAB1.2"),
    verdict_words=(
        "With σ_g² a constant of this row it holds with γ = 1 wherever row 1 does. Sec. 4.1 says so: «σ_g's "
        "definition is different» from row to row. That the σ_g² of row 1 serves here is a stronger statement, ours, "
        "and false: left and right then have different units, and shrinking all losses by a factor breaks any such "
        "bound. Read as usual, with squared norms on both gradients, the rows agree."
    ),
)

TAB14 = Claim(
    id="FA-TAB1.4",
    kind=Kind.ORDER,
    source="Table 1, row 4",
    title="Bounded gradients",
    statement=r"\mathbb E\|\nabla f_i(x)\|\le\sigma_g^2",
    says="The mean norm of the local gradients is bounded.",
    assumes=(_SPACE, "for which x is not printed"),
    readings=(
        Reading(
            "for all x",
            "Two quadratic clients, R from the middle.",
            Order("upper", (OrderFamily("far from two clients", two_slopes, {"R": n}, degree=1),), variable="R"),
        ),
        Reading(
            "on a bounded set",
            "At most its value at x₀ plus L times the distance from x₀.",
            _at_most(norm0 + reach, lambda norm0, reach: reach + norm0),
        ),
    ),
    canaries=(
        Canary("its value at one point", _at_most(norm0, None), "one client has no gradient at its own minimum only"),
    ),
    tight=None,
    depends_on=("FA-TAB1.3",),
    verdict_words=(
        "On a bounded set, such as the 𝒳 of Assumption 4.1, any smooth clients have bounded gradients. For which x "
        "the row is meant is not printed. On all of ℝᵈ strongly convex clients never meet it, least squares "
        "included, but neither they nor all of ℝᵈ are in the print: that reading is ours. Lipschitz losses meet the "
        "row everywhere."
    ),
)

CLAIMS: tuple[Claim, ...] = (TAB11, TAB12, TAB13, TAB14)
