"""A model of one's own: any torch.nn.Module as a `Network`, with its own initial values and batch normalisation."""

from __future__ import annotations

from copy import deepcopy
from hashlib import sha256
from inspect import Parameter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from deep.models.network import Network
from deep.models.norm import BatchNorm
from theory.base.parts import Own, built
from theory.base.streams import stream

__all__ = ["SIZES", "own_model", "sizes_of", "unset", "values_digest"]

SIZES = ("n_classes", "n_features", "image_shape", "vocabulary", "length")


def sizes_of(dataset: Any) -> dict[str, object]:
    """What a module may ask for by name: `n_classes` (outputs, 1 of a regression), `n_features` of a flattened sample,
    `image_shape`, and of token sequences the `length` and the number of tokens `vocabulary`.
    """
    shape = tuple(dataset.inputs.shape[1:])
    found: dict[str, object] = {"n_classes": getattr(dataset, "n_classes", 1), "n_features": torch.Size(shape).numel()}
    if len(shape) == 3:
        found["image_shape"] = shape
    if hasattr(dataset, "vocabulary"):
        found |= {"vocabulary": len(dataset.vocabulary), "length": dataset.length}
    return found


def own_model(own: Own, dataset: Any, seed: int, settings: dict[str, object]) -> tuple[Network, Tensor]:
    """The module that `own` makes, and its initial vector, (n_parameters,) float32.

    Of the sizes of the data set (`sizes_of`) the module gets those that it has a parameter for, unless `settings` say
    otherwise. Its values are those that it gives itself, drawn by torch from stream (seed, "weights"); the global
    generator is left as it was. torch's batch normalisations become `BatchNorm`, so that their statistics are averaged
    or stay local as those of our own models; other buffers are constants, which training does not change. A module
    that is handed over as it is keeps the values it has. Layers may draw at random in training, as dropout does.

    Raises `ValueError` for what is no module, has nothing to train, draws at random in evaluation, too, or normalises
    with a cumulative average.
    """
    called = f"model {own.name!r}"
    sizes = {name: value for name, value in sizes_of(dataset).items() if name in own.settings and name not in settings}
    draw = int(stream(seed, "weights").integers(2**63))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draw)
        module = built(own, {**sizes, **settings})
        module = module if own.makes else deepcopy(module)
    if not isinstance(module, nn.Module):
        raise ValueError(f"{called} made a {type(module).__name__}; expected a torch.nn.Module")
    module = _own_norms(called, module.float())
    vector = torch.cat([torch.zeros(0), *(p.detach().flatten() for p in module.parameters())])
    if not len(vector):
        raise ValueError(f"{called} has no parameters; there is nothing to train")
    running = {id(b) for part in module.modules() if isinstance(part, BatchNorm) for b in part.buffers()}
    constants = {name: b.detach().clone() for name, b in module.named_buffers() if id(b) not in running}
    shape, dtype = tuple(dataset.inputs.shape[1:]), dataset.inputs.dtype
    loss = "squared" if dataset.outputs.is_floating_point() else "cross-entropy"
    draws = _draws_at_random(called, module, dataset.inputs[:2])
    bare = module.requires_grad_(False).to(device="meta")
    network = Network(own.name, bare, shape, "own", loss, dtype, constants, draws=draws)  # type: ignore[arg-type]
    return network, vector.clone()


def unset(own: Own, settings: dict[str, object]) -> list[str]:
    """Settings without a default that neither a data set nor `settings` give."""
    given = {*SIZES, *settings}
    return [n for n, default in own.settings.items() if default is Parameter.empty and n not in given]


def values_digest(module: nn.Module) -> str:
    """What the values of a module that is handed over as it is are: "sha256:…" of its parameters and buffers."""
    found = sha256()
    for name, value in sorted(module.state_dict().items()):
        found.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        found.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return f"sha256:{found.hexdigest()[:16]}"


def _draws_at_random(called: str, module: nn.Module, inputs: Tensor) -> bool:
    """Whether a forward pass in training moves torch's generator; `ValueError` where one in evaluation does, too."""

    def moves(training: bool) -> bool:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            before = torch.random.get_rng_state()
            try:
                deepcopy(module).train(training)(inputs)
            except Exception:  # whatever it raises, it raises again where it is named as the user's
                return False
            return not torch.equal(before, torch.random.get_rng_state())

    if moves(training=False):
        raise ValueError(
            f"{called}: draws at random in evaluation, too, so no number of it is certain; expected that only"
            " where self.training is true, as in functional.dropout(x, p, self.training)"
        )
    return moves(training=True)


def _own_norms(called: str, module: nn.Module) -> nn.Module:
    """The module with `BatchNorm` for torch's, in place; parameters keep their names and values."""
    for name, part in list(module.named_modules()):
        if not isinstance(part, _BatchNorm):
            continue
        if part.momentum is None and part.track_running_stats:
            raise ValueError(f"{called}: {name} keeps a cumulative average (momentum=None); expected a number")
        ours = BatchNorm.like(part)
        if not name:
            return ours
        parent, _, last = name.rpartition(".")
        setattr(module.get_submodule(parent), last, ours)
    return module
