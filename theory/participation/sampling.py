"""Who takes part in a round, with how many local steps, under which shares.

A law answers with a `Plan`; it may look at the state of the run, so adversarial laws are ordinary laws. Every replica
of a batch draws for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream

__all__ = [
    "Arrival",
    "Bernoulli",
    "Departure",
    "FullParticipation",
    "GivenSteps",
    "Inactive",
    "Participation",
    "Plan",
    "RoundContext",
    "StateDependent",
    "Stragglers",
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
    """What a law may look at: who plans what, and in convex runs the broadcast model and its losses.

    `model` (*batch, dim) and `work` are None where a run shows them to no law. `n_local_steps` E, the most any client
    plans; `planned`: local steps that each client plans, (n_clients,), None for E; `share` pₖ of the run, None if
    unsaid.
    """

    model: Any
    work: LossesAt | None
    n_local_steps: int
    share: NDArray[np.float64] | None = None
    planned: NDArray[np.int64] | None = None

    @property
    def planned_steps(self) -> NDArray[np.int64]:
        """Local steps that each client plans, (n_clients,) or a scalar for all."""
        return np.asarray(self.n_local_steps if self.planned is None else self.planned)

    @property
    def loss_before(self) -> Any:
        """Fₖ(w) of the broadcast model, (*batch, n_clients); `ValueError` where the run shows none."""
        if self.work is None:
            raise ValueError("RoundContext.loss_before: this run shows its losses to no law of the cohort")
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
        _check_whole(self, "n_sampled", 1)

    def cohort(self, seed: int, round_index: int, n_clients: int) -> Bools:
        """Booleans (n_clients,) with exactly `n_sampled` true; `ValueError` when there are fewer clients."""
        return self._draw(seed, round_index, (n_clients,))

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Independent cohorts, one for each batch element."""
        return Plan(self._draw(seed, round_index, shape))

    def _draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Bools:
        if self.n_sampled > shape[-1]:
            raise ValueError(f"UniformWithoutReplacement(n_sampled={self.n_sampled}): only {shape[-1]} clients")
        drawn = stream(seed, "cohort", round_index).random(shape)
        lowest = np.argpartition(drawn, self.n_sampled - 1, axis=-1)[..., : self.n_sampled]
        present = np.zeros(shape, dtype=np.bool_)
        np.put_along_axis(present, lowest, True, axis=-1)
        return present


@dataclass(frozen=True)
class Bernoulli:
    """Client i takes part with probability qᵢ, independently; an empty cohort is drawn again.

    `probability`: one q in (0, 1] for all, or one per client. *Differs:* an empty cohort leaves nothing to aggregate,
    so the law is the one conditioned on a client being present; `theory.participation.moments` has the unconditioned
    law.
    """

    probability: float | tuple[float, ...]

    def __post_init__(self) -> None:
        q: Any = self.probability
        if not all(_is_number(x) and 0 < x <= 1 for x in (q if _is_list(q) else (q,))):
            raise ValueError(f"Bernoulli(probability={q!r}): must lie in (0, 1], one number or one per client")

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
        rows = self.steps if _is_list(self.steps) else ()
        if not rows or not all(_is_list(row) and all(_is_whole(s, 0) for s in row) and any(row) for row in rows):
            raise ValueError(f"GivenSteps(steps={self.steps!r}): rows of whole numbers >= 0, each with one > 0")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """The round's row."""
        row = np.asarray(self.steps[round_index % len(self.steps)])
        planned = context.planned_steps
        if row.shape != shape[-1:] or np.any(row > planned):
            raise ValueError(
                f"GivenSteps(steps=…): row {tuple(row.tolist())} for {shape[-1]} clients, E = {planned.tolist()}"
            )
        return Plan(row > 0, row)


@dataclass(frozen=True)
class UniformSteps:
    """sᵢ uniform on {lowest, …, E}, independent over clients and rounds; all-zero draws are replaced by all-one.

    Source: efl §3.1 («sᵏ can follow an arbitrary distribution»).
    """

    lowest: int = 0

    def __post_init__(self) -> None:
        _check_whole(self, "lowest", 0)

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Independent patterns, one for each batch element."""
        planned = context.planned_steps
        if self.lowest > planned.min():
            raise ValueError(f"UniformSteps(lowest={self.lowest}): there are only {planned.min()} local steps")
        rng = stream(seed, "local steps", round_index)
        steps = rng.integers(self.lowest, planned + 1, size=shape)
        steps = np.where(steps.max(axis=-1, keepdims=True) == 0, 1, steps)
        return Plan(steps > 0, steps)


@dataclass(frozen=True)
class Stragglers:
    """Each client that takes part is a straggler with this probability, and finishes s uniform on {lowest, …, E − 1}.

    Source: FedProx (Li et al. 2020, §5.2: 0 %, 50 %, 90 % stragglers); efl EFL-DEF2 with 0 < s < E. E is what the
    client plans; one that plans no more than `lowest` does that. `of`: who takes part. Streams (seed, "stragglers",
    round).
    """

    probability: float = 0.5
    lowest: int = 1
    of: Participation = field(default_factory=FullParticipation, metadata={"inner": True})

    def __post_init__(self) -> None:
        p = self.probability
        if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
            raise ValueError(f"Stragglers(probability={p!r}): must be a number in [0, 1]")
        if isinstance(self.lowest, bool) or not isinstance(self.lowest, int) or self.lowest < 1:
            raise ValueError(
                f"Stragglers(lowest={self.lowest!r}): must be an integer >= 1; absence is a matter of `of`"
            )
        if not callable(getattr(self.of, "plan", None)):
            raise ValueError(f"Stragglers(of={self.of!r}): must be a law of the cohort")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """The plan of `of`, with fewer steps for stragglers, independent over clients, rounds and batch elements."""
        plan = self.of.plan(seed, round_index, shape, context)
        full = np.broadcast_to(context.planned_steps if plan.steps is None else plan.steps, shape)
        rng = stream(seed, "stragglers", round_index)
        late = rng.random(shape) < self.probability
        partial = self.lowest + np.floor(rng.random(shape) * np.maximum(full - self.lowest, 0)).astype(np.int64)
        steps = np.where(late & (full > self.lowest), partial, full)
        return Plan(plan.present, np.where(plan.present, steps, 0), plan.share)


@dataclass(frozen=True)
class Departure:
    """Client `client` leaves for good at round `at_round`; with `shift` the objective drops it too.

    Source: efl §4.3 (EFL-ALG3): F = Σ pₖFₖ becomes the objective over the others, shares renormalised as in eq. (66).
    Without `shift` F is kept; EFL's weights then are those of §4.3's F̂ as printed, Σ_{k≠a} pᵏFₖ with the old pᵏ: the
    same run, whose minimiser is that of the renormalised F̂. `share`: shares of all clients before; empty for those of
    the run.
    """

    client: int
    at_round: int
    share: tuple[float, ...] = ()
    shift: bool = True

    def __post_init__(self) -> None:
        _check_change(self)

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone before `at_round`, everyone else after."""
        return _changed(self.client, _shares(self.share, context), round_index < self.at_round, self.shift, shape)


@dataclass(frozen=True)
class Arrival:
    """Client `client` joins at round `at_round`; with `shift` the objective counts it only from then on.

    Source: efl §4.4 (EFL-ALG3). `share`: shares of all clients once it is there; empty for those of the run.
    """

    client: int
    at_round: int
    share: tuple[float, ...] = ()
    shift: bool = True

    def __post_init__(self) -> None:
        _check_change(self)

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone else before `at_round`, everyone after."""
        return _changed(self.client, _shares(self.share, context), round_index >= self.at_round, self.shift, shape)


@dataclass(frozen=True)
class Inactive:
    """Client `client` is inactive with `probability` yᵃ in every round, the others never; at `remove_at` it is removed.

    Source: efl §4.1 (EFL-ALG3, EFL-C1a). Removed, it is absent for good and the objective counts the others alone,
    shares renormalised; `remove_at` −1 keeps it. Corollary 1 says when to:
    `theory.participation.irregular.abandonment`. `share`: shares of all clients; empty for those of the run. Stream
    (seed, "inactive", round), a draw for each batch element.
    """

    client: int
    probability: float
    remove_at: int = -1
    share: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check_whole(self, "client", 0)
        _check_whole(self, "remove_at", -1)
        if not _is_number(self.probability) or not 0 <= self.probability < 1:
            raise ValueError(f"Inactive(probability={self.probability!r}): must be a number in [0, 1)")
        if not _is_list(self.share) or not all(_is_number(p) and 0 <= p < np.inf for p in self.share):
            raise ValueError(f"Inactive(share={self.share!r}): must be finite numbers >= 0, one per client, or none")

    def plan(self, seed: int, round_index: int, shape: tuple[int, ...], context: RoundContext) -> Plan:
        """Everyone, but that client where its draw says so."""
        removed = 0 <= self.remove_at <= round_index
        plan = _changed(self.client, _shares(self.share, context), not removed, True, shape)
        if removed:
            return plan
        away = stream(seed, "inactive", round_index).random(shape[:-1]) < self.probability
        here = np.arange(shape[-1]) != self.client
        return Plan(here | ~away[..., None], share=plan.share)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object, lowest: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= lowest


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _check_whole(law: object, name: str, lowest: int) -> None:
    value = getattr(law, name)
    if not _is_whole(value, lowest):
        raise ValueError(f"{type(law).__name__}({name}={value!r}): must be an integer >= {lowest}")


def _check_change(law: Arrival | Departure) -> None:
    """`ValueError` unless client and round are counted from 0 and the shares, if any, can be normalised."""
    _check_whole(law, "client", 0)
    _check_whole(law, "at_round", 0)
    share = law.share
    if not _is_list(share) or not all(_is_number(p) and 0 <= p < np.inf for p in share):
        raise ValueError(f"{type(law).__name__}(share={share!r}): must be finite numbers >= 0, one per client, or none")
    if not isinstance(law.shift, bool):
        raise ValueError(f"{type(law).__name__}(shift={law.shift!r}): must be true or false")


def _shares(share: tuple[float, ...], context: RoundContext) -> tuple[float, ...]:
    if share or context.share is None:
        return share
    return tuple(np.asarray(context.share, dtype=np.float64).tolist())


def _changed(client: int, share: tuple[float, ...], there: bool, shift: bool, shape: tuple[int, ...]) -> Plan:
    if len(share) != shape[-1] or not 0 <= client < shape[-1] or shape[-1] < 2:
        raise ValueError(f"client={client}, {len(share)} shares; expected one share each of {shape[-1]} >= 2 clients")
    present = np.ones(shape[-1], dtype=np.bool_)
    shares = np.asarray(share, dtype=np.float64)
    if not there:
        present[client] = False
        if shift:
            shares = np.where(present, shares, 0.0)
    if not shares.sum() > 0:
        raise ValueError(f"client={client}: the shares {share} leave nothing to those who are there")
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
