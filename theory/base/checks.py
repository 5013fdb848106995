"""What the constructors of the rules check: numbers in range, words among those allowed, rules where rules belong."""

from __future__ import annotations

from difflib import get_close_matches
from sys import float_info

__all__ = ["check_number", "check_rule", "check_whole", "check_word"]


def check_number(
    call: str,
    name: str,
    value: object,
    *,
    low: float = 0.0,
    high: float = float("inf"),
    closed: bool = False,
    hint: str = "",
) -> None:
    """`ValueError` unless `value` is a finite number > `low` (>= `low` if `closed`) and <= `high`."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= min(high, float_info.max)
    if fits and (value >= low if closed else value > low):  # type: ignore[operator]
        return
    upper = "" if high == float("inf") else f" and <= {high:g}"
    sign = ">=" if closed else ">"
    raise ValueError(f"{call}({name}={value!r}): must be finite and {sign} {low:g}{upper}{hint and '; ' + hint}")


def check_whole(call: str, name: str, value: object, *, low: int, hint: str = "") -> None:
    """`ValueError` unless `value` is an integer >= `low`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{call}({name}={value!r}): must be an integer >= {low}{hint and '; ' + hint}")


def check_word(call: str, name: str, value: object, allowed: tuple[str, ...]) -> None:
    """`ValueError` unless `value` is one of the words `allowed`, naming the nearest."""
    if value in allowed:
        return
    near = get_close_matches(str(value), allowed, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{call}({name}={value!r}): expected one of {', '.join(map(repr, allowed))}{hint}")


def check_rule(call: str, name: str, value: object, *, memoryless: bool = False) -> None:
    """`ValueError` unless `value` is a rule: callable on a round, or with a `step` (not so if `memoryless`)."""
    remembers = hasattr(value, "step")
    if isinstance(value, type) or not (remembers or callable(value)):
        raise ValueError(f"{call}({name}={value!r}): expected a rule, such as Proportional()")
    if memoryless and remembers:
        raise ValueError(
            f"{call}({name}={type(value).__name__}(…)): expected a rule without memory, that maps a round to weights"
        )
