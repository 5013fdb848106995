"""`Quick`: a `Fraction` whose arithmetic is flint's; the same numbers several times as fast, each operation counted.

For a process that does nothing but exact arithmetic on plain `Fraction` texts: `quicken` makes every new `Fraction` a
`Quick`. Whatever reads a fraction (comparisons, text, `limit_denominator`, pickling, sympy) sees a `Fraction`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq

from theory.exact.budget import charge, charging, check_length
from theory.exact.compiled import compiled
from theory.exact.floats import became_fraction, rounded

__all__ = ["Quick", "as_quick", "quicken"]

_Operator = Callable[[Any, Any], Any]
_PLAIN: dict[str, _Operator] = {
    f"__{side}{name}__": getattr(Fraction, f"__{side}{name}__")
    for name in ("add", "sub", "mul", "truediv")
    for side in ("", "r")
}
_PLAIN_POWER: _Operator = Fraction.__pow__
_PLAIN_NEW: Callable[..., Fraction] = Fraction.__new__
_PLAIN_FLOAT: Callable[[Fraction], float] = Fraction.__float__
_PLAIN_FROM_FLOAT: Callable[..., Fraction] = vars(Fraction)["from_float"].__func__
_new = object.__new__


def _made(value: fmpq) -> Quick:
    """The result of an operation, counted; raises `DigitsError` and `OperationsError` where it is beyond the limits."""
    charge(value.height_bits())
    return _uncounted(value)


def _uncounted(value: fmpq) -> Quick:
    made = _new(Quick)
    made.flint = value
    return made


def _flint(value: Fraction) -> fmpq:
    return value.flint if type(value) is Quick else fmpq(value.numerator, value.denominator)


def _mixed(name: str, swapped: bool) -> _Operator:
    """An operation of any `Fraction` with anything that the standard library's takes."""
    compute: _Operator = getattr(operator, name)
    plain = _PLAIN[f"__{'r' if swapped else ''}{name}__"]

    def mixed(a: Any, b: Any) -> Any:
        kind = type(b)
        if kind is Fraction or kind is Quick:  # asking a class for its instances takes as long as a sum
            two = _flint(b)
        elif isinstance(b, int):
            two = int(b)
        elif isinstance(b, Fraction):
            two = _flint(b)
        else:
            found = plain(a, b)
            if isinstance(found, float) and isinstance(b, float):
                _note_rounding(compute, (b, a) if swapped else (a, b), found)
            return _counted_alone(found)
        one = _flint(a)
        try:
            return _made(compute(two, one) if swapped else compute(one, two))
        except ZeroDivisionError:
            return plain(a, b)  # raises it in the words of `Fraction`

    return mixed


def _note_rounding(compute: _Operator, given: tuple[Any, Any], found: float) -> None:
    """Note a float that an operation on a fraction and a float gave, where it is not exactly their result."""
    try:
        one, two = (fmpq(*number.as_integer_ratio()) for number in given)
        rounded(_uncounted(compute(one, two)), found)
    except (OverflowError, ValueError, ZeroDivisionError):
        return  # ∞, NaN or no value: nothing that becomes a fraction


def _binary(name: str, swapped: bool) -> _Operator:
    """An operation of `Quick`."""
    compute: _Operator = getattr(operator, name)
    mixed = _mixed(name, swapped)
    if compiled() is not None:
        return compiled().operation(name, swapped, mixed)  # type: ignore[no-any-return]

    def method(a: Any, b: Any) -> Any:
        # Written out: this is where an exact recheck spends its time.
        kind = type(b)
        try:
            if kind is Quick:
                value = compute(b.flint, a.flint) if swapped else compute(a.flint, b.flint)
            elif kind is int:
                value = compute(b, a.flint) if swapped else compute(a.flint, b)
            else:
                return mixed(a, b)
        except ZeroDivisionError:
            return mixed(a, b)
        charge(value.height_bits())
        made = _new(Quick)
        made.flint = value
        return made

    return method


def _counted_alone(found: Any) -> Any:
    """A result of the standard library's own text, counted like any other."""
    return _made(_flint(found)) if isinstance(found, Fraction) else found


def _power(a: Any, b: Any) -> Any:
    if type(b) is int or (isinstance(b, int | Fraction) and b == int(b)):
        one, exponent = _flint(a), int(b)
        check_length((one.height_bits() - 1) * abs(exponent))  # beforehand: a power alone may take for ever
        if one != 0 or exponent >= 0:
            return _made(one**exponent)
    return _counted_alone(_PLAIN_POWER(a, b))


def _ordered(name: str) -> _Operator:
    """A comparison of `Quick`; of two by cross products, as flint subtracts them, which takes a greatest divisor."""
    compare: _Operator = getattr(operator, name.strip("_"))
    plain: _Operator = getattr(Fraction, name)
    if compiled() is not None:
        return compiled().comparison(name.strip("_"), plain)  # type: ignore[no-any-return]
    crosswise = name != "__eq__"

    def method(a: Any, b: Any) -> Any:
        kind = type(b)
        if kind is Quick:
            one, two = a.flint, b.flint
            return compare(one.p * two.q, two.p * one.q) if crosswise else compare(one, two)
        if kind is int:
            return compare(a.flint, b)
        return plain(a, b)

    return method


class Quick(Fraction):
    """A rational number, held as flint's `fmpq` in `flint`; takes what `Fraction` takes.

    Its operations raise what those of `Fraction` raise, in the same words; beyond the limits of `at_most_digits` and
    `at_most_operations` they raise `DigitsError` and `OperationsError`.
    """

    __slots__ = ("flint",)
    flint: fmpq

    def __new__(cls, *value: Any) -> Quick:
        """What `Fraction` takes, uncounted."""
        return _uncounted(_flint(_PLAIN_NEW(Fraction, *value)))

    # What the standard library's text reads in place of its own two slots.
    _numerator = property(lambda self: int(self.flint.p))
    _denominator = property(lambda self: int(self.flint.q))

    __add__, __radd__ = _binary("add", False), _binary("add", True)
    __sub__, __rsub__ = _binary("sub", False), _binary("sub", True)
    __mul__, __rmul__ = _binary("mul", False), _binary("mul", True)
    __truediv__, __rtruediv__ = _binary("truediv", False), _binary("truediv", True)
    __pow__ = _power if compiled() is None else compiled().power(_power)
    __eq__, __lt__, __le__ = _ordered("__eq__"), _ordered("__lt__"), _ordered("__le__")
    __gt__, __ge__ = _ordered("__gt__"), _ordered("__ge__")
    __hash__ = Fraction.__hash__

    def __bool__(self) -> bool:
        return bool(self.flint)

    def __neg__(self) -> Quick:
        return _uncounted(-self.flint)

    def __pos__(self) -> Quick:
        return self

    def __abs__(self) -> Quick:
        return _uncounted(abs(self.flint))

    def __repr__(self) -> str:
        return f"Fraction({self._numerator}, {self._denominator})"

    def __reduce__(self) -> Any:
        return Fraction, (self._numerator, self._denominator)

    def __copy__(self) -> Quick:
        return self

    def __deepcopy__(self, memo: object) -> Quick:
        return self


if compiled() is not None:
    compiled().bind(Quick, vars(Quick)["flint"], *charging())


def as_quick(value: Any) -> Any:
    """Dictionaries, lists and tuples with every plain `Fraction` in them as `Quick`; all else as it is.

    What an exact check is given takes part in most of its operations, each of which would turn it into flint's anew.
    """
    kind = type(value)
    if kind is Fraction:
        return _uncounted(_flint(value))
    if kind is dict:
        return {key: as_quick(entry) for key, entry in value.items()}
    if kind is list:
        return [as_quick(entry) for entry in value]
    if kind is tuple:
        return tuple(as_quick(entry) for entry in value)
    return value


def _newly(cls: type, numerator: Any = 0, denominator: Any = None, **more: Any) -> Any:
    """`Fraction(…)`, a `Quick`; of classes of people's own their own."""
    if cls is not Fraction:
        return _PLAIN_NEW(cls, numerator, denominator, **more)
    if type(numerator) is int:
        if denominator is None:
            return _uncounted(fmpq(numerator))
        if type(denominator) is int and denominator:
            return _uncounted(fmpq(numerator, denominator))
    elif type(numerator) is Quick and denominator is None:
        return numerator
    elif isinstance(numerator, float):
        became_fraction(float(numerator))
    return _uncounted(_flint(_PLAIN_NEW(cls, numerator, denominator, **more)))


def _from_float(cls: type, value: Any) -> Any:
    """`Fraction.from_float`; comparisons with a float ask it, too, which make no fraction of it."""
    if isinstance(value, float) and sys._getframe(1).f_globals.get("__name__") != "fractions":
        became_fraction(float(value))
    return _PLAIN_FROM_FLOAT(cls, value)


def _as_float(value: Fraction) -> float:
    """`float(fraction)`, noted where it rounds."""
    found = _PLAIN_FLOAT(value)
    rounded(value, found)
    return found


def _from_coprime_ints(numerator: int, denominator: int) -> Quick:
    return _uncounted(fmpq(numerator, denominator))


# From Python 3.12 on the text of `Fraction` makes its results by this constructor and not by the class.
setattr(Quick, "_from_coprime_ints", staticmethod(_from_coprime_ints))  # noqa: B010


@cache
def quicken() -> None:
    """From now on every new `Fraction` in this process is a `Quick`: only ever called in a child."""
    setattr(Fraction, "__new__", staticmethod(_newly))  # noqa: B010 - a method of a class that is not ours
    for name in _PLAIN:
        swapped = name.startswith("__r")
        setattr(Fraction, name, _mixed(name.strip("_")[swapped:], swapped))
    setattr(Fraction, "__pow__", _power)  # noqa: B010
    setattr(Fraction, "__float__", _as_float)  # noqa: B010
    setattr(Fraction, "from_float", classmethod(_from_float))  # noqa: B010
