"""Robust aggregation, eq. (15): for equal shares the gap is bounded by the smallest κ alone."""

from __future__ import annotations

import fedverdict as fv

bound = fv.look_up("RA-E15")

# 100 clients in two groups of different optima. Each round the client that the noise of its first step drove away from
# its optimum has the worst local model: FedWorse takes it, and FedAvg, mixed with it, gives all others a weight.
case = "FedWorse judged by the local models, mixed with FedAvg, from w*"
clients = {"mu": 1, "loose": 1, "sigma": 1, "apart": "1/1000", "spread": 7, "kept": "1/3"}
seen = bound.at("as printed", case, **clients, local_steps=2, rounds=10_000)
print(f"weights that see earlier samples: {float(seen.left):.3g} against {float(seen.right):.3g}")
assert seen.violates

# Two clients of one curvature, the same weights in every round.
fixed = {"optimum": [0, 1], "weights": ["1/4", "3/4"], "aim": "1/4", "T": 100}
known = bound.at("weights known before the round", "two clients of one curvature, any T", **fixed)
print(f"weights known before: {float(known.left):.3g} against {float(known.right):.3g}")
assert known.left <= known.right
assert not known.unmet

print(bound.verdict)
