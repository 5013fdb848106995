"""FedAWARE, eq. (16): its explicit bound under partial participation and moving averages.

The setting is that of the experiments, α = 0.5 and p = 0.1; for a single client every term with β vanishes.
"""

from __future__ import annotations

import fedverdict as fv

bound = fv.look_up("FA-E16")

# One client that takes part with probability 0.1: the bound does not know that its step is a moving average.
client = {"curvature": [1], "optimum": [0], "share": [1], "start": -1}
case = "1 client, K = 1, T = 5, taking part with probability p"
printed = bound.at("as printed, α = 0.5 and p = 0.1", case, **client, first="1/62", server=35)
print(f"as printed: {float(printed.left):.3g} against {float(printed.right):.3g}")
assert printed.violates

# Without the moving average, and with γ/(4η_g) in place of Lγ/(8η_g).
plain = {"curvature": [[1]], "optimum": [[0]], "share": [1], "start": [-1], "first": "1/62", "server": 35}
more = {"applied": [[1]], "sigma": [0], "window": 1}
mended = bound.at(
    "γ/(4η_g), no moving average", "1 client, dimension 1, K = 1, T = 5, 1 rows of weights", **plain, **more
)
print(f"no moving average, mended: {float(mended.left):.3g} against {float(mended.right):.3g}")
assert mended.left <= mended.right
assert not mended.unmet

print(bound.verdict)
