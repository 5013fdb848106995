"""A Flower strategy's aggregation as a server of ours: "flower:FedTrimmedAvg(beta=0.2)" (extra `flower`)."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from types import SimpleNamespace
from typing import Any

import numpy as np

from theory.algorithms.server import Received, Server
from theory.base.arrays import device_of, namespace, to_host
from theory.rules.by_share.proportional import Proportional, Uniform
from theory.rules.protocol import AnyRule, on_simplex, remembers
from theory.rules.text import read_call

__all__ = ["PREFIX", "FlowerServer", "flower_server"]

PREFIX = "flower:"
_WEIGHS = ("FedAvg", "FedAvgM", "FedAdagrad", "FedAdam", "FedYogi")
_COUNTS = ("FedMedian", "FedTrimmedAvg", "Krum", "MultiKrum", "Bulyan")
_OURS = ("weighted_by_key", "arrayrecord_key", "configrecord_key", "min_", "fraction_", "_aggr_fn")  # not the caller's


@dataclass(frozen=True)
class FlowerServer(Server):
    """d̃ is the step that a strategy of Flower makes from 0 to what it aggregates from the updates, as models around 0.

    Source: `flwr.serverapp.strategy`, 1.32 and later; all of `name` are unchanged where every model is moved by the
    same vector, so that updates may stand for models. The weight of a reply, its "num-examples", is the rule's weight.
    `settings` of its constructor. What a strategy keeps between rounds, its arrays, is the state; each round it is made
    anew with them. FedMedian, FedTrimmedAvg, Krum, MultiKrum and Bulyan count every client once.
    """

    name: str
    settings: tuple[tuple[str, Any], ...] = ()

    lr = 1.0
    needs = ("updates",)

    def __post_init__(self) -> None:
        _made(self)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """The arrays that the strategy keeps, and d̃."""
        from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict

        strategy, stats = _made(self), received.stats
        rows, present = to_host(stats.need("updates", f"flower:{self.name}")), to_host(stats.present)
        weights = to_host(received.weights)
        weights = weights[present] if len(weights) == len(present) else weights
        rows = rows[present].astype(np.float64)
        counted = np.flatnonzero(weights > 0) if self.name in _WEIGHS else np.arange(len(rows))
        cuts = np.cumsum(received.layers or (rows.shape[-1],))[:-1]

        def layers(row: np.ndarray[Any, Any]) -> Any:
            return {f"{place:04d}": part for place, part in enumerate(np.split(row, cuts))}

        for name, kept in (state or {}).items():
            setattr(strategy, name, _as_arrays(kept))
        nothing = layers(np.zeros(rows.shape[-1]))
        if self.name in ("FedAdagrad", "FedAdam", "FedYogi"):
            strategy.current_arrays = nothing
        elif self.name == "FedAvgM":
            strategy.current_arrays = ArrayRecord({key: Array(value) for key, value in nothing.items()})
        replies = []
        for place in counted.tolist():
            arrays = ArrayRecord({key: Array(value) for key, value in layers(rows[place]).items()})
            metrics = MetricRecord({"num-examples": float(weights[place])})
            content = RecordDict({"arrays": arrays, "metrics": metrics})
            about = SimpleNamespace(src_node_id=place)
            replies.append(SimpleNamespace(content=content, metadata=about, has_error=lambda: False))
        with _quiet():
            try:
                found, _ = strategy.aggregate_train(stats.round + 1, replies)
            except Exception as error:
                raise ValueError(f"server 'flower:{self.name}': {type(error).__name__}: {error}") from error
        if found is None:
            raise ValueError(f"server 'flower:{self.name}': aggregated nothing in round {stats.round}")
        flat = np.concatenate([found[key].numpy().ravel() for key in nothing])
        xp = namespace(received.direction)
        device, dtype = device_of(received.direction), received.direction.dtype
        kept = {name: _as_tensors(xp, device, value) for name, value in _kept(strategy).items()}
        return kept, xp.asarray(flat, dtype=dtype, device=device)

    def refuses(self, rule: AnyRule) -> str:
        """Rules whose weights or vectors the strategy would ignore."""
        if remembers(rule):
            return f"flower:{self.name} combines this round's updates, and the rule others; expected one without memory"
        if self.name in _COUNTS and rule not in (Proportional(), Uniform()):
            return f"flower:{self.name} counts every client once; expected rule 'proportional' or 'uniform'"
        return "" if on_simplex(rule) else f"flower:{self.name} takes a weighted mean; expected weights that sum to 1"


def flower_server(text: str) -> FlowerServer | None:
    """The server that "flower:NAME(setting=value)" describes, None for another text.

    Raises `ValueError`, one line, without Flower, for a strategy that cannot stand here, and for its settings.
    """
    if not text.startswith(PREFIX):
        return None
    name, settings = read_call(text, "server")
    return FlowerServer(name.removeprefix(PREFIX), tuple(sorted(settings.items())))


def _made(server: FlowerServer) -> Any:
    """The strategy, new."""
    try:
        with _quiet(), warnings.catch_warnings():  # of packages that Flower imports
            warnings.simplefilter("ignore", DeprecationWarning)
            from flwr.serverapp import strategy
    except ImportError as error:
        raise ValueError(f"server 'flower:{server.name}' needs Flower: pip install 'fedverdict[flower]'") from error
    if server.name not in (*_WEIGHS, *_COUNTS):
        raise ValueError(f"server 'flower:{server.name}': expected one of {', '.join((*_WEIGHS, *_COUNTS))}")
    build = getattr(strategy, server.name)
    offered = [name for name in signature(build).parameters if not any(own in name for own in _OURS)]
    unknown = sorted(set(dict(server.settings)) - set(offered))
    if unknown:
        raise ValueError(
            f"server 'flower:{server.name}' has no setting {unknown}; its settings are {offered or 'none'}"
        )
    try:
        return build(**dict(server.settings))
    except (TypeError, ValueError) as error:
        raise ValueError(f"server 'flower:{server.name}': {error}") from error


def _kept(strategy: Any) -> Mapping[str, Any]:
    """Attributes that hold arrays, but for the model."""
    found = {name: value for name, value in vars(strategy).items() if name != "current_arrays"}
    return {name: value for name, value in found.items() if _holds_arrays(value)}


def _holds_arrays(value: Any) -> bool:
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return bool(parts) and all(isinstance(part, np.ndarray) for part in parts)


def _as_tensors(xp: Any, device: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: xp.asarray(part, device=device) for key, part in value.items()}
    return [xp.asarray(part, device=device) for part in value]


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: to_host(part) for key, part in value.items()}
    return [to_host(part) for part in value]


@contextmanager
def _quiet() -> Iterator[None]:
    """Flower's lines about every round are not shown; its warnings are."""
    log = logging.getLogger("flwr")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)
