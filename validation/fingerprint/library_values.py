"""How values of libraries are read: their content, by a name for their sort and the parts it is made of.

What is not known here is read as `pickle` would read it, and what cannot be read that way has no content.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pickle import PicklingError
from types import BuiltinFunctionType, BuiltinMethodType
from typing import Any, TypeAlias

import numpy as np

__all__ = ["content", "is_descriptor", "library_name", "mapping_items", "state"]

__judges__ = "no"

Content: TypeAlias = tuple[str, tuple[Any, ...]]


def library_name(module: str, name: str = "") -> str:
    """A library's object by name; in which private module it is found differs between versions."""
    top, *inner = module.split(".")
    return "library " + ".".join(
        [top.lstrip("_"), *(part for part in inner if part[:1] != "_"), *([name] if name else [])]
    )


def state(item: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of what an instance holds, in its dictionary and its slots, by name; cached properties apart."""
    held = getattr(item, "__dict__", {})
    found = {k: v for k, v in held.items() if not isinstance(getattr(type(item), k, None), cached_property)}
    for kind in type(item).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held = f"_{kind.__name__.lstrip('_')}{name}" if name[:2] == "__" and name[-2:] != "__" else name
            if name not in {"__dict__", "__weakref__"} and hasattr(item, held):
                found.setdefault(name, getattr(item, held))
    return iter(sorted(found.items()))


def is_descriptor(item: Any) -> bool:
    """Whether it is a method or slot that C code gives a class: its name says all of it."""
    return type(item).__name__ in {
        "wrapper_descriptor", "method_descriptor", "classmethod_descriptor", "member_descriptor", "getset_descriptor",
        "method-wrapper",
    }  # fmt: skip


def content(item: Any) -> Content | None:
    """(sort, parts) of a value of a library; None where it cannot be read."""
    for known in (_named, _numbers, _arrays, _expressions):
        found = known(item)
        if found is not None:
            return found
    return _reduced(item)


def _named(item: Any) -> Content | None:
    """What is all in its name, or holds nothing that is computed with."""
    if is_descriptor(item):
        owner: Any = getattr(item, "__objclass__", type(item))
        return library_name(owner.__module__, item.__name__), ()
    if isinstance(item, BuiltinFunctionType | BuiltinMethodType):
        holder = item.__self__
        if holder is None or type(holder).__name__ == "module":
            return library_name(item.__module__ or "", item.__qualname__), ()
        return f"method {getattr(item, '__name__', '')}", (holder,)
    if isinstance(item, np.ufunc):
        name = item.__name__
        for module in ("numpy", "scipy.special"):
            if getattr(sys.modules.get(module), name, None) is item:
                return library_name(module, name), ()
        return None  # made of a function that nobody can ask it for
    kind = type(item)
    if kind.__module__ in {"_thread", "threading"} and "lock" in kind.__name__.lower():
        return "lock", ()
    if kind.__module__ == "typing":
        return f"type {item!r}", ()
    if kind.__name__ == "_tuplegetter":
        return "field of a tuple", (item.__reduce__()[1][0],)
    return None


def _numbers(item: Any) -> Content | None:
    """Numbers and matrices of flint, and the precision it computes with; numbers of mpmath."""
    kind = type(item)
    top = kind.__module__.partition(".")[0]
    if top == "flint":
        return _of_flint(item)
    if top == "mpmath" and hasattr(item, "_mpf_"):
        return "mpf", (item._mpf_,)
    if top == "mpmath" and hasattr(item, "_mpc_"):
        return "mpc", (item._mpc_,)
    if top == "mpmath" and hasattr(item, "rows") and hasattr(item, "cols"):
        return "mpmath matrix", (item.rows, item.cols, [item[i, j] for i in range(item.rows) for j in range(item.cols)])
    if top == "mpmath" and hasattr(item, "prec"):
        return "mpmath context", (kind.__name__, item.prec)
    return None


def _of_flint(item: Any) -> Content | None:
    name = type(item).__name__
    if hasattr(item, "prec") and hasattr(item, "dps"):
        return "flint context", (item.prec, item.cap)
    if hasattr(item, "entries") and hasattr(item, "nrows"):
        return name, (item.nrows(), item.ncols(), list(item.entries()))
    if hasattr(item, "mid") and hasattr(item, "rad") and hasattr(item, "man_exp"):
        if not item.is_finite():
            return name, (str(item),)
        return name, (*map(str, item.mid().man_exp()), *map(str, item.rad().man_exp()))
    if hasattr(item, "real") and hasattr(item, "imag") and name == "acb":
        return name, (item.real, item.imag)
    if hasattr(item, "coeffs"):
        return name, (list(item.coeffs()), *([item.prec] if hasattr(item, "prec") else []))
    if name in {"fmpz", "fmpq", "nmod", "fmpz_mod", "fq_default"}:
        return name, (repr(item),)
    return None


def _arrays(item: Any) -> Content | None:
    """Arrays without an object of Python inside: buffers, tensors, sparse matrices, types of numbers."""
    if isinstance(item, memoryview):
        return "memoryview", (item.format, item.shape, item.tobytes())
    if isinstance(item, np.dtype):
        return "dtype", (str(item), repr(item.fields))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(item, torch.Tensor):
        if item.layout is not torch.strided:
            return "sparse tensor", (str(item.dtype), tuple(item.shape), item.detach().to_dense())
        flat = item.detach().cpu().resolve_conj().resolve_neg().contiguous()
        if flat.is_quantized:
            return None
        return "tensor", (str(item.dtype), tuple(item.shape), flat.reshape(-1).view(torch.uint8).numpy().tobytes())
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(item):
        plain = item.tocsr().copy()
        plain.sum_duplicates()
        plain.sort_indices()
        return "sparse", (plain.shape, str(plain.dtype), plain.indptr, plain.indices, plain.data)
    return None


def _expressions(item: Any) -> Content | None:
    """Matrices of sympy that can be changed, which are no expressions."""
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(item, sympy.MatrixBase):
        return "matrix", (tuple(item.shape), list(item.flat()))
    if sympy is not None and isinstance(item, sympy.NDimArray):
        return "n-dimensional array", (tuple(item.shape), list(sympy.flatten(item)))
    return None


def _reduced(item: Any) -> Content | None:
    """What pickle would write: how it is made, and its state."""
    kind = type(item)
    name = library_name(kind.__module__, kind.__qualname__)
    if isinstance(item, Iterator):  # reading it would use it up
        return None
    try:
        found = item.__reduce_ex__(4)
    except (TypeError, ValueError, AttributeError, NotImplementedError, RuntimeError, PicklingError):
        return None
    if isinstance(found, str):
        return f"{name} {found}", ()
    make, given, *more = found
    rest = [list(part) if isinstance(part, Iterator) else part for part in more[:3]]
    given = tuple(part for part in given if part is not kind)
    return name, (make, given, *rest)


def mapping_items(item: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """The items of a mapping: by key where all keys are texts, as those often come from sets, whose order changes."""
    named = all(isinstance(key, str) for key in item)
    return sorted(item.items(), key=lambda pair: pair[0]) if named else list(item.items())
