"""What is written down of a round beyond what the rule saw: its steps, its messages, and what clients are judged by."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.algorithms.client import Client, heard
from theory.algorithms.method import Method
from theory.algorithms.round import Memory, Trained
from theory.base.arrays import Array, to_host
from theory.simulate.job import _Job
from theory.simulate.local_steps.work import LocalRound
from theory.simulate.seen import _over_cohort


def _log_steps(
    job: _Job, result: LocalRound, weights: Array, share: Array, present: Array, by_step: Array | None
) -> None:
    """‖∇Fₖ(wₖ,ₜ)‖², w̄ₜ, its losses and the spread before each step; `by_step`: weights of w̄ₜ of their own at each."""
    record, xp = job.log.record, job.xp
    if "gradients" in record:
        squares = result.squares()
        everybody = bool(xp.all(present))
        job.log.add("gradients", gradients=squares if everybody else xp.where(present, squares, xp.zeros_like(squares)))
    if record & {"virtual", "step_losses"}:
        if by_step is not None:
            mean, losses, spread = result.steps_by_step(by_step)
        else:
            virtual = weights if job.conventions.virtual == "round" else _over_cohort(xp, share, present)
            mean, losses, spread = result.steps(virtual, spread="virtual" in record)
        job.log.add("virtual", virtual=mean, spread=spread)
        job.log.add("step_losses", step_losses=losses)


def _log_messages(job: _Job, client: Client, memory: Memory, trained: Trained, model: Array, present: Array) -> None:
    """Bits down and up of each client present, what goes beside model and update included; how far bases are off."""
    xp = job.xp
    if "drift" in job.log.record:
        off = xp.max(xp.abs(trained.starts - model[..., None, :]), axis=-1)
        job.log.add("drift", drift=xp.where(present, off, xp.zeros_like(off)))
    if "traffic" not in job.log.record:
        return
    rows, here = to_host(trained.updates), to_host(present)
    number = 8 * rows.dtype.itemsize
    _, received = client.message(trained.own, trained.updates)
    beside_down, beside_up = (n * rows.shape[-1] * number for n in client.traffic)
    here = here & client.exchanges
    down = np.where(here, client.heard_bits(memory.own, memory.log, trained.updates, number) + beside_down, 0)
    up = np.where(here, client.sent_bits(received, number) + beside_up, 0)
    job.log.add("traffic", bits_down=down, bits_up=up)


def _judged(method: Method | None, memory: Memory | None, model: Array, like: Array) -> Any:
    """The model each client is judged by, (*batch, n_clients, dim)."""
    if method is None or memory is None:
        return model[..., None, :] + like[..., None]
    return method.client.judged(memory.own, heard(memory.broadcast, model)) + like[..., None]
