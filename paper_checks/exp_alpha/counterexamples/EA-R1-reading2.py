"""Counterexample to EA-R1.

Reading: constants free of Ω.
Family: heterogeneity falling as 1/T.
The form n/100 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def noisy_run(T: Fraction, Omega: Fraction) -> tuple[Fraction, Fraction]:
    """Two clients 1/2 (w -+ a)^2, a^2/2 = Omega, equal weights, E = 1, from W* with noise +-1, A.9's steps: E F - F*.

    With eta_t = 2/(7 + t): (t+6)(t+7) w_(t+1) = (t+5)(t+6) w_t - 2 (t+6) noise_t, the mean noise of variance 1/2. The
    proportional weights have Omega = Gamma = a^2/2 over all t >= 0.
    """
    steps = int(T)
    squares = (steps + 5) * (steps + 6) * (2 * steps + 11) // 6 - 55  # the sum of (t + 6)^2 over 0 <= t < T
    variance = Fraction(2 * squares, ((steps + 5) * (steps + 6)) ** 2)
    return variance / 2, Omega / T


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]):
    *sides, claimed = map(Fraction, noisy_run(T=n, Omega=1/n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n/100
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
