"""EFL, Theorem 2, eq. (10): when client a leaves, the optimum moves by at most 8L nₐ²D̂ₐ/(μ²n²), squared."""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("EFL-T2a")

# Two clients of curvature 1 with optima 0 and −1; the one that leaves holds twice as many samples as the other.
clients = {"spectrum": [[1], [1]], "optimum": [[0], [-1]], "share": [1], "size_ratio": 2}
found = theorem.at("as printed", "2 quadratic clients in dimension 1", **clients)
print(f"squared shift {found.left}, bound {found.right}")
assert found.left <= found.right
assert not found.unmet

print(theorem.verdict)
