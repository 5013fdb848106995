"""EA-E26 and EA-E27a … E27d: the proof of Lemma 4, and that of Lemma 5 down to sums of gradients.

Draws are enumerated: K independent draws among N clients by the weights; symbolically for small N and K, with free vectors
V₁, V₂, …, and on drawn instances for larger ones.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import sympy as sp

from paper_checks.exp_alpha.drawn_sums import equal_expectations, squared_sum, variance_below
from paper_checks.exp_alpha.lemma4 import UNBIASED
from paper_checks.exp_alpha.telescope import telescoped
from validation import Canary, Claim, Identity, Kind, Reading, symbols
from validation.domain import Domain
from validation.gram import VectorInequality
from validation.vectors import square, vectors

__all__ = ["CLAIMS", "sampling_step"]

p1, p2, p3, v1, v2, v3, d1, d2 = symbols("p1 p2 p3 v1 v2 v3 d1 d2")
x, y, w, z = vectors("x y w z")
_THREE, _TWO = Domain((), (("p1", "p2", "p3"),)), Domain((), (("p1", "p2"),))


def _drawn(weights: tuple[Any, ...], K: int, of: Any) -> Any:
    """E_s of `of(indices)` over all tuples of K indices."""
    tuples = product(range(len(weights)), repeat=K)
    return sum((prod((weights[i] for i in row), start=sp.Integer(1)) * of(row) for row in tuples), sp.Integer(0))


def _mean_of(values: tuple[Any, ...], K: int) -> Any:
    return lambda row: sum(values[i] for i in row) / K


def _last(*names: Any) -> tuple[Any, ...]:
    """Weights whose last entry is 1 minus the others."""
    return (*names, 1 - sum(names))


_SECOND, _THIRD = _last(p1), _last(p1, p2)


def sampling_step(id_: str, kind: Kind, title: str, statement: str, says: str, *rest: Any, **more: Any) -> Claim:
    """A step of the proofs of A.12; `rest`: what it assumes, its readings and its canaries."""
    assumes, readings, canaries = rest
    source = f"A.12, proof of Lemma {4 if id_ == 'EA-E26' else 5}"
    return Claim(id_, kind, source, title, statement, says, assumes, readings, canaries, **more)


_A5 = ("A5: K independent draws by the weights ρᵗ⁺¹", "weights on the simplex")

E26 = sampling_step(
    "EA-E26",
    Kind.IDENTITY,
    "The mean of K draws",
    (
        r"\mathbb E_s\Big[\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\Big]=\frac1K\sum_{i=1}^K\mathbb E_s[\mathbf V_i^{t+1}]"
        r"=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}=\bar{\mathbf W}^{t+1}"
    ),
    "The expectation of the mean of K draws is the weighted mean of all clients.",
    _A5,
    (
        Reading(
            "three clients, two draws",
            "Axis by axis, all nine pairs.",
            Identity(_drawn(_THIRD, 2, _mean_of((v1, v2, v3), 2)), p1 * v1 + p2 * v2 + (1 - p1 - p2) * v3),
        ),
        Reading(
            "two clients, four draws",
            "Axis by axis, all sixteen tuples.",
            Identity(_drawn(_SECOND, 4, _mean_of((v1, v2), 4)), p1 * v1 + (1 - p1) * v2),
        ),
        Reading(
            "many clients and draws", "Up to 300 clients and six draws, every tuple, in several dimensions.", UNBIASED
        ),
    ),
    (
        Canary(
            "uniform draws",
            Identity(_drawn((sp.Rational(1, 2),) * 2, 2, _mean_of((v1, v2), 2)), p1 * v1 + (1 - p1) * v2),
            "the mean of uniform draws is the plain mean of all clients",
        ),
        Canary(
            "1/K dropped",
            Identity(_drawn(_SECOND, 2, _mean_of((v1, v2), 1)), p1 * v1 + (1 - p1) * v2),
            "a sum of two draws has twice the mean of one",
        ),
    ),
    depends_on=("EA-A5", "EA-D3"),
    verdict_words=(
        "Linearity of the expectation, with i read as the number of the draw in the sums up to K and as the client in the sum "
        "up to N. Proved for three clients with two draws and two with four, any models and weights; for more, no violation was found."
    ),
)


def _variance_of_sum(vectors_: tuple[Any, ...], weights: tuple[Any, ...], K: int, center: Any) -> tuple[Any, Any]:
    """E_s‖Σ(V − W̄)‖² and E_s Σ‖V − W̄‖², over K draws."""
    off = tuple(u - center for u in vectors_)
    left = _drawn(weights, K, lambda row: square(sum(off[i] for i in row)))
    return left, _drawn(weights, K, lambda row: sum(square(off[i]) for i in row))


_MEAN3, _MEAN2 = p1 * x + p2 * y + p3 * w, p1 * x + p2 * y
_NINE, _EIGHT = (
    _variance_of_sum((x, y, w), (p1, p2, p3), 2, _MEAN3),
    _variance_of_sum((x, y), (p1, p2), 3, _MEAN2),
)

E27A = sampling_step(
    "EA-E27a",
    Kind.INEQUALITY,
    "Squared norm of the sum of draws",
    (
        r"\mathbb E_s\Big\|\sum_{i=1}^K(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1})\Big\|^2\le"
        r"\mathbb E_s\sum_{i=1}^K\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2"
    ),
    "On average over the draw the squared norm of the sum is at most the sum of squared norms.",
    _A5,
    (
        Reading("three clients, two draws", "Any models and weights.", VectorInequality(*_NINE, _THREE)),
        Reading("two clients, three draws", "Any models and weights.", VectorInequality(*_EIGHT, _TWO)),
        Reading(
            "many clients and draws", "Up to 300 clients and twelve draws, axis by axis, every tuple.", squared_sum()
        ),
    ),
    (
        Canary(
            "sample by sample, «from triangle inequality of norms»",
            VectorInequality(square(x + y), square(x) + square(y)),
            "for two equal vectors the left side is 4‖x‖², the right side 2‖x‖²",
        ),
        Canary(
            "from the round's start in place of W̄ᵗ⁺¹",
            VectorInequality(*_variance_of_sum((x, y), (p1, p2), 2, 0 * x), _TWO),
            "without the mean taken off the cross terms do not vanish: two equal updates",
        ),
    ),
    tight="always equal",
    depends_on=("EA-A5", "EA-E26"),
    verdict_words=(
        "The reason given, the triangle inequality, does not give it: for squared norms it is false draw by draw. In "
        "expectation it is an equality, since the draws are independent and each has mean W̄ᵗ⁺¹, so that the cross terms "
        "vanish; the paper's display stands inside E_s. Proved for three clients with two draws and two with three; for more, no "
        "violation was found. It does not hold for draws without independence, nor for sums that are not centred, as EA-E27e has them."
    ),
)

_EACH = _drawn(_SECOND, 3, lambda row: sum((d1, d2)[i] for i in row))

E27B = sampling_step(
    "EA-E27b",
    Kind.IDENTITY,
    "K equal expectations",
    (
        r"\frac1{K^2}\sum_{i=1}^K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2="
        r"\frac1K\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t+1}\|^2"
    ),
    "The K draws have one law, so that their mean squares add up to K times one of them.",
    _A5,
    (
        Reading(
            "two clients, three draws",
            "d₁, d₂ the squared distances of the clients; all eight tuples.",
            Identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 3),
        ),
        Reading(
            "many clients and draws",
            "Up to 300 clients and twelve draws, axis by axis, every tuple.",
            equal_expectations(),
        ),
    ),
    (
        Canary(
            "1/K² on the right",
            Identity(_EACH / 9, (p1 * d1 + (1 - p1) * d2) / 9),
            "K terms of 1/K² each leave 1/K",
        ),
        Canary(
            "uniform mean on the right",
            Identity(_EACH / 9, (d1 + d2) / 6),
            "the draws follow the weights",
        ),
    ),
    depends_on=("EA-A5",),
    verdict_words=(
        "Each draw has the same law; the index i left on the right is that of any one draw. Proved for two clients and three "
        "draws; for more, no violation was found."
    ),
)


def _second(center: Any) -> Any:
    return sum(r * square(u - z - center) for r, u in zip((p1, p2, p3), (x, y, w), strict=True))


_UPDATE = _MEAN3 - z * (p1 + p2 + p3)

E27C = sampling_step(
    "EA-E27c",
    Kind.INEQUALITY,
    "Variance below the second moment",
    (
        r"\mathbb E_s\|(\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s})-\mathbb E_s[\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}]\|^2"
        r"\le\mathbb E_s\|\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}\|^2"
    ),
    "Taking off the mean update can only lower the mean square.",
    (*_A5, "W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹"),
    (
        Reading(
            "three clients",
            "The mean under the weights of the draw; any models, any common start.",
            VectorInequality(_second(_UPDATE), _second(0 * x), _THREE),
        ),
        Reading("many clients", "Up to 300, axis by axis.", variance_below()),
    ),
    (
        Canary(
            "half of the second moment",
            VectorInequality(_second(_UPDATE), _second(0 * x) / 2, _THREE),
            "two opposed updates of equal weight have mean 0",
        ),
        Canary(
            "the first client's update in place of the mean",
            VectorInequality(_second(x - z), _second(0 * x), _THREE),
            "two opposed updates: the left side is 4·½, the right side 1",
        ),
    ),
    tight="updates of mean 0",
    depends_on=("EA-E26",),
    verdict_words=(
        "E‖X − EX‖² = E‖X‖² − ‖EX‖², as the paper says. Unlike EA-E24b mean and expectation are under the same weights here, "
        "those of the draw, so nothing is left open. Proved for three clients; for up to 300 no violation was found."
    ),
)

E27D = sampling_step(
    "EA-E27d",
    Kind.PROPERTY,
    "The whole round's update as a sum of gradients",
    r"\mathbf V_i^{t+1}-\bar{\mathbf W}^{t_s}=-\sum_{j=t_s}^t\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j),\qquad t_s=t+1-E",
    "A client's update of a round is minus the sum of its E scaled stochastic gradients.",
    ("all clients stand at W̄ᵗˢ at t_s", "local steps (4)"),
    (Reading("from the round's start", "Sample by sample; E from 1 to 100.", telescoped(whole=True)),),
    (
        Canary(
            "W̄ᵗ in place of W̄ᵗˢ",
            telescoped(whole=True, changed=3),
            "the last display prints it on the left; the model before the last step is not where the round began",
        ),
        Canary(
            "one gradient and one step size throughout",
            telescoped(whole=True, changed=1),
            "a client that moves meets other gradients",
        ),
    ),
    depends_on=("EA-D4",),
    verdict_words=(
        "Telescoping over the E steps of the round. The last display of the proof prints W̄ᵗ where the lines before it have "
        "W̄ᵗˢ; taken to the letter that is false for E > 1, as the first planted error shows, and a slip of the pen."
    ),
)


CLAIMS: tuple[Claim, ...] = (E26, E27A, E27B, E27C, E27D)
