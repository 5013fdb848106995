"""(ε, δ) of rounds of clipped sums with Gaussian noise, as DP-FedAvg makes them."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

from theory.base.checks import check_number, check_whole

__all__ = ["chance_alone", "gaussian_epsilon", "poisson_epsilon"]


def gaussian_epsilon(noise: float, n_rounds: int, delta: float) -> float:
    """The least ε at which δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) is δ, with μ = √R/z, of R sums without sampling.

    Source: Balle & Wang 2018, Theorem 8, for one sum; Dong, Roth & Su 2022, Corollary 3.3, for R of them. It is exact,
    not a bound. `noise` z >= 0: the standard deviation of the noise over the most that the sum can change; 0 gives
    infinity. `n_rounds` R >= 0 sums that one client takes part in, each chosen with knowledge of those before.
    `delta` in (0, 1). Raises `ValueError` for anything else.

    >>> round(gaussian_epsilon(1.0, 1, 1e-5), 4)
    4.3772
    """
    _check("gaussian_epsilon", noise, n_rounds, delta)
    if n_rounds == 0:
        return 0.0
    if noise == 0:
        return inf
    mu = sqrt(n_rounds) / noise

    def excess(epsilon: float) -> float:
        """log δ(ε) − log δ."""
        first, second = float(log_ndtr(mu / 2 - epsilon / mu)), epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
        return first + (log(-expm1(second - first)) if second < first else -inf) - log(delta)

    if excess(0.0) <= 0:
        return 0.0
    highest = mu * mu / 2 + mu * sqrt(-2 * log(delta))  # zero-concentrated privacy of ρ = μ²/2, which is weaker
    return float(brentq(lambda epsilon: max(excess(epsilon), -1e3), 0.0, highest, rtol=1e-12))


def poisson_epsilon(noise: float, n_rounds: int, delta: float, sampling: float) -> float:
    """An upper bound on ε of R sums, each of the clients that a coin of chance q = `sampling` takes, independently.

    Source: Mironov, Talwar & Zhang 2019 (Rényi privacy of the sampled Gaussian mechanism), in Google's `dp-accounting`.
    It holds for sums that are not divided by the size of the cohort, of cohorts that nobody is told, where the one data
    set lacks a client, or has 0 in place of what it sends. `noise`, `n_rounds`, `delta` as in `gaussian_epsilon`;
    q in (0, 1]. Raises `ValueError` for anything else, or without the library.
    """
    _check("poisson_epsilon", noise, n_rounds, delta)
    if not 0 < sampling <= 1:
        raise ValueError(f"poisson_epsilon(sampling={sampling}): must lie in (0, 1]")
    if sampling == 1 or n_rounds == 0 or noise == 0:
        return gaussian_epsilon(noise, n_rounds, delta)
    try:
        from dp_accounting import GaussianDpEvent, NeighboringRelation, PoissonSampledDpEvent
        from dp_accounting.rdp import RdpAccountant
    except ImportError as error:
        raise ValueError(
            "amplification by Poisson participation needs dp-accounting: pip install 'fedverdict[privacy]'"
        ) from error
    accountant = RdpAccountant(neighboring_relation=NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(PoissonSampledDpEvent(sampling, GaussianDpEvent(noise)), n_rounds)
    sampled = float(accountant.get_epsilon(delta))
    return min(sampled, gaussian_epsilon(noise, n_rounds, delta))  # which holds as well, and is less for q near 1


def chance_alone(probabilities: Sequence[float]) -> float:
    """The greatest chance of a client to be the whole cohort, qₖ Π_{j≠k}(1 − qⱼ) / (1 − Π(1 − qⱼ)).

    Of independent coins qₖ in (0, 1], whose empty cohorts are drawn again. Given that others are there, the coin of
    client k is as it was. Given that nobody else is, k is there for certain. So drawing again adds this chance to δ in
    every round, and no more, where the data set without client k has 0 in place of what it sends.

    >>> round(chance_alone([0.5, 0.5]), 4)
    0.3333
    """
    q = np.asarray(probabilities, dtype=np.float64)
    if q.ndim != 1 or not q.size or not np.all((q > 0) & (q <= 1)):
        raise ValueError(f"chance_alone(probabilities={probabilities!r}): must be one number in (0, 1] per client")
    certain = q == 1
    absent = np.log1p(-np.where(certain, 0.0, q))
    total = float(np.sum(absent))
    if np.any(certain):  # nobody else can be alone, and no cohort is empty
        return float(np.exp(total)) if np.sum(certain) == 1 else 0.0
    return float(np.max(q * np.exp(total - absent)) / -np.expm1(total))


def _check(call: str, noise: float, n_rounds: int, delta: float) -> None:
    check_number(call, "noise", noise, closed=True)
    check_whole(call, "n_rounds", n_rounds, low=0)
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 < delta < 1:
        raise ValueError(f"{call}(delta={delta!r}): must be a number in (0, 1)")
