"""FedAWARE, Corollary 4.1: with other weights χ² times the applied client consensus is the bound's last term.

A run that rests at a point with a gradient has no consensus to pay for it: no constant before the bound is enough.
"""

from __future__ import annotations

import fedverdict as fv
from validation.report.counterexample.instance import run_script

corollary = fv.look_up("FA-C4.1")

# The committed counterexample, run again: left side over what is claimed, at growing numbers of rounds.
found = run_script(corollary.entry.counterexample_source)
assert found is not None
for rounds, quotient, _ in found.growth[::3]:
    print(f"T = {rounds:g}: at least {quotient:g} times what is claimed")
assert found.growth[-1][1] > 100 * found.growth[0][1]

# Three clients with noise; with Assumption A.1; `window` places the step sizes inside what the theorem allows.
clients = {
    "curvature": [[1], [1], [2]],
    "optimum": [[-1], [0], [1]],
    "share": ["1/3"] * 3,
    "start": [3],
    "sigma": [1, 1, 1],
}
rates = {"first": "1/8", "server": 1, "window": 1}
weighed = corollary.at(
    "with Assumption A.1",
    "3 clients, dimension 1, K = 2, T = 2, 2 rows of weights",
    **clients, **rates, applied=[["1/2", "1/4", "1/4"]] * 2,
)  # fmt: skip
print(f"with a bound on dissimilarity: {float(weighed.left):.4g}, bound {float(weighed.right):.4g}")
assert weighed.left <= weighed.right

print(corollary.verdict)
