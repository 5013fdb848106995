"""K9: the noise of an average of independent clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
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
    Kind,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

A2, A4, mean_square, weights_square = symbols("A2 A4 mean_square weights_square")


def averaged_again(A2: Any) -> Any:
    """K9 once more: the sum is measured, the right side is nothing else."""
    return 1 * A2


AVERAGED = Bound(A2, again=averaged_again, degrees={"A2": (2, -2)})
_ENUMERATED = 6  # clients up to which every outcome is visited


def _outcomes(n_clients: int) -> Any:
    """All 2^N outcomes, (2^N, N) of 0 and 1."""
    return np.array(list(product((0.0, 1.0), repeat=n_clients)))


def _averaged(x: Instance) -> Mapping[str, Any]:
    """n_i = u_i(1 − q_i) with chance q_i, else −u_iq_i, plus a bias if any; each outcome while there are few."""
    a, u, q = x["weights"], x["jump"], x["chance"]
    n_clients = a.shape[1]
    bias = x.get("bias", np.zeros_like(u))
    high, low = u * (1 - q)[:, :, None] + bias, -u * q[:, :, None] + bias
    if "one_coin" in x:
        q = np.repeat(q[:, :1], n_clients, axis=1)
        high, low = u * (1 - q)[:, :, None] + bias, -u * q[:, :, None] + bias
        up, down = ((a[:, :, None] * side).sum(axis=1) for side in (high, low))
        lhs = q[:, 0] * (up**2).sum(axis=1) + (1 - q[:, 0]) * (down**2).sum(axis=1)
    elif n_clients <= _ENUMERATED:
        lhs = np.zeros(len(a))
        for bits in _outcomes(n_clients):
            chance = np.where(bits > 0, q, 1 - q).prod(axis=1)
            noise = np.where(bits[:, None] > 0, high, low)
            lhs = lhs + chance * ((a[:, :, None] * noise).sum(axis=1) ** 2).sum(axis=1)
    else:
        mean = q[:, :, None] * high + (1 - q)[:, :, None] * low
        own = (q * (1 - q))[:, :, None] * (high - low) ** 2
        lhs = (a**2 * own.sum(axis=2)).sum(axis=1) + ((a[:, :, None] * mean).sum(axis=1) ** 2).sum(axis=1)
    sigma2 = q * (high**2).sum(axis=2) + (1 - q) * (low**2).sum(axis=2)
    return {
        "lhs": lhs,
        "A2": (a**2 * sigma2).sum(axis=1),
        "A4": (a**4 * sigma2).sum(axis=1),
        "mean_square": sigma2.mean(axis=1),
        "weights_square": (a**2).sum(axis=1),
    }


def averaged_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The law of Σ a_i n_i: every outcome up to 8 clients (or of one coin for all), else client by client."""
    a, u, n_clients, dims = x["weights"], x["jump"], len(x["weights"]), range(len(x["jump"][0]))
    q = [x["chance"][0] if "one_coin" in x else chance for chance in x["chance"]]
    bias = x.get("bias", [[Fraction(0) for _ in dims] for _ in a])
    sides = [
        [[k * y + b for y, b in zip(u[i], bias[i], strict=True)] for k in (-q[i], 1 - q[i])] for i in range(n_clients)
    ]
    second = [
        (1 - q[i]) * dot(sides[i][0], sides[i][0]) + q[i] * dot(sides[i][1], sides[i][1]) for i in range(n_clients)
    ]
    if "one_coin" in x:
        law = [(1 - q[0], [0] * n_clients), (q[0], [1] * n_clients)]
    elif n_clients <= 8:
        law = cohorts(q)
    else:
        law = []
    lhs = Fraction(0)
    for p, bits in law:
        total = [dot(a, [sides[i][bits[i]][j] for i in range(n_clients)]) for j in dims]
        lhs += p * dot(total, total)
    if not law:
        mean = [Fraction(0) for _ in dims]
        for i in range(n_clients):
            centre = [(1 - q[i]) * low + q[i] * high for low, high in zip(*sides[i], strict=True)]
            lhs += 2 * a[i] * dot(mean, centre) + a[i] ** 2 * second[i]
            mean = [m + a[i] * y for m, y in zip(mean, centre, strict=True)]
    constants = {
        "lhs": lhs,
        "A2": sum(w * w * s for w, s in zip(a, second, strict=True)),
        "A4": sum(w**4 * s for w, s in zip(a, second, strict=True)),
        "mean_square": sum(second) / n_clients,
        "weights_square": dot(a, a),
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "chances between 0 and 1": min(q) >= 0 and max(q) <= 1,
    }
    return hypotheses, constants


_EXACT = ExactCheck(averaged_exact, (dot, cohorts))


def _family(name: str, *extra: Callable[[int, int], Any]) -> tuple[Family, ...]:
    def at(N: float, d: float) -> Case:
        size = (int(N), int(d))
        space = Space(
            (
                Simplex("weights", size[0]),
                Signed("jump", 1e-3, 1e3, size),
                Uniform("chance", 0.0, 1.0, size[:1], at=(0.01, 0.5, 0.99)),
                *(more(*size) for more in extra),
            )
        )
        return Case(f"{name}, N = {size[0]}, d = {size[1]}", space, _averaged, _EXACT, cost=4.0 if 4 <= N <= 6 else 1.0)

    return (Family(name, (Size("N", 1, 300, 3), Size("d", 1, 8, 2)), at),)


_CASES = _family("independent two-point noise")
_ONE_COIN = _family("two-point noise, one coin for all", lambda *_: Choice("one_coin", (1.0,)))
_BIASED = _family("independent noise with a bias", lambda n, d: Signed("bias", 1e-3, 1e3, (n, d)))

K9 = Claim(
    id="K9",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Noise of an average of independent clients",
    statement=r"\mathbb E\Bigl\|\sum_ia_in_i\Bigr\|^2\le\sum_ia_i^2\sigma_i^2",
    says="Independent noises of mean 0 average with squared weights.",
    assumes=("noises n_i independent over the clients, mean 0, E‖n_i‖² = σ_i²", "weights a on the simplex"),
    readings=(
        Reading(
            "as stated",
            "Skewed two-point noise of every client, up to 300 of them; A2 is the sum on the right.",
            Inequality(AVERAGED, _CASES, degrees=(2, -2)),
        ),
    ),
    canaries=(
        Canary(
            "noise need not be independent",
            Inequality(AVERAGED, _ONE_COIN),
            "with one coin for two clients of equal noise and weight the left side is σ², the right side σ²/2",
        ),
        Canary(
            "noise need not have mean 0",
            Inequality(AVERAGED, _BIASED),
            "clients that share a bias b and have no other noise average to ‖b‖², the right side is ‖b‖² Σ a_i²",
        ),
        Canary(
            "every client's σ_i² replaced by their mean",
            Inequality(Bound(weights_square * mean_square), _CASES),
            "with all weight on the only noisy client the left side is σ², the right side σ²/N",
        ),
        Canary(
            "a_i² raised to a_i⁴",
            Inequality(Bound(A4), _CASES),
            "both sides agree with a_i², and a_i⁴ < a_i² for 0 < a_i < 1",
        ),
    ),
    tight="always: the two sides are equal",
    verdict_words=(
        "It holds, with equality. The mean of the product of two independent noises of mean 0 vanishes, so only the "
        "squares a_i²E‖n_i‖² remain."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K9,)
