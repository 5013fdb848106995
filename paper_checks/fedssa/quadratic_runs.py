"""FedSSA's own runs: quadratic clients along common axes, weights fixed or learned, exact moments of every round.

∇F_k = h_k·y + b_k in coordinates y = θ − θ*, θ* the minimiser of F = Σp_kF_k, so that Σp_kb_k = 0. Every local step adds
noise of standard deviation s_k, independent of all else unless `shared`. What is observed: the least and the mean squared
gradient of F over the rounds, and the constants of Theorem A.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["RUN_USES", "constants", "constants_exact", "moments", "moments_exact", "run", "run_exact"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]


def moments(jump: Any, push: Any, fresh: Any, start: Any, T: int) -> Any:
    """E y² of every coordinate at the start of T rounds y → jump·y + push + noise of variance `fresh`, (T, n, d)."""
    powers, before, before2 = np.ones((3, T, *start.shape))
    powers[1:] = jump
    np.multiply.accumulate(powers, axis=0, out=powers)
    before[0] = before2[0] = 0.0  # sums of the powers of `jump`, and of their squares, up to the round before
    np.add.accumulate(powers[:-1], axis=0, out=before[1:])
    np.add.accumulate(powers[:-1] ** 2, axis=0, out=before2[1:])
    return (powers * start + before * push) ** 2 + before2 * fresh


def moments_exact(jump: Any, push: Any, fresh: Any, start: Any, T: int) -> list[Any]:
    """The same for one coordinate."""
    mean, spread, squares = start, Fraction(0), []
    for _ in range(T):
        squares.append(mean * mean + spread)
        mean, spread = jump * mean + push, jump * jump * spread + fresh
    return squares


def mean_square_exact(jump: Any, push: Any, fresh: Any, start: Any, T: int) -> Any:
    """Their mean over the rounds by geometric sums, where `jump` is not 1."""
    rest, level = push / (1 - jump), fresh / (1 - jump**2)
    first, second = (1 - jump**T) / (1 - jump), (1 - jump ** (2 * T)) / (1 - jump**2)
    away = start - rest
    return (away**2 * second + 2 * away * rest * first + T * rest**2 + level * (T - second)) / T


def constants(h: Any, b: Any, p: Any, slack: Any, extra: Any) -> tuple[Any, Any, Any, Any]:
    """H, L, and A and B of A.4 on all of ℝᵈ; axes on which no client bends need no A."""
    H = np.einsum("nk,nkj->nj", p, h)
    bent = (h != 0).any(axis=1)
    lean2 = np.where(bent[:, None], h / np.where(bent, H, 1.0)[:, None], 0.0) ** 2
    A = lean2.max(axis=(1, 2)) * (1 + slack)
    still = b == 0
    apart = np.where(still, 0.0, b**2 * A[:, None, None] / np.where(still, 1.0, A[:, None, None] - lean2))
    return H, np.abs(h).max(axis=(1, 2)), A, apart.sum(axis=2).max(axis=1) + extra


def constants_exact(h: Any, b: Any, p: Any, slack: Any, extra: Any) -> tuple[Any, Any, Any, Any, bool]:
    """The same, and whether A.4 holds for every client everywhere; A is met with equality by clients of one slope."""
    clients, axes = range(len(p)), range(len(h[0]))
    H = [sum(p[k] * h[k][j] for k in clients) for j in axes]
    lean2 = [[(h[k][j] / H[j]) ** 2 if h[k][j] else Fraction(0) for j in axes] for k in clients]
    A, B, met = max(v for row in lean2 for v in row) * (1 + slack), Fraction(0), True
    for k in clients:  # sup of (b + lean g)^2 - A g^2 over g, coordinate by coordinate
        met = met and all(lean2[k][j] < A or b[k][j] == 0 for j in axes)
        B = max(B, sum((b[k][j] ** 2 / (1 - lean2[k][j] / A) for j in axes if b[k][j] != 0), Fraction(0)))
    return H, max(abs(v) for row in h for v in row), A, B + extra, met


def run(
    x: Mapping[str, Any], *, tau: int, T: int, shared: bool = False, learned: bool = False, lost: bool = True
) -> Mapping[str, Any]:
    """A run's `low` and `average` squared gradient and the constants of Theorem A.5, W_D and Σw² at their largest.

    `h`, `b` (n, K, d); `p`, `w` (n, K); `start` (n, d), or where the mean settles where `settled`; `s2`, variances, or
    `s` (n, K, d); `eta` or `length` = 2τηL (n,); `slack` and `extra` of A and B. `learned`: clients 1 and 2, 3 and 4, …
    exchange the part `lift` of the smaller weight by the signs of their first noises. `lost`: D has W_D, else A·W_D.
    """
    h, b, p, w = x["h"], x["b"], x["p"], x["w"]
    H, L, A, B = constants(h, b, p, x["slack"], x["extra"])
    eta = x["eta"] if "eta" in x else x["length"] / (2 * tau * L)
    s2 = x["s2"] if "s2" in x else x["s"] ** 2
    keep, step = 1 - eta[:, None, None] * h, eta[:, None, None]
    powers = [keep**e for e in range(tau + 1)]
    path, own = step * sum(powers[:-1]), step**2 * sum(q**2 for q in powers[:-1])
    jump, push = np.einsum("nk,nkj->nj", w, powers[-1]), -np.einsum("nk,nkj->nj", w, path * b)
    if shared:
        fresh = eta[:, None] ** 2 * sum(np.einsum("nk,nkj->nj", w, q * x["s"]) ** 2 for q in powers[:-1])
    else:
        fresh = np.einsum("nk,nkj->nj", w**2, s2 * own)
    gap2, power = ((p - w) ** 2).sum(axis=1), (w**2).sum(axis=1)
    for k in range(0, p.shape[1] - 1, 2) if learned else ():
        u, v = w[:, k, None], w[:, k + 1, None]
        moved = x["lift"][:, None] * np.minimum(u, v)
        su, sv = (eta[:, None] * powers[-2][:, i] * x["s"][:, i] for i in (k, k + 1))
        kick = moved * (su + sv) / 2
        push = push + kick
        # Variance of the first step in excess of that of fixed weights, then that of the later steps.
        fresh = fresh + kick**2 - moved**2 / 2 * (su**2 + sv**2)
        fresh = fresh + moved**2 / 2 * (own[:, k] * s2[:, k] + own[:, k + 1] * s2[:, k + 1])
        by, off = moved[:, 0], (p[:, k] - w[:, k]) - (p[:, k + 1] - w[:, k + 1])
        gap2 = gap2 + 2 * by * np.abs(off) + 2 * by**2
        power = power + 2 * by * np.abs(w[:, k] - w[:, k + 1]) + 2 * by**2
    flat = (h == 0).all(axis=1)
    stays = flat | (x.get("settled", np.zeros(len(p))) == 0)[:, None]
    start = np.where(stays, x["start"], push / np.where(stays, 1.0, 1 - jump))
    squares = np.einsum("tnj,nj->tn", moments(jump, push, fresh, start, T), H**2)
    W_D, C = 2 * p.shape[1] * gap2, 2 * tau * (tau - 1) * (eta * L) ** 2
    D = 1 - C - 2 * A * C - (1.0 if lost else A) * W_D * (1 - C)
    drop, size = 0.5 * (H * start**2).sum(axis=1), squares[0] + (b**2).sum(axis=2).max(axis=1)
    fits = (flat | (x.get("least", 1e-2) * L[:, None] < H)).all(axis=1) & np.isfinite(drop) & np.isfinite(B)
    found = {
        "low": np.fmin.reduce(squares, axis=0),
        "average": np.mean(squares, axis=0),
        "drop": drop,
        "L": L,
        "A": A,
        "B": B,
    }
    found |= {"C": C, "W_D": W_D, "D": D, "noise": s2.sum(axis=2).max(axis=1), "square_weights": power, "eta": eta}
    found |= {"tau": np.full(len(p), float(tau)), "T": np.full(len(p), float(T)), "admissible": fits}
    return {**found, "sizes": {"low": size, "average": size}}


def run_exact(
    x: Mapping[str, Any],
    *,
    tau: int,
    T: int,
    shared: bool = False,
    learned: bool = False,
    lost: bool = True,
    asked: str = "low",
) -> Checked:
    """The same, one coordinate after the other; the coins of every pair are walked. Only `asked` of low and average."""
    h, b, p, w = x["h"], x["b"], x["p"], x["w"]
    clients, axes, zero = range(len(p)), range(len(h[0])), Fraction(0)
    H, L, A, B, met4 = constants_exact(h, b, p, x["slack"], x["extra"])
    eta = x["eta"] if "eta" in x else x["length"] / (2 * tau * L)
    s2 = x["s2"] if "s2" in x else [[v * v for v in row] for row in x["s"]]
    pairs = [(k, k + 1) for k in range(0, len(p) - 1, 2)] if learned else []
    single = [k for k in clients if not any(k in pair for pair in pairs)]
    # The weights of every pair in its four outcomes: signs (up is 1) and weights.
    laws: list[list[tuple[Any, Any]]] = []
    for i, j in pairs:
        m = x["lift"] * min(w[i], w[j])
        laws.append([((a, c), (w[i] + (a - c) * m / 2, w[j] - (a - c) * m / 2)) for a in (1, -1) for c in (1, -1)])
    drop, total, squares = zero, zero, [zero] * T
    for j in [j for j in axes if H[j] != 0]:
        jump, push, fresh = zero, zero, zero
        kept = [[(1 - eta * h[k][j]) ** e for e in range(tau)] for k in clients]
        for k in clients:
            jump += w[k] * (1 - eta * h[k][j]) * kept[k][-1]
            push -= w[k] * eta * b[k][j] * sum(kept[k])
        if shared:
            mixed = [sum(w[k] * kept[k][e] * x["s"][k][j] for k in clients) for e in range(tau)]
            fresh = eta**2 * sum(v * v for v in mixed)
        else:
            fresh = eta**2 * sum((w[k] ** 2 * s2[k][j] * sum(v * v for v in kept[k]) for k in single), zero)
        for pair, law in zip(pairs, laws, strict=True):
            first = [eta * kept[k][-1] * x["s"][k][j] for k in pair]
            kicks = [sum(a * v * f for a, v, f in zip(up, at, first, strict=True)) for up, at in law]
            after = [eta**2 * s2[k][j] * sum((v * v for v in kept[k][:-1]), zero) for k in pair]
            later = [sum(v * v * q for v, q in zip(at, after, strict=True)) for _, at in law]
            push += sum(kicks) / 4
            fresh += sum(q * q for q in kicks) / 4 - (sum(kicks) / 4) ** 2 + sum(later) / 4
        y = push / (1 - jump) if x.get("settled", 0) > 0 else x["start"][j]
        drop += H[j] * y * y / 2
        if asked == "average" and jump != 1 and jump != -1:
            total += H[j] ** 2 * mean_square_exact(jump, push, fresh, y, T)
        else:
            found = moments_exact(jump, push, fresh, y, T)
            squares = [a + H[j] ** 2 * v for a, v in zip(squares, found, strict=True)]
    gap2 = sum(((p[k] - w[k]) ** 2 for k in single), zero)
    power = sum((w[k] ** 2 for k in single), zero)
    for (i, j), law in zip(pairs, laws, strict=True):
        gap2 += max((p[i] - at[0]) ** 2 + (p[j] - at[1]) ** 2 for _, at in law)
        power += max(at[0] ** 2 + at[1] ** 2 for _, at in law)
    C, W_D = 2 * tau * (tau - 1) * eta**2 * L**2, 2 * len(p) * gap2
    met = {
        "A.1, A.2: smooth clients, F bounded below": all(H[j] > 0 or all(h[k][j] == 0 for k in clients) for j in axes),
        "A.3: variance sigma^2": all(v >= 0 for row in s2 for v in row),
        "A.4 for every k, everywhere; A, B > 0": met4 and min(A, B) > 0,
        "p and w on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in (p, w)),
        "learned weights stay on it": 0 <= x.get("lift", 0) <= 1,
    }
    D = 1 - C - 2 * A * C - (1 if lost else A) * W_D * (1 - C)
    seen = total + sum(squares) / T if asked == "average" else min(squares)
    out = {asked: seen, "drop": drop, "L": L, "A": A, "B": B, "C": C, "W_D": W_D, "D": D, "eta": eta}
    out |= {"noise": max(sum(row) for row in s2), "square_weights": power, "tau": Fraction(tau), "T": Fraction(T)}
    return met, out


RUN_USES = (constants_exact, moments_exact, mean_square_exact, run_exact)
"""What an exact side calls that ends in `run_exact`."""
