"""What every case of every claim says at a few instances, exactly: what a rewritten claim has to say again.

    python -m tests.paper_checks.oracle --write     # made from the code as it is
    python -m tests.paper_checks.oracle             # compares the code with the file

For each case of each reading and mutant, families at their usual and at their lowest sizes, ten corners and ten random
draws: the instance in small fractions, whether its hypotheses are met, whether the fast side admits it, and both sides
as text (the SHA-256 of what is long). A case whose exact side takes too long at an instance has none there.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
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
from validation.bound import Bound
from validation.claim import Case, Claim, Family, Inequality, Property
from validation.draw import take
from validation.papers import select

__all__ = ["FILE", "Row", "Sided", "compare", "read", "rows_of", "sided"]

FILE = Path(__file__).with_name("oracle.json.xz")
_EACH = 10  # corners, and as many random draws
_LIMIT = 12  # denominators of an instance
_LONG = 48  # characters of a side that are kept
_OPERATIONS = 20_000
_DIGITS = 2_000
_PATIENCE = 3  # instances too long to compute, after which a case is left as it is

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
    """The rows of a case: the same for the same claim, case and space."""
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


def _row(one: Sided, instance: Instance) -> Row | None:
    if one.case.exact is None:
        return None
    try:
        with at_most_operations(_OPERATIONS), at_most_digits(_DIGITS):
            met, seen = one.case.exact.function(instance)
            left, right = _text(seen["lhs"]), _text(one.bound.exact(seen))
    except ZeroDivisionError:
        met, left, right = {}, None, None
    except (DigitsError, OperationsError, InexactError, ArithmeticError, ValueError, IndexError, TypeError):
        return None
    floats = {k: np.asarray([_floats(v)]) for k, v in instance.items()}
    with np.errstate(all="ignore"):
        fast = one.case.measure(floats)
    admitted = bool(np.all(np.asarray(fast.get("admissible", True))))
    return Row(_plain(instance), left is not None and all(met.values()), admitted, left, right)


def _text(value: Any) -> str:
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


def compare(claims: Sequence[Claim], held: Mapping[str, list[list[Any]]]) -> Iterator[tuple[str, str]]:
    """(key, what differs) for every case of the claims whose rows are not those that are held."""
    for one in sided(claims):
        if one.key not in held:
            yield one.key, "not held"
            continue
        now = [row.plain() for row in rows_of(one)]
        wrong = [i for i, (a, b) in enumerate(zip(now, held[one.key], strict=False)) if a != b]
        if len(now) != len(held[one.key]):
            yield one.key, f"{len(now)} rows, {len(held[one.key])} held"
        elif wrong:
            yield one.key, f"row {wrong[0]}: {now[wrong[0]][1:]}, held {held[one.key][wrong[0]][1:]}"


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
