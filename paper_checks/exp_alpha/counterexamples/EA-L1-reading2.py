"""Counterexample to EA-L1.

Reading: in expectation, weights as Exp-α's.
Instance: 2 noisy clients on the line, first step of a round.
Claimed: One step brings the virtual sequence nearer to the optimum, up to drift, heterogeneity and noise.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """First step of a round, clients h_i/2 (w - m_i)^2, noise +-L sigma_i; a row of weights for each outcome."""
    h, m, w, n = x["curvature"], x["optimum"], x["start"], len(x["curvature"])
    L, mu = max(h), min(h)
    eta = x["step"] / L
    best = sum(x["share"][i] * h[i] * m[i] for i in range(n)) / sum(x["share"][i] * h[i] for i in range(n))
    left, deviation, Omegas, Gammas = Fraction(0), Fraction(0), [], []
    for row in range(2**n):
        a = x["table"][row if x["sees"] > 2 else 0]
        noise = [(L if (row >> (n - 1 - i)) & 1 else -L) * x["sigma"][i] for i in range(n)]
        g_bar = sum(a[i] * h[i] * (w - m[i]) for i in range(n))
        g = g_bar + sum(a[i] * noise[i] for i in range(n))
        left += (w - eta * g - best) ** 2 / 2**n
        deviation += (g - g_bar) ** 2 / 2**n
        Omegas.append(sum(a[i] * h[i] * (w - m[i]) ** 2 for i in range(n)) / 2)
        Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in range(n)) / 2)
    hypotheses = {
        "A1, A2: mu > 0": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "data shares on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    constants = {
        "lhs": left,
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": (w - best) ** 2,
        "spread": Fraction(0),
        "Omega": min(Omegas),
        "Gamma": max(Gammas),
        "deviation": deviation,
    }
    return hypotheses, constants


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'share': [Fraction(1), Fraction(0)],
    'table': [[Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]],
    'start': Fraction(1),
    'sigma': [Fraction(1), Fraction(1)],
    'step': Fraction(1, 10),
    'sees': Fraction(3),
}
hypotheses, constants = seeing_exact(INSTANCE)
Gamma = constants["Gamma"]
L = constants["L"]
Omega = constants["Omega"]
before = constants["before"]
deviation = constants["deviation"]
eta = constants["eta"]
mu = constants["mu"]
spread = constants["spread"]
lhs = constants["lhs"]
rhs = Fraction(6*L*Omega*eta**2 + before*(-eta*mu + 1) + deviation*eta**2 + 2*eta*(Gamma - Omega) + 2*spread)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
