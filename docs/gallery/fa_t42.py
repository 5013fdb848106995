"""FedAWARE, Theorem 4.2: for some static rates FedAvg's best squared gradient is bounded by start, noise and consensus.

«Some» rates may be chosen for the instance and the horizon, or be any within the proof's window: that is left open.
"""

from __future__ import annotations

import fedverdict as fv
from validation.report.counterexample.instance import run_script

theorem = fv.look_up("FA-T4.2")

# Any rates of the window: FedAvg that starts at its fixed point stays there, and the bound falls like 1/T.
found = run_script(theorem.entry.counterexample_source)
assert found is not None
print("any rates:", ", ".join(f"T = {n:g}: {q:g}" for n, q, _ in found.growth[::3]), "times the bound")
assert found.growth[-1][1] > 100 * found.growth[0][1]

# Three clients with noise; `window` places the step sizes inside what the theorem allows.
clients = {
    "curvature": [[1], [1], [2]],
    "optimum": [[-1], [0], [1]],
    "share": ["1/3"] * 3,
    "start": [3],
    "sigma": [1, 1, 1],
}
rates = {"first": "1/8", "server": 1, "window": 1}
chosen = theorem.at("rates chosen", "3 clients, dimension 1, K = 2, T = 10", **clients, **rates)
print(f"rates chosen for the run: {float(chosen.left):.4g}, bound {float(chosen.right):.4g}")
assert chosen.left <= chosen.right
assert not chosen.unmet

print(theorem.verdict)
