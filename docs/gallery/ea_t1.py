"""Exp-α, Theorem 1: FedAvg under time-varying weights ends within a vanishing and a non-vanishing term.

E[F(Wᵀ)] − F* ≤ L/(γ + T)·(2B̄/μ² + γΔ₀/2) + L/μ·(Γ − Ω), γ = max{8L/μ, E} − 1 as in its proof (A.9).
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("EA-T1")

# Twenty identical clients at their optimum; all weight on one whose noise points the right way, as Exp-α may choose.
seen = theorem.at(
    "γ = max{8L/μ, E} − 1",
    "alike, 20 clients, E = 1, 4 rounds",
    curvature=1, sigma=1, beside=0, seen=1,
)  # fmt: skip
print(f"weights that see the samples: {float(seen.left):.3g} against {float(seen.right):.3g}")
assert seen.violates

# All weight on one client, chosen in advance: the bound holds, and is tight as T grows.
alone = {"curvature": 1, "bent": 1, "first": 1, "second": -1, "beside": 0}  # two clients with optima 1 and −1
before = theorem.at("γ of A.9", "alone, 2 clients, E = 1, 40 rounds", **alone)
print(f"weights chosen before them: {float(before.left):.3g} against {float(before.right):.3g}")
assert before.left <= before.right
assert not before.unmet

print(theorem.verdict)
