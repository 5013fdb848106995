"""What the deep engine keeps of a method: its state in the checkpoint, gathered and scattered by client slot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.config.config import RunConfig
from deep.features import LossStep, Refining, client_of, server_of
from deep.features.optimised import Optimised, OptimiserStep, bare
from deep.features.optimiser import make_optimiser
from deep.storage.checkpoint import ServerState
from deep.task.weighted_first import check_weighted_first
from theory.algorithms import Method, Received
from theory.algorithms.client import Client, Played, cohort_weights, heard
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.round import dropped, refreshed, server_step
from theory.algorithms.seeds import with_seed
from theory.algorithms.servers.aggregate import Aggregate
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import Array
from theory.messages.log import EMPTY_LOG, Log
from theory.rules.protocol import MemoryRule, Rule

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "Finished",
    "Traffic",
    "check_method",
    "finish",
    "first_steps",
    "first_vectors",
    "gathered",
    "judged_rows",
    "log_of",
    "method_of",
    "plain_traffic",
    "state_bytes",
    "traffic_of",
]


def method_of(config: RunConfig, rule: Rule | MemoryRule) -> Method:
    """Rule, client and server of a run; `server_lr` is the rate of the plain server. A client's seed that is −1 is the
    run's data seed, a server's its training seed.

    Raises `ValueError` for text that names no client or server, a server with a rate of its own beside `server_lr`,
    and a method whose parts do not compose.
    """
    client = with_seed(client_of(config.client), config.seed_of("data"))
    if config.optimizer:
        client = Optimised(client, make_optimiser(config.optimizer))
    server = with_seed(server_of(config.server), config.seed_of("training"))
    if config.server_lr != 1:
        if server != Rate():
            raise ValueError(
                f"run(server={config.server!r}, server_lr={config.server_lr}): two rates; expected lr inside the server"
            )
        server = Rate(config.server_lr)
    return Method(rule, client, server)


def check_method(config: RunConfig, method: Method) -> None:
    """`ValueError` as `check_weighted_first`, for a method that remembers clients made anew, for a momentum beside a
    local step that says itself where it goes, and for more Byzantine clients, or fewer present, than there can be.
    """
    check_weighted_first(config, method)
    _check_counts(config, method)
    if config.optimizer:
        _check_optimizer(config, method)
    if config.momentum and any(map(_goes_its_own_way, _own_steps(method.client))):
        raise ValueError(
            f"run(client={config.client!r}, momentum={config.momentum}): its local step is not SGD with a"
            " correction, so momentum does not apply; expected momentum=0"
        )
    if isinstance(method.server, Refining) and config.buffers == "local":
        raise ValueError(f"run(server={config.server!r}, buffers='local'): no one model to refine; expected 'averaged'")
    if method.client.judges and config.buffers == "local":
        raise ValueError(
            f"run(client={config.client!r}, buffers='local'): each client is judged by {method.client.judges} and by"
            " its own normalisation; expected 'averaged'"
        )
    if method.remembers_clients and not config.fixed_population:
        raise ValueError(
            f"run(cohort={config.cohort!r}): {method.remembers_clients}, and clients are resampled every round;"
            " expected a fixed population"
        )


def _check_optimizer(config: RunConfig, method: Method) -> None:
    """`ValueError` for an optimiser beside a momentum, or a client whose local steps are not its own alone."""
    call = f"run(client={config.client!r}, optimizer={config.optimizer!r}"
    if config.momentum:
        raise ValueError(f"{call}, momentum={config.momentum}): two ways of a step; expected momentum=0")
    inner = _own_steps(bare(method.client))
    if len(inner) > 1 or any(map(_goes_its_own_way, inner)):
        raise ValueError(f"{call}): its local step is not SGD with a correction; expected no optimizer")


def _check_counts(config: RunConfig, method: Method) -> None:
    """How many clients are Byzantine, and, where as many take part in every round, how many an aggregator needs."""
    if not config.fixed_population:
        return
    client = bare(method.client)
    if isinstance(client, Byzantine) and client.count >= config.n_clients:
        raise ValueError(
            f"run(client={config.client!r}, n_clients={config.n_clients}): nobody would be honest; expected"
            f" count < {config.n_clients}"
        )
    servers = (method.server, getattr(method.server, "server", None))
    fewest = max(server.fewest if isinstance(server, Aggregate) else 1 for server in servers)
    if not config.participation and config.n_sampled < fewest:
        raise ValueError(
            f"run(server={config.server!r}, n_sampled={config.n_sampled}): expected n_sampled >= {fewest} for this"
            " aggregator, or a smaller f"
        )


def first_vectors(client: Client, start: Tensor, n_slots: int) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Before the first round: (what each client keeps, (n_slots, n_parameters), what the server keeps for them)."""
    rows = cast("dict[str, Tensor]", client.first(cast("Array", start.expand(n_slots, -1))))
    kept = {name: values.clone() for name, values in rows.items()}
    return kept, {name: start if name in client.begins else torch.zeros_like(start) for name in client.broadcasts}


def first_steps(client: Client, start: Tensor) -> list[Affine | Stepwise]:
    """The local step of one client in the first round, and that of the walk beside it if there is one."""
    kept, broadcast = first_vectors(client, start, 1)
    return _steps(client, cast("Vectors", kept), cast("Vectors", broadcast), cast("Array", start))


def _own_steps(client: Client) -> list[Affine | Stepwise]:
    """`first_steps` of a model of one parameter."""
    start = cast("Array", np.zeros(1))
    return _steps(client, client.first(start[None]), dict.fromkeys(client.broadcasts, start), start)


def _steps(client: Client, kept: Vectors, broadcast: Vectors, start: Array) -> list[Affine | Stepwise]:
    own, bases = client.receive(kept, EMPTY_LOG, start)
    heard_of = heard(broadcast, start)
    steps, beside = client.steps({**own, "start": bases}, heard_of), client.beside(own, heard_of)
    return [steps] if beside is None else [steps, beside]


def _goes_its_own_way(steps: Affine | Stepwise) -> bool:
    """Whether a step is neither affine, nor SGD on a loss of its own, nor an optimiser's."""
    return isinstance(steps, Stepwise) and not isinstance(steps.step, LossStep | OptimiserStep)


def judged_rows(client: Client, state: ServerState) -> Callable[[list[int]], Tensor] | None:
    """slots → the models that these clients are judged by, (m, n_parameters); None where that is the server's."""
    if not client.judges:
        return None

    def rows(slots: list[int]) -> Tensor:
        own = cast("Vectors", gathered(state.kept, slots))
        return cast("Tensor", client.judged(own, heard(state.broadcast, cast("Array", state.model))))

    return rows


def gathered(kept: dict[str, Tensor], slots: list[int]) -> dict[str, Tensor]:
    """The rows of the clients in `slots`."""
    return {name: rows[slots] for name, rows in kept.items()}


@dataclass(frozen=True, eq=False)
class Finished:
    """A round after the server: what it adds to its model, (n_parameters,), and what is carried to the next round.

    `step` is η_g·d̃ in float64; where the server sends steps (`Client.send`), its message in the model's precision.
    """

    step: Tensor
    server: Any
    kept: dict[str, Tensor]
    broadcast: dict[str, Tensor]
    log: Any

    def added_to(self, model: Tensor) -> Tensor:
        """The next model: a sum in float64, rounded; or the sum that clients form of the same message."""
        if self.step.dtype == model.dtype:
            return model + self.step
        return (model.double() + self.step).to(model.dtype)


def finish(
    method: Method,
    state: ServerState,
    slots: list[int],
    own: Vectors,
    played: Callable[[Tensor], Played],
    received: Received,
    over_all: Tensor,
) -> Finished:
    """What `theory.algorithms` does from the direction d on, with rows for the clients in `slots` alone.

    `own`: what these keep, after their messages. `played` makes of the cohort's mean weights (m,) what their `carry` is
    told. `received` has d as it comes from the rule; `over_all`: the rule's weights of all slots. Where these are all 0
    and the client's means are the rule's, there is no mean: what clients and server keep stays as it was, as the model.
    """
    client, stats = method.client, received.stats
    share, present = cast("Tensor", stats.share), cast("Tensor", stats.present)
    kept, broadcast, direction = state.kept, state.broadcast, received.direction
    if client.variates == "rule" and not bool((over_all != 0).any()):
        kept = {name: _scattered(rows, slots, own[name]) for name, rows in kept.items()}
    elif client.keeps or client.broadcasts:
        weights = cohort_weights(client.variates, share, present, over_all)[slots]
        model = cast("Array", state.model)
        moved, sent = client.carry(own, heard(broadcast, model), played(weights))
        kept = {name: _scattered(rows, slots, moved[name]) for name, rows in kept.items()}
        kept = cast("dict[str, Tensor]", dropped(client, kept, share, present, model))
        broadcast = cast("dict[str, Tensor]", dict(refreshed(client, sent, kept, share, present, over_all)))
        direction = client.direction(direction, broadcast)
    if direction is not received.direction:
        received = replace(received, direction=direction)
    server, step = server_step(method, state.server, received)
    sent, log, added = client.send(broadcast, log_of(state), step)
    log = client.trim(log, kept)
    waits = log if client.own_starts else None
    return Finished(cast("Tensor", added), server, kept, cast("dict[str, Tensor]", dict(sent)), waits)


def log_of(state: ServerState) -> Log:
    """The server's messages that some client has still to hear."""
    return EMPTY_LOG if state.log is None else cast("Log", state.log)


def _scattered(rows: Tensor, slots: list[int], new: Array) -> Tensor:
    """`rows` with those at `slots` replaced."""
    changed = rows.clone()
    changed[slots] = cast("Tensor", new)
    return changed


@dataclass(frozen=True)
class Traffic:
    """Bytes of a round, down and up, and those of them that go beside model and update: control variates, Fisher sums.

    A client's message is rounded up to bytes.
    """

    down: int
    up: int
    beside_down: int
    beside_up: int


def traffic_of(
    client: Client, heard: NDArray[np.int64], sent: NDArray[np.int64], n_shared: int, n_buffers: int, size: int
) -> Traffic:
    """Bytes of a round whose clients present heard and sent so many bits of model and update, `size` bytes a number.

    Down go the model, or the messages it is the sum of, and its running statistics, up each client's update as its
    message is coded, and its statistics; both ways what the client algorithm sends beside them, `n_shared` numbers a
    vector.
    """
    if not client.exchanges:
        return Traffic(0, 0, 0, 0)
    m, statistics = len(sent), size * n_buffers
    down, up = (int((-(-bits // 8)).sum()) for bits in (heard, sent))
    beside_down, beside_up = (m * size * n_shared * n for n in client.traffic)
    return Traffic(down + m * statistics + beside_down, up + m * statistics + beside_up, beside_down, beside_up)


def plain_traffic(client: Client, m: int, n_shared: int, n_buffers: int, size: int) -> Traffic | None:
    """`traffic_of` where the messages of m clients are all `n_shared` numbers as they are, the same every round; None
    for a client algorithm that codes them.
    """
    if type(client).heard_bits is not Client.heard_bits or type(client).sent_bits is not Client.sent_bits:
        return None
    bits = np.full(m, 8 * size * n_shared, dtype=np.int64)
    return traffic_of(client, bits, bits, n_shared, n_buffers, size)


def state_bytes(method: Method, n_slots: int, n_parameters: int, size: int) -> int:
    """Bytes of the vectors that clients keep and the server broadcasts beside the model, `size` bytes a number."""
    rows = method.client.first(cast("Array", torch.zeros(1, n_parameters, device="meta")))  # shapes alone
    kept = sum(row.shape[-1] for row in rows.values())
    return size * (n_slots * kept + n_parameters * len(method.client.broadcasts))
