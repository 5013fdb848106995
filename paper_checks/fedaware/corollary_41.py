"""Sec. 4.2: Corollary 4.1, FedAvg with other aggregation weights, and the χ² divergence in it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.convergence import FIRST, MEAN, MINIMISED, MOVED, STUCK, TO_AND_FRO
from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.runs import fedavg, one_run, runs
from paper_checks.fedaware.settings import UNIFORM
from theory.quantities import chi_square
from theory.worlds.hull import squares
from validation import Case, Claim, Family, Instance, LogScale, Simplex, Size, Space, permuted_clients, split_client
from validation.world import World, all_of, case, definition, le, mutant, nowhere, reading, theorem

__all__ = ["CLAIMS"]

F, F_star, T, K, eta, eta_l, L, c, gamma, sigma2 = NOTATION.symbols("F F_star T K eta eta_l L c gamma sigma2")
chi, chi_rho, low, mean_square = NOTATION.symbols("chi chi_rho low mean_square")
chi_other, chi_middle, apart_lam2, W, infinite = NOTATION.symbols("chi_other chi_middle apart_lam2 W infinite")

# Of (4) with ηKLT <= 1/2 the starting term alone is left, F*/(ηKT) = LF*/(ηKLT): it is at least 2LF*.
_SHORT = eta * K * L * T
_HORIZON = Space((LogScale("short", 1e-9, 0.5), LogScale("L", 1e-3, 1e3), LogScale("F_star", 1e-6, 1e6)))
short = NOTATION.symbols("short")
_TINY = (
    World(NOTATION, (runs("convex, noise, ηKLT <= 1/2", rows=2, horizon=Fraction(1, 2)),), grid=_HORIZON)
    .where(MINIMISED)
    .defining({short: _SHORT})
)
_GAIN = 2 * F / (eta * K * T) + 4 * c * eta_l**2 * L**2 * K * sigma2
_BUDGET = le(4 * gamma * (eta_l * L * K) ** 2 + eta * K * L, 1)
_HALF = Fraction(1, 2)

C41 = theorem(
    "FA-C4.1",
    "Corollary 4.1, Sec. 4.2",
    "FedAvg with other aggregation weights",
    printed=r"""\min_t\mathbb E\|\nabla f(x^t)\|^2\le\mathcal O\Big(\frac{F^*}{\eta KT}\Big)+\mathcal O
        \big(\eta\sigma_l^2+\eta_l^2K\sigma_l^2\big)+\mathcal O(\eta\tilde\Psi),\quad\tilde\Psi=\frac1T\sum_{t=0}^{T-1}
        \chi^2_{\lambda\|\tilde\lambda}\cdot\frac{\rho^t(\tilde\lambda)}{\eta_l^2K}""",
    plainly="With other aggregation weights the bound has χ² times the applied client consensus as its last term.",
    assumes=["λ static, λ̃ any weights on the simplex", "neither assumptions nor rates are named in the statement"],
    says=MOVED,
    open={
        "rates": nowhere("""the corollary names no rates («can be upper bounded by»); Theorem 4.2, to which it is
            compared, has «there exists static FedAvg learning rates»""")
    },
    readings=[
        reading(
            "constant other weights",
            "η_l = 1/(8LK); the run starts where the applied updates cancel, so ρ(λ̃) = 0 in every round.",
            options={"rates": "any, as none are named"},
            because="""the very case of the corollary: the weights of the objective and the applied ones «are not
                identical»""",
            shown=True,
        ),
        reading(
            "the objective's own weights",
            "λ̃ = λ, so χ² = 0: FedAvg itself from its fixed point, K >= 2.",
            STUCK,
            options={"rates": "any, as none are named"},
            cuts={"weights": "λ̃ = λ"},
        ),
        reading(
            "one client, with Assumption A.1 at γ = 1",
            """λ̃ = λ = 1, so χ² = 0; curvature 1, η_l = 1/(8K), and η_g such that the model goes from x to −x in every
                round.""",
            TO_AND_FRO,
            options={"rates": "any, as none are named"},
            conditions=["Assumption A.1", "one client"],
            because="A.1, which the proof uses, does not save the bound for rates that are not named",
        ),
        reading(
            "rates chosen for the horizon",
            """«There exists», carried over from Theorem 4.2: ηKLT <= 1/2, hidden constant 1, any weights, changing as
                they may.""",
            le(low, L * F_star / short, again=lambda F_star, L, short: F_star / (short / L), trivial=FIRST),
            world=_TINY,
            options={"rates": "chosen for the horizon"},
            because="ηKLT <= 1/2: above the trivial bound on the whole grid, whatever the weights",
        ),
        reading(
            "with Assumption A.1 and steps small against γ",
            """4γ(η_lLK)² + ηKL <= 1, λ̃ fixed in advance (it may change every round), convex clients; the hidden
                constants are then 2, 4cL² + 2γχ̃/(ηKL)·L and 2γ/(ηK), with f(x⁰) − E f(x^T) for F*; so they depend on
                η, K and χ̃.""",
            le(
                mean_square,
                _GAIN + 2 * gamma * chi * sigma2 / K + 2 * gamma * chi_rho / (eta_l**2 * K**2),
                again=lambda F, T, K, eta, eta_l, L, c, gamma, sigma2, chi, chi_rho: (
                    2 * F / (eta * K * T)
                    + sigma2 / K * (4 * c * (eta_l * L * K) ** 2 + 2 * gamma * chi)
                    + chi_rho * 2 * gamma / (eta_l * K) ** 2
                ),
                trivial=MEAN,
            ),
            world=fedavg(runs("convex, noise", rows=2, longest=_HALF)).where(_BUDGET),
            conditions=[
                "Assumption A.1",
                "4γ(η_lLK)² + ηKL <= 1",
                "convex clients",
                "weights fixed before the round's samples",
            ],
            because="""the paper is about non-convex networks (Sec. 4.1, 4.2), and its own weights see the round: no
                named setting has all four""",
        ),
    ],
    mutants=[
        mutant(
            "rates chosen for the horizon, half of the first term",
            le(low, F_star / (2 * eta * K * T)),
            "one client, one round and the longest steps: the first term is 2LF*, which is ‖∇f(x⁰)‖²",
            world=fedavg(one_run(1, 1, 1, 1, longest=_HALF)).where(MINIMISED),
        ),
        mutant(
            "last term dropped under the repaired reading",
            le(mean_square, _GAIN),
            """a model that moves away from the optimum of f, towards that of the other weights, makes the right side
                negative""",
            world=fedavg(*(one_run(2, 1, 1, t, rows=1, noisy=False, longest=_HALF) for t in (1, 5))).where(_BUDGET),
        ),
    ],
    rests_on=["FA-E13", "FA-T4.2", "FA-PR4.1", "FA-AA.1", "FA-A4.2", "FA-A4.3"],
    verdict="""The statement names no assumption and no rates. For given rates it is false: constant other weights lead
        FedAvg to the minimiser of another objective, and there the right side tends to 0 while ∇f stays what it is. For
        example take two clients (x − mᵢ)²/2 of equal shares, apply other weights, and start without noise at Σλ̃ᵢmᵢ:
        the updates cancel, every ρᵗ(λ̃) is 0, and ∇f is not. With λ̃ = λ it is false too, as χ² = 0 removes the
        consensus term that Theorem 4.2 has. Read with Theorem 4.2's «there exists», for the horizon, it is true but
        says nothing: at ηKLT <= 1/2 the first term alone is at least 2LF* >= ‖∇f(x⁰)‖², whatever the weights. The proof
        in A.3 uses Assumption A.1, which the corollary does not name; its γ is infinite at such points. A.1 alone is
        not enough: one client of curvature 1, with K = 1 and η = 2, goes to and fro between x⁰ and −x⁰, where γ = 1, χ²
        = 0 and only F*/(ηKT) is left. With A.1, steps small against γ, convex clients and weights fixed in advance the
        bound holds, with constants that depend on γ, c, χ̃ and 1/(ηKL).""",
)


def divergence(x: Instance, *, empty: bool = False) -> Mapping[str, Any]:
    """χ² of two pairs of weights and of their mean; `empty`: λ may be 0, and `infinite` is 1 where χ² then has no value."""
    lam, tilde = x["weights"], x["applied"]
    if empty:
        return {"infinite": np.any((lam == 0) & (tilde > 0), axis=1).astype(float)}
    chi, other = chi_square(tilde, lam), chi_square(x["other_applied"], x["other"])
    found = {"chi": chi, "chi_other": other, "apart_lam2": squares(lam - tilde), "W": (tilde**2 / lam).sum(axis=1)}
    found["chi_middle"] = chi_square((tilde + x["other_applied"]) / 2, (lam + x["other"]) / 2)
    return {**found, "magnitude": 1 + chi + other}


def divergence_exact(x: Mapping[str, Any], *, empty: bool = False) -> Checked:
    """chi^2 of two pairs of weights and of their mean; a weight lambda_i = 0 with lambda~_i > 0 leaves it without a value."""
    lam, tilde = x["weights"], x["applied"]
    pairs = ((lam, tilde),) if empty else ((lam, tilde), (x["other"], x["other_applied"]))
    met = {"on the simplex": all(sum(w) == 1 and min(w) >= 0 for pair in pairs for w in pair)}
    if empty:
        return met, {"infinite": Fraction(int(any(a == 0 < b for a, b in zip(lam, tilde, strict=True))))}
    met["lambda > 0"] = min(min(w) for w, _ in pairs) > 0
    mean = tuple([(a + b) / 2 for a, b in zip(u, v, strict=True)] for u, v in zip(*pairs, strict=True))
    one, two, middle = (sum((a - b) ** 2 / a for a, b in zip(u, v, strict=True)) for u, v in (*pairs, mean))
    found = {"chi": one, "chi_other": two, "chi_middle": middle}
    found["apart_lam2"] = sum((a - b) ** 2 for a, b in zip(lam, tilde, strict=True))
    return met, {**found, "W": sum(b * b / a for a, b in zip(lam, tilde, strict=True))}


def _divergence(*, empty: bool = False) -> World:
    def at(N: float) -> Case:
        size = int(N)
        pair = () if empty else (Simplex("other", size, interior=True), Simplex("other_applied", size))
        space = Space((Simplex("weights", size, interior=not empty), Simplex("applied", size), *pair))
        every = {c.name: 0 for c in space.coordinates}
        same, cost = (permuted_clients(every), split_client(every, tuple(every))), max(1.0, size / 75)
        return case(f"{size} clients", space, divergence, divergence_exact, cost=cost, symmetries=same, empty=empty)

    return World(NOTATION, (Family("weights", (Size("N", 1, 300, 3),), at),))


_CONVEX = chi_middle - (chi + chi_other) / 2

CHI = definition(
    "FA-CHI",
    "Corollary 4.1, §4.2",
    "χ² divergence of the weights",
    printed=r"\chi^2_{\lambda\|\tilde\lambda}=\sum_i\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}",
    plainly="The χ² divergence measures how far the applied weights are from those of the objective.",
    assumes=["λ and λ̃ on the simplex", "λᵢ >= 0, as §2 prints"],
    says=le(infinite, 0),
    world=_divergence(empty=True),
    readings=[
        reading(
            "finite on the whole simplex",
            "A client may have λᵢ = 0, as §2 allows.",
            cuts={"shares": "zero, which «λᵢ >= 0» of Sec. 2 allows"},
            met_by=UNIFORM,
        ),
        reading(
            "λᵢ > 0",
            "Non-negative, 0 for λ̃ = λ only, jointly convex, equal to Σλ̃ᵢ²/λᵢ − 1.",
            all_of(le(-chi, 0), le(apart_lam2, chi), le(abs(W - 1 - chi), 0), le(_CONVEX, 0)),
            world=_divergence(),
        ),
    ],
    mutants=[mutant("linear along the mean", le(abs(_CONVEX), 0), "χ² is strictly convex in λ̃", world=_divergence())],
    tight="λ̃ = λ",
    verdict="""For λᵢ > 0 it is what it should be. The problem of §2 allows λᵢ = 0; there the display divides by 0, or
        is infinite by the usual convention as soon as λ̃ᵢ > 0, and Corollary 4.1 is then empty. Min-norm weights are
        computed over all clients and may well give such a client weight.""",
)

CLAIMS: tuple[Claim, ...] = (C41, CHI)
