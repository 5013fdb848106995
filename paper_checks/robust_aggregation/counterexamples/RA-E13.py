"""Counterexample to RA-E13.

Reading: as printed.
Instance: 100 clients, two optima, one winner, aggregation as in Algorithm 1, weights known before the step, the earlier samples of the round seen.
Claimed: The gap is bounded with the smallest and the largest κ in place of ρ̄ and ρ̃.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any

def outcomes_of_noise(n_clients: int, spread: int) -> list[tuple[Number, list[Number]]]:
    """(probability, noise of each client): spread r > 0 one winner r, the others −1/r; r = 0 independent signs."""
    if spread == 0:
        return [
            (Fraction(1, 2**n_clients), [Fraction(1 if (row >> i) & 1 else -1) for i in range(n_clients)])
            for row in range(2**n_clients)
        ]
    high, low = Fraction(spread), Fraction(-1, spread)
    return [(Fraction(1, n_clients), [high if i == j else low for i in range(n_clients)]) for j in range(n_clients)]


def leaning(noise: Sequence[Number], lean: Number, seen: bool) -> list[Number]:
    """Weight `lean` on the first client of the largest noise (seen) or on the first client, the rest shared equally."""
    first = max(range(len(noise)), key=lambda i: (noise[i], -i)) if seen else 0
    return [lean if i == first else (1 - lean) / (len(noise) - 1) for i in range(len(noise))]


def weighted_noise(n_clients: int, spread: int, lean: Number, seen: bool) -> tuple[Number, Number]:
    """(mean, second moment) of Σaᵢnᵢ over all outcomes."""
    mean = second = Fraction(0)
    for chance, noise in outcomes_of_noise(n_clients, spread):
        value = sum(a * n for a, n in zip(leaning(noise, lean, seen), noise, strict=True))
        mean, second = mean + chance * value, second + chance * value**2
    return mean, second


def seen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E F(w_T) - F* by the mean and the variance of w_t from round to round; noise and weights outcome by outcome.

    Clients mu/2 (w - m)^2, m = apart for one half of them, -apart for the other, equal shares, so w* = 0. The weights of a
    half sum to 1/2: `lean` on one of its clients, the rest equally. sees > 1: on the one whose noise came out highest.
    """
    mu, sigma, delta, loose, n = x["mu"], x["sigma"], x["apart"], x["loose"], int(x["group"])
    E, rounds, spread, lean, start = int(x["local_steps"]), int(x["rounds"]), int(x["spread"]), x["lean"], x["start"]
    seen, eq1, noises = x["sees"] > 1, x["eq1"] > 0, outcomes_of_noise(n, spread)
    by_weights, by_shares = weighted_noise(n, spread, lean, seen), weighted_noise(n, spread, Fraction(1, n), False)
    rows = [leaning(noise, lean, seen) for _, noise in noises]
    first, variance = start, Fraction(0)
    top, unit = 4 * loose.numerator, loose.denominator  # gamma = 4 loose as whole numbers: products need no gcd
    t = 1 if eq1 else 0  # (1) aggregates in the update of t = 0, E, ...; noise comes in the step after it
    if eq1:
        first = (1 - 1 / (4 * loose)) * first
    for r in range(rounds):
        over = eq1 and r == rounds - 1  # the last model under (1) is the mean with p, before the next aggregation
        mean, square = by_shares if over else by_weights
        # eta_t mu = 1/(t + gamma) = unit/(unit t + top) of the first step; what the others leave, prod (1 - eta mu)
        step, left, whole = Fraction(unit, unit * t + top), 1, 1
        for e in range(1, E - 1 if over else E):
            left, whole = left * (unit * (t + e - 1) + top), whole * (unit * (t + e) + top)
        rest = Fraction(left, whole)
        t = t + (E - 1 if over else E)
        # w after the round = keep w + gain * noise, the mean of two independent halves; the optima cancel. Noise in
        # units of sigma/mu until the end.
        keep, gain = (1 - step) * rest, step * rest
        first = keep * first + gain * (mean * sigma / mu)
        variance = keep**2 * variance + gain**2 * ((square - mean**2) / 2)
    variance = variance * (sigma / mu) ** 2
    highest = max(max(abs(v) for v in noise) for _, noise in noises)
    reach = max(abs(start), delta + highest * sigma / mu)
    own = [[sum(q * noise[i] ** k for q, noise in noises) for i in range(n)] for k in (1, 2)]
    hypotheses = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and loose >= 1,
        "more than one local step, so that the aggregation comes after the noise": E >= 2,
        "T of (7): a whole number of rounds": t == E * rounds,
        "unbiased: every client's noise has mean 0 and second moment sigma^2": own == [[0] * n, [1] * n],
        "weights on the simplex in every outcome": all(sum(a) == 1 and min(a) >= 0 for a in rows),
        "a step is a convex combination, so all models stay within reach of w*": 4 * loose >= 1 and reach >= abs(start),
    }
    kappas = [n * a for row in rows for a in row]
    found = {"L": loose * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t), "sigma2": sigma**2, "D0": start**2}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "Gamma": mu * delta**2 / 2}
    # Half of the weight on each optimum: sum alpha_i (F_i - F_i*) = mu (w^2 + delta^2)/2 = F - sum p_i F_i*.
    found |= {"rho": Fraction(1), "rho_best": Fraction(1), "pi": min(kappas), "Pi": max(kappas)}
    return hypotheses, {
        **found,
        "N": Fraction(2 * n),
        "least": Fraction(1, 2 * n),
        "lhs": mu * (first**2 + variance) / 2,
    }


INSTANCE = {
    'mu': Fraction(1),
    'loose': Fraction(1),
    'sigma': Fraction(1),
    'apart': Fraction(1, 100),
    'start': Fraction(0),
    'lean': Fraction(3, 4),
    'local_steps': Fraction(2),
    'rounds': Fraction(5000),
    'sees': Fraction(2),
    'eq1': Fraction(0),
    'spread': Fraction(7),
    'group': Fraction(50),
}
hypotheses, constants = seen_exact(INSTANCE)
D0 = constants["D0"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
Pi = constants["Pi"]
T = constants["T"]
mu = constants["mu"]
pi = constants["pi"]
sigma2 = constants["sigma2"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(8*Gamma*L*(Pi - pi)/(3*mu*pi) + (2*D0*L**2/mu + 8*Gamma*L**2/mu**2 + 4*L*(32*G2*tau**2 + sigma2)/(3*mu**2*pi))/(4*L/mu + T))
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
