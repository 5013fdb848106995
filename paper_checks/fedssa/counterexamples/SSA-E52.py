"""Counterexample to SSA-E52.

Reading: as printed, 1 − W_D.
Instance: 2 clients, d = 1, τ = 1, noise.
Claimed: The first line has 1 − A·W_D, the second 1 − W_D: a round lowers F by what the second line says.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def paths_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Local SGD of every client on every sign pattern; expectations are plain means over the patterns."""
    K, d, tau, r = len(x["share"]), len(x["start"]), int(x["tau"]), int(x["r"])
    clients, axes, steps = range(K), range(d), range(tau)
    everywhere, noisy, coins = x["everywhere"] > 0, x["noisy"] > 0, int(x["coins"])
    m, p, start = x["optimum"], x["share"], x["start"]
    high, low = x["curvature"], x["curvature"] if everywhere else x["bend"]
    L = max(max(abs(v) for v in [*high[k], *low[k]]) for k in clients)
    eta = x["step"] / (2 * tau * L)

    def slope(k: int, j: int, at: Any) -> Any:
        return (high[k][j] if at >= m[k][j] else low[k][j]) * (at - m[k][j])

    def norm(v: Any) -> Any:
        return sum((y * y for y in v), Fraction(0))

    def loss(at: Any) -> Any:
        return sum(p[k] * slope(k, j, at[j]) * (at[j] - m[k][j]) / 2 for k in clients for j in axes)

    places = [(k, s) for k in clients for s in steps]
    if len(places) > 6:
        places = [places[i] for i in sorted({i * (len(places) - 1) // 5 for i in range(6)})]
    coin_of = {(k, s): (0 if coins == 1 else k, 0 if coins == 2 else s) for k, s in places} if noisy else {}
    tossed = list(dict.fromkeys(coin_of.values()))
    fixed = list(x["weights"])
    if x["kind"] == 2:
        fixed = [*fixed[:-1], 1 - sum(fixed[:-1])]
    began = [[slope(k, j, start[j]) for j in axes] for k in clients]
    whole = [sum(p[k] * began[k][j] for k in clients) for j in axes]
    G = norm(whole)
    sums: dict[str, Fraction] = {}
    drifts, first_h, mean_noise, wander, squares, gaps = [], None, [Fraction(0)] * d, Fraction(0), [], []
    seen: dict[Any, Any] = {}
    consistent = True
    chance = Fraction(1, 2 ** len(tossed))
    for path in range(2 ** len(tossed)):
        up = {coin: -1 if (path >> i) & 1 else 1 for i, coin in enumerate(tossed)}
        watched = (0, tau - 1) if x["sees"] == 2 else (K - 1, 0)
        sees = x["sees"] > 0 and up.get((0, 0), 1) < 0 and up.get(watched, 1) < 0
        w = list(x["other"]) if sees else fixed
        squares.append(norm(w))
        gaps.append(norm([a - b for a, b in zip(p, w, strict=True)]))
        h, e, ends, fresh = [], [], [], []
        tracks = []
        for k in clients:
            model, fulls, noises, track = list(start), [], [], []
            for s in steps:
                track.append(list(model))
                full = [slope(k, j, model[j]) for j in axes]
                sign = up[coin_of[(k, s)]] if (k, s) in coin_of else 0
                noise = [
                    sign * x["noise"][k][j] / (1 + x["sway"] * (model if tau <= 4 else start)[0] ** 2) for j in axes
                ]
                fulls.append(full)
                noises.append(noise)
                model = [model[j] - eta * (full[j] + noise[j]) for j in axes]
            h.append([sum(f[j] for f in fulls) / tau for j in axes])
            e.append([sum(n[j] for n in noises) / tau for j in axes])
            fresh.append(sum(norm(n) for n in noises) / tau**2)
            ends.append(model)
            tracks.append((track, fulls, noises))
        key = tuple(tuple(end) for end in ends)
        consistent = consistent and seen.setdefault(key, w) == w
        new = [sum(w[k] * ends[k][j] for k in clients) for j in axes]
        mh = [sum(w[k] * h[k][j] for k in clients) for j in axes]
        me = [sum(w[k] * e[k][j] for k in clients) for j in axes]
        off = norm([sum(w[k] * (began[k][j] - h[k][j]) for k in clients) for j in axes])
        drift = [norm([began[k][j] - h[k][j] for j in axes]) for k in clients]
        drifts.append(off)
        first_h = first_h or h[0]
        wander = max(wander, norm([h[0][j] - first_h[j] for j in axes]))
        mean_noise = [mean_noise[j] + chance * e[0][j] for j in axes]
        track, fulls, noises = tracks[0]
        partial_n = [sum(noises[s][j] for s in range(r)) for j in axes]
        partial_h = [sum(fulls[s][j] for s in range(r)) for j in axes]
        away = [norm([a - b for a, b in zip(at, start, strict=True)]) for at in track]
        change = [norm([f[j] - began[0][j] for j in axes]) for f in fulls]
        virtual = [[sum(w[k] * tracks[k][0][s][j] for k in clients) - sum(w) * start[j] for j in axes] for s in steps]
        found = {
            "fall": loss(new) - loss(start),
            "N1": sum(whole[j] * (mh[j] + me[j]) for j in axes),
            "N1h": sum(whole[j] * mh[j] for j in axes),
            "N2": norm([a + b for a, b in zip(mh, me, strict=True)]),
            "Q": norm(mh),
            "Dv": norm(me),
            "V": sum(w[k] ** 2 * norm(e[k]) for k in clients),
            "V3": sum(w[k] ** 2 * fresh[k] for k in clients),
            "N3": norm([a - b for a, b in zip(whole, mh, strict=True)]),
            "R": off,
            "N4": sum(w[k] * drift[k] for k in clients),
            "D0": drift[0],
            "D1": sum(change) / tau,
            "X": sum(away) / tau,
            "Xbar": sum(norm(v) for v in virtual) / tau,
            "N5": away[r],
            "Sg": norm([a + b for a, b in zip(partial_n, partial_h, strict=True)]),
            "Sn": norm(partial_n),
            "Sh": norm(partial_h),
            "Snn": sum((norm(noises[s]) for s in range(r)), Fraction(0)),
            "Shh": sum((norm(fulls[s]) for s in range(r)), Fraction(0)),
            "N6": sum(norm(f) for f in fulls),
            "Gr": norm(fulls[r]),
            "Dr": change[r],
        }
        sums = {name: sums.get(name, Fraction(0)) + chance * value for name, value in found.items()}
    gap2 = norm([a - b for a, b in zip(p, fixed, strict=True)])
    sizes = [norm(g) for g in began]
    A, met4 = x["A"], True
    B = max([Fraction(0), *(s - A * G for s in sizes)]) + x["extra"]
    B_mean = max(Fraction(0), sum(a * s for a, s in zip(p, sizes, strict=True)) - A * G) + x["extra"]
    if everywhere:
        H = sum(p[k] * high[k][0] for k in clients)
        best = sum(p[k] * high[k][0] * m[k][0] for k in clients) / H
        lean, pull = [high[k][0] / H for k in clients], [high[k][0] * (best - m[k][0]) for k in clients]
        A = max(v * v for v in lean) * (1 + x["A"])
        B = B_mean = max(pull[k] ** 2 * A / (A - lean[k] ** 2) for k in clients) + x["extra"]
        met4 = H > 0 and all(lean[k] ** 2 < A and pull[k] ** 2 * A <= B * (A - lean[k] ** 2) for k in clients)
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    constants = {
        **sums,
        "G": G,
        "M": norm([sum((p[k] - fixed[k]) * began[k][j] for k in clients) for j in axes]),
        "Rmin": min(drifts),
        "S": max(squares),
        "sigma2": max(norm(u) for u in x["noise"]) * (1 if noisy else 0),
        "squares_sum": sum(sizes, Fraction(0)),
        "gap2": gap2,
        "A": A,
        "B": B,
        "B_mean": B_mean,
        "W_D": 2 * K * max(gaps),
        "G0": sizes[0],
        "NG": sum(fixed[k] * sizes[k] for k in clients),
        "bias": norm(mean_noise),
        "wander": wander,
        "LX": L**2 * sums["X"],
        "W1": sum(fixed),
        "C": C,
        "K": Fraction(K),
        "r": Fraction(r),
        "tau": Fraction(tau),
        "eta": eta,
        "L": L,
    }
    names = sorted(constants)
    one, two = names[int(x["left"])], names[int(x["minus"])]
    lhs = constants[one] if one == two else abs(constants[one] - constants[two])
    wanted = {
        0: sum(fixed) == 1 and min(fixed) >= 0,
        1: True,
        2: sum(fixed) == 1,
        3: min(fixed) > 0,
    }
    hypotheses = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights as the reading asks": wanted[int(x["kind"])],
        "weights a function of the local models": consistent,
        "eta L <= reach/(2 tau)": eta > 0 and 2 * tau * eta * L <= x["reach"],
        "A.4 for every k": met4 and (everywhere or all(s <= A * G + B for s in sizes)),
        "A, B > 0": min(A, B) > 0,
        "C < 1 where asked": C < 1 or x["settled"] == 0,
        "A <= 1 where asked": A <= 1 or x["small_A"] == 0,
    }
    return hypotheses, {**constants, "lhs": lhs}


INSTANCE = {
    'curvature': [[Fraction(1, 2)], [Fraction(10)]],
    'bend': [[Fraction(0)], [Fraction(0)]],
    'optimum': [[Fraction(0)], [Fraction(-1)]],
    'start': [Fraction(0)],
    'share': [Fraction(3, 4), Fraction(1, 4)],
    'weights': [Fraction(1), Fraction(0)],
    'other': [Fraction(1), Fraction(0)],
    'noise': [[Fraction(0)], [Fraction(0)]],
    'sway': Fraction(1),
    'step': Fraction(1),
    'A': Fraction(1),
    'extra': Fraction(1),
    'r': Fraction(0),
    'tau': Fraction(1),
    'noisy': Fraction(1),
    'kind': Fraction(0),
    'sees': Fraction(0),
    'coins': Fraction(0),
    'reach': Fraction(1),
    'settled': Fraction(0),
    'everywhere': Fraction(1),
    'small_A': Fraction(0),
    'left': Fraction(40),
    'minus': Fraction(40),
}
hypotheses, constants = paths_exact(INSTANCE)
A = constants["A"]
B = constants["B"]
C = constants["C"]
G = constants["G"]
L = constants["L"]
S = constants["S"]
W_D = constants["W_D"]
eta = constants["eta"]
sigma2 = constants["sigma2"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(A*C*G*eta*tau/(1 - C) + B*C*eta*tau/(1 - C) + B*W_D*eta*tau/2 - G*eta*tau*(1 - W_D)/2 + L**2*eta**3*sigma2*tau*(tau - 1)/(1 - C) + L*S*eta**2*sigma2*tau)
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
