"""EFL, Theorem 1: with decaying steps the mean squared distance to ω* is at most C/(τE + γ)² + HJ/(τE + γ).

The theorem speaks of the whole method, its sparse ternary compression included.
"""

from __future__ import annotations

import fedverdict as fv

theorem = fv.look_up("EFL-T1")

# One client at distance √5 from its optimum, five compressed rounds: only the largest entries are sent each time.
compressed = theorem.at(
    "compressed, clients add Δωᴳ, the server averages Δωᵏ",
    "1 client, d = 5, 5 compressed rounds of E = 1",
    curvature=[[1] * 5], optimum=[[0] * 5], share=[1], start=[1] * 5, aside=1, slack=1, later="1/10",
)  # fmt: skip
print(f"compressed: {float(compressed.left):.3g} against {float(compressed.right):.3g}")
assert compressed.violates

# A client that is absent half of the time, without compression; the bracket of (59) read as a positive part.
client = {"curvature": [[1]], "optimum": [[0]], "share": [1], "start": [0], "sigma": [1], "noisy": 1}
absent = {"chance": ["1/2", "1/2"], "done": [[0], [1]], "coefficient": [[1], [1]], "slack": 1, "later": 1, "rule": 2}
plain = theorem.at("positive part, one F", "1 client, E = 2, d = 1, 3 rounds", **client, **absent)
print(f"not compressed, absence by chance: {float(plain.left):.3g} against {float(plain.right):.3g}")
assert plain.left <= plain.right
assert not plain.unmet

print(theorem.verdict)
