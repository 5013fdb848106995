"""What a client algorithm is: a correction of the local step, what each client keeps, what the server broadcasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.algorithms.fisher import Fisher
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array, namespace
from theory.messages.log import Log
from theory.rules.protocol import AnyRule, normalised

__all__ = ["VARIATES", "Client", "Played", "Variates", "cohort_weights", "heard", "row_weights"]

Variates: TypeAlias = Literal["uniform", "share", "rule"]
VARIATES: tuple[Variates, ...] = ("uniform", "share", "rule")


@dataclass(frozen=True, eq=False)
class Played:
    """What a round left behind before the server's step: a row per client, or per client present (deep runs).

    `updates` Δₖ = wₖ − x as trained and `received` as they arrived (decompressed), (*batch, n_clients, dim).
    `travelled` Σ η over the steps a client took, (*batch, n_clients): with constant rate η·τₖ.
    `mean_weights` ω: what a mean over the cohort weights its clients by, 0 for absent ones, (*batch, n_clients).
    `direction` d = Σ aₖvₖ, (*batch, dim). `start_gradient()`: ∇Fₖ(x) at the broadcast model, over all of a client's
    samples, (*batch, n_clients, dim). `starts`: the models that clients started from, broadcastable to `updates`;
    `present`: which rows took part, (*batch, n_clients). `fisher(models)`: the diagonal of each client's Fisher
    information at its row of `models`, as `Client.fisher` asks for it. `left`: what local steps say they leave, by
    name, (*batch, n_clients, dim).
    """

    updates: Array
    received: Array
    travelled: Array
    mean_weights: Array
    direction: Array
    start_gradient: Callable[[], Any]
    starts: Array
    present: Array
    fisher: Callable[[Array], Any]
    left: Vectors = field(default_factory=dict)

    def slope(self, updates: Array) -> Any:
        """−Δₖ/(ητₖ), the mean of the gradients a client stepped along, corrections included; 0 without a step."""
        xp = namespace(updates)
        moved = self.travelled > 0
        length = xp.where(moved, self.travelled, xp.ones_like(self.travelled))
        return xp.where(moved[..., None], -updates / length[..., None], xp.zeros_like(updates))

    def mean(self, rows: Array) -> Any:
        """Σ ωₖ rowₖ over the cohort, (*batch, dim)."""
        xp = namespace(rows)
        return (xp.astype(self.mean_weights, rows.dtype)[..., None, :] @ rows)[..., 0, :]

    def total(self, rows: Array) -> Any:
        """Σ rowₖ over the cohort, (*batch, dim)."""
        xp = namespace(rows)
        return xp.sum(xp.where(self.present[..., None], rows, xp.zeros_like(rows)), axis=-2)


class Client(Protocol):
    """What clients do beyond plain SGD; a frozen dataclass of settings, its state passed in and out.

    `keeps`: names of the vectors each client keeps from round to round. `broadcasts`: names of those that the server
    keeps; they come with "model", the model x of the round, beside them. All are 0 at first, but for those in `begins`,
    which are the initial model. Broadcasts that are means over all clients of a kept vector are named in `means`, and
    are taken anew each round with the weights that `variates` names; `totals` are sums instead. `traffic`: vectors sent
    down beside the model and up beside the update; `exchanges`: whether model and update are sent at all.
    `start_gradient`: whether `carry` asks for ∇Fₖ(x); `fisher`: which Fisher information it asks for, if any.
    `judges`: the model that each client is judged by, in words, where that is not the server's: then `judged` has it.
    """

    @property
    def keeps(self) -> tuple[str, ...]:
        """Names of the vectors each client keeps."""
        return ()

    @property
    def broadcasts(self) -> tuple[str, ...]:
        """Names of the vectors the server keeps and sends."""
        return ()

    @property
    def begins(self) -> tuple[str, ...]:
        """Names of those, kept or broadcast, that are the initial model at first."""
        return ()

    @property
    def means(self) -> tuple[tuple[str, str], ...]:
        """Pairs (broadcast, kept): the one is the mean of the other over all clients."""
        return ()

    @property
    def totals(self) -> tuple[tuple[str, str], ...]:
        """Pairs (broadcast, kept): the one is the sum of the other over all clients."""
        return ()

    @property
    def traffic(self) -> tuple[int, int]:
        """Vectors sent (down, up) beside model and update."""
        return (0, 0)

    @property
    def variates(self) -> Variates:
        """What means over clients weight them by."""
        return "share"

    @property
    def exchanges(self) -> bool:
        """Whether the model goes down and an update up."""
        return True

    @property
    def judges(self) -> str:
        """The model each client is judged by, in words; nothing where it is the server's."""
        return ""

    @property
    def start_gradient(self) -> bool:
        """Whether `carry` asks for the gradient at the broadcast model."""
        return False

    @property
    def fisher(self) -> Fisher | None:
        """Which Fisher information `carry` asks for."""
        return None

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine | Stepwise:
        """The local step of a round from what clients keep (*batch, n_clients, dim) and hear (*batch, dim).

        `own` also holds "start": the models that clients start from, broadcastable to (*batch, n_clients, dim).
        """
        return Affine()

    def beside(self, own: Vectors, broadcast: Vectors) -> Stepwise | None:
        """A second walk over the same batches, from the same start, of which only what it `leaves` is kept; or none.

        The model that is sent does not feel it: a model of the client's own beside the common one.
        """
        return None

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        """(what clients keep afterwards, the updates as they arrive); as they are, unless compressed."""
        return own, updates

    @property
    def own_starts(self) -> bool:
        """Whether clients begin a round from base models of their own, as `receive` gives them."""
        return False

    def first(self, rows: Array) -> Vectors:
        """What clients keep before the first round; `rows`: the initial model, (*batch, n_clients, dim)."""
        xp = namespace(rows)
        return {name: rows if name in self.begins else xp.zeros_like(rows) for name in self.keeps}

    def receive(self, own: Vectors, log: Log, model: Array) -> tuple[Vectors, Array]:
        """(what clients keep once they heard the server, the models they start from, (*batch, n_clients or 1, dim))."""
        return own, model[..., None, :]

    def send(self, broadcast: Vectors, log: Log, step: Array) -> tuple[Vectors, Log, Array]:
        """(what the server keeps, its messages, what it adds to its model) once it knows its step η_g·d̃."""
        return broadcast, log, step

    def trim(self, log: Log, own: Vectors) -> Log:
        """The server's messages that some client has still to hear; `own` of all clients."""
        return log

    def sent_bits(self, received: Array, number: int) -> NDArray[np.int64]:
        """Bits of each update as it is sent, (*batch, n_clients); `number` bits an entry, unless compressed."""
        return np.full(received.shape[:-1], received.shape[-1] * number, dtype=np.int64)

    def heard_bits(self, own: Vectors, log: Log, rows: Array, number: int) -> NDArray[np.int64]:
        """Bits each client is sent of the model, (*batch, n_clients), `rows` its size: the model, unless compressed."""
        return np.full(rows.shape[:-1], rows.shape[-1] * number, dtype=np.int64)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """(what clients keep, what the server broadcasts) for the next round; `means` are filled in afterwards."""
        return own, broadcast

    def direction(self, direction: Array, broadcast: Vectors) -> Array:
        """What the server is given in place of d, from the means of this very round."""
        return direction

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """The models clients are judged by after a round whose new model is "model", (*batch, n_clients or 1, dim)."""
        return broadcast["model"][..., None, :]

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """Why it does not go with this rule and server, or nothing."""
        return ""


def heard(broadcast: Vectors, model: Array) -> Vectors:
    """What the server keeps for its clients, and the model x beside it."""
    return {**broadcast, "model": model}


def row_weights(variates: Variates, share: Array, present: Array, weights: Array) -> Any:
    """ω of a mean over all clients, on the simplex, (*batch, n_clients): 1/N, pₖ, or aₖ/Σa of this round.

    "uniform" counts the clients of the objective (pₖ > 0) and those present; with "rule" absent clients count 0
    where the rule weights them so.
    """
    xp = namespace(share)
    if variates == "share":
        return share
    if variates == "uniform":
        counted = xp.astype(present | (share > 0), share.dtype)
        return counted / xp.sum(counted, axis=-1, keepdims=True)
    return normalised(weights, "variates='rule'")


def cohort_weights(variates: Variates, share: Array, present: Array, weights: Array) -> Any:
    """ω of a mean over the clients present, on the simplex, (*batch, n_clients): 1/|S|, pₖ/Σp, or aₖ/Σa."""
    xp = namespace(share)
    raw = {"uniform": xp.ones_like(share), "share": share, "rule": weights}[variates]
    return normalised(xp.where(present, raw, xp.zeros_like(raw)), f"variates={variates!r}")
