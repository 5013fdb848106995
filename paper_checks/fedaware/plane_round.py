"""One round of two clients in the plane, no noise, whose shortest mixture of updates has the objective's weights: χ² = 0."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION, Checked
from theory.worlds.hull import squares
from validation import Instance, LogScale, Simplex, Space, World, case

__all__ = ["balanced", "plane", "plane_exact"]


def plane(x: Instance, *, K: int) -> Mapping[str, Any]:
    """All constants of (13), and of (16) with m⁰ = g⁰, from x⁰ = 0.

    The updates are (2λ₂, a) and (−2λ₁, a), a = `aside`: they cancel along the first axis, and (0, a) is the shortest
    point of their hull, so γ of Assumption A.1 over the whole simplex is the larger of 1 + 4λᵢ²/a².
    """
    h, lam, a = x["curvature"], x["share"], x["aside"]
    n = len(h)
    L, eta_g = h.max(axis=(1, 2)), x["server"]
    eta_l = x["first"] / (L * K)
    part = -np.expm1(K * np.log1p(-eta_l[:, None, None] * h))
    across = np.stack([2 * lam[:, 1], -2 * lam[:, 0]], axis=1)
    g = np.stack([across, a[:, None] * np.ones((n, 2))], axis=2)
    slopes = h * g / part
    slope, H = np.einsum("ni,nij->nj", lam, slopes), np.einsum("ni,nij->nj", lam, h)
    step, one = eta_g * a, np.ones(n)
    top = np.einsum("ni,nij->nj", lam, np.abs(slopes))
    return {
        "mean_square": squares(slope),
        "F": step * (slope[:, 1] - H[:, 1] * step / 2),
        "T": one,
        "K": K * one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": squares(g).max(axis=1) / a**2,
        "sigma2": 0 * one,
        "rho": a**2,
        "chi": 0 * one,
        "beta": 0 * one,
        "sizes": {"mean_square": squares(top), "F": step * (top[:, 1] + H[:, 1] * step)},
    }


def plane_exact(x: Mapping[str, Any], *, K: int) -> Checked:
    """K local steps and one server step from 0; m^0 = g^0, so that the averages are the updates, whatever alpha is."""
    h, lam, clients, axes = x["curvature"], x["share"], (0, 1), (0, 1)
    L = max(y for row in h for y in row)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = [[1 - (1 - eta_l * y) ** K for y in row] for row in h]
    across = [2 * lam[1], -2 * lam[0]]
    best = [[-across[i] / part[i][0], -x["aside"] / part[i][1]] for i in clients]
    g = [[-part[i][j] * best[i][j] for j in axes] for i in clients]
    own = [g[i][0] ** 2 + g[i][1] ** 2 for i in clients]
    cross = g[0][0] * g[1][0] + g[0][1] * g[1][1]
    # where the derivative of the square of b g_1 + (1 - b) g_2 is 0
    b = (own[1] - cross) / (own[0] - 2 * cross + own[1])
    tilde = [b, 1 - b]
    G = [tilde[0] * g[0][j] + tilde[1] * g[1][j] for j in axes]
    square = G[0] ** 2 + G[1] ** 2
    slope = [sum(-lam[i] * h[i][j] * best[i][j] for i in clients) for j in axes]
    before = sum(lam[i] * h[i][j] * best[i][j] ** 2 / 2 for i in clients for j in axes)
    after = sum(lam[i] * h[i][j] * (-eta_g * G[j] - best[i][j]) ** 2 / 2 for i in clients for j in axes)
    met = {
        "convex, L-smooth clients": min(y for row in h for y in row) > 0,
        "lambda on the simplex": sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "the weights of smallest norm are on the simplex": 0 <= b <= 1,
    }
    return met, {
        "mean_square": slope[0] ** 2 + slope[1] ** 2,
        "F": before - after,
        "T": Fraction(1),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(own) / square,
        "sigma2": Fraction(0),
        "rho": square,
        "chi": sum((lam[i] - tilde[i]) ** 2 / lam[i] for i in clients),
        "beta": Fraction(0),
    }


def balanced(K: int, *, near: float) -> World:
    """K local steps, in units of a small L; the updates are at most 1/`near` times as long across as along."""
    space = Space(
        (
            LogScale("curvature", 1e-6, 1e-3, (2, 2), at=(1e-6, 1e-3)),
            Simplex("share", 2, interior=True),
            LogScale("aside", near, 1.0, at=(near,)),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e2, at=(1.0,)),
        )
    )
    name = f"two clients in the plane, K = {K}, T = 1"
    return World(NOTATION, (case(name, space, plane, plane_exact, mechanisms=switched_on(K), K=K),))
