"""Steps of the proof E.2 that average: over the clients with weights w, over the rounds with a division."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.step_constants import DEGREES, SQUARES, step_coordinates, steps, steps_exact
from validation import (
    Bound,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    symbols,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

tau, eta, L, noise, C, A, B, W_D, grad2 = symbols("tau eta L noise C A B W_D grad2")
T, drop, square_weights = symbols("T drop square_weights")


def _mean(x: Instance) -> Mapping[str, Any]:
    """τηΣwₖNₖ with Nₖ up to (49) and Gₖ up to A‖∇F‖² + B; `one`: w of any sign that sums to 1."""
    c, w = steps(x), x["weights"]
    if "one" in x:
        w = np.concatenate([w[:, :-1], 1 - w[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    near, cap = 1 - c["C"], x["A"] * x["grad2"] + x["B"]
    gradients = x["gradients"] * cap[:, None]
    a = (c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"]
    drifts = x["drifts"] * (a[:, None] + c["C"][:, None] * gradients) / near[:, None]
    scale = c["tau"] * c["eta"]
    size = scale * np.abs(w).sum(axis=1) * (a + c["C"] * cap) / near
    rest = {k: x[k] for k in ("A", "B", "grad2", "noise")}
    return {**c, **rest, "lhs": scale * (w * drifts).sum(axis=1), "magnitude": size}


def mean_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Weighted drifts N_k within (49), gradients G_k within A |grad F|^2 + B, both any such numbers."""
    met, c = steps_exact(x)
    w = list(x["weights"])
    if "one" in x:
        w = [*w[:-1], 1 - sum(w[:-1])]
    cap, near = x["A"] * x["grad2"] + x["B"], 1 - c["C"]
    a = (c["tau"] - 1) * c["L"] ** 2 * c["eta"] ** 2 * x["noise"]
    G = [f * cap for f in x["gradients"]]
    N = [f * (a / near + c["C"] / near * v) for f, v in zip(x["drifts"], G, strict=True)]
    met = {
        **met,
        "0 <= G_k <= A |grad F|^2 + B": all(0 <= v <= cap for v in G),
        "0 <= N_k <= (49)": all(0 <= v <= a / near + c["C"] / near * u for v, u in zip(N, G, strict=True)),
        "weights sum to one": sum(w) == 1,
        "w_k >= 0 where that is asked": "one" in x or min(w) >= 0,
    }
    lhs = c["tau"] * c["eta"] * sum(a * b for a, b in zip(w, N, strict=True))
    return met, {**c, **{k: x[k] for k in ("A", "B", "grad2", "noise")}, "lhs": lhs}


def _means(*flags: str) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        weights = Signed("weights", 1e-2, 1e1, (n,)) if "one" in flags else Simplex("weights", n)
        drawn = Space(
            (
                *step_coordinates(*flags),
                weights,
                Uniform("gradients", 0.0, 1.0, (n,)),
                Uniform("drifts", 0.0, 1.0, (n,)),
                LogScale("A", 1e-2, 1e2, at=(1.0,)),
                LogScale("B", 1e-4, 1e4, at=(1.0,)),
                LogScale("grad2", 1e-4, 1e4, at=(1.0,)),
            )
        )
        every = dict.fromkeys(("weights", "gradients", "drifts"), 0)
        scaled = units({k: v for k, v in SQUARES.items() if k != "gradients"})
        same = (scaled, *(() if "one" in flags else (permuted_clients(every),)))
        check = ExactCheck(mean_exact, (steps_exact,))
        return Case(f"{n} clients", drawn, _mean, check, max(1.0, n / 100), False, same)

    return Family("drifts of all clients", (Size("K", 1, 300, 3),), at)


def averaged_again(tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, grad2: Any) -> Any:
    """(51) over 1 − C."""
    return tau * eta * ((tau - 1) * (eta * L) ** 2 * noise + C * (A * grad2 + B)) / (1 - C)


_LINE51 = (
    tau * (tau - 1) * noise * L**2 * eta**3 / (1 - C)
    + tau * eta * A * C / (1 - C) * grad2
    + tau * eta * B * C / (1 - C)
)


def _s15(*flags: str) -> Inequality:
    return Inequality(Bound(_LINE51, averaged_again, DEGREES), (_means(*flags),), degrees=(1, 0))


S15 = stated(
    r"""SSA-S15 (step; (49) in (31) to (50), (51)): Weighted mean of the drifts
    Print: \tau\eta\sum_kw_kN_k\le\tau\eta\sum_kw_k\Big[\tfrac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\tfrac C{1-C}G_k\Big]
      \le\tfrac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\tfrac{\tau\eta AC}{1-C}\|\nabla F\|^2+\tfrac{\tau\eta BC}{1-C}
    Plainly: Weighting the drifts and using A.4 for every client leaves the weights out of the bound.
    Assumes: A.4 for every client | ηL <= 1/(2τ) | the sum and the signs of w are not stated
    Reading: weights that sum to one, of any sign | What (13) needs, and no more. | cut weights = any sign, sum one
    Reading: weights on the simplex | What Jensen's inequality in (31) supposes; never stated of w. | condition: w_k
      >= 0, Σw_k = 1 | met by: FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Mutant: B left out | every client at A‖∇F‖² + B attains the printed bound
    Tight: all drifts and gradients at their bounds
    Rests on: SSA-S10, SSA-S14, SSA-A4
    Repeats: SSA-E50
    Verdict: On the simplex it is true; what is used is wₖ >= 0 and Σwₖ <= 1. With weights of either sign it fails
      already in (50): the bounds of clients with negative weights do not help, and those with weights above 1 count
      more than once.""",
    _s15("one"),
    readings={
        "weights on the simplex": _s15(),
    },
    mutants={
        "B left out": Inequality(
            Bound(_LINE51 - tau * eta * B * C / (1 - C), degrees=DEGREES), (_means(),), degrees=(1, 0)
        ),
    },
)


def _summed(x: Instance) -> Mapping[str, Any]:
    """Mean of T squared gradients under (53) with equality up to a slack each round, and F_inf below all F(θᵗ)."""
    c, near = steps(x), None
    near = 1 - c["C"]
    D = near - 2 * x["A"] * c["C"] - x["W_D"] * near
    scale = c["tau"] * c["eta"]
    rest = c["L"] * scale * c["eta"] * x["noise"] * x["square_weights"] + scale * x["B"] * x["W_D"] / 2
    rest = rest + scale * ((c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"] + x["B"] * c["C"]) / near
    G = x["gradients"]
    change = -(scale * D / (2 * near))[:, None] * G + rest[:, None] - x["slack"] * rest[:, None]
    fall = np.concatenate([np.zeros((len(G), 1)), -np.cumsum(change, axis=1)], axis=1).max(axis=1)
    size = G.mean(axis=1) + (np.abs(change).sum(axis=1) + rest * G.shape[1]) / (scale * np.abs(D) * G.shape[1])
    kept = {k: x[k] for k in ("A", "B", "W_D", "noise", "square_weights")}
    met = np.abs(D) > 1e-9 if "any_sign" in x else D > 1e-9
    return {
        **c,
        **kept,
        "lhs": G.mean(axis=1),
        "drop": fall + x["room"] * rest,
        "T": np.full(len(G), float(G.shape[1])),
        "admissible": met,
        "magnitude": size,
    }


def summed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Any values F_t and gradients G_t that obey (53) round by round, F_inf <= F_t for all t."""
    met, c = steps_exact(x)
    tau, eta, L, C = c["tau"], c["eta"], c["L"], c["C"]
    A, B, W_D, s2, G = x["A"], x["B"], x["W_D"], x["noise"], x["gradients"]
    rest = L * tau * eta**2 * s2 * x["square_weights"] + tau * eta * B * W_D / 2
    rest += tau * (tau - 1) * s2 * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)
    factor = 1 - W_D - 2 * A * C / (1 - C)
    F = [Fraction(0)]
    for g, slack in zip(G, x["slack"], strict=True):
        F.append(F[-1] - tau * eta / 2 * factor * g + rest - slack * rest)
    low = min(F) - x["room"] * rest
    met = {
        **met,
        "(53) in every round": all(F[t + 1] - F[t] <= -tau * eta / 2 * factor * G[t] + rest for t in range(len(G))),
        "F >= F_inf": all(v >= low for v in F),
        "squares": min(G) >= 0,
        "divisor positive where that is asked": "any_sign" in x or factor > 0,
    }
    kept = {k: x[k] for k in ("A", "B", "W_D", "noise", "square_weights")}
    return met, {**c, **kept, "lhs": sum(G) / len(G), "drop": F[0] - low, "T": Fraction(len(G))}


def _sums(*flags: str) -> Family:
    def at(rounds: float) -> Case:
        n = int(rounds)
        drawn = Space(
            (
                *step_coordinates(*flags),
                LogScale("gradients", 1e-4, 1e4, (n,), at=(1.0,)),
                LogScale("A", 1e-2, 1e1, at=(1.0,)),
                LogScale("B", 1e-4, 1e4, at=(1.0,)),
                LogScale("W_D", 1e-4, 5.0, at=(0.5,)),
                LogScale("square_weights", 1e-3, 1.0),
                Uniform("slack", 0.0, 1.0, (n,), at=(0.0, 1.0)),
                LogScale("room", 1e-6, 1.0),
            )
        )
        check = ExactCheck(summed_exact, (steps_exact,))
        return Case(f"{n} rounds", drawn, _summed, check, max(1.0, n / 50), False, (units(SQUARES),))

    return Family("rounds that obey (53)", (Size("rounds", 1, 300, 3),), at)


_D = 1 - C - 2 * A * C - W_D * (1 - C)
_T1 = 2 * (1 - C) * drop / (tau * eta * T * _D)
_LINE55 = (
    _T1
    + (1 - C) * B * W_D / _D
    + 2 * (1 - C) * L * eta * noise * square_weights / _D
    + 2 * (tau - 1) * noise * L**2 * eta**2 / _D
    + 2 * B * C / _D
)


def divided_again(
    tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, W_D: Any, T: Any, drop: Any, square_weights: Any
) -> Any:
    """(53) summed, over T and over the divisor τη/2·(1 − W_D − 2AC/(1 − C))."""
    rest = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
    rest = rest + (tau * (tau - 1) * noise * L**2 * eta**3 + tau * eta * B * C) / (1 - C)
    return (drop / T + rest) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))


def _s18(*flags: str) -> Inequality:
    return Inequality(Bound(_LINE55, divided_again, DEGREES), (_sums(*flags),), degrees=(2, -2))


S18 = stated(
    r"""SSA-S18 (step; (53) to (55)): Telescoping and division
    Print: \mathbb E F(\theta^{(t+1,0)})-\mathbb E F(\theta^{(t,0)})\le-\tfrac{\tau\eta}2\big(1-W_D-\tfrac{2AC}{1-C}
      \big)G_t+\dots\ \forall t\ \Rightarrow\ \tfrac1T\sum_tG_t\le(55)
    Plainly: Summing (53) over the rounds and dividing by the coefficient of the gradient gives (55).
    Assumes: F >= F_inf | the sign of 1 − W_D − 2AC/(1−C) is not stated
    Reading: a divisor of any sign | Nothing is said of its sign. | cut denominator = any sign
    Reading: a positive divisor | 1 − C − 2AC − W_D(1−C) > 0. | condition: 1 − C − 2AC − W_D(1 − C) > 0 | met by:
      Corollary A.8, W_D = 0 and η = 1/√(τT), for T > 2(1 + 2A)(τ − 1)L² (τ = 2, L = A = 1, T = 8: the divisor's D is
      1/4)
    Mutant: starting term left out | one round with a large gradient and a large fall
    Tight: equality in every round, ending at F_inf
    Rests on: SSA-S17, SSA-A2
    Repeats: SSA-E55
    Verdict: With a positive divisor the step is exact. Where it is negative the division turns the inequality round,
      and the right side is negative while the left is a mean of squares. Nothing in the theorem keeps it positive:
      not ηL <= 1/(2τ) (SSA-S20), and not the weights, since W_D reaches 2K·2 on the simplex and 2(K − 1) for one
      target client and equal weights.""",
    _s18("any_sign"),
    readings={
        "a positive divisor": _s18(),
    },
    mutants={
        "starting term left out": Inequality(Bound(_LINE55 - _T1, degrees=DEGREES), (_sums(),), degrees=(2, -2)),
    },
)


CLAIMS: tuple[Claim, ...] = (S15, S18)
