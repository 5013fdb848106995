"""The state of a run between two rounds, and the file that holds it: no pickle, bound to one run by its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from deep.base.lazy import torch
from deep.storage.record import Json

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ServerState", "check_readable", "differences", "from_bytes", "identity_of", "to_bytes"]

_FORMAT = "fedverdict checkpoint 1"


@dataclass(frozen=True, eq=False)
class ServerState:
    """All that a run carries from round to round; every random draw follows from the seed and the round.

    `round`: the next round to play. `model`: float32 vector. `buffers`: its running statistics (n_buffers,), or with
    local normalisation each client's (n_clients, n_buffers); `own`: the parameters each client then keeps,
    (n_clients, n_own), else (0, 0). `rule_state`: the memory of a rule that has one. `loss_best`: the lowest loss of
    each client at any model so far, float64, +∞ at first, (n_clients,) of a fixed population. `server`: the
    state of the server optimiser. `kept`: vectors that a client algorithm keeps, (n_clients, n_parameters) each, and
    `broadcast`: those the server sends, (n_parameters,), by name. `log`: the server's messages that some client has
    still to hear (`theory.messages.log`), None before the first. `accuracy`:
    of `model` on the validation samples, where its last round was evaluated on them.

    Whoever has more to carry adds a field: a tensor, or numbers, strings, None, lists, tuples and dictionaries of such
    to any depth. It is then saved, resumed and checked with no line of code besides; give it its first value in
    `deep.round.play_round.first_state`, whose shapes and types a checkpoint has to have wherever that is not None.
    """

    round: int
    model: Tensor
    buffers: Tensor
    own: Tensor
    rule_state: Any
    loss_best: Tensor
    server: Any = None
    kept: dict[str, Tensor] = field(default_factory=dict)
    broadcast: dict[str, Tensor] = field(default_factory=dict)
    log: Any = None
    accuracy: float | None = None


def to_bytes(state: ServerState, identity: Json, digest: str) -> bytes:
    """The checkpoint: `state`, the run it belongs to, and the running digest of the metrics at this round.

    Equal arguments give equal bytes. Raises `TypeError` as `check_readable`.
    """
    from deep.base.tensor_file import pack

    tensors: dict[str, Tensor] = {}
    shape = {f.name: _taken(getattr(state, f.name), f.name, tensors) for f in fields(state)}
    about = {"state": shape, "identity": identity, "metrics": digest}
    texts = {name: json.dumps(value, sort_keys=True, allow_nan=False) for name, value in about.items()}
    return pack(tensors, {"format": _FORMAT, **texts})


def from_bytes(content: bytes, identity: Json, first: ServerState, device: torch.device) -> tuple[ServerState, str]:
    """The state and the running digest that `to_bytes` was given, tensors on `device`.

    Raises `ValueError` where `content` is damaged or of another program, where it belongs to another run than
    `identity`, naming what differs, and where a tensor has another shape or type than in `first`, the state before
    the first round.
    """
    from deep.base.tensor_file import unpack

    tensors, texts = unpack(content)
    if texts.get("format") != _FORMAT:
        raise ValueError(f"is in format {texts.get('format')!r}; expected {_FORMAT!r}")
    try:
        about = {name: json.loads(texts[name]) for name in ("state", "identity", "metrics")}
        plain = {name: _given(value, tensors, device) for name, value in about["state"].items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"does not describe a state: {error!r}") from None
    differs = differences(about["identity"], json.loads(json.dumps(identity)))
    if differs:
        raise ValueError(f"belongs to another run; {differs}")
    expected = {f.name: getattr(first, f.name) for f in fields(ServerState)}
    wrong = [*_misfits(plain, expected, "")]
    if wrong:
        raise ValueError(f"does not fit this run; {', '.join(wrong)}")
    return ServerState(**plain), about["metrics"]


def identity_of(content: bytes) -> Json:
    """The run that a checkpoint belongs to; `ValueError` where it is damaged or of another program."""
    from deep.base.tensor_file import unpack

    _, texts = unpack(content)
    try:
        found: Json = json.loads(texts["identity"])
    except (ValueError, LookupError, RecursionError) as error:
        raise ValueError(f"does not say which run it is: {error!r}") from None
    return found


def differences(stored: Any, asked: Any, name: str = "") -> str:
    """What differs between two JSON values, the innermost names first found, for people to read."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        found = [differences(stored.get(key), asked.get(key), key) for key in sorted({*stored, *asked})]
        return ", ".join(part for part in found if part)
    return "" if stored == asked else f"{name} is {stored!r} there and {asked!r} here"


def check_readable(value: Any, whose: str) -> None:
    """`TypeError` naming `whose` value it is when it holds something that a checkpoint does not take."""
    try:
        _taken(value, whose, {})
    except RecursionError:
        raise TypeError(f"{whose} is nested too deeply for a checkpoint, or holds itself") from None


def _taken(value: Any, name: str, tensors: dict[str, Tensor]) -> Any:
    """`value` as JSON, its tensors, by name, put into `tensors`; floats in hexadecimal, so that all are exact."""
    if isinstance(value, torch.Tensor):
        tensors[name] = value
        return {"tensor": name}
    if hasattr(value, "stored"):  # what is kept in a file beside the checkpoint
        return _taken(value.stored(), name, tensors)
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, dict):
        items = enumerate(value.items())
        return {
            "dict": [[_taken(k, f"{name}/key{i}", tensors), _taken(v, f"{name}/{i}", tensors)] for i, (k, v) in items]
        }
    if type(value) in {list, tuple}:
        return {type(value).__name__: [_taken(item, f"{name}/{i}", tensors) for i, item in enumerate(value)]}
    if value is None or type(value) in {bool, int, str}:
        return value
    raise TypeError(
        f"{name.split('/', maxsplit=1)[0]} holds a {type(value).__qualname__}; a checkpoint takes tensors, numbers,"
        " strings, lists, tuples and dictionaries"
    )


def _given(shape: Any, tensors: Mapping[str, Tensor], device: torch.device) -> Any:
    """The value that `_taken` gave this shape."""
    if not isinstance(shape, dict):
        return shape
    ((kind, content),) = shape.items()
    if kind == "tensor":
        return tensors[content].to(device)
    if kind == "float":
        return float.fromhex(content)
    if kind == "dict":
        return {_given(key, tensors, device): _given(value, tensors, device) for key, value in content}
    items = [_given(item, tensors, device) for item in content]
    return {"list": items, "tuple": tuple(items)}[kind]


def _misfits(found: Any, expected: Any, name: str) -> Iterator[str]:
    """Where `found` has not the shapes and types of `expected`; None there admits anything."""
    if isinstance(expected, torch.Tensor) and isinstance(found, torch.Tensor):
        there, here = (f"{tensor.dtype} of shape {tuple(tensor.shape)}" for tensor in (found, expected))
        if there != here:
            yield f"{name} is {there} there and {here} here"
    elif expected is not None and type(found) is not type(expected):
        yield f"{name} is a {type(found).__name__} there and a {type(expected).__name__} here"
    elif isinstance(expected, dict):
        if found.keys() != expected.keys():
            yield f"{name or 'the state'} has {sorted(map(str, found))} there and {sorted(map(str, expected))} here"
        for key in found.keys() & expected.keys():
            yield from _misfits(found[key], expected[key], f"{name}/{key}" if name else str(key))
    elif isinstance(expected, list | tuple):
        if len(found) != len(expected):
            yield f"{name} has {len(found)} entries there and {len(expected)} here"
        for i, (there, here) in enumerate(zip(found, expected, strict=False)):
            yield from _misfits(there, here, f"{name}/{i}")
