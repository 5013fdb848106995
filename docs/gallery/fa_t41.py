"""FedAWARE, Theorem 4.1 (quoted there): FedAvg's best squared gradient falls like 1/(ηKT), down to a floor.

Its O(·) is judged with explicit constants, 21/10, 11L/10, 5L²/3 and 5L²/3, for which no violation was found.
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("FA-T4.1")

# Three clients with noise; `window` places the step sizes inside what the theorem allows.
clients = {
    "curvature": [[1], [1], [2]],
    "optimum": [[-1], [0], [1]],
    "share": ["1/3"] * 3,
    "start": [3],
    "sigma": [1, 1, 1],
}
rates = {"first": "1/8", "server": 1, "window": 1}
for T in (2, 10):
    found = theorem.at("hidden constants", f"3 clients, dimension 1, K = 2, T = {T}", **clients, **rates)
    print(f"after {T} rounds: {float(found.left):.4g}, bound {float(found.right):.4g}")
    assert found.left <= found.right
    assert not found.unmet

print(theorem.verdict)
