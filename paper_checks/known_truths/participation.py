"""K26 and K27: exact second moments of sampling without replacement and of Bernoulli participation.

Both are identities, stated as two inequalities that must hold together. The cases come in two halves, `side` = 1 and
−1, and claim `raise + side·left <= raise + side·right`, with `raise` large enough that neither side is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import cohorts
from theory.exact import dot
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

side, N, K, V, V0 = symbols("side N K V V0")
w2, eta, c, q, P2 = symbols("w2 eta c q P2")


def subset_again(side: Any, N: Any, K: Any, V: Any) -> Any:
    """K26 once more."""
    return V * (2 + side * (N - K) / (N * K - K))


def coins_again(side: Any, w2: Any, eta: Any, c: Any, q: Any, P2: Any) -> Any:
    """K27 once more."""
    step = eta * c
    return w2 * (
        (1 + step) ** 2 + side * (1 - 2 * q * step + (q * step) ** 2 + q * P2 * step**2 - P2 * (q * step) ** 2)
    )


_SUBSET_DEGREES = {"side": (0, 0), "N": (0, 0), "K": (0, 0), "V": (0, 2)}
_COINS_DEGREES = {"side": (0, 0), "w2": (0, 2), "eta": (-1, 2), "c": (1, -2), "q": (0, 0), "P2": (0, 0)}
SUBSET = Bound(2 * V + side * (N - K) / (K * (N - 1)) * V, again=subset_again, degrees=_SUBSET_DEGREES)


def _moved(factor: Any) -> Any:
    """The right side of K27, raised."""
    return w2 * (1 + eta * c) ** 2 + side * w2 * factor


COINS = Bound(
    _moved((1 - eta * q * c) ** 2 + eta**2 * c**2 * q * (1 - q) * P2), again=coins_again, degrees=_COINS_DEGREES
)


def _subset(x: Instance) -> Mapping[str, Any]:
    """The mean of a random K-subset by the chances that one client, and that two, are in it."""
    points, n = x["point"], x["point"].shape[1]
    K = x["drawn"]
    centred = points - points.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=(1, 2))
    pairs = (centred.sum(axis=1) ** 2).sum(axis=1) - squares
    mean_square = (K / n * squares + K * (K - 1) / (n * (n - 1)) * pairs) / K**2
    V = (centred**2).mean(axis=1).sum(axis=1)
    return {
        "lhs": 2 * V + x["side"] * mean_square,
        "side": x["side"],
        "N": np.full_like(K, n),
        "K": K,
        "V": V,
        "V0": (points**2).mean(axis=1).sum(axis=1),
        "common": 2 * V,
        "magnitude": (points**2).max(axis=(1, 2)),
    }


def subset_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every K-subset up to 8 clients, else the chances that one client, and that two, are in it."""
    points, n, K = x["point"], len(x["point"]), int(x["drawn"])
    dims = range(len(points[0]))
    mean = [sum(y[j] for y in points) / n for j in dims]
    centred = [[y[j] - mean[j] for j in dims] for y in points]
    if n <= 8:
        subsets = [present for _, present in cohorts([Fraction(1, 2)] * n) if sum(present) == K]
        apart = [[dot(present, [y[j] for y in centred]) / K for j in dims] for present in subsets]
        left = sum(dot(y, y) for y in apart) / len(subsets)
    else:
        total = [sum(y[j] for y in centred) for j in dims]
        squares = sum(dot(y, y) for y in centred)
        pairs = dot(total, total) - squares
        left = (Fraction(K, n) * squares + Fraction(K * (K - 1), n * (n - 1)) * pairs) / K**2
    V = sum(dot(y, y) for y in centred) / n
    constants = {
        "lhs": 2 * V + x["side"] * left,
        "side": x["side"],
        "N": Fraction(n),
        "K": Fraction(K),
        "V": V,
        "V0": sum(dot(y, y) for y in points) / n,
    }
    return {"1 <= K <= N": 1 <= K <= n, "one of the two sides": abs(x["side"]) == 1}, constants


def _coins(x: Instance) -> Mapping[str, Any]:
    """First and second moment of Σ_{i present} p_i, client by client; w⁺ = w − ηc w Σ_{i present} p_i."""
    p, q = x["share"], x["chance"]
    step = x["step"]
    first = (q[:, None] * p).sum(axis=1)
    before = np.cumsum(q[:, None] * p, axis=1) - q[:, None] * p
    second = (q[:, None] * p**2 + 2 * q[:, None] * p * before).sum(axis=1)
    if "one_coin" in x:
        second = q * p.sum(axis=1) ** 2
    w2, c = x["start"] ** 2, x["curvature"]
    raised = w2 * (1 + step) ** 2
    return {
        "lhs": raised + x["side"] * w2 * (1 - 2 * step * first + step**2 * second),
        "side": x["side"],
        "w2": w2,
        "eta": step / c,
        "c": c,
        "q": q,
        "P2": (p**2).sum(axis=1),
        "common": raised,
    }


def coins_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every cohort up to 8 clients (or one coin for all), else first and second moments client by client."""
    p, q, n = x["share"], x["chance"], len(x["share"])
    eta, c, w = x["step"] / x["curvature"], x["curvature"], x["start"]
    few = cohorts([q] * n) if n <= 8 else []
    law = [(1 - q, [0] * n), (q, [1] * n)] if "one_coin" in x else few
    left = sum((chance * (w - eta * c * w * dot(present, p)) ** 2 for chance, present in law), Fraction(0))
    if not law:
        first, second = Fraction(0), Fraction(0)
        for share in p:
            second += 2 * first * q * share + q * share**2
            first += q * share
        left = w * w * (1 - 2 * eta * c * first + (eta * c) ** 2 * second)
    constants = {
        "lhs": w * w * (1 + eta * c) ** 2 + x["side"] * left,
        "side": x["side"],
        "w2": w * w,
        "eta": eta,
        "c": c,
        "q": q,
        "P2": dot(p, p),
    }
    hypotheses = {
        "shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "0 <= q <= 1": 0 <= q <= 1,
        "one of the two sides": abs(x["side"]) == 1,
    }
    return hypotheses, constants


_SUBSETS = ExactCheck(subset_exact, (dot, cohorts))
_COINS = ExactCheck(coins_exact, (dot, cohorts))
_HALVES = Choice("side", (1.0, -1.0))


def _subset_case(N: float, d: float) -> Case:
    space = Space((Signed("point", 1e-3, 1e3, (int(N), int(d))), Integer("drawn", 1, int(N)), _HALVES))
    return Case(f"K of N = {int(N)} clients in dimension {int(d)}", space, _subset, _SUBSETS)


def _coins_case(name: str, *extra: Any) -> Callable[..., Case]:
    def at(N: float) -> Case:
        space = Space(
            (
                Simplex("share", int(N)),
                Uniform("chance", 0.0, 1.0, at=(0.0, 0.1, 0.5, 1.0)),
                LogScale("step", 1e-3, 10.0, at=(0.1, 1.0, 2.0)),
                LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
                LogScale("start", 1e-3, 1e3, at=(1.0,)),
                _HALVES,
                *extra,
            )
        )
        return Case(f"{name}, N = {int(N)}", space, _coins, _COINS)

    return at


_DRAWN = (Family("K of N clients", (Size("N", 2, 300, 3), Size("d", 1, 8, 2)), _subset_case),)
_TOSSED = (Family("Bernoulli participation", (Size("N", 1, 300, 3),), _coins_case("Bernoulli participation")),)
_ONE_COIN = (
    Family(
        "one coin for all",
        (Size("N", 2, 300, 3),),
        _coins_case("one coin for all", Choice("one_coin", (1.0,))),
    ),
)
_BOTH = "An identity: both halves, raised by one common term so that neither side is negative, must hold. "

K26 = Claim(
    id="K26",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="K of N clients without replacement",
    statement=(r"\mathbb E\|\bar x_S-\bar x\|^2=\frac{N-K}{K(N-1)}\cdot\frac1N\sum_i\|x_i-\bar x\|^2"),
    says="The mean of K of N clients drawn without replacement has exactly this mean squared error.",
    assumes=("S uniform among the K-subsets of N >= 2 clients",),
    readings=(
        Reading(
            "as stated", _BOTH + "V is the mean square about the mean.", Inequality(SUBSET, _DRAWN, degrees=(0, 2))
        ),
    ),
    canaries=(
        Canary(
            "drawn with replacement",
            Inequality(Bound(2 * V + side * V / K), _DRAWN),
            "for K = N the mean is exact and the left half is 0, V/N is not",
        ),
        Canary(
            "N in place of N − 1",
            Inequality(Bound(2 * V + side * (N - K) / (K * N) * V), _DRAWN),
            "for N = 2, K = 1 both clients lie √V from the mean, and (N − K)/(KN) is 1/2",
        ),
        Canary(
            "1/K lost",
            Inequality(Bound(2 * V + side * (N - K) / (N - 1) * V), _DRAWN),
            "both sides agree with it, and 1/K < 1 for 2 <= K < N",
        ),
        Canary(
            "squares about 0 in place of the mean",
            Inequality(Bound(2 * V + side * (N - K) / (K * (N - 1)) * V0), _DRAWN),
            "for equal points x_i ≠ 0 every mean is exact, and the squares about 0 are not 0",
        ),
    ),
    tight="always: an identity",
    verdict_words=(
        "It holds, as an identity. A client is in S with chance K/N and a given pair with chance K(K−1)/(N(N−1)); about "
        "the mean the pairs sum to minus the squares, which leaves the factor (N−K)/(K(N−1))."
    ),
)

K27 = Claim(
    id="K27",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Bernoulli participation of identical clients",
    statement=(r"\mathbb E\,w_{t+1}^2=w^2\Bigl[(1-\eta qc)^2+\eta^2c^2q(1-q)\sum_ip_i^2\Bigr]"),
    says="One step of identical one-dimensional clients, each present with chance q, has exactly this second moment.",
    assumes=(
        "clients c/2·w² with shares p, E = 1, w⁺ = w − η Σ_{i present} p_i c w",
        "each client present with chance q, independently",
    ),
    readings=(Reading("as stated", _BOTH + "P2 = Σ p_i², w2 = w².", Inequality(COINS, _TOSSED, degrees=(0, 2))),),
    canaries=(
        Canary(
            "one coin for all clients",
            Inequality(COINS, _ONE_COIN),
            "all present or all absent together, Σ p_i² becomes (Σ p_i)² = 1",
        ),
        Canary(
            "Σ p_i² replaced by (Σ p_i)²",
            Inequality(Bound(_moved((1 - eta * q * c) ** 2 + eta**2 * c**2 * q * (1 - q))), _TOSSED),
            "both sides agree with Σ p_i², which is below 1 as soon as two clients have shares",
        ),
        Canary(
            "q(1 − q) replaced by q",
            Inequality(Bound(_moved((1 - eta * q * c) ** 2 + eta**2 * c**2 * q * P2)), _TOSSED),
            "for q = 1 nothing is random and the second term must vanish",
        ),
        Canary(
            "q lost in the mean",
            Inequality(Bound(_moved((1 - eta * c) ** 2 + eta**2 * c**2 * q * (1 - q) * P2)), _TOSSED),
            "for q = 0 nobody is present and w stays, which the right side does not",
        ),
    ),
    tight="always: an identity",
    verdict_words=(
        "It holds, as an identity. The step's factor is 1 − ηc times the share present, which has mean q and, by "
        "independence, variance q(1−q)Σp_i²."
    ),
)

CLAIMS: tuple[Claim, ...] = (K26, K27)
