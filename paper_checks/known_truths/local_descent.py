"""K22: FedAvg on identical clients contracts as one descent of T·E steps, whatever the weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import LINEAR, after, eye_minus, margin, power, symmetric
from paper_checks.known_truths.spectra import TINY, descent, offset, quadratic, sizes_in_words
from theory.exact import (
    dot,
    local_sgd_round,
    matvec,
    quadratic_gradient,
    quadratic_optimum,
    solve,
    weighted_sum,
)
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

contraction, one_step_each, one_round, D0 = symbols("contraction one_step_each one_round D0")
_DEGREES = {"contraction": (0, 0), "D0": (0, 2)}


def rounds_again(contraction: Any, D0: Any) -> Any:
    """K22, squared, once more."""
    return contraction * D0 * contraction


ROUNDS = Bound(contraction**2 * D0, again=rounds_again, degrees=_DEGREES)


def _identical(x: Instance) -> Mapping[str, Any]:
    """Every client's map over a round is the power (1 − ηλ)^E, direction by direction; the server averages them."""
    run, T, E = descent(x), x["rounds"], x["local_steps"]
    a = x["weights"]
    local = run.turn ** E[:, None]
    averaged = (a[:, :, None] * local[:, None, :]).sum(axis=1)
    if x.get("scale") is not None:  # weights that do not sum to one
        averaged = 1.0 + x["scale"][:, None] * (averaged - 1.0)
    D0 = (x["offset"] ** 2).sum(axis=1)
    contraction = run.rho ** (T * E)
    return {
        "lhs": ((averaged ** T[:, None] * run.start) ** 2).sum(axis=1),
        "one_round": run.rho**E,
        "one_step_each": run.rho**T,
        "contraction": contraction,
        "D0": D0,
        "admissible": (run.rho < 1) & (contraction**2 * D0 > TINY),
    }


def identical_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on identical clients: played step by step while T E <= 8, by powers of matrices beyond."""
    A, T, E = symmetric(x["spectrum"], x["mirror"]), int(x["rounds"]), int(x["local_steps"])
    eta, origin = x["step"] / max(x["spectrum"]), [Fraction(0) for _ in x["offset"]]
    rho = max(abs(1 - eta * min(x["spectrum"])), abs(1 - eta * max(x["spectrum"])))
    weights = [x.get("scale", 1) * a for a in x["weights"]]
    w = x["offset"]
    if T * E <= 8:
        n = len(weights)
        for _ in range(T):
            w, _, _ = local_sgd_round(w, [A] * n, [origin] * n, [eta] * E, None, lambda _: weights)
    else:
        local, total = after(eye_minus(eta, A), E), sum(weights)
        averaged = [[(1 - total) * int(i == j) + total * y for j, y in enumerate(r)] for i, r in enumerate(local)]
        w = matvec(after(averaged, T), w)
    constants = {
        "one_round": power(rho, E),
        "one_step_each": power(rho, T),
        "contraction": power(rho, T * E),
        "D0": dot(x["offset"], x["offset"]),
    }
    constants["lhs"] = dot(w, w) - margin(T * E, constants["contraction"] ** 2 * constants["D0"])
    hypotheses = {
        "curvatures positive": min(x["spectrum"]) > 0,
        "rho < 1": rho < 1,
        "weights on the simplex, unless that is dropped": "scale" in x or (sum(weights) == 1 and min(weights) >= 0),
    }
    return hypotheses, constants


def _unlike(x: Instance) -> Mapping[str, Any]:
    """One-dimensional clients with curvatures and minimisers of their own; a round is w ← Qw + shift."""
    c, m, a = x["curvature"], x["optimum"], x["weights"]
    mu, L = c.min(axis=1), c.max(axis=1)
    eta, T, E = x["step"] / L, x["rounds"], x["local_steps"]
    local = (1 - eta[:, None] * c) ** E[:, None]
    best = (a * c * m).sum(axis=1) / (a * c).sum(axis=1)
    Q, shift = (a * local).sum(axis=1), (a * (1 - local) * (m - best[:, None])).sum(axis=1)
    end = x["offset"]
    for _ in range(int(T[0])):
        end = Q * end + shift
    rho = np.maximum(np.abs(1 - eta * mu), np.abs(1 - eta * L))
    return {
        "lhs": end**2,
        "contraction": rho ** (T * E),
        "D0": x["offset"] ** 2,
        "magnitude": (m**2).max(axis=1),
        "admissible": rho < 1,
    }


def unlike_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on unlike one-dimensional clients, every local step played; distances to the minimiser of Σ aᵢFᵢ."""
    T, E, a = int(x["rounds"]), int(x["local_steps"]), x["weights"]
    mu, L = min(x["curvature"]), max(x["curvature"])
    eta, curvatures, centers = x["step"] / L, [[[c]] for c in x["curvature"]], [[m] for m in x["optimum"]]
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    best = quadratic_optimum(a, curvatures, centers)
    w = [best[0] + x["offset"]]
    for _ in range(T):
        w, _, _ = local_sgd_round(w, curvatures, centers, [eta] * E, None, lambda _: a)
    hypotheses = {"curvatures positive": mu > 0, "rho < 1": rho < 1, "weights on the simplex": sum(a) == 1}
    constants = {"lhs": (w[0] - best[0]) ** 2, "contraction": rho ** (T * E), "D0": x["offset"] ** 2}
    return hypotheses, constants


_PLAYED = (weighted_sum, quadratic_gradient, local_sgd_round)
_IDENTICAL = ExactCheck(identical_exact, (*LINEAR, matvec, *_PLAYED))
_UNLIKE = ExactCheck(unlike_exact, (dot, matvec, solve, *_PLAYED, quadratic_optimum))


def _identical_case(simplex: bool) -> Callable[..., Case]:
    def at(N: float, d: float, E: float, T: float) -> Case:
        space = Space(
            (
                *quadratic(int(d), step_from=1e-7),
                offset(int(d)),
                Simplex("weights", int(N)),
                *(() if simplex else (LogScale("scale", 0.1, 1.9, at=(0.1, 0.5, 1.0)),)),
                Choice("local_steps", (float(E),)),
                Choice("rounds", (float(T),)),
            )
        )
        name = f"identical clients, {sizes_in_words(N=N, d=d, E=E, T=T)}"
        return Case(name if simplex else name + ", weights of any sum", space, _identical, _IDENTICAL)

    return at


def _unlike_case(N: float, E: float, T: float) -> Case:
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e1, (int(N),), at=(1e-2, 1.0, 10.0)),
            Signed("optimum", 1e-2, 1e2, (int(N),)),
            Simplex("weights", int(N)),
            LogScale("step", 1e-3, 1.99, at=(1e-3, 0.1, 1.0)),
            Signed("offset", 1e-6, 1e3),
            Choice("local_steps", (float(E),)),
            Choice("rounds", (float(T),)),
        )
    )
    return Case(f"unlike clients, {sizes_in_words(N=N, E=E, T=T)}", space, _unlike, _UNLIKE)


_IDENTICAL_CLIENTS = (
    Family(
        "identical clients",
        (
            Size("N", 1, 300, 3),
            Size("d", 1, 8, 2),
            Size("E", 1, 300, 2),
            Size("T", 1, 10_000, 2, ladder=True),
        ),
        _identical_case(simplex=True),
    ),
)
_FEW = (Size("N", 1, 10, 3), Size("d", 1, 3, 2), Size("E", 1, 10, 2), Size("T", 1, 10, 2, ladder=True))
_FREE_WEIGHTS = (Family("identical clients, weights of any sum", _FEW, _identical_case(simplex=False)),)
_UNLIKE_CLIENTS = (
    Family("unlike clients", (Size("N", 2, 10, 2), Size("E", 2, 10, 2), Size("T", 1, 5, 2)), _unlike_case),
)

K22 = Claim(
    id="K22",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="FedAvg on identical clients",
    statement=r"\|w_{TE}-w^*\|\le\rho^{TE}\|w_0-w^*\|",
    says="T rounds of E local steps of identical clients contract the squared distance by ρ^(2TE) (both sides squared).",
    assumes=(
        "every client has the same L-smooth, μ-strongly convex quadratic",
        "fixed weights on the simplex, full gradients, all clients present",
        "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1",
    ),
    readings=(
        Reading(
            "as stated",
            "Both sides squared; up to 300 clients, 300 local steps and 10,000 rounds; ρ^(TE) is the contraction.",
            Inequality(ROUNDS, _IDENTICAL_CLIENTS, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "one local step more",
            Inequality(Bound(contraction**2 * one_step_each**2 * D0), _IDENTICAL_CLIENTS),
            "ρ^(T(E+1)) < ρ^(TE), and in one dimension the distance is exactly ρ^(TE) of the first",
        ),
        Canary(
            "one round more",
            Inequality(Bound(contraction**2 * one_round**2 * D0), _IDENTICAL_CLIENTS),
            "ρ^((T+1)E) < ρ^(TE), and in one dimension the distance is exactly ρ^(TE) of the first",
        ),
        Canary(
            "clients need not be identical",
            Inequality(ROUNDS, _UNLIKE_CLIENTS),
            "started at the minimiser of Σ aᵢFᵢ the right side is 0, yet E >= 2 local steps of clients with unlike "
            "curvatures and minimisers move the average away from it",
        ),
        Canary(
            "weights need not sum to one",
            Inequality(ROUNDS, _FREE_WEIGHTS),
            "with Σ aᵢ = 1/2, E = T = 1 and one dimension the factor of a round is (1 + (1 − ηλ))/2 > 1 − ηλ > 0",
        ),
    ),
    tight="in one dimension always",
    verdict_words=(
        "It holds. Identical clients that start together stay together, so a weighted mean of them is each of them, and "
        "T rounds are one gradient descent of T·E steps (K18)."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K22,)
