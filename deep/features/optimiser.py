"""An optimiser of `torch.optim` by name and settings, "adamw(weight_decay=0.01)", and its steps on one flat vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from deep.base.lazy import torch
from theory.base.names import unknown_name
from theory.rules.text import read_call

if TYPE_CHECKING:
    from torch import Tensor

    from deep.models import Model

__all__ = ["Optimiser", "Tuned", "make_optimiser"]

COUNT = "optimizer steps"
_OURS = ("params", "lr", "keeps")


@dataclass(frozen=True)
class Optimiser:
    """A class of `torch.optim` in lower case, its settings but for the rate, and whether each client `keeps` its state.

    `lr`: the rate that the text gave, None where it gave none. `entries`: what the state of a parameter holds between
    steps, by name, and whether an entry is one number for all of it; None where it has another shape.
    """

    name: str
    settings: tuple[tuple[str, Any], ...] = ()
    keeps: bool = False
    lr: float | None = None

    @property
    def entries(self) -> Mapping[str, bool] | None:
        """See above; from one step on a parameter of two axes."""
        return _entries(self.name, self.settings)

    @property
    def text(self) -> str:
        """What `make_optimiser` reads, without the rate."""
        said = [f"{name}={_shown(value)}" for name, value in self.settings]
        said += ["keeps=true"] if self.keeps else []
        return f"{self.name}({', '.join(said)})" if said else self.name

    @property
    def momentum(self) -> tuple[float, bool] | None:
        """(β, whether Nesterov's) where it is the momentum of both worlds, `theory.base.momentum`; else None."""
        settings = dict(self.settings)
        beta, nesterov = settings.pop("momentum", 0.0), settings.pop("nesterov", False)
        plain = self.name == "sgd" and not self.keeps and not settings and 0 <= beta < 1 and bool(beta) >= nesterov
        return (float(beta), bool(nesterov)) if plain else None

    def build(self, parameters: Sequence[Tensor], lr: float) -> torch.optim.Optimizer:
        """torch's own optimiser of these parameters."""
        return _classes()[self.name](parameters, lr=lr, **dict(self.settings))


def make_optimiser(text: str) -> Optimiser:
    """The optimiser that `text` describes: ``name`` or ``name(setting=value, …)``, `keeps` beside torch's settings.

    Raises `ValueError`, one line, for a name that is not in `torch.optim` (with the nearest ones), a setting it does
    not have or take, one that asks for its loss several times a step (LBFGS) and one for sparse gradients.
    """
    name, settings = read_call(text, "optimizer")
    known = {key.replace("-", ""): key for key in _classes()}
    found = known.get(name.lower().replace("-", "").replace("_", ""))
    if found is None:
        raise unknown_name("optimizer", name, sorted(_classes()))
    called = f"optimizer {text!r}"
    parameters = signature(_classes()[found]).parameters
    unknown = sorted(set(settings) - set(parameters) - {"keeps"} | {"params"} & set(settings))
    if unknown:
        offered = ["keeps", *(n for n in parameters if n != "params")]
        raise ValueError(f"{called} has no setting {unknown}; its settings are {offered}")
    keeps, lr = settings.pop("keeps", False), settings.pop("lr", None)
    if not isinstance(keeps, bool):
        raise ValueError(f"{called}: keeps={keeps!r}; must be true or false")
    if lr is not None and (isinstance(lr, bool) or not isinstance(lr, int | float) or not 0 < lr < float("inf")):
        raise ValueError(f"{called}: lr={lr!r}; must be a finite number > 0")
    values = tuple((n, tuple(v) if isinstance(v, list) else v) for n, v in sorted(settings.items()))
    made = Optimiser(found, values, keeps, None if lr is None else float(lr))
    default = parameters["lr"].default
    try:
        parameter = torch.nn.Parameter(torch.zeros(2, 3))
        parameter.grad = torch.ones(2, 3)
        made.build([parameter], 0.1 if default is Parameter.empty else float(default)).step()
    except Exception as error:  # whatever torch raises of settings it does not take, or steps it cannot do so
        line = " ".join(str(error).split())
        raise ValueError(f"{called}: a step of it raised {type(error).__name__}: {line}") from error
    if keeps and made.entries is None:
        raise ValueError(f"{called}: its state is not one number for each parameter; expected keeps=false")
    return made


@lru_cache
def _classes() -> dict[str, Callable[..., torch.optim.Optimizer]]:
    """torch's optimisers by name."""
    found = (value for value in vars(torch.optim).values() if isinstance(value, type))
    base = torch.optim.Optimizer
    return {one.__name__.lower(): one for one in found if issubclass(one, base) and one is not base}


@lru_cache
def _entries(name: str, settings: tuple[tuple[str, Any], ...]) -> Mapping[str, bool] | None:
    parameter = torch.nn.Parameter(torch.zeros(2, 3))
    parameter.grad = torch.ones(2, 3)
    built = Optimiser(name, settings).build([parameter], 0.1)
    built.step()
    found = {}
    for entry, value in built.state[parameter].items():
        if value is None:
            continue
        shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
        if shape not in {(), (2, 3)}:
            return None
        found[entry] = shape == ()
    return found


class Tuned:
    """The steps of one client in one round: an optimiser whose parameters are views of the client's vector.

    `vector` (n_parameters,) is changed in place. `state`: what the client kept, by name, (n_parameters,) or (1,) each;
    nothing is taken from it where it has not stepped yet.
    """

    def __init__(
        self, optimiser: Optimiser, model: Model, vector: Tensor, lr: float, state: Mapping[str, Tensor]
    ) -> None:
        from deep.models.protocol import layer_views

        self._optimiser, self._model = optimiser, model
        self._parameters = [torch.nn.Parameter(view) for view in layer_views(model, vector.detach())]
        self._built = optimiser.build(self._parameters, lr)
        self._before = float(state[COUNT][0]) if optimiser.keeps else 0.0
        self._steps = 0
        if self._before:
            self._load(state)

    def step(self, gradient: Tensor) -> None:
        """One step along `gradient`, (n_parameters,)."""
        from deep.models.protocol import layer_views

        for parameter, part in zip(self._parameters, layer_views(self._model, gradient), strict=True):
            parameter.grad = part
        self._built.step()
        self._steps += 1

    def left(self) -> dict[str, Tensor]:
        """What the client keeps after the round, as `state`; nothing of one that keeps nothing."""
        if not self._optimiser.keeps:
            return {}
        like = self._parameters[0]
        found = {COUNT: like.new_full((1,), self._before + self._steps)}
        for name, single in (self._optimiser.entries or {}).items():
            values = [self._built.state[parameter].get(name) for parameter in self._parameters]
            if any(value is None for value in values):
                continue
            parts = [torch.as_tensor(value, dtype=like.dtype, device=like.device).flatten() for value in values]
            found[f"optimizer {name}"] = parts[0].clone() if single else torch.cat(parts)
        return {name: value.detach() for name, value in found.items()}

    def _load(self, state: Mapping[str, Tensor]) -> None:
        from deep.models.protocol import layer_views

        entries = self._optimiser.entries or {}
        for name, single in entries.items():
            kept = state[f"optimizer {name}"]
            if single:
                values = [kept[0].clone() for _ in self._parameters]
            else:
                values = [part.clone() for part in layer_views(self._model, kept)]
            for parameter, value in zip(self._parameters, values, strict=True):
                self._built.state[parameter][name] = value


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
