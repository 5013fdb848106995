"""Robust aggregation, Theorem 1, eq. (8): a step contracts E‖w − w*‖², up to terms in η² and in η·2Γ(ρ̃ − ρ̄).

What depends on the print's readings: which weights average the virtual model inside a round, and what they may know.
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("RA-T1")

# Two clients with optima 0 and −1, five rounds of two steps; each round all weight is on one of them.
clients = {"spectrum": [[1], [1]], "optimum": [[0], [-1]], "share": ["1/2", "1/2"], "start": [0]}
run = {
    "weights": [[1, 0], [1, 0], [0, 1], [1, 0], [1, 0], [1, 0]],
    "first": "1/15",
    "drop": [1, *["1/2"] * 4],
    "late": 1,
}
for reading, falls in (
    ("aggregation as in Algorithm 1, virtual model as in (2)", True),
    ("the round's weights, known before the round, ρ̄ and ρ̃ over every t", False),
):
    found = theorem.at(reading, "no noise, N = 2, E = 2, d = 1, 5 rounds", **clients, **run, t=9)
    print(f"{reading}: {float(found.left):.4g} against {float(found.right):.4g}")
    assert found.violates == falls

print(theorem.verdict)
