"""What every case of every claim says at a few instances, exactly: what a rewritten claim has to say again.

    python -m tests.paper_checks.oracle --write     # made from the code as it is
    python -m tests.paper_checks.oracle             # compares the code with the file

For each case of each reading and mutant, families at their usual and at their lowest sizes, ten corners and ten random
draws: the instance in small fractions, whether its hypotheses are met, whether the fast side admits it, and both sides
as text (the SHA-256 of what is long). A case whose exact side takes too long at an instance has none there.
Where an exponential or a logarithm enters, enclosed to more than fifty digits, sides are kept in units of 10⁻⁴⁴ and
compared to 10⁻⁴²: another way to enclose them changes no row.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from theory.exact.number import Exact
from theory.streams import stream
from validation.job.papers import select
from validation.statement.bound import Bound
from validation.statement.claim import Case, Claim, Family, Inequality, Property
from validation.statement.draw import take

__all__ = ["FILE", "Row", "Sided", "compare", "read", "rows_of", "sided"]

FILE = Path(__file__).with_name("oracle.json.xz")
_EACH = 10  # corners, and as many random draws
_LIMIT = 12  # denominators of an instance
_LONG = 48  # characters of a side that are kept
_OPERATIONS = 20_000
_DIGITS = 2_000
_PATIENCE = 3  # instances too long to compute, after which a case is left as it is
_ENCLOSED = frozenset(("exp_fixed", "log_near"))  # what is off by less than 10⁻⁶⁰
_NEAR, _UNITS, _APART = "≈", 10**44, 100

Instance = Mapping[str, Any]


@dataclass(frozen=True)
class Sided:
    """A bound over one concrete case of a claim's reading or mutant; what shares `drawn` has the same instances."""

    key: str
    drawn: str
    bound: Bound
    case: Case


@dataclass(frozen=True)
class Row:
    """One instance: hypotheses, the fast side's admission, and both sides; None where there is no value."""

    instance: Any
    met: bool
    admitted: bool
    left: str | None
    right: str | None

    def plain(self) -> list[Any]:
        """As JSON keeps it."""
        return [self.instance, int(self.met), int(self.admitted), self.left, self.right]


def sided(claims: Sequence[Claim]) -> Iterator[Sided]:
    """Every concrete case of every reading and mutant that compares two sides; keys say claim, statement and case."""
    for claim in claims:
        for item in (*claim.readings, *claim.canaries):
            test = item.test.inequality if isinstance(item.test, Property) else item.test
            if not isinstance(test, Inequality):
                continue
            for number, drawn in enumerate(test.cases):
                for case in _concrete(drawn):
                    if case.exact is not None:
                        key = f"{claim.id}/{item.name}/{number}/{case.name}"
                        yield Sided(key, f"{claim.id}/{case.name}", test.bound, case)


def _concrete(item: Case | Family) -> tuple[Case, ...]:
    if isinstance(item, Case):
        return (item,)
    lowest = {s.name: s.low for s in item.sizes}
    return tuple(item.at(**sizes) for sizes in (item.usual(), lowest)[: 1 if lowest == item.usual() else 2])


def rows_of(one: Sided) -> list[Row]:
    """Rows of a case as drawn now: the same for the same claim, case and space."""
    rng = stream(0, f"oracle/{one.drawn}")
    space = one.case.space
    cube = np.concatenate([space.corners(rng, _EACH), space.random(rng, _EACH)])
    with np.errstate(all="ignore"):
        drawn = space.decode(cube)
    found: list[Row] = []
    failed = 0
    for i in range(len(cube)):
        row = _row(one, space.rationalise(take(drawn, i), _LIMIT))
        failed += row is None
        found += [] if row is None else [row]
        if failed == _PATIENCE:
            break
    return found


def _row(one: Sided, instance: Instance, near: bool | None = None) -> Row | None:
    """What the case says at an instance; `near`: sides in units of 10⁻⁴⁴, if not given where something is enclosed."""
    if one.case.exact is None:
        return None
    try:
        with at_most_operations(_OPERATIONS), at_most_digits(_DIGITS):
            met, seen = one.case.exact.function(instance)
            near = any(f.__name__ in _ENCLOSED for f in one.case.exact.uses) if near is None else near
            left, right = _text(seen["lhs"], near), _text(one.bound.exact(seen), near)
    except ZeroDivisionError:
        met, left, right = {}, None, None
    except (DigitsError, OperationsError, InexactError, ArithmeticError, ValueError, IndexError, TypeError):
        return None
    floats = {k: np.asarray([_floats(v)]) for k, v in instance.items()}
    with np.errstate(all="ignore"):
        fast = one.case.measure(floats)
    admitted = bool(np.all(np.asarray(fast.get("admissible", True))))
    return Row(_plain(instance), left is not None and all(met.values()), admitted, left, right)


def _text(value: Any, near: bool = False) -> str:
    if near:
        return f"{_NEAR}{round(Fraction(value) * _UNITS)}"
    if isinstance(value, Exact) and not value.is_rational:
        return f"~{float(value):.12g}"
    number = value.fraction() if isinstance(value, Exact) else Fraction(value)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= 3 * _LONG:
        return str(number)
    return "#" + sha256(f"{number.numerator:x}/{number.denominator:x}".encode()).hexdigest()[:16]


def _floats(value: Any) -> Any:
    return [_floats(v) for v in value] if isinstance(value, list) else float(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else str(value)


def read(file: Path = FILE) -> dict[str, list[list[Any]]]:
    """The rows of every case by key."""
    with lzma.open(file, "rt", encoding="utf-8") as handle:
        found: dict[str, list[list[Any]]] = json.load(handle)
    return found


def compare(claims: Sequence[Claim], held: Mapping[str, list[list[Any]]], every: int = 1) -> Iterator[tuple[str, str]]:
    """(key, what differs) for every case of the claims that says something else at an instance that is held.

    What a case no longer draws is left out. What meets the hypotheses and was left to exact arithmetic, the fast side
    may resolve now. `every` 7: of a case's instances each seventh alone.

    Where «by how much it is missed» was compared with 0, the difference of the sides is what was held; −1 in place of
    0 there is a flag that is down. A case that was there must be there, but where a reading or mutant is now of a kind
    without cases: an identity, or another kind.
    """
    kinds = {f"{c.id}/{i.name}": i.test for c in claims for i in (*c.readings, *c.canaries)}
    now = {one.key: one for one in sided(claims)}
    there = _places(now)
    renamed = {
        old: new
        for place, keys in _places(held).items()
        if len(there.get(place, ())) == len(keys)
        for old, new in zip(keys, there[place], strict=True)
    }
    for claim in claims:
        for key, rows in held.items():
            if not key.startswith(f"{claim.id}/"):
                continue
            one = now.get(key) or now.get(renamed.get(key, ""))
            if one is not None:
                wrong = [(i, found) for i, row in enumerate(rows) if i % every == 0 and (found := _again(one, row))]
                if wrong:
                    yield key, f"row {wrong[0][0]}: {wrong[0][1]}, held {rows[wrong[0][0]][1:]}"
            elif isinstance(next((t for n, t in kinds.items() if key.startswith(f"{n}/")), None), Inequality | None):
                yield key, "no such case any more"


def _places(keys: Iterable[str]) -> dict[str, list[str]]:
    """The keys of each claim, statement and number, in order: the case may be called otherwise now."""
    places: dict[str, list[str]] = {}
    for key in keys:
        place = re.match(r".*?/\d+(?=/)", key)
        places.setdefault(place.group() if place else key, []).append(key)
    return places


def _again(one: Sided, row: list[Any]) -> list[Any] | None:
    """What the case says now at a held instance; None where it is the same."""
    drawn = {c.name for c in one.case.space.coordinates}
    gone = drawn - set(row[0])
    if gone:
        return [f"{', '.join(sorted(gone))} is drawn now"]
    near = str(row[3]).startswith(_NEAR)
    found = _row(one, {k: _fractions(v) for k, v in row[0].items() if k in drawn}, near)
    if found is None:
        return None if row[3] is None else ["no value any more"]
    new = found.plain()
    if not row[1]:
        if row[3] is None:  # a side without a value then may have one now where no hypothesis is met
            return None
        new[2] = min(new[2], row[2])  # what no hypothesis admits, the fast side need not either
        row = [*row[:2], new[2], *row[3:]]
    elif new[1] and new[2] > row[2]:  # what meets the hypotheses the fast side may resolve now
        row = [*row[:2], new[2], *row[3:]]
    if new[1:3] == row[1:3] and _same(new[3], row[3]) and _same(new[4], row[4]):
        return None
    if row[4] in {"0", f"{_NEAR}0"} and new[1:3] == row[1:3] and one.case.exact is not None:
        seen = one.case.exact.function({k: _fractions(v) for k, v in row[0].items() if k in drawn})[1]
        missed = exact_of(seen["lhs"]) - exact_of(one.bound.exact(seen))
        if row[3] == "-1" and missed == 0:  # a flag, ±1 then and 0 or 1 now
            return None
        return None if _same(_text(missed, near), row[3]) else [*new[1:3], _text(missed, near), row[4]]
    return new[1:]


def _same(now: str | None, held: str | None) -> bool:
    """Whether a side is what was held, to 10⁻⁴² where it is held in units of 10⁻⁴⁴."""
    if now is None or held is None or not held.startswith(_NEAR):
        return now == held
    return abs(int(now.removeprefix(_NEAR)) - int(held.removeprefix(_NEAR))) <= _APART


def exact_of(value: Any) -> Exact | Fraction:
    """A side as an exact number."""
    return value if isinstance(value, Exact) else Fraction(value)


def _fractions(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _fractions(v) for k, v in value.items()}
    return [_fractions(v) for v in value] if isinstance(value, list) else Fraction(value)


def main() -> None:
    """Write the file, or compare the code with it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    claims = [claim for _, claim in select(given.names)]
    if given.write:
        found: dict[str, list[list[Any]]] = {}
        for one in sided(claims):
            found[one.key] = [row.plain() for row in rows_of(one)]
            if len(found) % 500 == 0:
                print(f"{len(found)} cases, now {one.key}", flush=True)
        data = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
        FILE.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
        print(f"{len(found)} cases, {sum(map(len, found.values()))} rows, {FILE.stat().st_size / 2**20:.2f} MiB")
        return
    differing = list(compare(claims, read()))
    for key, what in differing:
        print(f"{key}: {what}")
    print(f"{len(differing)} cases differ")


if __name__ == "__main__":
    main()
