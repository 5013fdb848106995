"""EA-R1: what Ω does to the rate."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.theorem1 import B_BAR, NON_VANISHING, vanishing
from validation import Case, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.statement.orders import Order, OrderFamily
from validation.statement.says import identity, le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

L, mu, gamma, T, Omega, missed_loss = NOTATION.symbols("L mu gamma T Omega missed_loss")
_RATE = vanishing(B_BAR)
n = sp.Symbol("n", positive=True)


def right_side(T: Fraction, Omega: Fraction, Gamma: Fraction) -> tuple[Fraction, Fraction]:
    """The right side of Theorem 1 at L = 4, mu = 1, gamma = 31, noise = G^2 = Delta_0 = 1, E = 2, and Omega/T + Gamma - Omega."""
    rate = 4 / (31 + T) * (2 * (1 + 8 + 24 * Omega) + Fraction(31, 2))
    return rate + 4 * (Gamma - Omega), Omega / T + Gamma - Omega


def noisy_run(T: Fraction, Omega: Fraction) -> tuple[Fraction, Fraction]:
    """Two clients 1/2 (w -+ a)^2, a^2/2 = Omega, equal weights, E = 1, from W* with noise +-1, A.9's steps: E F - F*.

    With eta_t = 2/(7 + t): (t+6)(t+7) w_(t+1) = (t+5)(t+6) w_t - 2 (t+6) noise_t, the mean noise of variance 1/2. The
    proportional weights have Omega = Gamma = a^2/2 over all t >= 0.
    """
    steps = int(T)
    squares = (steps + 5) * (steps + 6) * (2 * steps + 11) // 6 - 55  # the sum of (t + 6)^2 over 0 <= t < T
    variance = Fraction(2 * squares, ((steps + 5) * (steps + 6)) ** 2)
    return variance / 2, Omega / T


_GRID = tuple(2**k for k in range(2, 15))
_FIXED = Order(
    "upper",
    (
        OrderFamily(
            "right side of Theorem 1",
            right_side,
            path={"T": n},
            fixed={"Omega": (Fraction(1, 100), 1, 10), "Gamma": (10, 20)},
        ),
    ),
    may_depend_on=("Omega", "Gamma"),
    grid=_GRID,
)
_UNIFORM = Order(
    "upper",
    (
        OrderFamily(
            "heterogeneity falling as 1/T",
            noisy_run,
            path={"T": n, "Omega": 1 / n},
            form=n / 100,
            because="Σ(t + 6)² >= n³/3, and (n + 5)(n + 6) < 5.7n² for n >= 4, so the quotient is at least n²·n³/(98n⁴)",
        ),
    ),
    uniform_in=("Omega",),
    grid=_GRID,
)
_STATED = Order(
    "upper",
    (
        OrderFamily(
            "heterogeneity falling as 1/T, with a constant beside Ω",
            lambda T, Omega: (noisy_run(T, Omega)[0], (1 + Omega) / T),
            path={"T": n, "Omega": 1 / n},
        ),
        OrderFamily(
            "heterogeneity fixed",
            lambda T, Omega: (noisy_run(T, Omega)[0], (1 + Omega) / T),
            path={"T": n},
            fixed={"Omega": (Fraction(1, 100), 1, 10)},
        ),
    ),
    uniform_in=("Omega",),
    grid=_GRID,
)


def two_strategies(x: Instance, *, steps: int) -> Mapping[str, Any]:
    """> 0 where the weights with the smaller Ω over the run end farther from the optimum all clients share."""
    h, mu_ = x["curvature"], x["curvature"].min(axis=1)
    kappa, gaps, omegas = h.max(axis=1) / mu_, [], []
    for name in ("first", "second"):
        w, seen = x["start"], []
        curved = (x[name] * h).sum(axis=1)
        for t in range(steps):
            seen.append(0.5 * curved * w**2)
            w = w - 2 / (mu_ * (8 * kappa - 1 + t)) * curved * w
        gaps.append(0.5 * (x["share"] * h).sum(axis=1) * w**2)
        omegas.append(np.min(seen, axis=0))
    missed = np.minimum(omegas[1] - omegas[0], gaps[0] - gaps[1])
    return {"missed_loss": missed, "sizes": {"missed_loss": h.max(axis=1) * x["start"] ** 2}}


def two_strategies_exact(x: Mapping[str, Any], *, steps: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients h_i/2 w^2, two constant weightings, E = 1, A.9's steps: min(Omega_2 - Omega_1, gap_1 - gap_2)."""
    h, p, found = x["curvature"], x["share"], []
    mu, gamma = min(h), 8 * max(h) / min(h) - 1
    for a in (x["first"], x["second"]):
        w, seen = x["start"], []
        for t in range(steps):
            seen.append(sum(a[i] * h[i] * w * w / 2 for i in range(len(h))))
            w = w - 2 / (mu * (gamma + t)) * sum(a[i] * h[i] * w for i in range(len(h)))
        found.append((min(seen), sum(p[i] * h[i] * w * w / 2 for i in range(len(h)))))
    met = {
        "strongly convex, smooth": mu > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, x["first"], x["second"])),
    }
    (omega_1, gap_1), (omega_2, gap_2) = found
    return met, {"missed_loss": min(omega_2 - omega_1, gap_1 - gap_2)}


def _strategies(N: float, T: float) -> Case:
    k = int(N)
    space = Space(
        (
            LogScale("curvature", 1e-1, 1e1, (k,), at=(1.0,)),
            Simplex("share", k),
            Simplex("first", k),
            Simplex("second", k),
            Signed("start", 1e-1, 1e1),
        )
    )
    same = (
        units({"curvature": (1, -2), "start": (0, 1)}),
        permuted_clients({"curvature": 0, "share": 0, "first": 0, "second": 0}),
    )
    name, cost = f"{k} clients, {int(T)} steps", max(1.0, k * T / 100)
    return case(name, space, two_strategies, two_strategies_exact, cost=cost, symmetries=same, steps=int(T))


_WEIGHTINGS = World(NOTATION, (Family("two weightings", (Size("N", 2, 30, 3), Size("T", 1, 100, 5)), _strategies),))
_IN_THE_RATE = 12 * L**2 / (mu**2 * (gamma + T))

R1 = stated(
    r"""EA-R1 (remark; Sec. 3.3): Rate O(Ω/T) + O(Γ − Ω)
    Print: \mathbb E[F(\mathbf W^T)]-F(\mathbf W^*)=\mathcal O\Big(\frac\Omega T\Big)+\mathcal O(\Gamma-\Omega);
        \quad\text{a small }\Omega\text{ improves the convergence rate}
    Plainly: FedAvg with time-varying weights converges as Ω/T up to Γ − Ω, and a strategy with smaller Ω converges
        faster.
    Assumes: the right side of Theorem 1, with A.9's steps | Γ and Ω over all t >= 0 in the order statements
    Open (nowhere) constants: Sec. 3.3 prints O(Ω/T) + O(Γ − Ω) and does not say whether the hidden constants may
        depend on Ω, which is itself shown
    Open (nowhere) faster: «improve the convergence rate»: of the bound's vanishing term, or of the run
    Reading: constants may depend on Ω and Γ | The right side of Theorem 1 as T grows, everything else fixed and Ω >
        0. | part: the rate | option constants = may depend on Ω and Γ
    Reading: constants free of Ω | What is shown inside O(·) is not hidden in it: federations whose Ω = Γ shrinks as
        T grows. | part: the rate | option constants = free of Ω
    Reading: Ω in the vanishing term | Its derivative by Ω is 12L²/(μ²(γ + T)), positive at every T. | part: a small
        Ω improves the rate | option faster = the bound
    Reading: smaller Ω, faster run | Two constant weightings of clients that share their optimum, so that there is
        no error to trade: the one with the smaller Ω over the run ends nearer. | part: a small Ω improves the rate
        | option faster = the run
    Reading: (1 + Ω)/T | A constant for noise and start beside Ω. | part: the rate | edit: (1 + Ω)/T in place of Ω/T
        | because: noise, drift and start stand beside 6LΩ in the vanishing term
    Mutant: Ω/T² in place of Ω/T | noise ±1 leaves a variance of order 1/T
    Mutant: Ω in the whole right side as in its vanishing term | the error term falls with Ω at the rate L/μ
    Rests on: EA-T1, EA-D5
    Verdict: With Ω and everything else fixed, the right side of Theorem 1 is of order 1/T plus Γ − Ω, and any
        factor may be hidden. As a statement about Ω it is not true: noise, drift and the initial distance stand
        beside 6LΩ in the vanishing term, so that for nearly equal clients, whose Ω = Γ is nearly 0, the error still
        falls no faster than 1/T. (1 + Ω)/T is right. A smaller Ω does lower the vanishing term of the bound, but
        not the run's error: with one common optimum the weighting with the smaller Ω is often the one that favours
        flat clients, and these learn slowly. The whole right side grows with Ω only while T < 12L/μ − γ; after that
        a smaller Ω makes it larger.""",
    says=_FIXED,
    readings={
        "constants free of Ω": _UNIFORM,
        "Ω in the vanishing term": identity(sp.diff(_RATE, Omega), _IN_THE_RATE),
        "smaller Ω, faster run": but(le(missed_loss, 0), world=_WEIGHTINGS),
        "(1 + Ω)/T": _STATED,
    },
    mutants={
        "Ω/T² in place of Ω/T": Order(
            "upper",
            (
                OrderFamily(
                    "noise, heterogeneity fixed",
                    lambda T, Omega: (noisy_run(T, Omega)[0], Omega / T**2),
                    path={"T": n},
                    fixed={"Omega": (1,)},
                    form=n / 100,
                    because="as above: the left side is at least 1/(100n)",
                ),
            ),
            may_depend_on=("Omega",),
            grid=_GRID,
        ),
        "Ω in the whole right side as in its vanishing term": identity(
            sp.diff(_RATE + NON_VANISHING, Omega), _IN_THE_RATE
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (R1,)
