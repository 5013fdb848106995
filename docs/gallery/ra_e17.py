"""Robust aggregation, eq. (17): for any shares the gap is bounded by the smallest κ and the smallest share."""

from __future__ import annotations

from validation import look_up

bound = look_up("RA-E17")

# 100 clients in two groups of different optima; in each the weight leans towards those whose noise of the round's first
# step, already seen, points one way.
case = "100 clients, two optima, one winner, aggregation as in Algorithm 1, weights known before the step"
clients = {"mu": 1, "loose": 1, "sigma": 1, "apart": "1/100", "start": 0, "lean": "1/2"}
seen = bound.at(
    "as printed", f"{case}, the earlier samples of the round seen", **clients, local_steps=2, rounds=10_000, sees=2
)
print(f"weights that see earlier samples: {float(seen.left):.3g} against {float(seen.right):.3g}")
assert seen.violates

# Two clients of one curvature, the same weights in every round.
fixed = {"optimum": [0, 1], "weights": ["1/4", "3/4"], "aim": "1/4", "T": 100}
known = bound.at("weights known before the round", "two clients of one curvature, any T", **fixed)
print(f"weights known before: {float(known.left):.3g} against {float(known.right):.3g}")
assert known.left <= known.right
assert not known.unmet

print(bound.verdict)
