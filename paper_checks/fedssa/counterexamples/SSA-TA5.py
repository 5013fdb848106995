"""Counterexample to SSA-TA5.

Reading: denominator positive.
Instance: 2 1-D clients of any curvature, τ = 1, T = 128.
Claimed: The smallest and the mean squared gradient over T rounds are below (T₁+…+T₅)/(1 − C − 2AC − W_D(1 − C)).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedSSA on 1-D quadratics with fixed p and w: exact moments of the gradient of F at the start of every round."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["weights"]
    tau, T, K = int(x["local_steps"]), int(x["n_rounds"]), len(h)
    clients = range(K)
    H = sum(p[k] * h[k] for k in clients)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    L = max(abs(v) for v in h)
    eta = x["step_fraction"] / (2 * tau * L)
    lean = [h[k] / H for k in clients]
    pull = [h[k] * (best - m[k]) for k in clients]
    A = max(v * v for v in lean) * (1 + x["slack"])
    B = max(pull[k] ** 2 * A / (A - lean[k] ** 2) for k in clients) + x["extra"]
    sigma2 = x["noise"] * x["noisy"]
    model, spread, squares = x["start"], Fraction(0), []
    for _ in range(T):
        squares.append(H * H * ((model - best) ** 2 + spread))
        local, carried, own = [model] * K, [Fraction(1)] * K, [Fraction(0)] * K
        for _ in range(tau):
            local = [local[k] - eta * h[k] * (local[k] - m[k]) for k in clients]
            carried = [(1 - eta * h[k]) * carried[k] for k in clients]
            own = [(1 - eta * h[k]) ** 2 * own[k] + eta**2 * sigma2 for k in clients]
        model = sum(w[k] * local[k] for k in clients)
        spread = sum(w[k] * carried[k] for k in clients) ** 2 * spread + sum(w[k] ** 2 * own[k] for k in clients)
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    W_D = 2 * K * sum((p[k] - w[k]) ** 2 for k in clients)
    hypotheses = {
        "A.1: every F_k is L-smooth": all(abs(v) <= L for v in h),
        "A.2: F = sum p_k F_k bounded below": H > 0,
        "A.3: variance sigma^2 (mean 0 and independent by the recursion for the spread)": sigma2 >= 0,
        "A.4: |grad F_k|^2 <= A |grad F|^2 + B for every k and all of R": all(
            lean[k] ** 2 < A and pull[k] ** 2 * A / (A - lean[k] ** 2) <= B for k in clients
        ),
        "A, B > 0": min(A, B) > 0,
        "eta L <= 1/(2 tau)": eta > 0 and eta * L * 2 * tau <= 1,
        "p and w on the simplex": sum(p) == 1 and sum(w) == 1 and min(p) >= 0 and min(w) >= 0,
        "denominator positive (where required)": (x["any_denominator"] > 0 or 1 - C - 2 * A * C - W_D * (1 - C) > 0),
    }
    constants = {
        "lhs": min(squares),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(T),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": W_D,
        "drop": H * (x["start"] - best) ** 2 / 2,
        "noise": sigma2,
        "square_weights": sum(v * v for v in w),
    }
    return hypotheses, constants


INSTANCE = {
    'curvature': [Fraction(10), Fraction(-10)],
    'optimum': [Fraction(0), Fraction(0)],
    'share': [Fraction(2, 3), Fraction(1, 3)],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'start': Fraction(-1),
    'step_fraction': Fraction(1),
    'slack': Fraction(1),
    'extra': Fraction(1),
    'noise': Fraction(1),
    'noisy': Fraction(0),
    'local_steps': Fraction(1),
    'n_rounds': Fraction(128),
    'any_denominator': Fraction(0),
}
hypotheses, constants = run_exact(INSTANCE)
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
rhs = Fraction((2*B*C + B*W_D*(1 - C) + L**2*eta**2*noise*(2*tau - 2) + L*eta*noise*square_weights*(2 - 2*C) + drop*(2 - 2*C)/(T*eta*tau))/(-2*A*C - C - W_D*(1 - C) + 1))
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
