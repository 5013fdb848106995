"""`Exact`: a real number that never rounds; rational in flint's ``fmpq``, irrational as an expression.

Mixes with int and Fraction from either side. A float is taken when its shortest decimal is its exact value (0.5, 2.5,
1e6); any other (0.1, 1/3) raises `InexactError`, and so does `float(x)`. ±inf is kept for maxima, minima and masks; 1/0
and the root of a negative number have no value: they may be carried, and masked away, but not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isinf
from typing import Any, SupportsFloat

from flint import fmpq, fmpz

from theory.exact import irrational
from theory.exact.budget import check_length, counted
from theory.exact.errors import InexactError, NoValueError, Refused, UndecidedError, calling_line
from theory.exact.irrational import Node

__all__ = ["PI", "Exact", "Unknown", "compared", "exact", "refusal"]

_LARGEST_ORDER = 1000  # of a root kept as a root; beyond it x^(p/q) is exp(p/q·log x)


@dataclass(frozen=True, slots=True)
class _Special:
    """+inf, −inf, or no value and why."""

    size: int  # 1, −1, or 0 for no value
    reason: str = ""


_INF, _MINUS_INF = _Special(1), _Special(-1)


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A truth that could not be decided, for `reason`; `bool` of it raises that."""

    reason: ArithmeticError

    def __bool__(self) -> bool:
        raise self.reason


def _made(value: Any) -> Exact:
    if type(value) is fmpq:
        bits = value.height_bits()
        check_length(bits)
        counted(bits)
    new = object.__new__(Exact)
    new._value = value
    return new


def _no_value(reason: str) -> Exact:
    return _made(_Special(0, reason + calling_line()))


def refusal(value: float) -> Refused | None:
    """What stands for a float that is not its own shortest decimal; None for one that is, and for ±inf and NaN."""
    value = float(value)
    if not isfinite(value) or Decimal(repr(value)) == Decimal(value):
        return None
    meant, written = Fraction(value).limit_denominator(1000), Fraction(repr(value))
    short = meant if len(repr(value)) > 15 and float(meant) == value else written  # 0.3333333333333333 meant 1/3
    top, bottom = short.numerator, short.denominator
    cure = f"{top}" if bottom == 1 else f"Fraction({top}, {bottom})" if bottom < 10**12 else f'Fraction("{value!r}")'
    return Refused(f"the float {value!r} is not exactly that number", f"write {cure} instead")


def _from_float(value: float) -> Any:
    wrong = refusal(value)
    if wrong is not None:
        wrong.refuse()
    if isinf(value):
        return _INF if value > 0 else _MINUS_INF
    if value != value:
        return _Special(0, "NaN" + calling_line())
    return fmpq(*float(value).as_integer_ratio())


def _operand(value: Any) -> Any:
    """The fmpq, node or special of a number; NotImplemented for what is none."""
    kind = type(value)
    if kind is Exact:
        return value._value
    if kind is int or kind is bool:
        return fmpq(int(value))
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, float):  # numpy's float64, too
        return _from_float(value)
    if isinstance(value, fmpq):
        return value
    if isinstance(value, (int, fmpz)):
        return fmpq(int(value))
    if isinstance(value, Refused):
        value.refuse()
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # other numpy scalars
        return _operand(value.item())
    return NotImplemented


def exact(value: Any) -> Exact:
    """The number exactly: from int, Fraction, fmpq, a float that is its own shortest decimal, text like "0.1", "1/3".

    Raises `InexactError` for any other float and for what is no number.
    """
    if isinstance(value, str):
        given = Fraction(value)
        return _made(fmpq(given.numerator, given.denominator))
    found = _operand(value)
    if found is NotImplemented:
        raise InexactError(f"{value!r:.200} is no real number{calling_line()}")
    return _made(found)


def _binary(function: Callable[[Any, Any], Exact], swapped: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Exact, other: Any) -> Any:
        b = _operand(other)
        if b is NotImplemented:
            return NotImplemented
        return function(b, self._value) if swapped else function(self._value, b)

    return method


def _truth(accept: Callable[[int], bool]) -> Callable[[Any, Any], Any]:
    def method(self: Exact, other: Any) -> Any:
        b = _operand(other)
        return NotImplemented if b is NotImplemented else accept(_compare(self._value, b))

    return method


def _without_value(*values: Any) -> Exact | None:
    for value in values:
        if type(value) is _Special and value.size == 0:
            return _made(value)
    return None


def _sign(value: Any) -> int:
    if type(value) is _Special:
        if value.size == 0:
            raise NoValueError(f"a number without a value is compared: {value.reason}")
        return value.size
    return irrational.sign(value)


def _compare(a: Any, b: Any) -> int:
    if type(a) is fmpq and type(b) is fmpq:
        return int(a > b) - int(a < b)
    if type(a) is _Special or type(b) is _Special:
        one, two = (_sign(v) if type(v) is _Special else 0 for v in (a, b))
        return int(one > two) - int(one < two)
    try:
        return irrational.sign(irrational.add(a, irrational.multiply(fmpq(-1), b)))
    except UndecidedError:
        if irrational.same(a, b):
            return 0
        raise


def _add(a: Any, b: Any) -> Exact:
    if type(a) is _Special or type(b) is _Special:
        missing = _without_value(a, b)
        if missing is not None:
            return missing
        if type(a) is _Special and type(b) is _Special and a != b:
            return _no_value("inf − inf")
        return _made(a if type(a) is _Special else b)
    return _made(a + b if type(a) is fmpq and type(b) is fmpq else irrational.add(a, b))


def _multiply(a: Any, b: Any) -> Exact:
    if type(a) is _Special or type(b) is _Special:
        missing = _without_value(a, b)
        size = 0 if missing is not None else _sign(a) * _sign(b)
        return missing or (_made(_INF if size > 0 else _MINUS_INF) if size else _no_value("0·inf"))
    return _made(a * b if type(a) is fmpq and type(b) is fmpq else irrational.multiply(a, b))


def _negative(a: Any) -> Any:
    return _multiply(fmpq(-1), a)._value


def _subtract(a: Any, b: Any) -> Exact:
    return _made(a - b) if type(a) is fmpq and type(b) is fmpq else _add(a, _negative(b))


def _divide(a: Any, b: Any) -> Exact:
    if type(a) is fmpq and type(b) is fmpq and b != 0:
        return _made(a / b)
    missing = _without_value(a, b)
    if missing is not None:
        return missing
    if type(b) is _Special:
        return _no_value("inf/inf") if type(a) is _Special else _made(fmpq(0))
    below = _sign(b)
    if below == 0:
        return _no_value("a division by 0")
    if type(a) is _Special:
        return _made(a if below > 0 else _MINUS_INF if a.size > 0 else _INF)
    return _made(irrational.divide(a, b))


def _power(a: Any, b: Any) -> Exact:
    missing = _without_value(a, b)
    if missing is not None:
        return missing
    if type(a) is _Special or type(b) is _Special:
        return _no_value("a power of or to inf")
    if type(b) is fmpq and b.q == 1:
        n = int(b.p)
        if type(a) is fmpq and a not in (0, 1, -1):
            check_length(abs(n) * (a.height_bits() - 1))
        if n < 0 and _sign(a) == 0:
            return _no_value("a division by 0")
        return _made(irrational.power(a, n))
    base = _sign(a)
    if base < 0:
        return _no_value("a fractional power of a negative number")
    if base == 0:
        return _made(fmpq(0)) if _sign(b) > 0 else _no_value("a division by 0")
    if type(b) is fmpq and b.q <= _LARGEST_ORDER and abs(b.p) <= _LARGEST_ORDER:
        return _made(irrational.power(irrational.root(a, int(b.q)), int(b.p)))
    return _made(irrational.exponential(irrational.multiply(b, irrational.logarithm(a))))


def compared(a: Exact, b: Exact) -> int:
    """−1, 0 or 1 as a is below, equal to or above b; `UndecidedError` or `NoValueError` where that cannot be said."""
    return _compare(a._value, b._value)


class Exact:
    """A real number in exact arithmetic; see the module. `exact(value)` builds one."""

    __slots__ = ("_value",)
    _value: Any

    def __new__(cls, value: Any = 0) -> Exact:
        return exact(value)

    __add__, __radd__ = _binary(_add), _binary(_add)
    __sub__, __rsub__ = _binary(_subtract), _binary(_subtract, swapped=True)
    __mul__, __rmul__ = _binary(_multiply), _binary(_multiply)
    __truediv__, __rtruediv__ = _binary(_divide), _binary(_divide, swapped=True)
    __pow__, __rpow__ = _binary(_power), _binary(_power, swapped=True)
    __lt__, __le__ = _truth(lambda s: s < 0), _truth(lambda s: s <= 0)
    __gt__, __ge__ = _truth(lambda s: s > 0), _truth(lambda s: s >= 0)

    def __eq__(self, other: object) -> bool:
        b = _operand(other)
        return NotImplemented if b is NotImplemented else _compare(self._value, b) == 0

    def __hash__(self) -> int:
        if type(self._value) is not fmpq:
            raise TypeError("an irrational Exact has no hash: equal numbers can be written in different ways")
        return hash(self.fraction())

    def __neg__(self) -> Exact:
        return _made(_negative(self._value))

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return self.maximum(-self)

    def __bool__(self) -> bool:
        return _sign(self._value) != 0

    def __floor__(self) -> int:
        value = self._value
        if type(value) is fmpq:
            return int(value.floor())
        low = int(self.enclosure()[0].__floor__())
        return low + 1 if self >= low + 1 else low

    def __ceil__(self) -> int:
        return -(-self).__floor__()

    def __trunc__(self) -> int:
        return self.__floor__() if self >= 0 else self.__ceil__()

    __int__ = __trunc__

    def __floordiv__(self, other: Any) -> Any:
        quotient = self / other
        return quotient if quotient is NotImplemented else exact(quotient.__floor__())

    def __mod__(self, other: Any) -> Any:
        return self - other * (self // other)

    def __index__(self) -> int:
        if type(self._value) is not fmpq or self._value.q != 1:
            raise TypeError(f"{self} is no whole number{calling_line()}")
        return int(self._value.p)

    def __float__(self) -> float:
        raise InexactError(
            f"an exact number would be rounded to a float{calling_line()}; use +, −, ·, /, powers, comparisons and the"
            " functions of numpy instead of float(x) and math"
        )

    __complex__ = __float__

    def __repr__(self) -> str:
        value = self._value
        if type(value) is fmpq:
            return str(value)
        if type(value) is _Special:
            return {1: "inf", -1: "-inf"}.get(value.size, f"no value ({value.reason})")
        low, high = self.enclosure()
        return f"{float((low + high) / 2):.15g}…"

    @property
    def is_finite(self) -> bool:
        """Whether it is a real number: not ±inf, and with a value."""
        return type(self._value) is not _Special

    @property
    def is_rational(self) -> bool:
        """Whether it is held as a rational; an irrational expression may still equal one."""
        return type(self._value) is fmpq

    @property
    def has_value(self) -> bool:
        """False for 1/0, √−1 and what was computed from them; ±inf counts as a value."""
        return type(self._value) is not _Special or self._value.size != 0

    def fraction(self) -> Fraction:
        """The number as a Fraction; `ValueError` where it is not held as a rational."""
        if type(self._value) is not fmpq:
            raise ValueError(f"{self!r} is not held as a rational")
        return Fraction(int(self._value.p), int(self._value.q))

    def enclosure(self, precision: int = 128) -> tuple[Fraction, Fraction]:
        """Fractions below and above, about `precision` bits apart; `NoValueError` without a finite value."""
        if type(self._value) is _Special:
            raise NoValueError(f"{self!r} has no enclosure")
        return irrational.bounds(self._value, precision)

    def maximum(self, other: SupportsFloat | Exact) -> Exact:
        """The larger of the two; kept open where they cannot be told apart, without a value where one has none."""
        a, b = self._value, _operand(other)
        missing = _without_value(a, b)
        if missing is not None:
            return missing
        try:
            return _made(a if _compare(a, b) >= 0 else b)
        except UndecidedError:
            return _made(Node("max", (irrational.as_node(a), irrational.as_node(b))))

    def minimum(self, other: SupportsFloat | Exact) -> Exact:
        """The smaller of the two, as `maximum`."""
        return -(-self).maximum(-exact(other))

    def root(self, k: int) -> Exact:
        """The k-th root; of a negative number for odd k only."""
        missing = _without_value(self._value)
        if missing is not None or self._value is _INF:
            return missing or self
        if k % 2 and self < 0:
            return -(-self).root(k)
        return _power(self._value, fmpq(1, k))

    def sqrt(self) -> Exact:
        """√x; without a value for x < 0."""
        return self.root(2)

    def exp(self) -> Exact:
        """eˣ."""
        if type(self._value) is _Special:
            return _made(fmpq(0)) if self._value.size < 0 else self
        return _made(irrational.exponential(self._value))

    def log(self) -> Exact:
        """log x; −inf for 0, without a value below."""
        missing = _without_value(self._value)
        if missing is not None or self._value is _INF:
            return missing or self
        side = _sign(self._value)
        if side <= 0:
            return _no_value("the logarithm of a negative number") if side else _made(_MINUS_INF)
        return _made(irrational.logarithm(self._value))

    def conjugate(self) -> Exact:
        """Itself."""
        return self


PI = _made(irrational.PI)
