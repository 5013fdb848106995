"""Clients of a Flower app that train on the batches of a deep run."""

from __future__ import annotations

import numpy as np
import torch
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict

from deep import RunConfig
from deep.data import make_split, read_parts
from deep.models import make_model
from deep.partition import divide, make_partition
from theory.participation.batches import step_batches

CONFIG = RunConfig(
    model="mlp(hidden=[6])",
    n_clients=5,
    n_sampled=5,
    n_rounds=3,
    n_local_steps=2,
    partition="dirichlet(beta=0.5, min_size=20)",
    batch_size=16,
    dtype="float64",
)
SHAPES = {"w1": (6, 64), "b1": (6,), "w2": (10, 6), "b2": (10,)}


class Training:
    """The clients of a configuration; `lacking`: metrics that they leave out."""

    def __init__(self, config: RunConfig) -> None:
        self.config, self.asked, self.lacking = config, set[str](), set[str]()
        self.train = make_split(read_parts("digits"), "fractions", 0).train
        labels = self.train.outputs.numpy()
        self.held = divide(make_partition(config.partition), labels, config.n_clients, 0).parts

    def reply(self, message: Message, k: int) -> Message:
        """What the ClientApp of client k does with a train message."""
        r = int(message.content["config"]["server-round"]) - 1
        self.asked = set(str(message.content["config"]["fedverdict-metrics"]).split(","))
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 6), torch.nn.ReLU(), torch.nn.Linear(6, 10))
        arrays = message.content["arrays"]
        torch.nn.utils.vector_to_parameters(
            torch.cat([torch.from_numpy(arrays[name].numpy().copy()).flatten() for name in SHAPES]),
            net.double().parameters(),
        )
        inputs, targets = self.train.inputs.double(), self.train.outputs
        rows = self.held[k]
        with torch.no_grad():
            before = torch.nn.functional.cross_entropy(net(inputs[rows]), targets[rows])
        batches = step_batches(0, r, k, n_samples=len(rows), batch_size=16, n_steps=2)
        optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
        for index in batches.index:
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net(inputs[rows[index]]), targets[rows[index]]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        vector = torch.nn.utils.parameters_to_vector(net.parameters()).detach()
        metrics = {"num-examples": len(rows), "loss-before": float(before), "loss-best": 0.0, "client": k}
        with torch.no_grad():
            after = torch.nn.functional.cross_entropy(net(inputs[rows]), targets[rows])
        metrics |= {"local-steps": 2, "effective-steps": 2.0, "loss-after": float(after)}
        kept = {name: value for name, value in metrics.items() if name not in self.lacking}
        content = RecordDict({"arrays": record(vector), "metrics": MetricRecord(kept)})
        return Message(content=content, reply_to=message)


def record(vector: torch.Tensor) -> ArrayRecord:
    sizes = [int(np.prod(shape)) for shape in SHAPES.values()]
    parts = torch.split(vector, sizes)
    return ArrayRecord(
        {name: Array(part.reshape(SHAPES[name]).numpy()) for name, part in zip(SHAPES, parts, strict=True)}
    )


def flat(arrays: ArrayRecord) -> torch.Tensor:
    return torch.cat([torch.from_numpy(arrays[name].numpy().copy()).flatten() for name in SHAPES])


def first(config: RunConfig) -> ArrayRecord:
    train = make_split(read_parts("digits"), "fractions", 0).train
    return record(make_model(config.model, train, 0)[1].double())
