"""Robust aggregation, eq. (12): Corollary 1 without heterogeneity; the gap is O(1/T), less with a larger ρ̄."""

from __future__ import annotations

import fedverdict as fv

bound = fv.look_up("RA-E12")

# FedWorse judged by the local models: the client that its noise made the worst gets all weight, 750 rounds long.
picked = {"mu": 1, "loose": 1, "sigma": 1, "start": 1, "spread": 7, "local_steps": 2, "rounds": 750}
seen = bound.at("aggregation as in Algorithm 1", "FedWorse judged by the local models, one minimiser", **picked)
print(f"weights that see the samples: {float(seen.left):.3g} against {float(seen.right):.3g}")
assert seen.violates

clients = {"spectrum": [[1], [2]], "share": ["1/2", "1/2"], "start": [1], "weights": [[1, 0], [0, 1], [1, 0]], "t": 3}
known = bound.at("weights known before the round", "no noise, N = 2, E = 2, d = 1, 2 rounds", **clients)
print(f"weights known before: {float(known.left):.3g} against {float(known.right):.3g}")
assert known.left <= known.right
assert not known.unmet

print(bound.verdict)
