"""The end of a round, after local steps: messages, rule, client state, server; array functions both worlds run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from theory.algorithms.client import Client, Played, cohort_weights, heard, row_weights
from theory.algorithms.local_step import Vectors
from theory.algorithms.method import Method
from theory.algorithms.server import Received
from theory.base.arrays import Array, namespace
from theory.messages.log import EMPTY_LOG, Log
from theory.rules.protocol import aggregate
from theory.rules.stats import RoundStats

__all__ = ["Memory", "Trained", "dropped", "finish_round", "first_memory", "refreshed", "server_step"]


@dataclass(frozen=True, eq=False)
class Memory:
    """All a method carries from round to round.

    `rule`, `server`: their states, None at first. `own`: vectors each client keeps, (*batch, n_clients, dim);
    `broadcast`: vectors the server keeps and sends, (*batch, dim). `log`: the server's messages that some client has
    still to hear.
    """

    rule: Any
    server: Any
    own: Vectors
    broadcast: Vectors
    log: Log = EMPTY_LOG


@dataclass(frozen=True, eq=False)
class Trained:
    """A round after local steps: `updates` wₖ − x and `travelled` Σ η, a row per client, absent ones included.

    `stats(received)`: the round as the rule sees it, its updates as received. `start_gradient()`: ∇Fₖ(x). `own`: what
    clients keep once they heard the server, `starts` the models they started from; `fisher(models)` as in `Played`;
    `left`: what local steps say they leave.
    """

    updates: Array
    travelled: Array
    stats: Callable[[Array], RoundStats]
    start_gradient: Callable[[], Any]
    own: Vectors
    starts: Array
    fisher: Callable[[Array], Any]
    left: Vectors = field(default_factory=dict)


def first_memory(client: Client, rows: Array, model: Array) -> Memory:
    """Nothing remembered; `rows` (*batch, n_clients, dim) and `model` (*batch, dim): the initial model."""
    xp = namespace(rows, model)
    broadcast = {name: model if name in client.begins else xp.zeros_like(model) for name in client.broadcasts}
    return Memory(None, None, client.first(xp.zeros_like(rows) + model[..., None, :]), broadcast)


def finish_round(method: Method, memory: Memory, model: Array, trained: Trained) -> tuple[Memory, Any, RoundStats, Any]:
    """(memory, the next model, what the rule saw, its weights), every client a row.

    Where the rule's weights are all 0 and the client's means are the rule's, there is no mean: what clients and server
    keep stays as it was after the messages, as the model does.
    """
    client = method.client
    own, received = client.message(trained.own, trained.updates)
    stats = trained.stats(received)
    rule_state, weights, vectors = aggregate(method.rule, memory.rule, stats)
    xp = namespace(weights, vectors)
    direction = (weights[..., None, :] @ vectors)[..., 0, :]
    broadcast = memory.broadcast
    if client.broadcasts or own:
        still = xp.all(xp.equal(weights, xp.zeros_like(weights)), axis=-1) if client.variates == "rule" else None
        # Where there is no mean, one of equal weights is taken and not used.
        of_rule = weights if still is None else xp.where(still[..., None], xp.ones_like(weights), weights)
        here = cohort_weights(client.variates, stats.share, stats.present, of_rule)
        as_sent, pulled = own, direction
        played = Played(
            trained.updates,
            received,
            trained.travelled,
            here,
            direction,
            trained.start_gradient,
            trained.starts,
            stats.present,
            trained.fisher,
            trained.left,
        )
        own, sent = client.carry(own, heard(broadcast, model), played)
        if still is not None:
            own = {name: xp.where(still[..., None, None], as_sent[name], own[name]) for name in client.keeps}
        own = {name: xp.where(stats.present[..., None], own[name], memory.own[name]) for name in client.keeps}
        own = dropped(client, own, stats.share, stats.present, model)
        broadcast = refreshed(client, sent, own, stats.share, stats.present, of_rule)
        direction = client.direction(direction, broadcast)
        if still is not None:
            broadcast = {
                name: xp.where(still[..., None], memory.broadcast[name], broadcast[name]) for name in broadcast
            }
            direction = xp.where(still[..., None], pulled, direction)
    gram = vectors @ xp.matrix_transpose(vectors) if "gram" in method.server.needs else None
    server_state, step = server_step(method, memory.server, Received(direction, weights, gram, stats))
    broadcast, log, added = client.send(broadcast, memory.log, step)
    log = client.trim(log, own)
    return Memory(rule_state, server_state, own, broadcast, log), model + added, stats, weights


def dropped(client: Client, own: Vectors, share: Array, present: Array, model: Array) -> Vectors:
    """What clients keep, begun anew for those that left the objective, or are not in it yet: absent, with share 0.

    That is 0, or the broadcast `model` (*batch, dim) for what begins at the model.
    """
    xp = namespace(share)
    gone = xp.logical_not(present) & xp.equal(share, xp.zeros_like(share))
    if not own or not bool(xp.any(gone)):
        return own
    begun = {name: model[..., None, :] if name in client.begins else 0.0 for name in own}
    return {name: xp.where(gone[..., None], begun[name] + xp.zeros_like(rows), rows) for name, rows in own.items()}


def refreshed(
    client: Client, broadcast: Vectors, own: Vectors, share: Array, present: Array, weights: Array
) -> Vectors:
    """`broadcast` with the client's `means` and `totals` over all clients taken anew, by the weights of `variates`."""
    broadcast = {name: broadcast[name] for name in client.broadcasts}
    if client.totals:
        sums = {name: namespace(own[kept]).sum(own[kept], axis=-2) for name, kept in client.totals}
        broadcast = {**broadcast, **sums}
    if not client.means:
        return broadcast
    xp = namespace(share)
    over_all = row_weights(client.variates, share, present, weights)
    rows = ((name, own[kept]) for name, kept in client.means)
    found = {name: (xp.astype(over_all, kept.dtype)[..., None, :] @ kept)[..., 0, :] for name, kept in rows}
    return {**broadcast, **found}


def server_step(method: Method, state: Any, received: Received) -> tuple[Any, Any]:
    """(the server's state, η_g·d̃)."""
    state, step = method.server.step(state, received)
    return state, step if method.server.lr == 1 else method.server.lr * step
