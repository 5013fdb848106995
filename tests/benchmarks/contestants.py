"""Ways to train the clients of one round, ours and others', each prepared once and then run again and again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from deep.local import Client, LocalBatches, Pool, Trainer, train_dense, train_in_turn, train_together, trainer_for
from deep.models import Model, initial_buffers, make_model
from deep.models.network import Network
from theory.base.streams import stream

Run = Callable[[], Tensor]
LR = 0.05


@dataclass(frozen=True)
class Round:
    """One epoch of `n_clients` clients with `n_samples` images each, in batches of `batch_size`, on `device`.

    Samples lie in the order of the pass, so a loader that does not shuffle takes the same batches as ours.
    """

    model_name: str
    batch_size: int
    n_clients: int = 10
    n_samples: int = 600
    n_held: int = 100
    device: str = "cpu"

    @property
    def model(self) -> Model:
        options = {"hidden": (128,)} if self.model_name == "mlp" else {}
        return make_model(self.model_name, SimpleNamespace(image_shape=(1, 28, 28), n_classes=10), 0, **options)[0]

    @property
    def start(self) -> Tensor:
        options = {"hidden": (128,)} if self.model_name == "mlp" else {}
        images = SimpleNamespace(image_shape=(1, 28, 28), n_classes=10)
        return make_model(self.model_name, images, 0, **options)[1].to(self.device)

    def data(self) -> tuple[Tensor, Tensor]:
        """Inputs (n_held · n_samples, 1, 28, 28) and classes; the clients of the round hold the first ones."""
        rng = stream(0, "benchmark")
        n = max(self.n_clients, self.n_held) * self.n_samples
        inputs = torch.from_numpy(rng.random((n, 1, 28, 28), dtype=np.float32))
        return inputs.to(self.device), torch.from_numpy(rng.integers(0, 10, n)).to(self.device)

    def parts(self) -> list[tuple[Tensor, Tensor]]:
        """Inputs and classes of each client of the round."""
        inputs, classes = self.data()
        n = self.n_samples
        return [(inputs[k * n : (k + 1) * n].clone(), classes[k * n : (k + 1) * n]) for k in range(self.n_clients)]


def module_of(model: Model) -> nn.Module:
    """The same network as an ordinary torch module."""
    if isinstance(model, Network):
        return copy.deepcopy(model.module).to_empty(device="cpu").requires_grad_(True)
    layers: list[nn.Module] = [nn.Flatten()]
    for layer in model.layers:
        n_out, n_in = layer.shapes[0]
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def flat(module: nn.Module) -> Tensor:
    return torch.cat([parameter.detach().reshape(-1) for parameter in module.parameters()])


def load(module: nn.Module, vector: Tensor) -> None:
    """Copies: torch's vector_to_parameters would make the parameters views of `vector`."""
    position = 0
    for parameter in module.parameters():
        parameter.data.copy_(vector[position : position + parameter.numel()].view(parameter.shape))
        position += parameter.numel()


def ours(task: Round, trainer: Trainer | None) -> Run:
    """With `trainer`, or the one that "auto" takes."""
    model, start = task.model, task.start.expand(task.n_clients, -1)
    inputs, classes = task.data()
    index = torch.arange(len(inputs), device=task.device).split(task.n_samples)
    clients = [Client(k, index[k], classes[index[k]]) for k in range(task.n_clients)]
    positions = np.arange(task.n_samples)
    size = min(task.batch_size, task.n_samples)
    rows = [positions[i : i + size] for i in range(0, task.n_samples, size)]
    padded = np.stack([np.pad(row, (0, size - len(row)), mode="edge") for row in rows])
    batches = [LocalBatches(padded, np.array([len(row) for row in rows]))] * task.n_clients
    chosen = trainer or trainer_for("auto", model, torch.device(task.device), clients, batches)
    buffers = initial_buffers(model).to(task.device).expand(task.n_clients, -1)
    return lambda: chosen(model, start, buffers, Pool(inputs), clients, batches, LR)[0]


def plain_loop(task: Round, channels_last: bool = False, fused: bool = False) -> Run:
    """What one writes first: a module, SGD, samples in memory."""
    start, parts = task.start, task.parts()
    module = module_of(task.model).to(task.device)
    if channels_last:
        module = module.to(memory_format=torch.channels_last)
        parts = [(inputs.to(memory_format=torch.channels_last), classes) for inputs, classes in parts]
    optimiser = torch.optim.SGD(module.parameters(), lr=LR, fused=fused)

    def run() -> Tensor:
        found = []
        for inputs, classes in parts:
            load(module, start)
            for rows in torch.arange(len(inputs), device=task.device).split(task.batch_size):
                optimiser.zero_grad()
                cross_entropy(module(inputs[rows]), classes[rows]).backward()
                optimiser.step()
            found.append(flat(module))
        return torch.stack(found)

    return run


def research_code(task: Round) -> Run:
    """The common pattern: a DataLoader for each client, deep copies of the global model and of the state_dict."""
    module = module_of(task.model).to(task.device)
    load(module, task.start)
    loaders = [DataLoader(TensorDataset(*part), task.batch_size) for part in task.parts()]

    def run() -> Tensor:
        found = []
        for loader in loaders:
            local = copy.deepcopy(module)
            local.train()
            optimiser = torch.optim.SGD(local.parameters(), lr=LR)
            for inputs, classes in loader:
                optimiser.zero_grad()
                loss = cross_entropy(local(inputs), classes)
                loss.backward()
                optimiser.step()
                loss.item()
            found.append(copy.deepcopy(local.state_dict()))
        return torch.stack([torch.cat([value.flatten() for value in state.values()]) for state in found])

    return run


def kept_plain_loop(task: Round) -> Run:
    """The plain loop with the memory of a step kept for the next, which is a matter of the allocator alone."""
    import_module("deep.local.memory").keep_freed_memory()
    return plain_loop(task)


def strongest_plain_loop(task: Round) -> Run:
    """All at once: images pixel by pixel where there are convolutions, fused SGD, the memory of a step kept."""
    import_module("deep.local.memory").keep_freed_memory()
    return plain_loop(task, channels_last="cnn" in task.model_name, fused=True)


CONTESTANTS: Mapping[str, Callable[[Round], Run]] = {
    "plain loop": plain_loop,
    "plain loop, channels-last": lambda task: plain_loop(task, channels_last=True),
    "plain loop, memory kept": kept_plain_loop,
    "plain loop, strongest": strongest_plain_loop,
    "research code": research_code,
    "ours, auto": lambda task: ours(task, None),
    "ours, in turn": lambda task: ours(task, train_in_turn),
    "ours, vmap": lambda task: ours(task, train_together),
    "ours, dense": lambda task: ours(task, train_dense),
}
RIVALS = {"pfl": "pfl"}


def skipped(name: str, task: Round) -> str:
    """Why this contestant does not take this task, or nothing."""
    if name == "plain loop, channels-last" and task.model_name != "robust-cnn-flattened":
        return "no convolutions"
    if name == "ours, dense" and task.model_name == "robust-cnn-flattened":
        return "not a stack of linear layers"
    if name in RIVALS and task.device != "cpu":
        return "run on the CPU only"
    return ""


def names() -> list[str]:
    """All contestants that are installed here."""
    return [*CONTESTANTS, *(name for name in RIVALS if name not in absent())]


def absent() -> list[str]:
    """Those that are not."""
    return [name for name, package in RIVALS.items() if find_spec(package) is None]


def prepare(name: str, task: Round) -> Run:
    """What runs one round as the contestant called `name` does: all clients' models, (n_clients, n_parameters)."""
    if name in CONTESTANTS:
        return CONTESTANTS[name](task)
    adapter = import_module(f"tests.benchmarks.rivals_{name}")
    return adapter.prepare(task, module_of(task.model), load, flat, LR)  # type: ignore[no-any-return]
