"""EFL, Corollary 1, eq. (9): an inactive client should go above a probability of order C/(JTE).

f₁(T)/J = C/(J(TE + γ)) is at most of that order; «the more epochs, the more sensitive» does not follow: C grows with E.
"""

from __future__ import annotations

from fractions import Fraction

import fedverdict as fv

corollary = fv.look_up("EFL-C1b")

C, J, gamma, E = 1, 1, 64, 5
for T in (10, 100, 1_000):
    threshold, order = Fraction(C, J * (T * E + gamma)), Fraction(C, J * T * E)
    print(f"T = {T}: threshold {float(threshold):.3g}, order C/(JTE) = {float(order):.3g}")
    assert threshold <= order

# C and J of the theorem at unit constants: nine local steps against one.
more = corollary.at("more local steps", "C and J from EFL-T1-R", mu=1, kappa=1, sigma2=1, G2=1, skew_mean=1, E=9)
print(f"C/(JTE), scaled: {float(more.left):.4g} with E = 9, {float(more.right):.4g} with E = 1")
assert more.violates

print(corollary.verdict)
