"""Finite joint laws of a round: who takes part, with how many local steps, which coefficients, which noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any, Literal

from theory.base.arrays import Array, check_simplex, device_of, namespace

__all__ = [
    "Outcome",
    "RoundLaw",
    "bernoulli_law",
    "full_law",
    "incomplete_law",
    "joint_law",
    "multinomial_law",
    "subsets_law",
]

_MOST_OUTCOMES = 20_000  # of one round; N <= 12 clients have 4096 cohorts


@dataclass(frozen=True, eq=False)
class RoundLaw:
    """Finite joint law of what a round draws: outcome j has probability qⱼ, coefficients aⱼₖ, step counts sⱼₖ, noise.

    `probability`: (*batch, J), on the simplex. `weights` aⱼₖ: (*batch, J, n_clients), finite, 0 for absent clients.
    *Differs:* they need not sum to 1 (EFL-ALG3's coefficients do not); what is missing stays with the old model.
    `steps` sⱼₖ >= 0: integers, like weights; the client stops after them; None means all E, 0 is an inactive client.
    `noise`: (*batch, J, n_local_steps, n_clients, dim), added to the gradients in outcome j, so that weights, cohort
    and step counts may depend on the round's own noise; None means none (independent noise is `fedavg_mixture`'s σ).
    """

    probability: Array
    weights: Array
    steps: Array | None = None
    noise: Array | None = None

    def __post_init__(self) -> None:
        xp = namespace(self.probability, self.weights)
        check_simplex(self.probability, "RoundLaw(probability=…)")
        n_outcomes, shape = int(self.probability.shape[-1]), tuple(self.weights.shape)
        if len(shape) < 2 or shape[-2] != n_outcomes:
            raise ValueError(f"RoundLaw(weights=…): shape {shape}; expected (*batch, {n_outcomes}, n_clients)")
        if not bool(xp.all(xp.isfinite(self.weights))):
            raise ValueError("RoundLaw(weights=…): contains NaN or infinity; expected finite coefficients")
        if self.steps is not None:
            if tuple(self.steps.shape[-2:]) != shape[-2:]:
                raise ValueError(f"RoundLaw(steps=…): shape {tuple(self.steps.shape)}; expected {shape}, as weights")
            if not xp.isdtype(self.steps.dtype, "integral") or int(xp.min(self.steps)) < 0:
                raise ValueError("RoundLaw(steps=…): expected integers >= 0, the local steps each client finishes")
        if self.noise is not None:
            drawn = tuple(self.noise.shape)
            if len(drawn) < 4 or (drawn[-4], drawn[-2]) != shape[-2:]:
                raise ValueError(
                    f"RoundLaw(noise=…): shape {drawn}; expected (*batch, {n_outcomes}, n_steps, {shape[-1]}, dim)"
                )
            if not bool(xp.all(xp.isfinite(self.noise))):
                raise ValueError("RoundLaw(noise=…): contains NaN or infinity; expected finite vectors")


@dataclass(frozen=True, eq=False)
class Outcome:
    """One outcome of `joint_law`: its probability, weights and steps (n_clients,), noise (n_steps, n_clients, dim).

    Absent clients have weight 0 or 0 steps.
    """

    probability: float
    weights: Array
    steps: Array | None = None
    noise: Array | None = None


def full_law(weights: Array) -> RoundLaw:
    """Every client, every step, fixed coefficients (*batch, n_clients): one outcome."""
    return RoundLaw(namespace(weights).ones_like(weights[..., :1]), weights[..., None, :])


def subsets_law(share: Array, n_sampled: int, *, renormalise: bool = True) -> RoundLaw:
    """K of N clients uniformly without replacement, every K-subset with probability 1/C(N, K).

    Coefficients are `share` (*batch, N) over the cohort, divided by their sum if `renormalise` (equal shares: the
    cohort's mean); without it, ``share * N / K`` is the unbiased choice. Source: robust_aggregation RA-ALG1.
    """
    n = _few_clients("subsets_law", share)
    if not 1 <= n_sampled <= n:
        raise ValueError(f"subsets_law(n_sampled={n_sampled}): must be between 1 and the {n} clients")
    present = [[float(k in cohort) for k in range(n)] for cohort in combinations(range(n), n_sampled)]
    table = _like(share, present)
    xp = namespace(share)
    return RoundLaw(xp.ones_like(table[:, 0]) / len(present), _cohort_weights("subsets_law", share, table, renormalise))


def bernoulli_law(share: Array, q: Array, *, renormalise: bool = False) -> RoundLaw:
    """Client k takes part with probability qₖ, independently: all 2^N cohorts; the empty one leaves w unchanged.

    `q` in [0, 1]: (N,) or (*batch, N). Coefficients are `share` over the cohort, divided by their sum if `renormalise`.
    """
    n = _few_clients("bernoulli_law", share)
    xp = namespace(share, q)
    if int(q.shape[-1]) != n or not bool(xp.all((q >= 0) & (q <= 1))):
        raise ValueError(f"bernoulli_law(q=…): expected {n} probabilities in [0, 1], one per client")
    table = _like(share, [[float(bit) for bit in bits] for bits in product((0, 1), repeat=n)])
    chance = xp.prod(xp.where(table > 0, q[..., None, :], 1 - q[..., None, :]), axis=-1)
    return RoundLaw(chance, _cohort_weights("bernoulli_law", share, table, renormalise))


def multinomial_law(share: Array, n_sampled: int) -> RoundLaw:
    """K draws with replacement by p, w ← mean of the K drawn models: all multisets, aₖ = (times drawn)/K.

    `share` p: (*batch, N), on the simplex. Source: exp_alpha EA-A5 (index reading: the draws, not the clients 1…K).
    """
    check_simplex(share, "multinomial_law(share=…)")
    n = int(share.shape[-1])
    if n_sampled < 1 or comb(n + n_sampled - 1, n_sampled) > _MOST_OUTCOMES:
        raise ValueError(
            f"multinomial_law(n_sampled={n_sampled}): must be >= 1, with at most {_MOST_OUTCOMES} multisets"
        )
    counts = [[drawn.count(k) for k in range(n)] for drawn in combinations_with_replacement(range(n), n_sampled)]
    ways = _like(share, [factorial(n_sampled) / prod(factorial(c) for c in row) for row in counts])
    xp = namespace(share)
    table = _like(share, [[float(c) for c in row] for row in counts])
    chance = ways * xp.prod(share[..., None, :] ** table, axis=-1)
    # The K-th power of a sum that is 1 within rounding: divided out, or K could push it past the simplex check.
    return RoundLaw(chance / xp.sum(chance, axis=-1, keepdims=True), table / n_sampled)


def incomplete_law(
    share: Array,
    n_local_steps: int,
    outcomes: Sequence[tuple[float, Sequence[int]]],
    *,
    coefficients: Literal["inverse", "share"] = "inverse",
) -> RoundLaw:
    """Clients stop early: `outcomes` lists (probability, step counts s); coefficients pₖE/sₖ ("inverse") or pₖ.

    Source: efl EFL-ALG3; a client with sₖ = 0, which the paper leaves open, gets coefficient 0.
    Raises `ValueError` unless every 0 <= sₖ <= E = n_local_steps.
    """
    n = int(share.shape[-1])
    if coefficients not in ("inverse", "share"):
        raise ValueError(f"incomplete_law(coefficients={coefficients!r}): expected 'inverse' or 'share'")
    for _, s in outcomes:
        if len(s) != n or not all(0 <= count <= n_local_steps for count in s):
            raise ValueError(f"incomplete_law(outcomes=…): step counts {list(s)}; expected {n} in 0…{n_local_steps}")
    xp = namespace(share)
    factor = [
        [0.0 if s == 0 else n_local_steps / s if coefficients == "inverse" else 1.0 for s in row] for _, row in outcomes
    ]
    steps = xp.asarray([list(row) for _, row in outcomes], dtype=xp.int64, device=device_of(share))
    return RoundLaw(_like(share, [q for q, _ in outcomes]), share[..., None, :] * _like(share, factor), steps)


def joint_law(outcomes: Sequence[Outcome]) -> RoundLaw:
    """The explicit law: participation, step counts, weights and noise may depend on each other in any way.

    `steps` and `noise` are given in all outcomes or in none. Weights may see the round's own noise, not the model:
    a weight that depends on w would make the round nonlinear.
    """
    if not outcomes:
        raise ValueError("joint_law(outcomes=[]): expected at least one outcome")
    columns: dict[str, Any] = {}
    for name in ("weights", "steps", "noise"):
        values = [getattr(outcome, name) for outcome in outcomes]
        missing = sum(value is None for value in values)
        if 0 < missing < len(values):
            raise ValueError(f"joint_law: {missing} of {len(values)} outcomes lack `{name}`; give it in all or in none")
        columns[name] = None if missing else namespace(*values).stack(values)
    return RoundLaw(_like(columns["weights"], [outcome.probability for outcome in outcomes]), **columns)


def _few_clients(name: str, share: Array) -> int:
    n = int(share.shape[-1]) if share.ndim else 0
    if not 1 <= n <= 12:
        raise ValueError(f"{name}(share=…): {n} clients; cohorts are enumerated for 1 to 12; for more use `joint_law`")
    return n


def _like(reference: Array, rows: Any) -> Any:
    return namespace(reference).asarray(rows, dtype=reference.dtype, device=device_of(reference))


def _cohort_weights(name: str, share: Array, table: Any, renormalise: bool) -> Any:
    """Shares over each cohort of `table` (J, N), renormalised or not; an empty cohort gets all zeros."""
    xp = namespace(share)
    weights = share[..., None, :] * table
    if not renormalise:
        return weights
    if not bool(xp.all(share > 0)):
        raise ValueError(f"{name}(share=…): smallest {float(xp.min(share)):g}; renormalising needs every share > 0")
    total = xp.sum(weights, axis=-1, keepdims=True)
    return weights / xp.where(total > 0, total, xp.ones_like(total))
