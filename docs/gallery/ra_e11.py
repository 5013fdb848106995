"""Robust aggregation, eq. (11): Theorem 1 without heterogeneity; all clients share their minimiser, Γ = 0."""

from __future__ import annotations

import fedverdict as fv

bound = fv.look_up("RA-E11")

# A flat client of share 1/100 and a steep one; each round all weight is on one of them.
clients = {"spectrum": [[1], [100]], "share": ["1/100", "99/100"], "start": [1]}
weights = [[1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [1, 0]]
run = {"weights": weights, "first": "1/51", "drop": ["38/73", "37/39", "49/88", "68/97", "3/5"], "late": 0, "t": 1}
for reading, falls in (
    ("aggregation as in Algorithm 1, virtual model as in (2)", True),
    ("the round's weights, known before the round", False),
):
    found = bound.at(reading, "no noise, N = 2, E = 2, d = 1, 5 rounds", **clients, **run)
    print(f"{reading}: {float(found.left):.4g} against {float(found.right):.4g}")
    assert found.violates == falls

print(bound.verdict)
