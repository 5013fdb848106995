"""Counterexample to RA-C1.

Reading: ρ̄ and ρ̃ over a run that goes on.
Instance: FedWorse judged by the local models, from w*.
Claimed: After T steps the expected gap is at most V/(T + γ) + E, with V falling in ρ̄ and E growing in ρ̃/ρ̄.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def worst_local_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w_T) - F*: in each round the local models of the four kinds of clients, their losses, and the worst one taken.

    mu/2 (w - m)^2 with m = apart or -apart, equal shares, w* = 0; in each half one of r^2 + 1 clients has noise r sigma, the
    others -sigma/r. The weights are known before the last step of the round (E >= 2).
    """
    mu, sigma, delta, r, w = x["mu"], x["sigma"], x["apart"], x["spread"], x["start"]
    E, rounds, gamma, t = int(x["local_steps"]), int(x["rounds"]), 4 * x["loose"], 0
    reach, skews, alone, rare = max(w, delta + r * sigma / mu), [], True, 1 / (r**2 + 1)
    for _ in range(rounds + 1):
        # The weight is on a client at -delta, as is checked below: rho(t, w) of (6), where it is defined.
        skews.append((w + delta) ** 2 / (w**2 + delta**2))
        if t == E * rounds:
            break
        models = [(w, m, n) for m in (-delta, delta) for n in (r, -1 / r)]
        for e in range(E):
            eta = 1 / (mu * (t + gamma))
            models = [(v - eta * (mu * (v - m) - (sigma * n if e == 0 else 0)), m, n) for v, m, n in models]
            t = t + 1
            if e == E - 2:  # before the last step
                losses = [mu * (v - m) ** 2 / 2 for v, m, _ in models]
                alone = alone and (losses[0] > max(losses[1:]) if delta > 0 else losses[0] > max(losses[1], losses[3]))
        w = models[0][0]
    hypotheses = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and x["loose"] >= 1,
        "more than one local step": E >= 2,
        "noise of mean 0 and second moment sigma^2": (rare * r - (1 - rare) / r, rare * r**2 + (1 - rare) / r**2)
        == (0, 1),
        "the worst local model is the noisy one at -apart, in every round": alone,
        "the start is not beyond the optima's middle": x["start"] >= 0,
        "rho is least at the start and 1 at w*, or 1 throughout": min(skews) == skews[0] == 1,
    }
    found = {"L": x["loose"] * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t), "sigma2": sigma**2}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "Gamma": mu * delta**2 / 2, "D0": x["start"] ** 2}
    return hypotheses, {**found, "rho": Fraction(1), "rho_best": Fraction(1), "lhs": mu * w**2 / 2}


INSTANCE = {
    'mu': Fraction(1),
    'loose': Fraction(1),
    'sigma': Fraction(1),
    'apart': Fraction(1),
    'start': Fraction(0),
    'spread': Fraction(7),
    'local_steps': Fraction(2),
    'rounds': Fraction(3000),
}
hypotheses, constants = worst_local_exact(INSTANCE)
D0 = constants["D0"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
T = constants["T"]
mu = constants["mu"]
rho = constants["rho"]
rho_best = constants["rho_best"]
sigma2 = constants["sigma2"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(8*Gamma*L*(-1 + rho_best/rho)/(3*mu) + (2*D0*L**2/mu + 8*Gamma*L**2/mu**2 + 4*L*(32*G2*tau**2 + sigma2)/(3*mu**2*rho))/(4*L/mu + T))
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
