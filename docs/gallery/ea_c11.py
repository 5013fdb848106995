"""Exp-α, Corollary 1.1: weights that do not grow with a client's excess loss keep Ω at most that of proportional ones.

The print gives the weights twice: «∝», hence normalised, and in its appendix (A.11) without a normalisation.
"""

from __future__ import annotations

import fedverdict as fv

corollary = fv.look_up("EA-C1.1")

# Three clients, two models; the large client has the small excess loss.
clients = {"size": [1, 1, 10], "curvature": [1, 1, "1/2"], "optimum": [0, 0, 0], "points": [-10, 10]}
weights = {"rise": [0, 0, 1, 0, 0, 0]}
for reading in ("one sequence, «∝» normalised", "one sequence, weights of A.11"):
    found = corollary.at(reading, "3 clients, 2 models", **clients, **weights)
    print(f"{reading}: Ω = {float(found.left):.3g}, proportional {float(found.right):.3g}")
    assert found.violates == ("normalised" in reading)

print(corollary.verdict)
