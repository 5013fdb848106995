"""One client's local SGD steps in a round, on the line: exact second moments of its gradients and of their sums.

F(w) = h/2·(w − m)², noise of mean 0 and variance (hσ)², independent over steps. In units of 1/h the round's step sizes
start at `step` and go to step·late, in E portions `parts` on the simplex; they stay there afterwards. Sums run over the
first E − 1 gradients (t = t₀ + E − 1 comes after them), or over the `whole` round (t is the last of them).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["local_path", "local_path_exact"]


def local_path(x: Mapping[str, Any], *, E: int, whole: bool, rising: bool = False) -> dict[str, Any]:
    """E‖Σηⱼgⱼ‖² (`moved2`), E‖Σgⱼ‖² (`summed2`), Σηⱼ²E‖gⱼ‖² (`scaled2`), ΣE‖gⱼ‖² (`seconds`), each of shape (n,).

    `terms`: how many gradients the sums have; `eta_first`, `eta`, `eta_top`: first and last step size, and the largest
    of the sums; `G2`: largest second moment at the models visited. From means and covariances of (w − start, Σg).
    """
    h, m = x["curvature"], x["optimum"] - x["start"]
    var = (h * x["sigma"]) ** 2
    etas = (x["step"] / h)[:, None] * (1 + (x["late"][:, None] - 1) * np.cumsum(x["parts"], axis=1))
    terms = E if whole else E - 1
    w, G, ww, wG, GG = (np.zeros_like(h) for _ in range(5))
    seconds, scaled = [], np.zeros_like(h)
    for j in range(terms):
        eta, mean = etas[:, j], h * (w - m)
        seconds.append(mean**2 + h**2 * ww + var)
        scaled = scaled + eta**2 * seconds[-1]
        keep, G = 1 - eta * h, G + mean
        GG = GG + 2 * h * wG + h**2 * ww + var
        wG = keep * (wG + h * ww) - eta * var
        w, ww = w - eta * mean, keep**2 * ww + eta**2 * var
    each = np.stack([*seconds, h**2 * ((w - m) ** 2 + ww) + var], axis=0)
    largest, top = each.max(axis=0), etas[:, : max(terms, 1)].max(axis=1)
    found = {"moved2": w**2 + ww, "summed2": G**2 + GG, "scaled2": scaled, "seconds": each[:-1].sum(axis=0)}
    found |= {"G2": largest, "eta_first": etas[:, 0], "eta": etas[:, -1], "eta_top": top}
    found |= {"terms": np.full_like(h, terms), "E": np.full_like(h, E)}
    return {**found, "admissible": x["late"] >= 1 if rising else x["late"] <= 1}


def local_path_exact(
    x: Mapping[str, Any], *, E: int, whole: bool, rising: bool = False
) -> tuple[dict[str, bool], dict[str, Any]]:
    """Raw second moments: u = w - m, S = sum eta_j g_j, G = sum g_j over the terms of the sum."""
    h, gone, etas, terms = x["curvature"], Fraction(0), [], E if whole else E - 1
    for part in x["parts"]:
        gone += part
        etas.append(x["step"] / h * (1 + (x["late"] - 1) * gone))
    first = x["start"] - x["optimum"]
    u, uu, uG, GG = first, first * first, Fraction(0), Fraction(0)
    seconds, scaled, var = [], Fraction(0), (h * x["sigma"]) ** 2
    for eta in etas[:terms]:
        second, keep = h * h * uu + var, 1 - eta * h
        seconds.append(second)
        scaled += eta * eta * second
        GG += 2 * h * uG + second
        uG = keep * (uG + h * uu) - eta * var
        u, uu = keep * u, keep * keep * uu + eta * eta * var
    met = {
        "strongly convex, smooth": h > 0,
        "parts of the change on the simplex": sum(x["parts"]) == 1 and min(x["parts"]) >= 0,
        "eta_t <= 2 eta_(t+E) for all t >= 0": x["step"] > 0 and x["step"] <= 2 * x["step"] * x["late"],
        "eta_t as named": x["late"] >= 1 if rising else x["late"] <= 1,
    }
    found = {"moved2": first * first - 2 * first * u + uu, "summed2": GG, "scaled2": scaled}
    found |= {"seconds": sum(seconds, Fraction(0)), "G2": max([*seconds, h * h * uu + var]), "eta_first": etas[0]}
    found |= {"eta": etas[-1], "eta_top": max(etas[: max(terms, 1)]), "terms": Fraction(terms), "E": Fraction(E)}
    return met, found
