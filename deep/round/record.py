"""What is kept of a round that was played: its record, and the bytes that went over the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor

from deep.base.clock import Clock
from deep.base.slots import of_array, of_some
from deep.round.combined import Products
from deep.round.seen import Arrived
from deep.storage.record import RoundRecord
from deep.task.algorithm import Traffic, plain_traffic, traffic_of
from deep.task.evaluated import Evaluated
from deep.task.rule_checks import is_finite
from deep.task.task import listed
from theory.algorithms import Client
from theory.base.arrays import Array
from theory.messages.log import Log

__all__ = ["record_of", "traffic_in"]


def traffic_in(there: Arrived, client: Client, kept_before: Mapping[str, Array], log: Log) -> Traffic:
    """Bytes to and from the clients present, who held `kept_before` and had still to hear the messages of `log`."""
    at, slots, first = there.at, there.cohort.slots, there.setup.config.trains == "weighted"
    n_buffers = 0 if at.local else there.task.buffers.numel()
    size = there.state.model.element_size()
    plain = None if first else plain_traffic(client, len(slots), at.n_shared, n_buffers, size)
    if plain is not None:
        return plain
    shared = there.trained.updates[:, : at.n_shared]
    arriving = there.received if not at.local else there.received[:, ~at.mask]
    heard_bits = client.heard_bits(kept_before, log, cast("Array", shared), 8 * size)
    sent_bits = client.sent_bits(cast("Array", arriving), 8 * size)
    if first:
        sent_bits = np.where(there.cohort.steps[slots] > 0, sent_bits, 0)
    return traffic_of(client, heard_bits, sent_bits, at.n_shared, n_buffers, size)


def record_of(
    there: Arrived,
    losses: Mapping[str, Tensor],
    accuracy: Sequence[float | None],
    weights: Tensor,
    products: Products,
    step: Tensor,
    found: Evaluated,
    traffic: Traffic,
    clock: Clock,
    reported: dict[str, float],
) -> RoundRecord:
    """The record of a round in which everything was finite.

    `losses` by name and `weights`: (n_slots,), no losses where none were measured; `accuracy` by slot; `products` of
    the updates as they arrived; `step`: the server's, (n_parameters,); `found`: the new model on validation and
    test samples.
    """
    cohort, slots = there.cohort, there.cohort.slots
    before, known, n = losses.get("loss_before"), listed(cohort, there.task), len(cohort.clients)
    return RoundRecord(
        round=there.state.round,
        clients=known.clients,
        kinds=known.kinds,
        share=known.share,
        present=of_some(n, False, slots, [True] * len(slots)),
        weights=of_array(weights.cpu().numpy(), slots),
        local_steps=of_some(n, 0, slots, cohort.steps[slots].tolist()),
        loss_before=_known(before, n),
        loss_after=_known(losses.get("loss_after"), n),
        loss_best=_known(losses.get("loss_best"), n),
        client_accuracy=accuracy,
        gram=products.plain,
        train_loss=None if before is None or not is_finite(before) else float(cohort.share @ before),
        validation_loss=None if found.validation is None else found.validation.loss,
        validation_accuracy=None if found.validation is None else found.validation.accuracy,
        test_loss=None if found.test is None else found.test.loss,
        test_accuracy=None if found.test is None else found.test.accuracy,
        group_accuracy={} if found.test is None else found.test.group_accuracy,
        update_norm=float(torch.linalg.vector_norm(step)),
        bytes_down=traffic.down,
        bytes_up=traffic.up,
        bytes_beside_down=traffic.beside_down,
        bytes_beside_up=traffic.beside_up,
        seconds=clock.total,
        seconds_of=clock.seconds,
        planned_steps=known.planned_steps,
        effective_steps=of_some(n, 0.0, slots, there.effective[slots].tolist()),
        target_loss={} if found.test is None else found.test.target_loss,
        target_accuracy={} if found.test is None else found.test.target_accuracy,
        client_test_loss=found.client_loss,
        client_test_accuracy=found.client_accuracy,
        judged=found.judged,
        server_test_accuracy=found.server_accuracy,
        reported=reported,
    )


def _known(values: Tensor | None, n_slots: int) -> Sequence[float | None]:
    """Plain numbers, None where nothing was measured."""
    return of_some(n_slots, None, [], []) if values is None else of_array(values.cpu().numpy())
