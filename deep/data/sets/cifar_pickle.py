"""A CIFAR batch out of its pickle, opcode by opcode: nothing is imported, called or allocated that the file asks for.

`pickle` itself would not do, even with its imports restricted: a few bytes make it reserve gigabytes, and the state of
an array makes NumPy take numbers for addresses.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from deep.data.files import check_md5, read_file, unpacked

__all__ = ["read_batch"]

ROW = 3 * 32 * 32
_MOST_OPCODES = 10**6  # CIFAR-100's training part has 3·10⁵
_IMAGE_BYTES = ROW + 200  # with its labels and its file name


@dataclass(frozen=True)
class _Global:
    """What the pickle calls by name; only the four of `_KNOWN` mean anything."""

    name: str


# Old and new home of NumPy's rebuilding function.
_RECONSTRUCT: Final = (_Global("numpy.core.multiarray._reconstruct"), _Global("numpy._core.multiarray._reconstruct"))
_NDARRAY, _DTYPE, _ENCODE = _Global("numpy.ndarray"), _Global("numpy.dtype"), _Global("_codecs.encode")
_KNOWN = (*_RECONSTRUCT, _NDARRAY, _DTYPE, _ENCODE)


class _Bytes:
    """NumPy's element type of unsigned bytes."""


@dataclass
class _Array:
    """An array of unsigned bytes, to be filled by a BUILD."""

    value: NDArray[np.uint8] | None = None


def read_batch(path: Path, label_key: str, md5: str | None, whole: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Pixels (n, 3072) in red, green and blue planes, and labels (n,), of one batch.

    With `md5`, a batch of at least `whole` rows must have it; a shorter one cannot, and is not asked for it.
    Raises `ValueError` naming the file when it is no such pickle, is truncated, asks for anything unexpected, or is
    larger than twice `whole` rows.
    """
    largest = 2 * whole * _IMAGE_BYTES
    raw = read_file(path, largest)
    content = unpacked(path, raw, largest)
    try:
        batch = _Machine().run(content)
    except ValueError as error:
        raise ValueError(f"{path}: no CIFAR batch, or truncated ({len(raw):,} bytes): {error}") from error
    if not isinstance(batch, dict) or not {"data", label_key} <= batch.keys():
        keys = sorted(batch)[:9] if isinstance(batch, dict) else type(batch).__name__
        raise ValueError(f"{path}: holds {keys}; expected a dictionary with 'data' and {label_key!r}")
    held, labels = batch["data"], batch[label_key]
    pixels = held.value if isinstance(held, _Array) else None
    if pixels is None or pixels.ndim != 2 or pixels.shape[1] != ROW:
        found = type(held).__name__ if pixels is None else f"shape {pixels.shape}"
        raise ValueError(f"{path}: data of {found}; expected bytes of shape (n, {ROW})")
    if not isinstance(labels, list) or len(labels) != len(pixels) or not all(type(y) is int for y in labels):
        n_labels = len(labels) if isinstance(labels, list) else type(labels).__name__
        raise ValueError(
            f"{path}: {n_labels} {label_key} for {len(pixels)} images; expected a list of one integer each"
        )
    if not all(0 <= label < 256 for label in labels):
        raise ValueError(f"{path}: {label_key} outside 0 to 255")
    if md5 is not None and len(pixels) >= whole:
        check_md5(path, raw, content, (md5,))
    return pixels, np.array(labels, dtype=np.int64)


class _Machine:
    """The pickle machine, as far as a batch goes: dictionaries with text keys, lists, tuples, scalars, byte arrays."""

    def __init__(self) -> None:
        self._stack: list[object] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}

    def run(self, content: bytes) -> object:
        """What the pickle holds; `ValueError` for whatever is not a batch."""
        for n, (opcode, argument, _) in enumerate(pickletools.genops(content)):
            if n >= _MOST_OPCODES:
                raise ValueError(f"more than {_MOST_OPCODES:,} opcodes")
            if opcode.name == "STOP":
                return self._pop()
            if opcode.name in _SCALARS:
                self._stack.append(argument)
            elif opcode.name in _PUTS:
                self._memo[len(self._memo) if argument is None else _integer(argument)] = self._top()
            elif opcode.name in _ACTS:
                _ACTS[opcode.name](self, argument)
            elif opcode.name not in _IGNORED:
                raise ValueError(f"opcode {opcode.name}, which no batch has")
        raise ValueError("ends before its STOP")

    def _top(self) -> object:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise ValueError("takes from an empty stack")
        return self._stack[-1]

    def _pop(self) -> object:
        top = self._top()
        self._stack.pop()
        return top

    def _since_mark(self) -> list[object]:
        if not self._marks:
            raise ValueError("looks for a mark that is not there")
        start = self._marks.pop()
        taken = self._stack[start:]
        del self._stack[start:]
        return taken

    def mark(self, _: object) -> None:
        self._marks.append(len(self._stack))

    def get(self, argument: object) -> None:
        place = _integer(argument)
        if place not in self._memo:
            raise ValueError(f"remembers nothing as {place}")
        self._stack.append(self._memo[place])

    def constant(self, value: Callable[[], object]) -> None:
        self._stack.append(value())

    def tuple_of(self, n: int | None) -> None:
        items = self._since_mark() if n is None else [self._pop() for _ in range(n)][::-1]
        self._stack.append(tuple(items))

    def list_of_marked(self, _: object) -> None:
        self._stack.append(self._since_mark())

    def extend(self, items: Iterable[object]) -> None:
        target = self._top()
        if not isinstance(target, list):
            raise ValueError(f"appends to a {type(target).__name__}")
        target.extend(items)

    def set_items(self, items: list[object]) -> None:
        target = self._top()
        keys, values = items[::2], items[1::2]
        if not isinstance(target, dict) or len(keys) != len(values):
            raise ValueError(f"sets {len(items)} keys and values of a {type(target).__name__}")
        for key, value in zip(keys, values, strict=True):
            if not isinstance(key, str):  # nothing whose hash or text could grow
                raise ValueError(f"a {type(key).__name__} as key; expected a text")
            target[key] = value

    def named(self, argument: object) -> None:
        """GLOBAL, whose argument is "module name"."""
        found = _Global(str(argument).replace(" ", ".", 1))
        if found not in _KNOWN:
            allowed = ", ".join(known.name for known in _KNOWN)
            raise ValueError(f"asks for {found.name}; admitted are {allowed}")
        self._stack.append(found)

    def named_on_stack(self, _: object) -> None:
        name, module = self._pop(), self._pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise ValueError("asks for something without a name")
        self.named(f"{module} {name}")

    def reduce(self, _: object) -> None:
        arguments, called = self._pop(), self._pop()
        given = arguments if isinstance(arguments, tuple) else ()
        if called in _RECONSTRUCT:
            if len(given) != 3 or given[0] != _NDARRAY or not _is_shape(given[1]) or given[1] != (0,):
                raise ValueError("rebuilds something else than an ndarray of shape (0,)")
            self._stack.append(_Array())
        elif called == _DTYPE:
            if not given or not isinstance(given[0], str) or given[0] not in ("u1", "|u1"):
                code = given[0] if given and isinstance(given[0], str) else "?"
                raise ValueError(f"holds an array of dtype {code[:9]!r}; expected 'u1'")
            self._stack.append(_Bytes())
        elif called == _ENCODE:
            if len(given) != 2 or not all(isinstance(part, str) for part in given) or given[1] != "latin1":
                encoding = given[1][:9] if len(given) == 2 and isinstance(given[1], str) else "?"
                raise ValueError(f"encodes bytes as {encoding!r}; expected 'latin1'")
            self._stack.append(str(given[0]).encode("latin1"))
        else:
            raise ValueError(f"calls a {type(called).__name__}")

    def build(self, _: object) -> None:
        """The state of an array: version, shape, element type, whether columns come first, bytes."""
        state, target = self._pop(), self._top()
        if isinstance(target, _Bytes):
            return
        if not isinstance(target, _Array) or not isinstance(state, tuple) or len(state) != 5:
            raise ValueError(f"builds a {type(target).__name__}; expected an array, from a state of five parts")
        _, shape, kind, columns_first, held = state
        held = held.encode("latin1") if isinstance(held, str) else held  # Python 2's bytes are read as text
        if not _is_shape(shape) or not isinstance(kind, _Bytes) or columns_first or not isinstance(held, bytes):
            raise ValueError("builds an array of something else than bytes in rows")
        if prod(shape) != len(held):
            raise ValueError(f"an array of shape {shape} from {len(held):,} bytes")
        target.value = np.frombuffer(held, dtype=np.uint8).reshape(shape)


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError("counts with something else than integers")
    return value


def _is_shape(value: object) -> bool:
    return isinstance(value, tuple) and len(value) <= 4 and all(type(n) is int and 0 <= n < 2**40 for n in value)


_SCALARS = frozenset(
    {"BININT", "BININT1", "BININT2", "INT", "LONG1", "BINSTRING", "SHORT_BINSTRING", "STRING", "UNICODE", "BINUNICODE"}
) | {"SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"}
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_IGNORED = frozenset({"PROTO", "FRAME"})
_ACTS: dict[str, Callable[[_Machine, object], None]] = {
    "MARK": _Machine.mark,
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Machine.get),
    "NONE": lambda machine, _: machine.constant(lambda: None),
    "NEWTRUE": lambda machine, _: machine.constant(lambda: True),
    "NEWFALSE": lambda machine, _: machine.constant(lambda: False),
    "EMPTY_DICT": lambda machine, _: machine.constant(dict),
    "EMPTY_LIST": lambda machine, _: machine.constant(list),
    "EMPTY_TUPLE": lambda machine, _: machine.tuple_of(0),
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "TUPLE": lambda machine, _: machine.tuple_of(None),
    "LIST": _Machine.list_of_marked,
    "APPEND": lambda machine, _: machine.extend([machine._pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine._since_mark()),
    "SETITEM": lambda machine, _: machine.set_items([machine._pop(), machine._pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.set_items(machine._since_mark()),
    "GLOBAL": _Machine.named,
    "STACK_GLOBAL": _Machine.named_on_stack,
    "REDUCE": _Machine.reduce,
    "BUILD": _Machine.build,
}
