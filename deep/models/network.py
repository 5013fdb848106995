"""Any torch.nn.Module as a model: a pure function of one flat vector of parameters and one of buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import prod
from typing import cast

import torch
from torch import Tensor, nn
from torch.func import functional_call

from deep.models.norm import BatchNorm, Real, normalising
from deep.models.pooled import merged, merges, pooled_first
from deep.models.protocol import Kind, Law, Layer, LossName, Shape, n_parameters
from deep.models.recurrent import LSTM

__all__ = ["Network", "build"]

_KINDS: tuple[tuple[type[nn.Module], Kind], ...] = (
    (nn.Conv2d, "conv"),
    (nn.Linear, "linear"),
    (nn.Embedding, "embedding"),
    (LSTM, "lstm"),
    (BatchNorm, "norm"),
    (nn.GroupNorm, "norm"),
    (nn.LayerNorm, "norm"),
)


@dataclass(frozen=True, eq=False)
class Network:
    """logits = module(inputs), with parameters from `vector` and running statistics from `buffers`.

    `module` lies on torch's meta device (`build` puts it there), so it holds no values. The vector has its parameters
    in the order of ``module.parameters()``; the buffers the running mean and variance of each `BatchNorm` in turn.
    `constants`: further buffers of the module by name, never trained nor averaged; `to` moves them to a device.
    `pretrained`: values that replace the drawn ones, by their position in the vector.
    `draws`: whether its layers draw at random in training, as dropout does, from torch's global generator.

    Everything works under `torch.func.vmap` and `grad`, and in float64 if vector, inputs and buffers all are. Like
    `torch.func.functional_call`, a Network must not be called from two threads at once. Raises `ValueError` for a
    vector, inputs or buffers of the wrong size, and `TypeError` for a module with parameters of an unknown kind of
    layer.
    """

    name: str
    module: nn.Module
    input_shape: Shape
    law: Law = "torch"
    loss: LossName = "cross-entropy"
    input_dtype: torch.dtype = torch.float32
    constants: Mapping[str, Tensor] = field(default_factory=dict)
    pretrained: Mapping[int, Tensor] = field(default_factory=dict)
    draws: bool = False
    layers: tuple[Layer, ...] = field(init=False)
    _modes: tuple[nn.Module, nn.Module] = field(init=False)
    _parameters: Mapping[str, Shape] = field(init=False)
    _statistics: Mapping[str, Shape] = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "layers", _layers(self.module, known=self.law != "own"))
        # One copy for each mode: switching one module to and fro would be state.
        put(self, "_modes", tuple(_Traced(pooled_first(self.module)).train(mode) for mode in (False, True)))
        traced = self._modes[0]
        put(self, "_parameters", {name: tuple(p.shape) for name, p in traced.named_parameters()})
        names = [f"module.{name}" for name in _running(self.module)]
        put(self, "_statistics", {name: tuple(traced.get_buffer(name).shape) for name in names})

    def to(self, device: torch.device | str, dtype: torch.dtype | None = None) -> Network:
        """The same network with its constants on `device`, real ones in `dtype` if that is given."""
        moved = {name: value.to(device) for name, value in self.constants.items()}
        if dtype is not None:
            moved = {name: value.to(dtype) if value.is_floating_point() else value for name, value in moved.items()}
        return replace(self, constants=moved)

    def initial_buffers(self) -> Tensor:
        """Mean 0 and variance 1 of every normalisation with running statistics, float32, (n_buffers,)."""
        parts = [torch.full(shape, float(name.endswith("running_var"))) for name, shape in self._statistics.items()]
        return torch.cat([torch.zeros(0), *parts])

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor:
        """Outputs in evaluation mode, (n, …); `buffers` (n_buffers,), to be left out only where there are none."""
        if buffers is None and self._statistics:
            raise ValueError(
                f"{self.name}.logits(buffers=None): has running statistics; start from initial_buffers(model), train"
                " with training_logits, or build it with norm='batch' or norm='group'"
            )
        return self._call(False, vector, inputs, buffers)[0]

    def training_logits(
        self, vector: Tensor, inputs: Tensor, buffers: Tensor, real: Real | None = None
    ) -> tuple[Tensor, Tensor]:
        """(Outputs in training mode, new buffers); see `deep.models.training_logits`."""
        with normalising(self._modes[True], real):
            logits, found = self._call(True, vector, inputs, buffers)
        return logits, torch.cat(found) if found else buffers

    def training_features(self, vector: Tensor, inputs: Tensor, buffers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(What the last linear layer is given, outputs, new buffers); see `deep.models.training_features`.

        Raises `ValueError` where the outputs are not those of a linear layer.
        """
        linear = [part for part in self._modes[True].modules() if isinstance(part, nn.Linear)]
        seen: list[tuple[Tensor, Tensor]] = []
        hooks = [p.register_forward_hook(lambda _, given, made: seen.append((given[0], made))) for p in linear[-1:]]
        try:
            logits, after = self.training_logits(vector, inputs, buffers)
        finally:
            for hook in hooks:
                hook.remove()
        if not seen or seen[-1][1].numel() != logits.numel():
            raise ValueError(f"{self.name}: its outputs are not those of a last linear layer, so it shows no features")
        return seen[-1][0], logits, after

    @property
    def binds(self) -> bool:
        """Whether `bound` knows the model: nothing but parameters and statistics of batches decides its outputs."""
        return not self.constants

    @property
    def keeps_statistics(self) -> bool:
        """Whether it has running statistics."""
        return bool(self._statistics)

    @property
    def has_modes(self) -> bool:
        """Whether training may compute something else than evaluation, beside statistics of batches."""
        return self.law == "own"

    @property
    def merges(self) -> bool:
        """Whether `bound` takes a convolution and the pool after it as one, on images stored channel by channel."""
        return merges(self._modes[0])

    def bound(self) -> Callable[[Tensor, Tensor], tuple[nn.Module, list[nn.Parameter]]]:
        """(vector (n_parameters,), running (n_buffers,)) → an ordinary module in training mode, and its parameters,
        which are views of the vector: what changes one changes the other. Its running statistics are views of
        `running`, which each call of the module moves on in place. The same module every time; for steps without the
        price of `functional_call`.
        """
        module = merged(deepcopy(self._modes[self.has_modes or self.keeps_statistics]))
        places, kept = _places(module, self._parameters), _places(module, self._statistics)
        for part, _ in kept:
            cast("BatchNorm", part).in_place = True

        def bind(vector: Tensor, running: Tensor) -> tuple[nn.Module, list[nn.Parameter]]:
            made = [nn.Parameter(view) for view in _named(self._parameters, vector.detach()).values()]
            for (part, name), parameter in zip(places, made, strict=True):
                part._parameters[name] = parameter
            views = _named(self._statistics, running).values() if kept else ()
            for (part, name), view in zip(kept, views, strict=True):
                part._buffers[name] = view
            return module.module, made  # type: ignore[return-value]

        return bind

    def _call(
        self, training: bool, vector: Tensor, inputs: Tensor, buffers: Tensor | None
    ) -> tuple[Tensor, list[Tensor]]:
        self._check(vector, inputs, buffers)
        values = _named(self._parameters, vector)
        if buffers is not None and self._statistics:
            values |= _named(self._statistics, buffers)
        values |= {f"module.{name}": value for name, value in self.constants.items()}
        outputs: tuple[Tensor, list[Tensor]] = functional_call(self._modes[training], values, (inputs,))
        return outputs

    def _check(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None) -> None:
        n = n_parameters(self)
        if tuple(vector.shape) != (n,):
            raise ValueError(f"{self.name}: vector of shape {tuple(vector.shape)}; expected ({n},)")
        dtype = vector.dtype if self.input_dtype.is_floating_point else self.input_dtype
        if tuple(inputs.shape[1:]) != self.input_shape or inputs.dtype != dtype:
            raise ValueError(
                f"{self.name}: inputs are {inputs.dtype} of shape {tuple(inputs.shape)};"
                f" expected {dtype} of shape (n, {', '.join(map(str, self.input_shape))})"
            )
        n = sum(prod(shape) for shape in self._statistics.values())
        if buffers is not None and tuple(buffers.shape) != (n,):
            raise ValueError(f"{self.name}: buffers of shape {tuple(buffers.shape)}; expected ({n},)")


def build(make: Callable[[], nn.Module]) -> nn.Module:
    """The module `make` builds, on the meta device: no memory, and no draw from torch's global generator."""
    with torch.device("meta"):
        return make().requires_grad_(False)


class _Traced(nn.Module):
    """Outputs of a module, and its running statistics as the call left them.

    `functional_call` puts the old statistics back when it ends, so they are read inside it.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, inputs: Tensor) -> tuple[Tensor, list[Tensor]]:
        """(Outputs, running statistics in the order of the buffers)."""
        outputs = self.module(inputs)
        return outputs, [self.module.get_buffer(name) for name in _running(self.module)] if self.training else []


def _running(module: nn.Module) -> list[str]:
    """Names of the running statistics, normalisation by normalisation."""
    return [
        f"{name}.{which}".lstrip(".")
        for name, part in module.named_modules()
        if isinstance(part, BatchNorm) and part.running
        for which in ("running_mean", "running_var")
    ]


def _layers(module: nn.Module, known: bool) -> tuple[Layer, ...]:
    """One layer for each part of the module with parameters of its own, in the order of the vector.

    `known`: whether each must be of a kind that a law draws.
    """
    found = []
    for name, part in module.named_modules():
        shapes = tuple(tuple(p.shape) for p in part.parameters(recurse=False))
        if shapes:
            kind = next((kind for cls, kind in _KINDS if isinstance(part, cls)), None)
            if kind is None and known:
                raise TypeError(f"Network: no law is known for the parameters of {name or 'module'!r}, a {type(part)}")
            found.append(Layer(kind or "other", shapes))
    return tuple(found)


def _places(module: nn.Module, names: Iterable[str]) -> list[tuple[nn.Module, str]]:
    """The part of the module that each name belongs to, and its name there."""
    return [(module.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2]) for name in names]


def _named(shapes: Mapping[str, Shape], flat: Tensor) -> dict[str, Tensor]:
    """Views of `flat` under the names of `shapes`, in their order."""
    parts = torch.split(flat, [prod(shape) for shape in shapes.values()])
    return {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
