"""E.2.6, (50) to (53): the drift of all clients put into the descent of one round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.kinked import kinked_rounds
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import of_round
from paper_checks.fedssa.settings import FEDAVG
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    Integer,
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
from validation.world import World, case, identity, le, lt, mutant, reading, step

__all__ = ["CLAIMS", "STEP", "steps", "steps_exact"]

tau, eta, L, sigma2, C, A, B, G, W_D, S = NOTATION.symbols("tau eta L sigma2 C A B G W_D S")
NG, W1, N4, fall = NOTATION.symbols("NG W1 N4 fall")
_OWN_NOISE = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - C)
_FIFTY = W1 * _OWN_NOISE + C / (1 - C) * NG


def fifty_again(W1: float, tau: float, eta: float, sigma2: float, L: float, C: float, NG: float) -> float:
    """The right side of (50) once more, without τη."""
    return (C * NG + (tau - 1) * W1 * sigma2 * (L * eta) ** 2) / (1 - C)


def fifty_one_again(tau: float, eta: float, sigma2: float, L: float, C: float, A: float, G: float, B: float) -> float:
    """The right side of (51) once more, without τη."""
    return (C * (A * G + B) + (tau - 1) * sigma2 * (L * eta) ** 2) / (1 - C)


E50 = step(
    "SSA-E50",
    "Eq. (50), E.2.6",
    "Weighted drift through each client's own bound",
    printed=r"""\tau\eta\sum_kw_k\mathbb E[\|\nabla F_k-\mathbf h_k\|^2]\le\tau\eta\sum_kw_k\Big[\frac{(\tau-1)\eta^2
        \sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k\|^2]\Big]""",
    plainly="The bound (49) of each client is weighted and summed.",
    assumes=[
        """one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises independent
            between the clients, as said below (24); w on the simplex (never stated), fixed before the round unless
            said""",
        "C < 1",
    ],
    says=of_round(le(N4, _FIFTY, again=fifty_again), lt(C, 1), reach=1.4),
    readings=[
        reading(
            "weights on the simplex",
            "As (31), into which (49) is put, uses them; the common factor τη left out.",
        ),
        reading(
            "weights of sum one, any sign",
            "The same for weights that may be negative.",
            of_round(le(N4, _FIFTY, again=fifty_again), lt(C, 1), weights="sum one", reach=1.4, large=False),
            cuts={"weights": "any sign, sum one"},
            ours="""(31), into which (49) is put, takes w_k as weights of Jensen's inequality, and (7) takes w_k log w_k:
                w_k >= 0 is presupposed here, though no line says it""",
        ),
    ],
    mutants=[
        mutant(
            "noise dropped",
            of_round(le(N4, C / (1 - C) * NG), lt(C, 1), reach=1.4),
            "clients at their own minimisers drift by noise alone",
        ),
        mutant(
            "gradients dropped",
            of_round(le(N4, W1 * _OWN_NOISE), lt(C, 1), reach=1.4),
            "without noise the clients still drift",
        ),
    ],
    rests_on=["SSA-E31", "SSA-E49"],
    verdict="""With w_k >= 0, which (31) and the entropy loss (7) presuppose, the bounds may be weighted and summed. With
        a negative weight, which nobody means, it would fail: inequalities may be weighted by non-negative numbers only.""",
)

_FIFTY_ONE = _OWN_NOISE + A * C / (1 - C) * G + B * C / (1 - C)
E51 = step(
    "SSA-E51",
    "Eq. (51), E.2.6",
    "Bounded dissimilarity in the drift",
    printed=r"""\le\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}\mathbb E[\|\nabla F\|^2]+
        \frac{\tau\eta BC}{1-C}""",
    plainly="With Assumption 4 the weighted drift is bounded by noise, the gradient of F and B.",
    assumes=[
        """one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises independent
            between the clients, as said below (24); w on the simplex (never stated), fixed before the round unless
            said""",
        "C < 1",
        "‖∇F_k‖² <= A‖∇F‖² + B at θ^(t,0) for every k, A, B > 0",
    ],
    says=of_round(le(N4, _FIFTY_ONE, again=fifty_one_again), lt(C, 1), weights="positive", reach=1.4, large=False),
    readings=[
        reading(
            "non-negative weights of any sum",
            "The left side of (50), τη left out; the sum of the weights is not stated.",
            cuts={"weights": "any sum"},
            because="Σw_k = 1 is printed nowhere",
        ),
        reading(
            "weights on the simplex",
            "The same.",
            of_round(le(N4, _FIFTY_ONE, again=fifty_one_again), lt(C, 1), reach=1.4),
            conditions=["Σw_k = 1"],
            met_by=FEDAVG,
        ),
    ],
    mutants=[
        mutant(
            "B dropped",
            of_round(le(N4, _FIFTY_ONE.subs(B, 0)), lt(C, 1), reach=1.4),
            "at a stationary point of F without noise the clients still drift apart",
        ),
        mutant(
            "A‖∇F‖² dropped",
            of_round(le(N4, _FIFTY_ONE.subs(A, 0)), lt(C, 1), reach=1.4),
            "one client: A‖∇F‖² may cover the whole gradient, with B as small as wished",
        ),
    ],
    rests_on=["SSA-A4", "SSA-E50"],
    repeats="SSA-E13",
    verdict="""Here Σw_k <= 1 is used: the noise and B stand on the right with weight one. The sum is stated nowhere,
        though (13) needs it to be one. On the simplex it holds, with Assumption 4 for every client that has a
        weight.""",
)

_REST = L * tau * eta**2 * sigma2 * S + tau * eta * B * W_D / 2 + tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C)
_REST = _REST + tau * eta * A * C / (1 - C) * G + tau * eta * B * C / (1 - C)
_SECOND = -tau * eta * (1 - W_D) / 2 * G + _REST
_REPAIRED = -tau * eta * (1 - A * W_D) / 2 * G + _REST


def second_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The right side of (52) once more."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (B * W_D - (1 - W_D) * G) / 2)


def repaired_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The same with A·W_D before the squared gradient."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (W_D * (A * G + B) - G) / 2)


_KINKED = (kinked_rounds(),)


E52 = step(
    "SSA-E52",
    "Eq. (52), E.2.6",
    "Descent of one round, all terms bounded",
    printed=r"""\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta(1-W_D)}2\|\nabla F\|^2+L\tau\eta^2
        \sigma^2\sum_kw_k^2+\frac{\tau\eta BW_D}2+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}
        \mathbb E[\|\nabla F\|^2]+\frac{\tau\eta BC}{1-C}""",
    plainly="The first line has 1 − A·W_D, the second 1 − W_D: a round lowers F by what the second line says.",
    assumes=[
        """one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises independent
            between the clients, as said below (24); w on the simplex (never stated), fixed before the round unless
            said""",
        "‖∇F_k‖² <= A‖∇F‖² + B for every k, A, B > 0",
        "C < 1, which ηL <= 1/(2τ) gives",
    ],
    says=of_round(le(fall, _SECOND, again=second_again), everywhere=True),
    readings=[
        reading("as printed, 1 − W_D", "Quadratic clients on the line, A.4 everywhere."),
        reading(
            "weights learned from the local models",
            "Ours: W_D and Σw_k² at their largest over the noise; A <= 1, so that nothing else is in the way.",
            of_round(le(fall, _SECOND, again=second_again), le(A, 1), sees=1, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""the largest W_D and Σw_k² over the noise; both are printed outside every expectation, where weights
                that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)""",
        ),
        reading(
            "A <= 1, weights fixed before the round",
            "Then 1 − W_D is the smaller factor.",
            of_round(le(fall, _SECOND, again=second_again), le(A, 1), more=_KINKED),
            conditions=["A <= 1"],
            because="""no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 where ⟨∇F, ∇Fₖ − ∇F⟩ is, too""",
        ),
        reading(
            "with 1 − A·W_D",
            "As in the first line; weights fixed before the round.",
            of_round(le(fall, _REPAIRED, again=repaired_again), more=_KINKED),
            edits=["1 − A·W_D in place of 1 − W_D on the second line of (52)"],
            token=True,
            forced_by="the first line of (52), and (30) and (31), print 1 − A·W_D",
            wrong_form_in=["SSA-TA5"],
            carries=False,
        ),
    ],
    mutants=[
        mutant(
            "BW_D dropped from the repaired line",
            of_round(le(fall, _REPAIRED - tau * eta * B * W_D / 2), more=_KINKED),
            "at a stationary point of F, with τ = 1 and no noise, other weights than p still move the model",
        ),
        mutant(
            "noise dropped from the repaired line",
            of_round(le(fall, _REPAIRED.subs(sigma2, 0)), more=_KINKED),
            "one client at its minimiser is moved by noise, which raises F",
        ),
        mutant(
            "the drift's noise, of T₄, dropped from the repaired line",
            World(NOTATION, _KINKED).test(le(fall, _REPAIRED - tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C))),
            "many equal clients, F' = L(|θ| − ηs/2) at θ = 0, s the noise: their mean stays where F' is −Lηs/2",
        ),
    ],
    rests_on=["SSA-E31", "SSA-E51"],
    repeats="SSA-TA5",
    verdict="""Refuted as printed: between its two lines the A before W_D is lost; with 1 − A·W_D on the second line,
        too, it holds for weights fixed before the round. (30), (31) and the first line of (52) print 1 − A·W_D. The
        second line is an upper bound only for A <= 1, and whenever the gradient of F is not bounded Assumption 4 forces
        A >= 1 (some ∇F_k grows at least as fast as the mean ∇F); two convex quadratic clients with w ≠ p break it. The
        theorem carries the loss on and counts it (SSA-TA5). At W_D = 0 nothing is lost. Weights that see the noise, a
        reading of ours, break it as well (SSA-E17). The term that becomes T₄ is needed: noise moves the mean path of
        clients whose gradient has kinks (not of quadratic ones).""",
)

rest = symbols("rest", positive=True)
_APART = -tau * eta * (1 - W_D) / 2 * G + rest + tau * eta * A * C / (1 - C) * G
_COLLECTED = -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G + rest
E53 = step(
    "SSA-E53",
    "Eq. (53), E.2.6",
    "Terms in ‖∇F‖² collected",
    printed=r"""=-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)\|\nabla F\|^2+L\tau\eta^2\sigma^2\sum_kw_k^2+
        \frac{\tau\eta BW_D}2+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta BC}{1-C}""",
    plainly="The two terms in ‖∇F‖² of (52) are put together.",
    assumes=["any constants, C ≠ 1"],
    says=identity(_APART, _COLLECTED),
    readings=[
        reading("as printed", "Equal to the second line of (52); the terms without ‖∇F‖² are the same on both sides.")
    ],
    mutants=[
        mutant(
            "AC/(1 − C) in place of 2AC/(1 − C)",
            identity(_APART, -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G + rest),
            "the bracket is halved by the factor −τη/2 before it",
        )
    ],
    rests_on=["SSA-E52"],
    verdict="""An identity, ‖∇F(θ^(t,0))‖² being its own expectation given θ^(t,0). It carries the lost factor of (52)
        along.""",
)

STEP = (
    Integer("local_steps", 1, 300, at=(2, 10)),
    LogScale("reach", 1e-3, 0.5, at=(0.5,)),
    LogScale("L", 1e-2, 1e2, at=(1.0,)),
    LogScale("noise", 1e-4, 1e4, at=(1.0,)),
)
"""The coordinates of `steps`."""


def steps(x: Instance) -> dict[str, Any]:
    """τ, η = reach/(τL), L, C and σ²; `reach` = τηL, at most 1/2 in the theorem."""
    t = x["local_steps"]
    found = {"tau": t, "eta": x["reach"] / (t * x["L"]), "L": x["L"], "C": 2 * (t - 1) / t * x["reach"] ** 2}
    return {**found, "noise": x["noise"], "A": x["A"], "B": x["B"]}


def steps_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """The same, C = 2 tau (tau - 1) eta^2 L^2."""
    t, L = x["local_steps"], x["L"]
    eta = x["reach"] / (t * L)
    met = {"tau >= 1, eta > 0": t >= 1 and eta > 0 and L > 0, "eta L <= 1/(2 tau)": 2 * t * eta * L <= 1}
    found = {"tau": Fraction(t), "eta": eta, "L": L, "C": 2 * t * (t - 1) * eta**2 * L**2}
    return met, {**found, "noise": x["noise"], "A": x["A"], "B": x["B"]}


def drifts(x: Instance, *, one: bool) -> Mapping[str, Any]:
    """τηΣwₖNₖ with Nₖ up to (49) and Gₖ up to A‖∇F‖² + B; `one`: w of any sign that sums to 1."""
    c, w = steps(x), x["weights"]
    w = np.concatenate([w[:, :-1], 1 - w[:, :-1].sum(axis=1, keepdims=True)], axis=1) if one else w
    near, cap = 1 - c["C"], x["A"] * x["grad2"] + x["B"]
    a = (c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"]
    N = x["drifts"] * (a[:, None] + (c["C"] * cap)[:, None] * x["gradients"]) / near[:, None]
    scale = c["tau"] * c["eta"]
    size = scale * np.abs(w).sum(axis=1) * (a + c["C"] * cap) / near
    return {**c, "grad2": x["grad2"], "weighted_drift": scale * (w * N).sum(axis=1), "magnitude": size}


def drifts_exact(x: Mapping[str, Any], *, one: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Weighted drifts N_k within (49), gradients G_k within A |grad F|^2 + B, both any such numbers."""
    met, c = steps_exact(x)
    w = [*x["weights"][:-1], 1 - sum(x["weights"][:-1])] if one else x["weights"]
    cap, near = x["A"] * x["grad2"] + x["B"], 1 - c["C"]
    a = (c["tau"] - 1) * c["L"] ** 2 * c["eta"] ** 2 * x["noise"]
    G = [f * cap for f in x["gradients"]]
    N = [f * (a / near + c["C"] / near * v) for f, v in zip(x["drifts"], G, strict=True)]
    met |= {
        "0 <= G_k <= A |grad F|^2 + B": all(0 <= v <= cap for v in G),
        "0 <= N_k <= (49)": all(0 <= v <= a / near + c["C"] / near * u for v, u in zip(N, G, strict=True)),
        "weights sum to one": sum(w) == 1,
        "w_k >= 0 where that is asked": one or min(w) >= 0,
    }
    total = c["tau"] * c["eta"] * sum(a * b for a, b in zip(w, N, strict=True))
    return met, {**c, "grad2": x["grad2"], "weighted_drift": total}


def _drifts(one: bool = False) -> World:
    def at(K: float) -> Case:
        n = int(K)
        drawn = (
            *STEP,
            Signed("weights", 1e-2, 1e1, (n,)) if one else Simplex("weights", n),
            *(Uniform(name, 0.0, 1.0, (n,)) for name in ("gradients", "drifts")),
            LogScale("A", 1e-2, 1e2, at=(1.0,)),
            *(LogScale(name, 1e-4, 1e4, at=(1.0,)) for name in ("B", "grad2")),
        )
        scaled = units({**dict.fromkeys(("noise", "B", "grad2"), (2, -2)), "L": (1, -2)})
        every = permuted_clients(dict.fromkeys(("weights", "gradients", "drifts"), 0))
        how: dict[str, Any] = {
            "cost": max(1.0, n / 100),
            "symmetries": (scaled, *(() if one else (every,))),
            "one": one,
        }
        return case(f"{n} clients", Space(drawn), drifts, drifts_exact, uses=(steps_exact,), **how)

    return World(NOTATION, (Family("drifts of all clients", (Size("K", 1, 300, 3),), at),))


def averaged_again(tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, grad2: Any) -> Any:
    """(51) over 1 − C."""
    return tau * eta * ((tau - 1) * (eta * L) ** 2 * noise + C * (A * grad2 + B)) / (1 - C)


noise, grad2, weighted_drift = NOTATION.symbols("noise grad2 weighted_drift")
_LINE51 = tau * eta * _FIFTY_ONE.subs({sigma2: noise, G: grad2})
S15 = step(
    "SSA-S15",
    "(49) in (31) to (50), (51)",
    "Weighted mean of the drifts",
    printed=r"""\tau\eta\sum_kw_kN_k\le\tau\eta\sum_kw_k\Big[\tfrac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\tfrac C{1-C}G_k
        \Big]\le\tfrac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\tfrac{\tau\eta AC}{1-C}\|\nabla F\|^2+
        \tfrac{\tau\eta BC}{1-C}""",
    plainly="Weighting the drifts and using A.4 for every client leaves the weights out of the bound.",
    assumes=["A.4 for every client", "ηL <= 1/(2τ)", "w on the simplex, as Jensen's inequality in (31) supposes"],
    says=le(weighted_drift, _LINE51, again=averaged_again),
    world=_drifts(),
    readings=[
        reading("weights on the simplex", "What Jensen's inequality in (31) supposes; never stated of w."),
        reading(
            "weights that sum to one, of any sign",
            "What (13) needs, and no more.",
            world=_drifts(one=True),
            cuts={"weights": "any sign, sum one"},
            ours="""(31), into which (49) is put, takes w_k as weights of Jensen's inequality, so w_k >= 0 is presupposed,
                though no line says it""",
        ),
    ],
    mutants=[
        mutant(
            "B left out",
            le(weighted_drift, _LINE51 - tau * eta * B * C / (1 - C)),
            "every client at A‖∇F‖² + B attains the printed bound",
            world=_drifts(),
        )
    ],
    tight="all drifts and gradients at their bounds",
    rests_on=["SSA-S10", "SSA-S14", "SSA-A4"],
    verdict="""On the simplex it is true; what is used is wₖ >= 0 and Σwₖ <= 1. That w lies there is presupposed by (31)
        and not printed. With weights of either sign, a reading of ours, it fails already in (50): the bounds of clients
        with negative weights do not help, and those with weights above 1 count more than once.""",
)

CLAIMS: tuple[Claim, ...] = (E50, E51, E52, E53, S15)
