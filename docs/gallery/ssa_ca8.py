"""FedSSA, Corollary A.8: with w = p and η = 1/√(τT) the smallest squared gradient is of order 1/√(τT) + 1/T + τ/T."""

from __future__ import annotations

import fedverdict as fv

corollary = fv.look_up("SSA-CA8")

# Two noisy clients with optima ±1, weighted by their shares; the constant of the order is explicit in this reading.
clients = {"curvature": [1, 1], "optimum": [-1, 1], "share": ["1/2", "1/2"], "start": 2, "noise": 1, "noisy": 1}
more = {"part": 1, "slack": 1, "extra": 1}
found = corollary.at("the smallest squared gradient itself", "2 clients, τ = 2, T = 18", **clients, **more)
print(f"smallest squared gradient {float(found.left):.3g}, bound {float(found.right):.3g}")
assert found.left <= found.right
assert not found.unmet

print(corollary.verdict)
