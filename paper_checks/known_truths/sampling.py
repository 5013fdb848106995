"""K9 and K25 to K27: averages of independent noise, of drawn clients, and of clients that may be absent.

K26 and K27 are identities, stated as two inequalities that must hold together: `side` = 1 and −1 claims
raise + side·left <= raise + side·right, with `raise` large enough that neither side is negative.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.known_truths.drawing import ranging, sized
from paper_checks.known_truths.exact_rounds import cohorts
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, weighted_sum
from validation import Case, Choice, Instance, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.world import Le, World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS"]

deviation, A2, A4, mean_square, weights_square = NOTATION.symbols("deviation A2 A4 mean_square weights_square")
K, N, square_mean, flat = NOTATION.symbols("K N square_mean flat")
side, missed, V, V0 = NOTATION.symbols("side missed V V0")
after, w2, eta, c, q, P2 = NOTATION.symbols("after w2 eta c q P2")

_ENUMERATED = 6  # clients up to which every outcome is visited in floats


def two_points(x: Instance, *, one_coin: bool) -> Seen:
    """nᵢ = uᵢ(1 − qᵢ) with chance qᵢ, else −uᵢqᵢ, plus a bias if any; each outcome while there are few.

    `one_coin`: all clients toss the first one's.
    """
    a, u, q = x["weights"], x["jump"], x["chance"]
    n, bias = a.shape[1], x.get("bias", np.zeros_like(u))
    q = np.repeat(q[:, :1], n, axis=1) if one_coin else q
    high, low = u * (1 - q)[:, :, None] + bias, -u * q[:, :, None] + bias
    if one_coin:
        up, down = (((a[:, :, None] * way).sum(axis=1) ** 2).sum(axis=1) for way in (high, low))
        found = q[:, 0] * up + (1 - q[:, 0]) * down
    elif n <= _ENUMERATED:
        found = np.zeros(len(a))
        for bits in np.array(list(product((0.0, 1.0), repeat=n))):
            noise = np.where(bits[:, None] > 0, high, low)
            chance = np.where(bits > 0, q, 1 - q).prod(axis=1)
            found = found + chance * ((a[:, :, None] * noise).sum(axis=1) ** 2).sum(axis=1)
    else:
        mean = q[:, :, None] * high + (1 - q)[:, :, None] * low
        own = ((q * (1 - q))[:, :, None] * (high - low) ** 2).sum(axis=2)
        found = (a**2 * own).sum(axis=1) + ((a[:, :, None] * mean).sum(axis=1) ** 2).sum(axis=1)
    sigma2 = q * (high**2).sum(axis=2) + (1 - q) * (low**2).sum(axis=2)
    return {
        "deviation": found,
        "A2": (a**2 * sigma2).sum(axis=1),
        "A4": (a**4 * sigma2).sum(axis=1),
        "mean_square": sigma2.mean(axis=1),
        "weights_square": (a**2).sum(axis=1),
    }


def two_points_exact(x: Seen, *, one_coin: bool) -> Plain:
    """The law of Σ a_i n_i: every outcome up to 8 clients (or of one coin for all), else client by client."""
    a, u, n, dims = x["weights"], x["jump"], len(x["weights"]), range(len(x["jump"][0]))
    q = [x["chance"][0] if one_coin else chance for chance in x["chance"]]
    bias = x.get("bias", [[Fraction(0) for _ in dims] for _ in a])
    ways = [[[k * y + b for y, b in zip(u[i], bias[i], strict=True)] for k in (-q[i], 1 - q[i])] for i in range(n)]
    second = [(1 - q[i]) * dot(ways[i][0], ways[i][0]) + q[i] * dot(ways[i][1], ways[i][1]) for i in range(n)]
    law = cohorts(q) if n <= 8 else []
    law = [(1 - q[0], [0] * n), (q[0], [1] * n)] if one_coin else law
    found = Fraction(0)
    for p, bits in law:
        total = [dot(a, [ways[i][bits[i]][j] for i in range(n)]) for j in dims]
        found += p * dot(total, total)
    if not law:
        mean = [Fraction(0) for _ in dims]
        for i in range(n):
            centre = [(1 - q[i]) * low + q[i] * high for low, high in zip(*ways[i], strict=True)]
            found += 2 * a[i] * dot(mean, centre) + a[i] ** 2 * second[i]
            mean = [m + a[i] * y for m, y in zip(mean, centre, strict=True)]
    met = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "chances between 0 and 1": min(q) >= 0 and max(q) <= 1,
    }
    return met, {
        "deviation": found,
        "A2": sum(w * w * s for w, s in zip(a, second, strict=True)),
        "A4": sum(w**4 * s for w, s in zip(a, second, strict=True)),
        "mean_square": sum(second) / n,
        "weights_square": dot(a, a),
    }


def two_point_noise(name: str, *, one_coin: bool = False, biased: bool = False) -> World:
    """Skewed two-point noise of up to 300 clients."""

    def at(N: int, d: int) -> Case:
        of: Coordinates = (Simplex("weights", N), Signed("jump", 1e-3, 1e3, (N, d)))
        of += (Uniform("chance", 0.0, 1.0, (N,), at=(0.01, 0.5, 0.99)),)
        of += (Signed("bias", 1e-3, 1e3, (N, d)),) if biased else ()
        told: dict[str, Any] = {"uses": (dot, cohorts), "cost": 4.0 if 4 <= N <= 6 else 1.0, "one_coin": one_coin}
        return case(sized(name, N=N, d=d), Space(of), two_points, two_points_exact, **told)

    return ranging(name, at, N=(1, 300, 3), d=(1, 8, 2))


K9 = remark(
    "K9",
    "known truth",
    "Noise of an average of independent clients",
    printed=r"\mathbb E\Bigl\|\sum_ia_in_i\Bigr\|^2\le\sum_ia_i^2\sigma_i^2",
    plainly="Independent noises of mean 0 average with squared weights.",
    assumes=["noises n_i independent over the clients, mean 0, E‖n_i‖² = σ_i²", "weights a on the simplex"],
    says=le(deviation, A2),
    world=two_point_noise("independent two-point noise"),
    readings=[
        reading("as stated", "Skewed two-point noise of every client, up to 300 of them; A2 is the sum on the right.")
    ],
    mutants=[
        mutant(
            "noise need not be independent",
            None,
            "with one coin for two clients of equal noise and weight the left side is σ², the right side σ²/2",
            world=two_point_noise("two-point noise, one coin for all", one_coin=True),
        ),
        mutant(
            "noise need not have mean 0",
            None,
            "clients that share a bias b and have no other noise average to ‖b‖², the right side is ‖b‖² Σ a_i²",
            world=two_point_noise("independent noise with a bias", biased=True),
        ),
        mutant(
            "every client's σ_i² replaced by their mean",
            le(deviation, weights_square * mean_square),
            "with all weight on the only noisy client the left side is σ², the right side σ²/N",
        ),
        mutant("a_i² raised to a_i⁴", le(deviation, A4), "both sides agree with a_i², and a_i⁴ < a_i² for 0 < a_i < 1"),
    ],
    tight="always: the two sides are equal",
    supremum=1.0,
    verdict="""It holds, with equality. The mean of the product of two independent noises of mean 0 vanishes, so only
        the squares a_i²E‖n_i‖² remain.""",
)


Draws: TypeAlias = Literal["by share", "once", "uniformly"]
"""K clients drawn independently by their shares, one client K times, or all alike likely."""


def draws(x: Instance, *, K: int, how: Draws) -> Seen:
    """One draw's variance about the mean, over K independent draws."""
    p, g = x["share"], x["gradient"]
    law = 0 * p + 1 / p.shape[1] if how == "uniformly" else p
    mean, centre = ((w[:, :, None] * g).sum(axis=1) for w in (p, law))
    spread = (law * ((g - centre[:, None]) ** 2).sum(axis=2)).sum(axis=1)
    size = (g**2).sum(axis=2)
    return {
        "deviation": spread / (1 if how == "once" else K) + ((centre - mean) ** 2).sum(axis=1),
        "K": np.full(len(p), float(K)),
        "mean_square": (p * size).sum(axis=1),
        "square_mean": (mean**2).sum(axis=1),
        "flat": (p**2 * size).sum(axis=1),
        "magnitude": 1e-3 * size.max(axis=1),
    }


def draws_exact(x: Seen, *, K: int, how: str) -> Plain:
    """Every outcome of the K draws while N^K <= 300; beyond, the mean of K independent draws by its pairs."""
    p, g, n = x["share"], x["gradient"], len(x["share"])
    law = [Fraction(1, n) for _ in p] if how == "uniformly" else p
    mean, centre, size = weighted_sum(p, g), weighted_sum(law, g), [dot(u, u) for u in g]
    if how == "once":
        outcomes = [(chance, [K * int(i == k) for i in range(n)]) for k, chance in enumerate(law)]
    else:
        outcomes = [(Fraction(1), [0] * n)] if n**K <= 300 else []
        for _ in range(K if outcomes else 0):
            outcomes = [
                (chance * law[k], [c + int(i == k) for i, c in enumerate(counts)])
                for chance, counts in outcomes
                for k in range(n)
            ]
    found = Fraction(0)
    for chance, counts in outcomes:
        apart = [y - z for y, z in zip(weighted_sum([Fraction(c, K) for c in counts], g), mean, strict=True)]
        found += chance * dot(apart, apart)
    if not outcomes:  # twice the same client: E⟨g, g⟩; two independent ones: ⟨E g, E g⟩
        found = dot(law, size) / K + Fraction(K - 1, K) * dot(centre, centre) - 2 * dot(centre, mean) + dot(mean, mean)
    return {"shares on the simplex": sum(p) == 1 and min(p) >= 0, "K >= 1": K >= 1}, {
        "deviation": found,
        "K": Fraction(K),
        "mean_square": dot(p, size),
        "square_mean": dot(mean, mean),
        "flat": sum(w * w * s for w, s in zip(p, size, strict=True)),
    }


def drawn(name: str, how: Draws = "by share") -> World:
    """Up to 300 clients and 300 draws."""

    def at(N: int, K: int, d: int) -> Case:
        space = Space((Simplex("share", N), Signed("gradient", 1e-3, 1e3, (N, d))))
        told: dict[str, Any] = {"uses": (dot, weighted_sum), "K": K, "how": how}
        return case(sized(name, N=N, K=K, d=d), space, draws, draws_exact, **told)

    return ranging(name, at, N=(1, 300, 3), K=(1, 300, 2), d=(1, 8, 2))


K25 = remark(
    "K25",
    "known truth",
    "Clients drawn with replacement",
    printed=r"\mathbb E\Bigl\|\tfrac1K\sum_kg_{i_k}-\sum_ip_ig_i\Bigr\|^2\le\tfrac1K\sum_ip_i\|g_i\|^2",
    plainly="""The average over K clients drawn with replacement by p misses the mean by at most Σ p_i‖g_i‖²/K in mean
        square.""",
    assumes=["K clients drawn independently by p", "any vectors g_i"],
    says=le(deviation, mean_square / K),
    world=drawn("draws with replacement"),
    readings=[reading("as stated", "Up to 300 clients and 300 draws; mean_square is Σ p_i‖g_i‖².")],
    mutants=[
        mutant(
            "draws need not be independent",
            None,
            "one client counted K times has the variance of one draw, and with Σ p_ig_i = 0 that is Σ p_i‖g_i‖²",
            world=drawn("one client drawn K times", "once"),
        ),
        mutant(
            "1/K lowered to 1/K²",
            le(deviation, mean_square / K**2),
            "for Σ p_ig_i = 0 both sides agree with 1/K, and 1/K² < 1/K for K >= 2",
        ),
        mutant(
            "the mean of squares replaced by the square of the mean",
            le(deviation, square_mean / K),
            "for Σ p_ig_i = 0 the right side is 0 while the left side is Σ p_i‖g_i‖²/K",
        ),
        mutant(
            "uniform draws, the mean by p",
            None,
            "with all of p on a client of g = 0 the right side is 0, and uniform draws bring other clients",
            world=drawn("uniform draws", "uniformly"),
        ),
        mutant(
            "p_i² in place of p_i",
            le(deviation, flat / K),
            "for equal shares and opposed gradients the left side is ‖g_1‖²/K and the right side half of it",
        ),
    ],
    tight="Σ p_ig_i = 0",
    supremum=1.0,
    verdict="""It holds. The variance of the mean of K independent draws is 1/K of one draw's, and one draw's variance
        is its second moment less the square of its mean.""",
)


def subset(x: Instance) -> Seen:
    """The mean of a random K-subset by the chances that one client, and that two, are in it."""
    points, n, K = x["point"], x["point"].shape[1], x["drawn"]
    centred = points - points.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=(1, 2))
    pairs = (centred.sum(axis=1) ** 2).sum(axis=1) - squares
    return {
        "missed": (K / n * squares + K * (K - 1) / (n * (n - 1)) * pairs) / K**2,
        "side": x["side"],
        "N": np.full_like(K, n),
        "K": K,
        "V": squares / n,
        "V0": (points**2).mean(axis=1).sum(axis=1),
        "common": 2 * squares / n,
        "magnitude": (points**2).max(axis=(1, 2)),
    }


def subset_exact(x: Seen) -> Plain:
    """Every K-subset up to 8 clients, else the chances that one client, and that two, are in it."""
    points, n, K = x["point"], len(x["point"]), int(x["drawn"])
    dims = range(len(points[0]))
    mean = [sum(y[j] for y in points) / n for j in dims]
    centred = [[y[j] - mean[j] for j in dims] for y in points]
    squares = sum(dot(y, y) for y in centred)
    if n <= 8:
        subsets = [present for _, present in cohorts([Fraction(1, 2)] * n) if sum(present) == K]
        apart = [[dot(present, [y[j] for y in centred]) / K for j in dims] for present in subsets]
        missed = sum(dot(y, y) for y in apart) / len(subsets)
    else:
        total = [sum(y[j] for y in centred) for j in dims]
        pairs = dot(total, total) - squares
        missed = (Fraction(K, n) * squares + Fraction(K * (K - 1), n * (n - 1)) * pairs) / K**2
    return {"1 <= K <= N": 1 <= K <= n, "one of the two sides": abs(x["side"]) == 1}, {
        "missed": missed,
        "side": x["side"],
        "N": Fraction(n),
        "K": Fraction(K),
        "V": squares / n,
        "V0": sum(dot(y, y) for y in points) / n,
    }


_HALVES = Choice("side", (1.0, -1.0))


def subsets() -> World:
    """K of N clients, uniformly without replacement."""

    def at(N: int, d: int) -> Case:
        space = Space((Signed("point", 1e-3, 1e3, (N, d)), Integer("drawn", 1, N), _HALVES))
        return case(f"K of N = {N} clients in dimension {d}", space, subset, subset_exact, uses=(dot, cohorts))

    return ranging("K of N clients", at, N=(2, 300, 3), d=(1, 8, 2))


def error_is(right: Any, **more: Any) -> Le:
    """The half of K26's identity: 2V is added to both sides."""
    return le(2 * V + side * missed, 2 * V + side * right, **more)


K26 = remark(
    "K26",
    "known truth",
    "K of N clients without replacement",
    printed=r"\mathbb E\|\bar x_S-\bar x\|^2=\frac{N-K}{K(N-1)}\cdot\frac1N\sum_i\|x_i-\bar x\|^2",
    plainly="The mean of K of N clients drawn without replacement has exactly this mean squared error.",
    assumes=["S uniform among the K-subsets of N >= 2 clients"],
    says=error_is((N - K) / (K * (N - 1)) * V, again=lambda side, N, K, V: V * (2 + side * (N - K) / (N * K - K))),
    world=subsets(),
    readings=[
        reading(
            "as stated",
            """An identity: both halves, raised by one common term so that neither side is negative, must hold. V is the
                mean square about the mean.""",
        )
    ],
    mutants=[
        mutant(
            "drawn with replacement",
            error_is(V / K),
            "for K = N the mean is exact and the left half is 0, V/N is not",
            at(point=[[0, 0], [0, 0], [0, -1]], drawn=3, side=-1),
        ),
        mutant(
            "N in place of N − 1",
            error_is((N - K) / (K * N) * V),
            "of two clients with one drawn both lie √V from the mean, and (N − K)/(KN) is less than 1",
            at(point=[[0, 0], [0, 0], [1, 0]], drawn=1, side=1),
        ),
        mutant(
            "1/K lost",
            error_is((N - K) / (N - 1) * V),
            "both sides agree with it, and 1/K < 1 for 2 <= K < N",
            at(point=[[0, 0], [0, 0], [0, 1]], drawn=2, side=-1),
        ),
        mutant(
            "squares about 0 in place of the mean",
            error_is((N - K) / (K * (N - 1)) * V0),
            "for equal points x_i ≠ 0 every mean is exact, and the squares about 0 are not 0",
            at(point=[[0, 0], [0, 0], [0, -1]], drawn=1, side=-1),
        ),
    ],
    tight="always: an identity",
    verdict="""It holds, as an identity. A client is in S with chance K/N and a given pair with chance K(K−1)/(N(N−1));
        about the mean the pairs sum to minus the squares, which leaves the factor (N−K)/(K(N−1)).""",
)


def coins(x: Instance, *, one_coin: bool) -> Seen:
    """First and second moment of Σ_{i present} pᵢ, client by client, or of one coin; w⁺ = w − ηc w Σ_{i present} pᵢ."""
    p, q, step = x["share"], x["chance"], x["step"]
    first = (q[:, None] * p).sum(axis=1)
    before = np.cumsum(q[:, None] * p, axis=1) - q[:, None] * p
    second = q * p.sum(axis=1) ** 2 if one_coin else (q[:, None] * (p**2 + 2 * p * before)).sum(axis=1)
    w2, c = x["start"] ** 2, x["curvature"]
    found = {"after": w2 * (1 - 2 * step * first + step**2 * second), "side": x["side"], "w2": w2, "eta": step / c}
    return {**found, "c": c, "q": q, "P2": (p**2).sum(axis=1), "common": w2 * (1 + step) ** 2}


def coins_exact(x: Seen, *, one_coin: bool) -> Plain:
    """Every cohort up to 8 clients (or one coin for all), else first and second moments client by client."""
    p, q, n = x["share"], x["chance"], len(x["share"])
    eta, c, w = x["step"] / x["curvature"], x["curvature"], x["start"]
    few = cohorts([q] * n) if n <= 8 else []
    law = [(1 - q, [0] * n), (q, [1] * n)] if one_coin else few
    after = sum((chance * (w - eta * c * w * dot(present, p)) ** 2 for chance, present in law), Fraction(0))
    if not law:
        first, second = Fraction(0), Fraction(0)
        for share in p:
            second += 2 * first * q * share + q * share**2
            first += q * share
        after = w * w * (1 - 2 * eta * c * first + (eta * c) ** 2 * second)
    met = {
        "shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "0 <= q <= 1": 0 <= q <= 1,
        "one of the two sides": abs(x["side"]) == 1,
    }
    return met, {"after": after, "side": x["side"], "w2": w * w, "eta": eta, "c": c, "q": q, "P2": dot(p, p)}


def tossed(name: str, *, one_coin: bool = False) -> World:
    """Every client present with the same chance, independently or all together."""

    def at(N: int) -> Case:
        of: Coordinates = (Simplex("share", N), Uniform("chance", 0.0, 1.0, at=(0.0, 0.1, 0.5, 1.0)))
        of += (LogScale("step", 1e-3, 10.0, at=(0.1, 1.0, 2.0)), LogScale("curvature", 1e-2, 1e2, at=(1.0,)))
        of += (LogScale("start", 1e-3, 1e3, at=(1.0,)), _HALVES)
        return case(sized(name, N=N), Space(of), coins, coins_exact, uses=(dot, cohorts), one_coin=one_coin)

    return ranging(name, at, N=(2 if one_coin else 1, 300, 3))


def moment_is(factor: Any, **more: Any) -> Le:
    """The half of K27's identity: w²(1 + ηc)² is added to both sides."""
    raised = w2 * (1 + eta * c) ** 2
    return le(raised + side * after, raised + side * w2 * factor, **more)


def moment_again(side: Any, w2: Any, eta: Any, c: Any, q: Any, P2: Any) -> Any:
    """K27 once more."""
    step = eta * c
    return w2 * (
        (1 + step) ** 2 + side * (1 - 2 * q * step + (q * step) ** 2 + q * P2 * step**2 - P2 * (q * step) ** 2)
    )


_MEAN, _SPREAD = (1 - eta * q * c) ** 2, eta**2 * c**2 * q

K27 = remark(
    "K27",
    "known truth",
    "Bernoulli participation of identical clients",
    printed=r"\mathbb E\,w_{t+1}^2=w^2\Bigl[(1-\eta qc)^2+\eta^2c^2q(1-q)\sum_ip_i^2\Bigr]",
    plainly="""One step of identical one-dimensional clients, each present with chance q, has exactly this second
        moment.""",
    assumes=[
        "clients c/2·w² with shares p, E = 1, w⁺ = w − η Σ_{i present} p_i c w",
        "each client present with chance q, independently",
    ],
    says=moment_is(_MEAN + _SPREAD * (1 - q) * P2, again=moment_again),
    world=tossed("Bernoulli participation"),
    readings=[
        reading(
            "as stated",
            """An identity: both halves, raised by one common term so that neither side is negative, must hold. P2 = Σ
                p_i², w2 = w².""",
        )
    ],
    mutants=[
        mutant(
            "one coin for all clients",
            None,
            "all present or all absent together, Σ p_i² becomes (Σ p_i)² = 1",
            world=tossed("one coin for all", one_coin=True),
        ),
        mutant(
            "Σ p_i² replaced by (Σ p_i)²",
            moment_is(_MEAN + _SPREAD * (1 - q)),
            "both sides agree with Σ p_i², which is below 1 as soon as two clients have shares",
        ),
        mutant(
            "q(1 − q) replaced by q",
            moment_is(_MEAN + _SPREAD * P2),
            "for q = 1 nothing is random and the second term must vanish",
        ),
        mutant(
            "q lost in the mean",
            moment_is((1 - eta * c) ** 2 + _SPREAD * (1 - q) * P2),
            "for q = 0 nobody is present and w stays, which the right side does not",
        ),
    ],
    tight="always: an identity",
    verdict="""It holds, as an identity. The step's factor is 1 − ηc times the share present, which has mean q and, by
        independence, variance q(1−q)Σp_i².""",
)

CLAIMS = (K9, K25, K26, K27)
