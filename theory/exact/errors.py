"""What exact arithmetic raises: a float slipped in, a sign stays open, a value is missing, a number grew too long."""

from __future__ import annotations

import linecache
import sys
from functools import cache
from pathlib import Path
from typing import NoReturn

import array_api_compat
import numpy as np

__all__ = [
    "DigitsError",
    "InexactError",
    "NoValueError",
    "OperationsError",
    "Refused",
    "UndecidedError",
    "calling_line",
    "raising_line",
]


@cache
def _ours() -> tuple[str, ...]:
    return tuple(str(Path(file).parent) for file in (__file__, np.__file__, array_api_compat.__file__))


@cache
def _callers() -> str:  # ask for exact numbers on a user's behalf; no line of theirs
    return str(Path(__file__).parents[2] / "validation")


class InexactError(TypeError):
    """A float that is not exactly what it says, or a function without exact values, entered exact arithmetic."""


class UndecidedError(ArithmeticError):
    """Two numbers agree to `digits` decimal digits, and no proof of their order is known."""

    def __init__(self, digits: int) -> None:
        super().__init__(f"two numbers with exp, log, π or very many roots agree to {digits:,} digits")
        self.digits = digits


class NoValueError(ArithmeticError):
    """A number without a value, such as 1/0 or the root of a negative number, was compared."""


class DigitsError(ArithmeticError):
    """A number grew longer than the digits allowed."""


class OperationsError(ArithmeticError):
    """More operations on exact numbers than allowed."""


def calling_line() -> str:
    """Where the caller's own code is: " in line 7 of mine.py: `y = x * 0.1`", or nothing where no frame is theirs."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_ours()):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None or frame.f_code.co_filename.startswith(_callers()):
        return ""
    return _said(frame.f_code.co_filename, frame.f_lineno)


def _said(path: str, number: int) -> str:
    text = linecache.getline(path, number).strip()
    where = f" in line {number} of {Path(path).name}"
    return f"{where}: `{text[:100]}`" if text else where


def raising_line(error: BaseException) -> str:
    """Where the caller's own code was when `error` was raised, in the words of `calling_line`."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_ours()):
            found = _said(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found


class Refused:
    """Stands for a float that exact arithmetic does not take: whatever is done with it raises `InexactError`.

    `what` is wrong with it, and the `cure`; the line named is the one that uses it.
    """

    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, what: str, cure: str) -> None:
        self.what, self.cure = what, cure

    def refuse(self, *_: object, **__: object) -> NoReturn:
        """Raise the error."""
        raise InexactError(f"{self.what}{calling_line()}; {self.cure}")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = refuse
    __pow__ = __rpow__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = __pos__ = __abs__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = __bool__ = __round__ = refuse
    as_integer_ratio = item = sqrt = exp = log = refuse

    def __eq__(self, other: object) -> bool:
        self.refuse()
