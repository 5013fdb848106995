"""Robust aggregation, Corollary 1, eq. (9): after T steps the gap is at most V/(T + γ) + E, E growing in ρ̃/ρ̄ − 1.

ρ̄ and ρ̃ are extremes over rounds (7); the print does not say that a T inside a round is no time at which they look.
"""

from __future__ import annotations

import fedverdict as fv

corollary = fv.look_up("RA-C1")

# Every round ends at w*, where the losses are compared; inside a round the models are elsewhere.
rounds = {"curvature": 1, "distance": 1, "share": "1/1000000000000", "local_steps": 2, "inside": 1}
inside = corollary.at("ρ̄ and ρ̃ over a run that goes on, T inside a round", "at w* whenever (7) looks", **rounds)
print(f"T inside a round: {float(inside.left):.3g} against {float(inside.right):.3g}")
assert inside.violates

# Two clients, weights 3/4 and 1/4 in every round, T at the end of one.
clients = {"spectrum": [[1], [1]], "optimum": [[0], [-1]], "share": ["1/2", "1/2"], "start": [0]}
known = {"weights": [["3/4", "1/4"]] * 3, "t": 3}
end = corollary.at("a run that goes on, weights known", "no noise, N = 2, E = 2, d = 1, 2 rounds", **clients, **known)
print(f"T at its end, weights known before: {float(end.left):.3g} against {float(end.right):.3g}")
assert end.left <= end.right
assert not end.unmet

print(corollary.verdict)
