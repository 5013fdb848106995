"""What a client or server algorithm needs of a round: what clients start from, and what the end of it is given."""

from __future__ import annotations

from typing import Any

from theory.algorithms.client import Client, heard
from theory.algorithms.fisher import fisher_diagonal
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.method import Method
from theory.algorithms.round import Memory, Trained
from theory.base.arrays import Array, namespace
from theory.base.momentum import Momentum
from theory.federations.federation import Federation
from theory.rules.stats import RoundStats
from theory.simulate.local_steps.work import LocalRound, StepwiseRound, StepwiseWork


def _received(
    method: Method | None, memory: Memory | None, model: Array, present: Array
) -> tuple[Vectors, Any, Affine | Stepwise | None]:
    """What clients keep once they heard the server, the models they start from (absent ones count with the server's),
    and the round's local step, None where it is plain SGD, which has faster forms.
    """
    if method is None or memory is None:
        return {}, None, None
    own, starts = method.client.receive(memory.own, memory.log, model)
    if method.client.own_starts:
        starts = namespace(model).where(present[..., None], starts, model[..., None, :])
    steps = method.client.steps({**own, "start": starts}, heard(memory.broadcast, model))
    return own, starts, None if isinstance(steps, Affine) and steps.plain else steps


def _travelled(xp: Any, rates: Array, active: list[Any] | None, like: Array, momentum: Momentum) -> Any:
    """How far gradients of 1 take each client, (*batch, n_clients): Σ η over its steps, with momentum ητ of FedNova."""
    if active is None and momentum.beta == 0:
        return xp.sum(rates, axis=0)[..., None] + like
    total, velocity, ones = like, None, xp.ones_like(like)
    for e in range(rates.shape[0]):
        velocity, along = momentum.along(velocity, ones)
        moved = rates[e][..., None] * along
        total = total + (moved if active is None else moved * xp.astype(active[e], like.dtype))
    return total


def _left(
    method: Method,
    memory: Memory,
    own: Vectors,
    starts: Array,
    federation: Federation,
    model: Array,
    rates: Array,
    drawn: Any,
    active: list[Any] | None,
    momentum: Momentum,
    result: LocalRound,
) -> Vectors:
    """What local steps leave, and the walk beside them, (*batch, n_clients, dim) each."""
    from theory.simulate.kernels.signs import SignBits

    left = result.left if isinstance(result, StepwiseRound) else {}
    beside = method.client.beside(own, heard(memory.broadcast, model))
    if beside is None:
        return left
    noise = drawn.draw() if isinstance(drawn, SignBits) else drawn
    worker, base = StepwiseWork(federation, momentum), starts if method.client.own_starts else None
    walk = worker.run(model, rates, noise, active, path=False, steps=beside, starts=base)
    return {**left, **walk.left}


def _trained(
    federation: Federation,
    client: Client,
    model: Array,
    stats: RoundStats,
    travelled: Array,
    own: Vectors,
    starts: Array,
    left: Vectors,
    seed: int,
    r: int,
) -> Trained:
    """What the end of a round needs of the local steps."""

    def start_gradient() -> Any:
        optima = federation.local_optima
        return federation.gradients(model[..., None, :] + namespace(optima).zeros_like(optima))  # they may be NaN

    def seen(received: Array) -> RoundStats:
        return RoundStats.unchecked(**{**stats.__dict__, "updates": received})

    def fisher(models: Array) -> Any:
        if client.fisher is None:
            raise ValueError(f"{type(client).__name__}: asks for a Fisher information that it does not name")
        return fisher_diagonal(federation, client.fisher, models, seed, r)

    updates = stats.need("updates", "a client or server algorithm")
    return Trained(updates, travelled, seen, start_gradient, own, starts, fisher, left)
