"""FedAWARE's own runs in space, no noise and everybody present: two or three clients of any Hessians on common axes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import Checked
from theory.exact import dot, weighted_sum
from theory.quantities import chi_square, pseudo_gradient
from theory.worlds.hull import SHORTEST, nearest, shortest, squares
from validation import Case, Instance, LogScale, Signed, Simplex, Space, Uniform, case

__all__ = ["space_run", "spatial_exact"]


def _spread(m: Any) -> Any:
    """Square of the length or area that two or three points (batch, N, d) span."""
    apart = m[:, 1:] - m[:, :1]
    return np.linalg.det(np.einsum("nid,njd->nij", apart, apart))


def spatial(x: Instance, *, K: int, T: int) -> Mapping[str, Any]:
    """All constants of (13) and (16) from x⁰ = 0 and m⁰ = g⁰; coefficient `alpha`, or 1.

    A run counts while no update or average is a mixture of others: no other weights serve.
    """
    h, lam, best = x["curvature"], x["share"], x["optimum"]
    n, N, dim = h.shape
    L, eta_g = h.max(axis=(1, 2)), x["server"]
    eta_l = x["first"] / (L * K)
    part = -np.expm1(K * np.log1p(-eta_l[:, None, None] * h))
    alpha = x["alpha"][:, None, None] if "alpha" in x else 1.0
    H, pull = np.einsum("ni,nij->nj", lam, h), np.einsum("ni,nij,nij->nj", lam, h, best)
    at, m = np.zeros((n, dim)), np.zeros((n, N, dim))
    grads, rhos, chis, both, top, gamma = (np.zeros(n) for _ in range(6))
    met, clear = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    for t in range(T):
        lost = ~(np.abs(at).max(axis=1) < 1e150)  # of which floats know no more
        g = part * (at[:, None] - best)
        m = (1 - alpha) * m + alpha * g if t else g
        w, d = nearest(m)
        own, least = squares(g).max(axis=1), squares(nearest(g)[1])
        size = squares(m).max(axis=1)
        apart = _spread(m)
        met &= lost | ((least > 1e-9 * own) & (apart > 0))
        clear &= ~lost & (apart > 1e-13 * size ** (N - 1))
        gamma = np.maximum(gamma, own / np.where(least > 0, least, 1.0))
        slope = H * at - pull
        chi, rho = chi_square(w, lam), squares(pseudo_gradient(g, w))
        grads, rhos, chis, both = grads + squares(slope), rhos + rho, chis + chi, both + chi * rho
        top = np.maximum(top, squares(H * np.abs(at) + np.einsum("ni,nij,nij->nj", lam, h, np.abs(best))))
        at = at - eta_g[:, None] * d
    path = (np.abs(at) * (np.abs(pull) + H * np.abs(at))).sum(axis=1)
    one = np.ones(n)
    return {
        "mean_square": grads / T,
        "F": (at * (pull - H * at / 2)).sum(axis=1),
        "T": T * one,
        "K": K * one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": gamma,
        "sigma2": 0 * one,
        "rho": rhos / T,
        "chi": chis / T,
        "chi_rho": both / T,
        "beta": (1 - x["alpha"]) ** 2 if "alpha" in x else 0 * one,
        "sizes": {"mean_square": top + path / (K * eta_l * eta_g * T), "chi": 1 + chis, "chi_rho": chis * rhos / T**2},
        "admissible": met,
        "resolved": clear,
    }


def spatial_exact(x: Mapping[str, Any], *, K: int, T: int) -> Checked:
    """FedAWARE round by round from 0, with m^0 = g^0 and the weights of smallest norm over the averages of all clients."""
    h, lam, best, alpha = x["curvature"], x["share"], x["optimum"], x.get("alpha", Fraction(1))
    clients, axes = range(len(lam)), range(len(h[0]))
    L = max(y for row in h for y in row)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = [[1 - (1 - eta_l * y) ** K for y in row] for row in h]

    def f(model: Any) -> Any:
        return sum(lam[i] * h[i][j] * (model[j] - best[i][j]) ** 2 / 2 for i in clients for j in axes)

    m: list[Any] = []
    at, grads, rhos, chis, both, gammas, unique = [Fraction(0) for _ in axes], [], [], [], [], [], True
    for _ in range(T):
        g = [[part[i][j] * (at[j] - best[i][j]) for j in axes] for i in clients]
        old = m if m else g
        m = [[(1 - alpha) * old[i][j] + alpha * g[i][j] for j in axes] for i in clients]
        w, d = shortest(m)
        apart = [[m[i][j] - m[0][j] for j in axes] for i in clients if i > 0]
        spread = dot(apart[0], apart[0])
        if len(apart) == 2:
            spread = spread * dot(apart[1], apart[1]) - dot(apart[0], apart[1]) ** 2
        nearest_g = shortest(g)[1]
        least = dot(nearest_g, nearest_g)
        unique = unique and spread > 0
        slope = [sum(lam[i] * h[i][j] * (at[j] - best[i][j]) for i in clients) for j in axes]
        G = weighted_sum(w, g)
        grads.append(dot(slope, slope))
        rhos.append(dot(G, G))
        chis.append(sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients))
        both.append(chis[-1] * rhos[-1])
        gammas.append(max(dot(v, v) for v in g) / least if least > 0 else Fraction(10**10))
        at = [at[j] - eta_g * d[j] for j in axes]
    met = {
        "convex, L-smooth clients": min(y for row in h for y in row) > 0,
        "lambda on the simplex": sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "0 < alpha <= 1": 0 < alpha <= 1,
        "no average is a mixture of others, so the weights are unique": unique,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
    }
    return met, {
        "mean_square": sum(grads) / T,
        "F": f([Fraction(0) for _ in axes]) - f(at),
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": Fraction(0),
        "rho": sum(rhos) / T,
        "chi": sum(chis) / T,
        "chi_rho": sum(both) / T,
        "beta": (1 - alpha) ** 2,
    }


def space_run(N: int, d: int, K: int, T: int, *, least: float = 1e-3, mixed: float = 1.0) -> Case:
    """N clients in d dimensions, of curvatures at least `least`; α from `mixed` to 1."""
    space = Space(
        (
            LogScale("curvature", least, 1e3, (N, d), at=(least, 1e3)),
            Signed("optimum", 1e-2, 1e2, (N, d)),
            Simplex("share", N, interior=True),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e2, at=(1.0,)),
            *((Uniform("alpha", mixed, 1.0, at=(1.0,)),) if mixed < 1 else ()),
        )
    )
    name = f"FedAWARE, {N} clients in {d} dimensions, K = {K}, T = {T}{'' if mixed < 1 else ', α = 1'}"
    how: dict[str, Any] = {"uses": SHORTEST, "cost": max(1.0, T / 3), "mechanisms": switched_on(K)}
    return case(name, space, spatial, spatial_exact, **how, K=K, T=T)
