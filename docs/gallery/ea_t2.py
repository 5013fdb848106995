"""Exp-α, Theorem 2: drawing K clients by weight adds only C = 4EG²/K to the constant of Theorem 1.

E[F(Wᵀ)] − F* ≤ L/(γ + T)·(2(B̄ + C)/μ² + γΔ₀/2) + L/μ·(Γ − Ω).
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("EA-T2")

# K = 20 draws from weights that saw the samples: all of them take the client with the lucky noise.
seen = theorem.at(
    "γ of A.9, any weights",
    "alike, 20 clients, E = 1, 12 rounds",
    curvature=1, sigma=1, beside=0, seen=1, drawn=20,
)  # fmt: skip
print(f"weights that see the samples: {float(seen.left):.3g} against {float(seen.right):.3g}")
assert seen.violates

alone = {"curvature": 1, "bent": 1, "first": 1, "second": -1, "beside": 0, "drawn": 5}
before = theorem.at("γ of A.9 and weights fixed", "alone, 2 clients, E = 1, 40 rounds", **alone)
print(f"weights chosen before them: {float(before.left):.3g} against {float(before.right):.3g}")
assert before.left <= before.right
assert not before.unmet

print(theorem.verdict)
