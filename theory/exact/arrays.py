"""`ExactArray`: a NumPy array of `Exact` numbers, under the functions of numpy that have exact values.

Whatever meets one becomes exact, integer and boolean arrays too, and floats that are their own shortest decimal. A
function without an exact version raises `InexactError` with the line that called it. Comparisons give arrays of bool;
where a number without a value takes part (1/0 in a branch that a mask removes), the truth is `Unknown` until a mask has
settled it. Entries may be germs, numbers with an infinitesimal, which add, multiply, divide and compare.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np

from theory.exact.errors import InexactError, NoValueError, UndecidedError, calling_line
from theory.exact.germ import Germ
from theory.exact.number import Exact, Unknown, compared, exact
from theory.exact.reference.plain import solve

__all__ = ["ExactArray", "exact_array", "exact_functions", "exact_ufuncs"]

_NO_MORE = "an infinitesimal can be added, multiplied, divided and compared, no more"
_NO_FLOATS = "has no exact version here; use +, −, ·, /, powers, comparisons, sums, maxima, where, sqrt, exp or log"


class ExactArray(np.ndarray[Any, Any]):
    """An object array whose numbers are all `Exact`; built by `exact_array`."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **given: Any) -> Any:
        function = exact_ufuncs.get(ufunc)
        if function is None or method not in ("__call__", "reduce", "accumulate", "outer"):
            raise InexactError(f"np.{ufunc.__name__} {_NO_FLOATS}{calling_line()}")
        target = given.pop("out", None)
        for name in ("dtype", "casting", "order", "subok"):
            given.pop(name, None)
        plain = [_entries(x) for x in inputs]
        if method == "reduce" and ufunc in _FOLDED:
            found = _folded(function, plain[0], **given)
        elif method == "__call__" and ufunc is not np.matmul:
            where = given.pop("where", True)
            if where is not True:
                raise InexactError(f"np.{ufunc.__name__}(where=…) {_NO_FLOATS}{calling_line()}")
            found = np.frompyfunc(function, ufunc.nin, 1)(*plain)
        else:
            found = getattr(ufunc, method)(*plain, **given)
        if target is not None:
            target[0][...] = found
            return target[0]
        return _settled(found)

    def __array_function__(self, func: Any, types: Any, args: Iterable[Any], kwargs: Any) -> Any:
        own = exact_functions.get(func)
        if own is not None:
            return own(*args, **kwargs)
        if func in _APPROXIMATE or func.__module__ in ("numpy.linalg", "numpy.fft"):
            raise InexactError(f"np.{func.__name__} {_NO_FLOATS}{calling_line()}")
        found = super().__array_function__(func, types, tuple(args), kwargs)
        # Zeros and ones made like an exact array are plain integers until here.
        return _settled(_entries(found) if isinstance(found, ExactArray) else found)

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(tuple(_index(i) for i in index) if isinstance(index, tuple) else _index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        chosen = tuple(_index(i) for i in index) if isinstance(index, tuple) else _index(index)
        given = _entries(value)
        super().__setitem__(chosen, given if given.ndim else given[()])

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """The numbers themselves for a float type, truncated for an integer type, whether not 0 for bool."""
        dtype = args[0] if args else kwargs["dtype"]
        kind = np.dtype(dtype).kind
        if kind in "fO":
            return self.copy()
        if kind in "iu":
            return _each(lambda x: exact(math.trunc(x)))(self)
        if kind == "b":
            return self != 0
        raise InexactError(f"astype({dtype!r}) {_NO_FLOATS}{calling_line()}")

    def clip(self, *args: Any, **kwargs: Any) -> Any:
        """min(max(x, low), high)."""
        return _clip(self, *args, **kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """Σx/n."""
        return _mean(self, *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """Σ(x − mean)²/(n − ddof)."""
        return _var(self, *args, **kwargs)

    def std(self, *args: Any, **kwargs: Any) -> Any:
        """√var."""
        return np.sqrt(exact_array(_var(self, *args, **kwargs)))


def _clip(array: Any, min: Any = None, max: Any = None, **_: Any) -> Any:  # noqa: A002
    found = array if min is None else np.maximum(array, min)
    return found if max is None else np.minimum(found, max)


def _mean(array: Any, axis: Any = None, *_: Any, keepdims: bool = False, **__: Any) -> Any:
    return np.sum(array, axis=axis, keepdims=keepdims) / _counted(array, axis)


def _var(array: Any, axis: Any = None, *_: Any, ddof: int = 0, keepdims: bool = False, **__: Any) -> Any:
    squares = (array - _mean(array, axis, keepdims=True)) ** 2
    return np.sum(squares, axis=axis, keepdims=keepdims) / (_counted(array, axis) - ddof)


def exact_array(value: Any) -> ExactArray:
    """The numbers of an array, nested lists or one number exactly, in an array of the same shape.

    Booleans stay booleans. Raises `InexactError` for a float that is not its own shortest decimal.
    """
    if isinstance(value, ExactArray):
        return value
    found: ExactArray = _entries(value).view(ExactArray)
    return found


def _entries(value: Any) -> Any:
    """A plain object array of Exact numbers, booleans and open truths."""
    if isinstance(value, ExactArray):
        value = value.view(np.ndarray)
        if all(type(x) is Exact for x in value.flat):
            return value
    array = value if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)
    if array.dtype == bool:
        return array.astype(object)
    if array.dtype.kind not in "iufO":
        raise InexactError(f"{value!r:.200} is no array of real numbers{calling_line()}")
    found = np.empty(array.shape, dtype=object)
    found.reshape(-1)[:] = [_entry(x) for x in array.reshape(-1)]
    return found


def _entry(value: Any) -> Any:
    if type(value) is Exact or isinstance(value, (bool, Unknown, Germ)):
        return value
    return bool(value) if isinstance(value, np.bool_) else exact(value)


def _settled(found: Any) -> Any:
    """Arrays of booleans as such, arrays of exact numbers as `ExactArray`."""
    if not isinstance(found, np.ndarray):
        return found
    if found.dtype == object and found.size and all(type(x) is bool for x in found.flat):
        return found.view(np.ndarray).astype(bool)
    return found.view(ExactArray) if found.dtype == object else found


def _counted(array: ExactArray, axis: Any) -> int:
    """How many numbers each entry of a reduction is made of."""
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(array.shape[a] for a in axes)


def _index(value: Any) -> Any:
    if isinstance(value, ExactArray):
        whole = [operator.index(x) for x in value.flat]
        return np.asarray(whole, dtype=np.intp).reshape(value.shape)
    return operator.index(value) if isinstance(value, Exact) else value


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers as one of arrays."""
    return lambda *arrays: _settled(np.frompyfunc(function, len(arrays), 1)(*(_entries(a) for a in arrays)))


def _number(value: Any) -> Any:
    if isinstance(value, Unknown):
        bool(value)
    return exact(int(value)) if isinstance(value, bool) else value


def _arithmetic(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*numbers: Any) -> Any:
        try:
            return function(*(_number(x) for x in numbers))
        except AttributeError:
            if any(isinstance(x, Germ) for x in numbers):
                raise InexactError(f"{_NO_MORE}{calling_line()}") from None
            raise

    return called


def _side(a: Any, b: Any) -> int:
    """−1, 0 or 1 as a is below, equal to or above b, of numbers and germs."""
    if isinstance(a, Germ):
        return a.against(b)
    return -b.against(a) if isinstance(b, Germ) else compared(a, b)


def _relation(accept: Callable[[int], bool]) -> Callable[[Any, Any], Any]:
    def truth(a: Any, b: Any) -> Any:
        try:
            return accept(_side(_number(a), _number(b)))
        except (NoValueError, UndecidedError) as reason:
            return Unknown(reason)

    return truth


def _and(a: Any, b: Any) -> Any:
    known = [x for x in (a, b) if not isinstance(x, Unknown)]
    if any(not x for x in known):
        return False
    return True if len(known) == 2 else a if isinstance(a, Unknown) else b


def _not(a: Any) -> Any:
    return a if isinstance(a, Unknown) else not a


def _or(a: Any, b: Any) -> Any:
    return _not(_and(_not(a), _not(b)))


def _xor(a: Any, b: Any) -> Any:
    open_ones = [x for x in (a, b) if isinstance(x, Unknown)]
    return open_ones[0] if open_ones else bool(a) != bool(b)


def _only_truths(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*truths: Any) -> Any:
        if any(isinstance(t, Exact) for t in truths):
            raise InexactError(f"&, |, ^ and ~ are for comparisons, not for numbers{calling_line()}")
        return function(*truths)

    return checked


def _signum(x: Exact | Germ) -> Exact:
    if isinstance(x, Germ):
        return exact(x.sign)
    return exact(compared(x, exact(0))) if x.has_value else x


def _round(x: Exact) -> Exact:
    """To the nearest whole number, halves to the even one."""
    low = math.floor(x)
    side = compared(x - low, exact(1) / 2)
    return exact(low + (side > 0 or (side == 0 and low % 2 == 1)))


def _tanh(x: Exact) -> Exact:
    twice: Exact = (x * 2).exp()
    found: Exact = (twice - 1) / (twice + 1)
    return found


def _largest(x: Any, y: Any) -> Any:
    if isinstance(x, Germ) or isinstance(y, Germ):
        return x if _side(x, y) >= 0 else y
    return x.maximum(y)


def _smallest(x: Any, y: Any) -> Any:
    if isinstance(x, Germ) or isinstance(y, Germ):
        return x if _side(x, y) <= 0 else y
    return x.minimum(y)


_TWO, _TEN = exact(2), exact(10)
_OF_NUMBERS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.float_power: operator.pow,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.absolute: operator.abs,
    np.fabs: operator.abs,
    np.conjugate: operator.pos,
    np.square: lambda x: x * x,
    np.reciprocal: lambda x: 1 / x,
    np.maximum: _largest,
    np.minimum: _smallest,
    np.sign: _signum,
    np.sqrt: Exact.sqrt,
    np.cbrt: lambda x: x.root(3),
    np.exp: Exact.exp,
    np.exp2: lambda x: _TWO**x,
    np.expm1: lambda x: x.exp() - 1,
    np.log: Exact.log,
    np.log1p: lambda x: (x + 1).log(),
    np.log2: lambda x: x.log() / _TWO.log(),
    np.log10: lambda x: x.log() / _TEN.log(),
    np.tanh: _tanh,
    np.logaddexp: lambda x, y: (x.exp() + y.exp()).log(),
    np.hypot: lambda x, y: (x * x + y * y).sqrt(),
    np.floor: lambda x: exact(math.floor(x)),
    np.ceil: lambda x: exact(math.ceil(x)),
    np.trunc: lambda x: exact(math.trunc(x)),
    np.rint: _round,
}
exact_ufuncs: dict[Any, Callable[..., Any]] = {
    **{ufunc: _arithmetic(function) for ufunc, function in _OF_NUMBERS.items()},
    np.matmul: operator.matmul,
    np.less: _relation(lambda s: s < 0),
    np.less_equal: _relation(lambda s: s <= 0),
    np.greater: _relation(lambda s: s > 0),
    np.greater_equal: _relation(lambda s: s >= 0),
    np.equal: _relation(lambda s: s == 0),
    np.not_equal: _relation(lambda s: s != 0),
    np.logical_and: _and,
    np.logical_or: _or,
    np.logical_not: _not,
    np.logical_xor: _xor,
    np.bitwise_and: _only_truths(_and),
    np.bitwise_or: _only_truths(_or),
    np.bitwise_xor: _only_truths(_xor),
    np.invert: _only_truths(_not),
    np.isfinite: _arithmetic(lambda x: isinstance(x, Germ) or x.is_finite),
    np.isinf: _arithmetic(lambda x: not isinstance(x, Germ) and x.has_value and not x.is_finite),
    np.isnan: _arithmetic(lambda x: not isinstance(x, Germ) and not x.has_value),
}
_FOLDED = {np.maximum, np.minimum, np.logical_and, np.logical_or}


def _folded(function: Callable[..., Any], array: Any, axis: Any = 0, keepdims: bool = False, **given: Any) -> Any:
    """A reduction by `function` over one axis, several or all."""
    axes = tuple(range(array.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % array.ndim for a in axes)
    kept = [n for i, n in enumerate(array.shape) if i not in axes]
    rows = np.moveaxis(array, axes, range(-len(axes), 0)).reshape(math.prod(kept), -1) if axes else array.reshape(-1, 1)
    start = [_entry(given["initial"])] if "initial" in given and given["initial"] is not np._NoValue else []
    if function in (exact_ufuncs[np.logical_and], exact_ufuncs[np.logical_or]) and not start:
        start = [function is exact_ufuncs[np.logical_and]]
    if not start and not rows.shape[1]:
        raise ValueError("a maximum or minimum over no numbers")
    found = np.empty(len(rows), dtype=object)
    found[:] = [reduce(function, row, *start) for row in rows]
    shape = [1 if i in axes else n for i, n in enumerate(array.shape)] if keepdims else kept
    return found.reshape(shape) if shape else found[0]


def _where(condition: Any, *branches: Any) -> Any:
    """x where the condition holds, else y; without a value where the condition is open and the branches differ."""
    truths = _entries(condition)
    if not branches:
        return np.nonzero(np.asarray([bool(t) for t in truths.flat]).reshape(truths.shape))

    def chosen(truth: Any, x: Any, y: Any) -> Any:
        if not isinstance(truth, Unknown):
            return x if truth else y
        return x if x is y else truth if isinstance(x, bool) else exact(float("nan"))

    return _each(chosen)(condition, *branches)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """(Σ|x|ᵖ)^(1/p) of vectors, also Frobenius; p = 1, 2, ±inf or any positive number."""
    array = exact_array(x)
    matrices = (axis is None and array.ndim == 2) or (isinstance(axis, tuple) and len(axis) == 2)
    if matrices and ord not in (None, "fro"):
        raise InexactError(f"np.linalg.norm(ord={ord!r}) of matrices {_NO_FLOATS}{calling_line()}")
    size = np.abs(array)
    if ord in (math.inf, -math.inf):
        return (np.max if ord > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    p = 2 if ord in (None, "fro") else ord
    total = exact_array(np.sum(size**p, axis=axis, keepdims=keepdims))
    return np.sqrt(total) if p == 2 else total ** (1 / exact(p))


def _solve(matrix: Any, right: Any) -> Any:
    """x with A x = b, over leading batch axes; without a value where A is singular."""
    a, b = exact_array(matrix), exact_array(right)
    vectors = b.ndim == 1
    columns = b[..., None] if vectors else b
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    n, m = columns.shape[-2:]
    systems = np.broadcast_to(a, (*batch, n, n)).reshape(-1, n, n)
    sides = np.broadcast_to(columns, (*batch, n, m)).reshape(-1, n, m)
    found = np.empty(sides.shape, dtype=object)
    for i in range(len(systems)):
        for j in range(m):
            try:
                found[i, :, j] = solve(systems[i].tolist(), sides[i, :, j].tolist())
            except ZeroDivisionError:
                raise np.linalg.LinAlgError("Singular matrix") from None
    out = found.reshape(*batch, n, m).view(ExactArray)
    return out[..., 0] if vectors else out


def _inverse(matrix: Any) -> Any:
    a = exact_array(matrix)
    return _solve(a, exact_array(np.broadcast_to(np.eye(a.shape[-1], dtype=int), a.shape)))


def _determinant(matrix: Any) -> Any:
    """By expansion along the first row, in exact numbers."""
    a = exact_array(matrix)
    n = a.shape[-1]
    if n == 0:
        return exact(1)
    total = a[..., 0, 0] * 0
    for j in range(n):
        rest = np.delete(a[..., 1:, :], j, axis=-1)
        total = total + (-1) ** j * a[..., 0, j] * (_determinant(rest) if n > 1 else 1)
    return total


def _rounded(x: Any, decimals: int = 0, *_: Any, **__: Any) -> Any:
    shift = exact(10) ** decimals
    return _each(lambda v: _round(v * shift) / shift)(x)


def _median(x: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
    array = exact_array(x)
    if axis is None or isinstance(axis, tuple):
        raise InexactError(f"np.median over several axes {_NO_FLOATS}{calling_line()}")
    rows, n = np.sort(array, axis=axis), array.shape[axis]
    middle = (np.take(rows, [(n - 1) // 2], axis=axis) + np.take(rows, [n // 2], axis=axis)) / 2
    return middle if keepdims else np.squeeze(middle, axis=axis)


def _average(x: Any, axis: Any = None, weights: Any = None, **named: Any) -> Any:
    array = exact_array(x)
    if weights is None:
        return array.mean(axis, **named)
    chosen: Any = exact_array(weights)
    if chosen.shape != array.shape:
        if chosen.ndim != 1 or not isinstance(axis, int):
            raise InexactError(f"np.average with weights of another shape {_NO_FLOATS}{calling_line()}")
        chosen = chosen.reshape([-1 if i == axis % array.ndim else 1 for i in range(array.ndim)])
    return np.sum(array * chosen, axis=axis, **named) / np.sum(np.broadcast_to(chosen, array.shape), axis=axis, **named)


def _along(x: Any, indices: Any, axis: Any = -1) -> Any:
    """`np.take_along_axis`, whose places may be exact whole numbers."""
    return _settled(np.take_along_axis(_entries(x), np.asarray(_index(exact_array(indices))), axis))


def _quantile(x: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False, **named: Any) -> Any:
    """The q-quantile by linear interpolation between the two numbers around place q(n − 1)."""
    if named or method != "linear" or np.ndim(q) or isinstance(axis, tuple):
        raise InexactError(f"np.quantile but of one q, one axis, linear {_NO_FLOATS}{calling_line()}")
    array: Any = exact_array(x)
    along, place_of = (array.reshape(-1), 0) if axis is None else (array, axis)
    rows, n = np.sort(along, axis=place_of), along.shape[place_of]
    place = exact(q) * (n - 1)
    low = math.floor(place)
    first, second = (np.take(rows, min(i, n - 1), axis=place_of) for i in (low, low + 1))
    found = first + (second - first) * (place - low)
    if not keepdims:
        return found
    return found.reshape([1] * array.ndim) if axis is None else np.expand_dims(found, axis)


def _like(fill: int | None) -> Callable[..., Any]:
    def made(x: Any, *args: Any, **_: Any) -> Any:
        value = (args[0] if args else 0) if fill is None else fill
        return exact_array(np.broadcast_to(exact_array(value), np.shape(x))).copy()

    return made


def _method(name: str) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: getattr(exact_array(x), name)(*args, **kwargs)


exact_functions: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.clip: _method("clip"),
    np.mean: _method("mean"),
    np.var: _method("var"),
    np.std: _method("std"),
    np.average: _average,
    np.linalg.norm: _norm,
    np.linalg.solve: _solve,
    np.linalg.inv: _inverse,
    np.linalg.det: _determinant,
    np.linalg.trace: lambda x: np.trace(x, axis1=-2, axis2=-1),
    np.real: exact_array,
    np.round: _rounded,
    np.around: _rounded,
    np.median: _median,
    np.quantile: _quantile,
    np.percentile: lambda x, q, *args, **named: _quantile(x, exact(q) / 100, *args, **named),
    np.take_along_axis: _along,
    np.zeros_like: _like(0),
    np.empty_like: _like(0),
    np.ones_like: _like(1),
    np.full_like: _like(None),
}
_APPROXIMATE = {np.isclose, np.allclose, np.nan_to_num, np.interp, np.histogram}
