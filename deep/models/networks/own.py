"""A model of one's own: any torch.nn.Module as a `Network`, with its own initial values and batch normalisation."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from deep.models.network import Network
from deep.models.norm import BatchNorm
from theory.base.parts import Own, built
from theory.base.streams import stream

__all__ = ["SIZES", "own_model", "sizes_of", "unset"]

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
    or stay local as those of our own models; other buffers are constants, which training does not change.

    Raises `ValueError` for what is no module, has nothing to train, drops out (which draws from a global generator,
    so that no run could be resumed), or normalises with a cumulative average.
    """
    called = f"model {own.name!r}"
    sizes = {name: value for name, value in sizes_of(dataset).items() if name in own.settings and name not in settings}
    draw = int(stream(seed, "weights").integers(2**63))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draw)
        module = built(own, {**sizes, **settings})
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
    bare = module.requires_grad_(False).to(device="meta")
    return Network(own.name, bare, shape, "own", loss=loss, input_dtype=dtype, constants=constants), vector.clone()  # type: ignore[arg-type]


def unset(own: Own, settings: dict[str, object]) -> list[str]:
    """Settings without a default that neither a data set nor `settings` give."""
    given = {*SIZES, *settings}
    return [n for n, default in own.settings.items() if default is Parameter.empty and n not in given]


def _own_norms(called: str, module: nn.Module) -> nn.Module:
    """The module with `BatchNorm` for torch's, in place; parameters keep their names and values."""
    for name, part in list(module.named_modules()):
        if isinstance(part, _DropoutNd) and part.p > 0:
            raise ValueError(
                f"{called}: {name or 'it'} drops out, which draws from torch's global generator, so that no run could"
                " be resumed; expected p=0"
            )
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
