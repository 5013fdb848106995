"""Messages between server and clients: the server's compressed step, the log of those sent, and clients' base models.

A server that sends its steps and not its model leaves every client with a base model of its own, wᵏ ← wᵏ + what it
heard. The log holds what some client has not heard yet; a client that comes back takes it in, one message after the
other and in the order sent, so that its base is the sum that the server formed, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, namespace, to_host
from theory.messages.ternary_code import Code, coded_bits

__all__ = ["EMPTY_LOG", "Log", "caught_up", "due_bits", "posted", "sent_down", "trimmed"]

Log: TypeAlias = tuple[int, tuple[Any, ...], tuple[Any, ...]]
EMPTY_LOG: Log = (0, (), ())


def sent_down(residual: Array, step: Array, compress: Callable[[Array], Array]) -> tuple[Any, Any, Any]:
    """(Rᴳ′, Δωᴳ, ST(Δωᴳ)) with Δωᴳ = Rᴳ + step and Rᴳ′ = Δωᴳ − ST(Δωᴳ), all (*batch, dim).

    Source: efl Algorithm 1 (EFL-ALG1, step 6), the server's side of error feedback. The step is taken in the precision
    of the residual, which is that of the model, so that server and clients add the same numbers.
    """
    xp = namespace(residual)
    change = residual + xp.astype(step, residual.dtype)
    heard = compress(change)
    return change - heard, change, heard


def posted(log: Log, message: Array, code: Code | None, number: int) -> Log:
    """The log with a message (*batch, dim) at its end, and its bits: as `code` writes it, or `number` bits an entry."""
    first, sent, bits = log
    shape = tuple(message.shape)
    size: Any = np.full(shape[:-1], shape[-1] * number) if code is None else coded_bits(message, code, number)
    return first, (*sent, message), (*bits, size.tolist())


def caught_up(base: Array, heard: Array, log: Log, model: Array, *, missed: bool) -> tuple[Any, Any]:
    """(base models, counts) of clients once they heard what the log holds for them.

    `base` (*batch, n_clients, dim); `heard` (*batch, n_clients, 1): 1 + how many messages a client has heard; 0: it
    never was there, or had left, and is sent the server's `model` (*batch, dim) whole. With `missed` it takes in what
    it missed one message after the other; without, it adds the last message alone, as efl's Algorithm 1 prints.
    """
    xp = namespace(base, heard)
    first, sent, _ = log
    new = xp.equal(heard, xp.zeros_like(heard))
    base = xp.where(new, model[..., None, :], base)
    for place, message in enumerate(sent):
        number = first + place + 1
        if missed or place == len(sent) - 1:
            due = xp.logical_not(new) & (heard <= number)
            base = xp.where(due, base + message[..., None, :], base)
    return base, xp.full_like(heard, float(first + len(sent) + 1))


def due_bits(heard: Array, log: Log, whole: int, *, missed: bool) -> NDArray[np.int64]:
    """Bits each client is sent before it trains, (*batch, n_clients): the messages of `caught_up`, or `whole` a model.

    The first round's clients hold the initial model already: they are sent nothing.
    """
    counts = np.asarray(to_host(heard))[..., 0]
    first, _, bits = log
    total = np.where(counts == 0, whole, 0).astype(np.int64)
    for place, size in enumerate(bits):
        if missed or place == len(bits) - 1:
            due = (counts > 0) & (counts <= first + place + 1)
            total = total + np.where(due, np.asarray(size, dtype=np.int64)[..., None], 0)
    return np.asarray(total)


def trimmed(log: Log, heard: Array, *, missed: bool) -> Log:
    """The log without what every client has heard; without `missed` nothing but the last message is of use.

    `heard` (*batch, n_clients, 1) of all clients; those at 0 wait for a whole model, not for messages.
    """
    first, sent, bits = log
    counts = np.asarray(to_host(heard))
    waiting = counts[counts > 0]
    done = len(sent) if not waiting.size else int(waiting.min()) - 1 - first
    drop = min(max(done if missed else len(sent) - 1, 0), len(sent))
    return first + drop, sent[drop:], bits[drop:]
