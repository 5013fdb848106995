"""EA-E25d: the last step of A.11, minima over the steps of one sequence of models or of two trainings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.chebyshev_cases import (
    RIGHT,
    chosen_u,
    far_from_level,
    rewritten_exact,
    tilted,
    tilted_exact,
    weighted,
)
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Space,
    permuted_clients,
    units,
)

__all__ = ["CLAIMS"]


def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega and Omega_pr over the first steps, E = 1, full gradients, equal sizes; each on its own run from one start."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    eta, found, exist = x["step"] / max(h), [], True
    for tilt in (True, False):
        w, sums = x["start"], []
        for _ in range(int(x["steps"])):
            excess = [h[i] * (w - m[i]) ** 2 / 2 for i in range(n)]
            u = [chosen_u(x, y) for y in excess] if tilt else [Fraction(1)] * n
            exist = exist and sum(u) > 0
            rho = [v / sum(u) for v in u]
            sums.append(sum(r * y for r, y in zip(rho, excess, strict=True)))
            w = w - eta * sum(rho[i] * h[i] * (w - m[i]) for i in range(n))
        found.append(min(sums))
    met = {
        "A1, A2": min(h) > 0,
        "0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
        "the weights exist": exist,
    }
    return met, {"lhs": found[0], "right": found[1]}


def _run(x: Instance) -> Mapping[str, Any]:
    h, m, n = x["curvature"], x["optimum"], x["optimum"].shape[1]
    eta = (x["step"] / h.max(axis=1))[:, None]
    fine, found = np.ones(len(h), dtype=bool), []
    for tilt in (True, False):
        w, sums = x["start"][:, None], []
        for _ in range(int(x["steps"][0])):
            excess = 0.5 * h * (w - m) ** 2
            # Ωᵢ = aᵢ for equal sizes, and the shares drop out.
            a, u = tilted({**x, "share": np.full_like(m, 1 / n), "Omega": excess})
            u = u if tilt else np.ones_like(u)
            total = u.sum(axis=1, keepdims=True)
            fine = fine & (total[:, 0] > 0) & (far_from_level(x, a) | (not tilt))
            rho = u / np.where(total > 0, total, 1.0)
            sums.append((rho * excess).sum(axis=1))
            w = w - eta * (rho * h * (w - m)).sum(axis=1, keepdims=True)
        found.append(np.min(sums, axis=0))
    reach = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(x["start"])) ** 2
    return {"lhs": found[0], "right": found[1], "magnitude": reach, "admissible": fine}


def _run_case(n: int, steps: int) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Signed("start", 1e-2, 1e2),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            LogScale("level", 1e-3, 1e3, at=(1.0,)),
            Choice("floor", (0.0, 0.25, 1.0)),
            Choice("kind", (0.0, 1.0, 2.0, 3.0)),
            Choice("steps", (float(steps),)),
        )
    )
    scale = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "level": (1, 0)}
    same = (units(scale), permuted_clients({"curvature": 0, "optimum": 0}))
    exact = ExactCheck(run_exact, (chosen_u,))
    return Case(f"{n} clients of equal sizes, {steps} steps", drawn, _run, exact, cost=2.0, symmetries=same)


def steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Minima over steps of both sides of E25c, the excess losses of every step drawn."""
    rows = [rewritten_exact({**x, "Omega": row}) for row in x["Omegas"]]
    met = {f"{name}, step {t}": ok for t, (hyp, _) in enumerate(rows) for name, ok in hyp.items()}
    pick = (lambda v: v[-1]) if "late" in x else min
    return met, {"lhs": pick([c["lhs"] for _, c in rows]), "right": min(c["right"] for _, c in rows)}


def _steps_case(n: int, steps: int, *flags: str) -> Case:
    def measure(x: Instance) -> Mapping[str, Any]:
        rows = [weighted({**x, "Omega": x["Omegas"][:, t]}, "rewritten") for t in range(steps)]
        left = np.stack([r["lhs"] for r in rows])
        return {
            "lhs": left[-1] if "late" in x else left.min(axis=0),
            "right": np.min([r["right"] for r in rows], axis=0),
            "magnitude": np.max([r["magnitude"] for r in rows], axis=0),
            "admissible": np.all([r["admissible"] for r in rows], axis=0),
        }

    drawn = Space(
        (
            Simplex("share", n, interior=True),
            LogScale("Omegas", 1e-3, 1e3, (steps, n), at=(1.0,)),
            LogScale("level", 1e-3, 1e3, at=(1.0,)),
            Choice("floor", (0.25, 1.0)),
            Choice("kind", (0.0, 1.0, 3.0)),
            *(Choice(flag, (1.0,)) for flag in flags),
        )
    )
    exact = ExactCheck(steps_exact, (chosen_u, tilted_exact, rewritten_exact))
    same = (permuted_clients({"share": 0, "Omegas": 1}),)
    return Case(f"{n} clients, {steps} steps of one sequence", drawn, measure, exact, cost=1.5, symmetries=same)


_COMMON = tuple(_steps_case(n, t) for n, t in ((1, 2), (2, 2), (3, 5), (20, 3)))
_OWN = tuple(_run_case(n, t) for n, t in ((2, 2), (2, 3), (3, 3)))

E25D = Claim(
    "EA-E25d",
    Kind.INEQUALITY,
    "A.11",
    "Minima over the steps",
    (
        r"\min_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\le"
        r"\min_t\sum_i\rho_i(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))"
    ),
    "What holds at every step holds for the smallest values over the steps.",
    ("U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0", "ρᵗ⁺¹ as A.11 defines it"),
    (
        Reading(
            "one common sequence of models",
            "The same W̄ᵗ on both sides, as A.11 writes it; excess losses free at every step.",
            Inequality(RIGHT, _COMMON, degrees=(1, 0)),
        ),
        Reading(
            "each strategy on its own run",
            "As Ω and Ω_pr are defined for two trainings from one start; minima over the first two or three steps, equal "
            "sizes, E = 1, full gradients.",
            Inequality(RIGHT, _OWN, degrees=(1, 0)),
        ),
    ),
    (
        Canary(
            "the last step in place of the minimum",
            Inequality(RIGHT, (_steps_case(2, 2, "late"), _steps_case(3, 3, "late"))),
            "the last step may have the largest excess losses of all",
        ),
        Canary(
            "U decreasing",
            Inequality(RIGHT, (_steps_case(2, 2, "falling"), _steps_case(3, 2, "falling"))),
            "then the inequality is turned round at every step",
        ),
    ),
    tight="U constant",
    depends_on=("EA-E25c",),
    verdict_words=(
        "From an inequality at each step of one sequence the one of the minima follows. But Ω belongs to a training with the "
        "new weights and Ω_pr to one with proportional weights, and these visit different models. On their own runs the "
        "inequality fails even for equal sizes and two clients: weights that leaned away from one client on the first step "
        "slow the descent of the mean loss, and once U treats both alike the proportional run is ahead. The proof "
        "writes W̄ᵗ on both sides; the definitions do not say whose it is."
    ),
)

CLAIMS: tuple[Claim, ...] = (E25D,)
