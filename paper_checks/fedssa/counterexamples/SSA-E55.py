"""Counterexample to SSA-E55.

Reading: weights learned from the local models.
Instance: 5 clients, d = 1, τ = 1, T = 200.
Claimed: (53) summed over the rounds and divided by the factor of the squared gradient.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def theorem_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedSSA on diagonal quadratics, round by round: E y and E y^2 of every coordinate, pairs of coins walked one by one."""
    p, K, d, tau = x["share"], len(x["share"]), len(x["common"]), int(x["local_steps"])
    small, learned, shared = x["small"] > 0, x["learned"] > 0, x["shared"] > 0
    curved = [j for j in range(d) if j == 0 or x["flat"] == 0]
    h, pull = [[Fraction(0)] * d for _ in p], [[Fraction(0)] * d for _ in p]
    for j in range(d):
        centre = sum(p[k] * x["pull"][k][j] for k in range(K))
        for k in range(K):
            if j in curved:
                h[k][j] = x["common"][j] * (1 if small else 1 + x["spread"] * x["unit"][k][j])
            if j not in curved or not small:
                pull[k][j] = x["pull"][k][j] - centre
    H = [sum(p[k] * h[k][j] for k in range(K)) for j in range(d)]
    lean = [[h[k][j] / H[j] if j in curved else Fraction(0) for j in range(d)] for k in range(K)]
    A = max(v * v for row in lean for v in row)
    A = A if small else A * (1 + x["slack"])
    B, met4 = Fraction(0), True
    for k in range(K):  # sup of (pull + lean g)^2 - A g^2 over g, coordinate by coordinate
        needed = Fraction(0)
        for j in range(d):
            met4 = met4 and (lean[k][j] ** 2 < A or (pull[k][j] == 0 and lean[k][j] ** 2 == A))
            if pull[k][j] != 0:
                needed += pull[k][j] ** 2 / (1 - lean[k][j] ** 2 / A)
        B = max(B, needed)
    B += x["extra"]
    L = max(abs(v) for row in h for v in row)
    eta = x["step_fraction"] / (2 * tau * L)
    s = [[v * x["noisy"] for v in (x["noise"][0] if x["even"] > 0 else row)] for row in x["noise"]]
    w = [a + x["mix"] * (b - a) for a, b in zip(p, x["weights"], strict=True)]
    pairs = [(k, k + 1) for k in range(0, K - 1, 2)] if learned else []
    single = [k for k in range(K) if not any(k in pair for pair in pairs)]
    # The weights of every pair in its four outcomes, signs (up is 1) and weights.
    laws: list[list[tuple[Any, Any]]] = []
    for i, j in pairs:
        m = x["lift"] * min(w[i], w[j])
        laws.append([((a, b), (w[i] + (a - b) * m / 2, w[j] - (a - b) * m / 2)) for a in (1, -1) for b in (1, -1)])
    total = [Fraction(0)] * int(x["n_rounds"])
    drop = Fraction(0)
    for j in curved:
        jump, push, spread = Fraction(0), Fraction(0), Fraction(0)
        noise = [[eta * (1 - eta * h[k][j]) ** (tau - 1 - e) * s[k][j] for e in range(tau)] for k in range(K)]
        for k in range(K):
            slope, offset = Fraction(1), Fraction(0)
            for _ in range(tau):
                slope, offset = slope * (1 - eta * h[k][j]), offset - eta * (h[k][j] * offset + pull[k][j])
            jump, push = jump + w[k] * slope, push + w[k] * offset
        if shared:
            spread = sum(sum(w[k] * noise[k][e] for k in range(K)) ** 2 for e in range(tau))
        else:
            spread = sum((w[k] ** 2 * v * v for k in single for v in noise[k]), Fraction(0))
        for pair, law in zip(pairs, laws, strict=True):
            kicks = [sum(a * v * noise[k][0] for a, v, k in zip(up, at, pair, strict=True)) for up, at in law]
            later = [sum(v * v * q * q for v, k in zip(at, pair, strict=True) for q in noise[k][1:]) for _, at in law]
            push += sum(kicks) / 4
            spread += sum(q * q for q in kicks) / 4 - (sum(kicks) / 4) ** 2 + sum(later, Fraction(0)) / 4
        y = push / (1 - jump) if x["settled"] > 0 else x["start"][j]
        drop += H[j] * y * y / 2
        yy = y * y
        for t in range(len(total)):
            total[t] += H[j] ** 2 * yy
            yy = jump**2 * yy + 2 * jump * push * y + push**2 + spread
            y = jump * y + push
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    gap2 = sum(((p[k] - w[k]) ** 2 for k in single), Fraction(0))
    power = sum((w[k] ** 2 for k in single), Fraction(0))
    for (i, j), law in zip(pairs, laws, strict=True):
        gap2 += max((p[i] - at[0]) ** 2 + (p[j] - at[1]) ** 2 for _, at in law)
        power += max(at[0] ** 2 + at[1] ** 2 for _, at in law)
    W_D = 2 * K * gap2
    sigma2 = max(sum(v * v for v in row) for row in s)
    hypotheses = {
        "A.2: F bounded below": all(H[j] > 0 for j in curved),
        "A.4 for every k, everywhere": met4,
        "A, B > 0, and A <= 1 where asked": min(A, B) > 0 and (A <= 1 or not small),
        "eta L <= 1/(2 tau)": eta > 0 and 2 * tau * eta * L <= 1,
        "p and w on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in (p, w)),
        "learned weights stay on it": 0 <= x["lift"] <= 1 and (small or not learned),
        "denominator positive": 1 - C - 2 * A * C - (1 if small else A) * W_D * (1 - C) > 0,
    }
    return hypotheses, {
        "lhs": sum(total) / len(total) if x["average"] > 0 else min(total),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(len(total)),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": W_D,
        "drop": drop,
        "noise": sigma2,
        "square_weights": power,
    }


INSTANCE = {
    'common': [Fraction(1)],
    'unit': [[Fraction(0)], [Fraction(0)], [Fraction(0)], [Fraction(0)], [Fraction(0)]],
    'spread': Fraction(1),
    'pull': [[Fraction(0)], [Fraction(0)], [Fraction(0)], [Fraction(0)], [Fraction(0)]],
    'flat': Fraction(0),
    'share': [Fraction(1, 5), Fraction(1, 5), Fraction(1, 5), Fraction(1, 5), Fraction(1, 5)],
    'weights': [Fraction(1), Fraction(0), Fraction(0), Fraction(0), Fraction(0)],
    'mix': Fraction(1, 50),
    'start': [Fraction(0)],
    'settled': Fraction(1),
    'step_fraction': Fraction(1, 27),
    'slack': Fraction(1),
    'extra': Fraction(1),
    'noise': [[Fraction(59)], [Fraction(1)], [Fraction(1)], [Fraction(1)], [Fraction(1)]],
    'lift': Fraction(1, 2),
    'noisy': Fraction(1),
    'even': Fraction(1),
    'local_steps': Fraction(1),
    'n_rounds': Fraction(200),
    'small': Fraction(1),
    'shared': Fraction(0),
    'learned': Fraction(1),
    'average': Fraction(0),
}
hypotheses, constants = theorem_exact(INSTANCE)
A = constants["A"]
B = constants["B"]
C = constants["C"]
L = constants["L"]
T = constants["T"]
W_D = constants["W_D"]
drop = constants["drop"]
eta = constants["eta"]
noise = constants["noise"]
square_weights = constants["square_weights"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(2*B*C/(-2*A*C - C - W_D*(1 - C) + 1) + B*W_D*(1 - C)/(-2*A*C - C - W_D*(1 - C) + 1) + L**2*eta**2*noise*(2*tau - 2)/(-2*A*C - C - W_D*(1 - C) + 1) + L*eta*noise*square_weights*(2 - 2*C)/(-2*A*C - C - W_D*(1 - C) + 1) + drop*(2 - 2*C)/(T*eta*tau*(-2*A*C - C - W_D*(1 - C) + 1)))
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
