"""EA-L4, EA-E26: sampling clients by their weights leaves the mean of the aggregate unchanged."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from sympy import Integer, Rational

from paper_checks.exp_alpha.draws import mean_of_draws, small_draws
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, symbols
from validation.statement.says import identity, le
from validation.world.stated import but, stated

__all__ = ["CLAIMS", "expected"]

_UNBIASED = le(NOTATION.symbols("off"), 0)

L4 = stated(
    r"""EA-L4 (lemma; Lemma 4 (A.12)): Sampling by weight is unbiased
    Print: t+1\in\mathcal I_E:\qquad\mathbb E_s[\tilde{\mathbf W}^{t+1}]=\bar{\mathbf W}^{t+1}
    Plainly: The mean of K clients drawn by their weights is, on average over the draw, the weighted mean of all.
    Assumes: A5: K independent draws with probabilities ρᵢᵗ⁺¹, plain mean of the drawn Vᵢᵗ⁺¹ | both aggregates from
        the same local models V
    Reading: given the local models | Any V and any weights, those that see the samples too; every tuple of indices
        enumerated; the squared distance of the two sides must be 0.
    Mutant: uniform draws | the mean is then the plain mean of all V, which is the weighted one only for equal
        weights
    Mutant: uniform subsets with their weights renormalised | as in Algorithm 1: for K = 2 of 3 clients with one-hot
        weights absent half the time the mean is shifted
    Tight: always: an identity
    Verdict: An identity: each draw has mean ΣρᵢVᵢ, and so has the average of K of them; it does not even need the
        draws to be independent. It speaks of one synchronisation, given the local models, and of the sampling of
        Assumption 5. Algorithm 1 of the same paper samples uniformly and renormalises the weights over the sampled
        clients; for that scheme the mean is another, as the second planted error shows.""",
    says=_UNBIASED,
    world=mean_of_draws(),
    mutants={
        "uniform draws": small_draws("uniform", 2, 3, 4),
        "uniform subsets with their weights renormalised": small_draws("subsets", 3, 4),
    },
)

p1, p2, v1, v2, v3 = symbols("p1 p2 v1 v2 v3")
_TWO, _THREE = (p1, 1 - p1), (p1, p2, 1 - p1 - p2)


def expected(weights: tuple[Any, ...], K: int, of: Any) -> Any:
    """E_s of `of(indices)` over all tuples of K indices."""
    tuples = product(range(len(weights)), repeat=K)
    return sum((prod((weights[i] for i in row), start=Integer(1)) * of(row) for row in tuples), Integer(0))


def _mean_of(values: tuple[Any, ...], K: int) -> Any:
    return lambda row: sum(values[i] for i in row) / K


E26 = stated(
    r"""EA-E26 (step; A.12, proof of Lemma 4): The mean of K draws
    Print: \mathbb E_s\Big[\frac1K\sum_{i=1}^K\mathbf V_i^{t+1}\Big]=\frac1K\sum_{i
        =1}^K\mathbb E_s[\mathbf V_i^{t+1}]=\sum_{i=1}^N\rho_i^{t+1}\mathbf V_i^{t+1}=\bar{\mathbf W}^{t+1}
    Plainly: The expectation of the mean of K draws is the weighted mean of all clients.
    Assumes: A5: K independent draws by the weights ρᵗ⁺¹ | weights on the simplex
    Reading: three clients, two draws | Axis by axis, all nine pairs. | part: three clients, two draws
    Reading: two clients, four draws | Axis by axis, all sixteen tuples. | part: two clients, four draws
    Reading: many clients and draws | Up to 300 clients and six draws, every tuple, in several dimensions. | part:
        many clients and draws
    Mutant: uniform draws | the mean of uniform draws is the plain mean of all clients
    Mutant: 1/K dropped | a sum of two draws has twice the mean of one
    Rests on: EA-A5, EA-D3
    Verdict: Linearity of the expectation, with i read as the number of the draw in the sums up to K and as the
        client in the sum up to N. Proved for three clients with two draws and two with four, any models and
        weights; for more, no violation was found.""",
    says=identity(expected(_THREE, 2, _mean_of((v1, v2, v3), 2)), p1 * v1 + p2 * v2 + (1 - p1 - p2) * v3),
    readings={
        "two clients, four draws": identity(expected(_TWO, 4, _mean_of((v1, v2), 4)), p1 * v1 + (1 - p1) * v2),
        "many clients and draws": but(_UNBIASED, world=mean_of_draws()),
    },
    mutants={
        "uniform draws": identity(expected((Rational(1, 2),) * 2, 2, _mean_of((v1, v2), 2)), p1 * v1 + (1 - p1) * v2),
        "1/K dropped": identity(expected(_TWO, 2, _mean_of((v1, v2), 1)), p1 * v1 + (1 - p1) * v2),
    },
)

CLAIMS: tuple[Claim, ...] = (L4, E26)
