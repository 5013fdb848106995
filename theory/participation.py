"""Who takes part in a round, with how many local steps, under which shares.

A law answers with a `Plan`; it may look at the state of the run, so adversarial laws are ordinary laws. Every replica
of a batch draws for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream

__all__ = [
    "Arrival",
    "Bernoulli",
    "Departure",
    "FullParticipation",
    "GivenSteps",
    "Participation",
    "Plan",
    "RoundContext",
    "StateDependent",
    "UniformSteps",
    "UniformWithoutReplacement",
]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Plan:
    """What a law decides for one round; shapes broadcast against (*batch, n_clients).

    `present`: booleans, at least one true per batch element; `steps`: local steps finished, 0 <= s <= E, None for E
    (a client with s = 0 counts as absent); `share`: data shares of this round's objective, None for the federation's.
    """

    present: Bools
    steps: NDArray[np.int64] | None = None
    share: NDArray[np.float64] | None = None


class LossesAt(Protocol):
    """Whatever evaluates the clients' losses at a global model."""

    def losses_at(self, model: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class RoundContext:
    """What a state-dependent law may look at: the broadcast model (*batch, dim) and its losses (*batch, n_clients)."""

    model: Any
    work: LossesAt
    n_local_steps: int

    @property
    def loss_before(self) -> Any:
        """Fₖ(w) of the broadcast model, (*batch, n_clients)."""
        return self.work.losses_at(self.model)


class Participation(Protocol):
    """A law of the cohort."""

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan: ...


@dataclass(frozen=True)
class FullParticipation:
    """Every client, every round, all local steps. Source: robust_aggregation RA-A0."""

    def cohort(self, seed: int, round_index: int, n_clients: int) -> Bools:
        """Booleans (n_clients,), all true."""
        return np.ones(n_clients, dtype=np.bool_)

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone."""
        return Plan(np.ones(shape[-1], dtype=np.bool_))


@dataclass(frozen=True)
class UniformWithoutReplacement:
    """`n_sampled` clients drawn uniformly without replacement, afresh each round.

    Source: robust_aggregation RA-ALG1, exp_alpha EA-ALG1.
    """

    n_sampled: int

    def __post_init__(self) -> None:
        if self.n_sampled < 1:
            raise ValueError(f"UniformWithoutReplacement(n_sampled={self.n_sampled}): must be >= 1")

    def cohort(self, seed: int, round_index: int, n_clients: int) -> Bools:
        """Booleans (n_clients,) with exactly `n_sampled` true; `ValueError` when there are fewer clients."""
        return self._draw(seed, round_index, (n_clients,))

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Independent cohorts, one for each batch element."""
        return Plan(self._draw(seed, round_index, shape))

    def _draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Bools:
        if self.n_sampled > shape[-1]:
            raise ValueError(f"UniformWithoutReplacement(n_sampled={self.n_sampled}): only {shape[-1]} clients")
        ranks = stream(seed, "cohort", round_index).random(shape).argsort(axis=-1).argsort(axis=-1)
        return np.asarray(ranks < self.n_sampled)


@dataclass(frozen=True)
class Bernoulli:
    """Client i takes part with probability qᵢ, independently; an empty cohort is drawn again.

    `probability`: one q in (0, 1] for all, or one per client. *Differs:* an empty cohort leaves nothing to aggregate,
    so the law is the one conditioned on a client being present; `theory.moments` has the unconditioned law.
    """

    probability: float | tuple[float, ...]

    def __post_init__(self) -> None:
        q = np.atleast_1d(np.asarray(self.probability, dtype=float))
        if not np.all((q > 0) & (q <= 1)):
            raise ValueError(f"Bernoulli(probability={self.probability}): must lie in (0, 1]")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Independent patterns, one for each batch element."""
        q = np.asarray(self.probability, dtype=float)
        if q.ndim and q.shape != shape[-1:]:
            raise ValueError(f"Bernoulli(probability=…): {q.size} values for {shape[-1]} clients")
        rng = stream(seed, "cohort", round_index)
        present = rng.random(shape) < q
        while not np.all(present.any(axis=-1)):
            again = rng.random(shape) < q
            present = np.where(present.any(axis=-1, keepdims=True), present, again)
        return Plan(present)


@dataclass(frozen=True)
class GivenSteps:
    """Client i finishes sᵢ of the E local steps in every round, or row r mod R of a table of such patterns.

    Source: efl EFL-DEF2 (incomplete 0 < s < E, inactive s = 0). `steps`: rows of whole numbers >= 0, one per client.
    """

    steps: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not self.steps or any(min(row) < 0 or max(row) == 0 for row in self.steps):
            raise ValueError(f"GivenSteps(steps={self.steps}): rows of numbers >= 0, each with one > 0")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """The round's row."""
        row = np.asarray(self.steps[round_index % len(self.steps)])
        if row.shape != shape[-1:] or row.max() > context.n_local_steps:
            raise ValueError(
                f"GivenSteps(steps=…): row {tuple(row.tolist())} for {shape[-1]} clients, E = {context.n_local_steps}"
            )
        return Plan(row > 0, row)


@dataclass(frozen=True)
class UniformSteps:
    """sᵢ uniform on {lowest, …, E}, independent over clients and rounds; all-zero draws are replaced by all-one.

    Source: efl §3.1 («sᵏ can follow an arbitrary distribution»).
    """

    lowest: int = 0

    def __post_init__(self) -> None:
        if self.lowest < 0:
            raise ValueError(f"UniformSteps(lowest={self.lowest}): must be >= 0")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Independent patterns, one for each batch element."""
        if self.lowest > context.n_local_steps:
            raise ValueError(f"UniformSteps(lowest={self.lowest}): there are only {context.n_local_steps} local steps")
        rng = stream(seed, "local steps", round_index)
        steps = rng.integers(self.lowest, context.n_local_steps + 1, size=shape)
        steps = np.where(steps.max(axis=-1, keepdims=True) == 0, 1, steps)
        return Plan(steps > 0, steps)


@dataclass(frozen=True)
class Departure:
    """Client `client` leaves for good at round `at_round`; with `shift` the objective drops it too.

    Source: efl §4.3 (EFL-ALG3): F = Σ pₖFₖ becomes the objective over the others, shares renormalised.
    """

    client: int
    at_round: int
    share: tuple[float, ...]
    shift: bool = True

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone before `at_round`, everyone else after."""
        return _changed(self.client, self.share, round_index < self.at_round, self.shift, shape)


@dataclass(frozen=True)
class Arrival:
    """Client `client` joins at round `at_round`; with `shift` the objective counts it only from then on.

    Source: efl §4.4 (EFL-ALG3). `share`: shares of all clients once it is there.
    """

    client: int
    at_round: int
    share: tuple[float, ...]
    shift: bool = True

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone else before `at_round`, everyone after."""
        return _changed(self.client, self.share, round_index >= self.at_round, self.shift, shape)


def _changed(client: int, share: tuple[float, ...], there: bool, shift: bool, shape: tuple[int, ...]) -> Plan:
    if len(share) != shape[-1] or not 0 <= client < shape[-1] or shape[-1] < 2:
        raise ValueError(f"client={client}, {len(share)} shares; expected one share each of {shape[-1]} >= 2 clients")
    present = np.ones(shape[-1], dtype=np.bool_)
    shares = np.asarray(share, dtype=np.float64)
    if not there:
        present[client] = False
        if shift:
            shares = np.where(present, shares, 0.0)
    return Plan(present, share=shares / shares.sum())


@dataclass(frozen=True)
class StateDependent:
    """Any law: `choose(seed, round_index, shape, context)` returns the booleans, looking at the run as it likes.

    Covers adversaries («drop whoever is worst off») and laws correlated with the state (efl A.2.1).
    """

    choose: Callable[[int, int, tuple[int, ...], RoundContext], Bools]

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Whatever `choose` says; `ValueError` when it leaves a cohort empty."""
        present = np.broadcast_to(np.asarray(self.choose(seed, round_index, shape, context), dtype=np.bool_), shape)
        if not np.all(present.any(axis=-1)):
            raise ValueError(f"StateDependent: an empty cohort in round {round_index}")
        return Plan(present)
