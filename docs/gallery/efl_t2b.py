"""EFL, Theorem 2, eq. (11): when client a joins, the optimum moves by at most 8L nₐ²D̂ₐ/(μ²(n + nₐ)²), squared.

D̂ₐ is measured at the new optimum, which a large newcomer draws to itself.
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("EFL-T2b")

# The two clients of eq. (10), the other way round: the newcomer holds twice as many samples as the one that is there.
clients = {"spectrum": [[1], [1]], "optimum": [[0], [-1]], "share": [1]}
case = "2 quadratic clients in dimension 1"
large = theorem.at("as printed", case, **clients, size_ratio=2)
print(f"twice as many samples: squared shift {large.left}, bound {large.right}")
assert large.violates

equal = theorem.at("n_a <= n", f"{case}, n_a <= n", **clients, size_ratio=1)
old = theorem.at("D_a at the old optimum", case, **clients, size_ratio=2)
print(f"as many: {equal.left}, bound {equal.right}; Dₐ at the old optimum: {old.left}, bound {old.right}")
assert equal.left <= equal.right
assert old.left <= old.right

print(theorem.verdict)
