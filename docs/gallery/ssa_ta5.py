"""FedSSA, Theorem A.5: the squared gradients are below (T₁ + … + T₅)/(1 − C − 2AC − W_D(1 − C)).

W_D measures how far the weights are from the shares; its place in the denominator lacks the dissimilarity's factor A.
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("SSA-TA5")

# All weight on the client that is flat: the model never moves, and the gradient of the mean stays.
flat = {"curvature": [0, 1], "optimum": [0, 0], "share": ["3/4", "1/4"], "weights": [1, 0], "start": -33}
steps = {"step_fraction": 1, "slack": 1, "extra": 1, "noise": 0, "noisy": 0}
found = theorem.at("denominator positive", "2 1-D convex clients, τ = 1, T = 20", **flat, **steps)
print(f"weights far from the shares: {float(found.left):.3g} against {float(found.right):.3g}")
assert found.violates

# With A·W_D in the denominator; two clients that lean apart, weights 3/4 and 1/4.
clients = {"common": [1], "unit": [[0], [1]], "spread": 1, "pull": [[0], [0]], "flat": 1, "share": ["1/2", "1/2"]}
run = {"weights": ["3/4", "1/4"], "mix": "1/10", "start": [2], "settled": 0, "step_fraction": 1, "slack": 1, "extra": 1}
noise = {"noise": [[1], [1]], "lift": 0, "noisy": 0, "even": 0}
mended = theorem.at("denominator positive, A·W_D", "2 clients, d = 1, τ = 1, T = 64", **clients, **run, **noise)
print(f"A·W_D in place of W_D: {float(mended.left):.3g} against {float(mended.right):.3g}")
assert mended.left <= mended.right
assert not mended.unmet

print(theorem.verdict)
