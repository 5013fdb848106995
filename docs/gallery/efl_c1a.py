"""EFL, Corollary 1, eq. (8): give up an inactive client if yᵃJ, the limit of the bound with it, exceeds the other.

Judged by what it is for: whose loss gets smaller when the client is given up.
"""

from __future__ import annotations

import fedverdict as fv

corollary = fv.look_up("EFL-C1a")

# Two clients of one curvature with optima 0 and −1; the second is inactive half of the time.
clients = {"curvature": 1, "optimum": [0, -1], "share": ["1/2", "1/2"], "inactive": "1/2"}
for whose, falls in (("over all clients", True), ("of the others", False)):
    found = corollary.at(
        f"abandoning gives the smaller loss {whose}", "2 clients of one curvature, E = 1, T → ∞", **clients
    )
    print(f"loss {whose}: {float(found.left):.3g} without it, {float(found.right):.3g} with it")
    assert found.violates == falls

print(corollary.verdict)
