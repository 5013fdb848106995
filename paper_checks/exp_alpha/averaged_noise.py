"""The worlds of Lemma 2: the noise of an average, of any joint law over the clients, and with weights that may see it.

A table has a row of weights for each outcome; where the samples are not seen its first row serves for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from theory.exact import dot
from validation import (
    Case,
    Choice,
    Family,
    Information,
    Instance,
    Instant,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    units,
)
from validation.world.world import case

__all__ = ["any_law", "fair_signs", "majority", "picked", "rare_signs"]

_UNITS = (units({"sigma": (1, -1)}),)


def joint(x: Instance) -> Mapping[str, Any]:
    """Noise ζᵢvᵢ with variance 1 and correlation r of the ζ; weights in advance, two steps for the maximum."""
    a, v, r = x["weights"], x["noise"], x.get("correlation", np.zeros(len(x["noise"])))
    own = (v**2).sum(axis=-1)
    squares = [(a[:, t] ** 2 * own).sum(axis=1) for t in (0, 1)]
    together = ((a[:, 0, :, None] * v).sum(axis=1) ** 2).sum(axis=-1)
    return {
        "deviation": r * together + (1 - r) * squares[0],
        "noise": np.maximum(*squares),
        "cubes": np.maximum(*((a[:, t] ** 3 * own).sum(axis=1) for t in (0, 1))),
        "sizes": {"deviation": own.max(axis=1)},
    }


def joint_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E |sum rho_i zeta_i v_i|^2 term by term, E zeta_i zeta_j = r for i != j, E zeta_i^2 = 1; sigma_i = |v_i|."""
    a, later, v, r = x["weights"][0], x["weights"][1], x["noise"], x.get("correlation", Fraction(0))
    clients = range(len(v))
    own = [dot(u, u) for u in v]
    left = sum((a[i] ** 2 * own[i] for i in clients), Fraction(0))
    left += sum((2 * r * a[i] * a[j] * dot(v[i], v[j]) for i in clients for j in range(i)), Fraction(0))
    met = {
        "A3: each client's noise has mean 0 and variance sigma_i^2, a joint law exists": 0 <= r <= 1,
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in (a, later)),
    }
    noise = max(sum(w[i] ** 2 * own[i] for i in clients) for w in (a, later))
    cubes = max(sum(w[i] ** 3 * own[i] for i in clients) for w in (a, later))
    return met, {"deviation": left, "noise": noise, "cubes": cubes}


def any_law(*, independent: bool = False) -> Family:
    """Up to 300 clients in up to 8 dimensions, noise of any common correlation or independent."""

    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        common = () if independent else (Uniform("correlation", 0.0, 1.0, at=(0.0, 0.5, 1.0)),)
        space = Space((Simplex("weights", n, (2,)), Signed("noise", 1e-2, 1e2, (n, dim)), *common))
        same = (permuted_clients({"weights": 1, "noise": 0}), units({"noise": (1, -1)}))
        name = f"{n} clients, d = {dim}, {'independent' if independent else 'correlated'} noise"
        return case(name, space, joint, joint_exact, uses=(dot,), cost=max(1.0, n * dim / 20), symmetries=same)

    name = "independent noise" if independent else "any joint law of the noise"
    return Family(name, (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)


def _weights(x: Instance) -> Any:
    return np.where((x["sees"] > Instant.BEFORE_STEP)[:, None, None], x["table"], x["table"][:, :1])


def rare(x: Instance) -> Mapping[str, Any]:
    """Noise 0 or ±σᵢ on the line, independent over clients; a row of weights for each of the 3ᴺ outcomes."""
    outcomes = np.asarray(list(product((-1.0, 0.0, 1.0), repeat=x["sigma"].shape[1])))
    chance = np.where(outcomes[None] == 0, 1 - x["chance"][:, None, None], x["chance"][:, None, None] / 2).prod(axis=2)
    a, squares = _weights(x), (x["chance"][:, None] * x["sigma"] ** 2)[:, None, :]
    return {
        "deviation": (chance * (a * outcomes * x["sigma"][:, None, :]).sum(axis=2) ** 2).sum(axis=1),
        "noise": (a**2 * squares).sum(axis=2).max(axis=1),
        "cubes": (a**3 * squares).sum(axis=2).max(axis=1),
        "sizes": {"deviation": x["sigma"].max(axis=1) ** 2},
    }


def rare_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Client i's noise is +-sigma_i with chance q/2 each, else 0, independently; weights for every outcome."""
    q, sigma = x["chance"], x["sigma"]
    law: list[tuple[Any, list[Any]]] = [(Fraction(1), [])]
    for s in sigma:
        law = [(p * k, [*row, z]) for p, row in law for k, z in ((q / 2, -s), (1 - q, 0 * s), (q / 2, s))]
    left, sums, thirds = Fraction(0), [], []
    for number, (p, noise) in enumerate(law):
        a = x["table"][number if x["sees"] > 2 else 0]
        left += p * dot(a, noise) ** 2
        sums.append(sum(w * w * q * s * s for w, s in zip(a, sigma, strict=True)))
        thirds.append(sum(w**3 * q * s * s for w, s in zip(a, sigma, strict=True)))
    met = {
        "A3: noise of mean 0 and variance q sigma_i^2, independent over clients": 0 <= q <= 1,
        "weights on the simplex for every outcome": all(sum(a) == 1 and min(a) >= 0 for a in x["table"]),
    }
    return met, {"deviation": left, "noise": max(sums), "cubes": max(thirds)}


def rare_signs(n: int, levels: tuple[float, ...]) -> Case:
    """`n` clients whose noise is 0 or ±σᵢ, and weights that have seen what `levels` allow."""
    space = Space(
        (
            Simplex("table", n, (3**n,)),
            LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
            Uniform("chance", 0.0, 1.0, at=(0.1, 0.5, 1.0)),
            Information("sees", levels),
        )
    )
    name = f"{n} clients, independent noise, weights {'may see' if Instant.AFTER_STEP in levels else 'do not see'} it"
    return case(name, space, rare, rare_exact, uses=(dot,), cost=3.0 ** (n - 2), symmetries=_UNITS)


def first_noisy(x: Instance) -> Mapping[str, Any]:
    """N clients of one σ, noise ±σ with chance q, else 0; all weight on the first whose noise is not 0, or on the first."""
    q, n, square = x["chance"], np.where(x["sees"] > Instant.BEFORE_STEP, x["n_clients"], 1.0), x["sigma"] ** 2
    return {"deviation": (1 - (1 - q) ** n) * square, "noise": q * square, "sizes": {"deviation": square}}


def first_noisy_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N clients, noise +-sigma with chance q, else 0, independently; all weight on the first whose noise is not 0."""
    q, left, quiet = x["chance"], Fraction(0), Fraction(1)
    for _ in range(int(x["n_clients"]) if x["sees"] > 2 else 1):
        left += quiet * q * x["sigma"] ** 2  # all before are quiet, this one is not
        quiet *= 1 - q
    met = {"A3: noise of mean 0 and variance q sigma^2, independent over clients": 0 <= q <= 1}
    return met, {"deviation": left, "noise": q * x["sigma"] ** 2}  # one-hot weights


def picked() -> Case:
    """Up to 1,000 clients with rare noise, all weight on a noisy one."""
    space = Space(
        (
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            LogScale("chance", 1e-3, 1.0, at=(1e-3, 0.1, 1.0)),
            Choice("n_clients", (2.0, 4.0, 8.0, 50.0, 1000.0)),
            Information("sees"),
        )
    )
    name = "many clients with rare noise, all weight on a noisy one"
    return case(name, space, first_noisy, first_noisy_exact, symmetries=_UNITS)


def fair(x: Instance) -> Mapping[str, Any]:
    """E(Σρᵢzᵢ)² and E Σρᵢ²zᵢ² over all signs zᵢ = ±σᵢ; weights for every outcome."""
    z = _weights(x) * np.asarray(list(product((-1.0, 1.0), repeat=x["sigma"].shape[1]))) * x["sigma"][:, None, :]
    size = x["sigma"].max(axis=1) ** 2
    found = {"deviation": (z.sum(axis=2) ** 2).mean(axis=1), "weighed": (z**2).sum(axis=2).mean(axis=1)}
    return {**found, "sizes": {"deviation": size}}


def fair_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E (sum rho_i z_i)^2 and E sum rho_i^2 z_i^2 over all signs z_i = +-sigma_i; weights for every outcome."""
    n, left, right = len(x["sigma"]), Fraction(0), Fraction(0)
    for row in range(2**n):
        z = [x["sigma"][i] * (1 if (row >> (n - 1 - i)) & 1 else -1) for i in range(n)]
        a = x["table"][row if x["sees"] > 2 else 0]
        left += dot(a, z) ** 2 / 2**n
        right += sum(a[i] ** 2 * z[i] ** 2 for i in range(n)) / 2**n
    met = {
        "A3: mean 0, variance sigma_i^2; independent": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(a) == 1 and min(a) >= 0 for a in x["table"]),
    }
    return met, {"deviation": left, "weighed": right}


def fair_signs(n: int) -> Case:
    """`n` clients whose noise is ±σᵢ, and weights that may see it."""
    space = Space((Simplex("table", n, (2**n,)), LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)), Information("sees")))
    name = f"{n} clients, signs ±σᵢ, weights may see them"
    return case(name, space, fair, fair_exact, uses=(dot,), symmetries=_UNITS)


def _inverse(n: int) -> float:
    """The mean of one over how many of n fair signs are the more frequent one."""
    up = np.asarray([row.bit_count() for row in range(2**n)])
    return float(np.mean(1 / np.maximum(up, n - up)))


def frequent(x: Instance) -> Mapping[str, Any]:
    """N clients of one σ: equal weights on those with the more frequent sign, or on all of them if they do not see it."""
    n, square, sees = x["n_clients"].astype(int), x["sigma"] ** 2, x["sees"] > Instant.BEFORE_STEP
    inverse = {int(k): _inverse(int(k)) for k in np.unique(n)}
    seen = np.asarray([inverse[int(k)] for k in n])
    found = {"deviation": np.where(sees, square, square / n), "weighed": square * np.where(sees, seen, 1 / n)}
    return {**found, "sizes": {"deviation": square}}


def frequent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N clients, noise +-sigma: equal weights on those with the more frequent sign; E (sum rho z)^2, E sum rho^2 z^2."""
    n, left, right = int(x["n_clients"]), Fraction(0), Fraction(0)
    chance = Fraction(1, 2**n)
    for up in range(n + 1):
        among = max(up, n - up) if x["sees"] > 2 else n
        total = among if x["sees"] > 2 else 2 * up - n
        left += chance * (x["sigma"] * total / among) ** 2
        right += chance * x["sigma"] ** 2 / among
        chance = chance * (n - up) / (up + 1)
    return {"A3: mean 0, variance sigma^2; independent": x["sigma"] >= 0}, {"deviation": left, "weighed": right}


def majority() -> Case:
    """Up to 14 clients, equal weights on the more frequent sign."""
    space = Space(
        (LogScale("sigma", 1e-2, 1e2, at=(1.0,)), Choice("n_clients", (2.0, 4.0, 8.0, 14.0)), Information("sees"))
    )
    name = "many clients, equal weights on the more frequent sign"
    return case(name, space, frequent, frequent_exact, symmetries=_UNITS)
