"""The compiled operations of `Quick` are those of its Python text: results, errors, and how many were counted."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import theory.exact.compiled
from theory.exact.compiled import compiled
from theory.exact.quick import Quick

SOURCE = Path(theory.exact.compiled.__file__).with_name("quick.c")

CHILD = """
import hashlib, json, operator, random
from fractions import Fraction
from theory.exact import at_most_digits, at_most_operations
from theory.exact.compiled import compiled
from theory.exact.quick import Quick
from theory.exact.budget import DigitsError, OperationsError

rng, said = random.Random(7), []
OPERATIONS = [getattr(operator, n) for n in ("add", "sub", "mul", "truediv", "lt", "le", "eq", "ne", "gt", "ge")]
class Own(Quick):
    pass

def number():
    bits = rng.choice((1, 3, 8, 30, 62, 63, 64, 65, 128, 250, 255, 256, 257, 600, 2000))
    top, bottom = rng.getrandbits(bits) * rng.choice((-1, 1)), rng.getrandbits(rng.choice((1, bits))) + 1
    kind = rng.choice("QQQQQQifbFO")
    if kind == "i":
        return top
    if kind == "f":
        return top / bottom if bits < 900 else 0.5
    if kind == "b":
        return bool(top)
    return {"Q": Quick, "F": Fraction, "O": Own}[kind](top, bottom)

def ended(function, *given):
    try:
        found = function(*given)
    except (ArithmeticError, TypeError) as error:
        return type(error).__name__, str(error)
    return type(found).__name__, found

for _ in range(150):
    with at_most_digits(rng.choice((300, 4000))), at_most_operations(rng.choice((7, 20, 60.5, 1e9))) as count:
        pool = [number() for _ in range(6)]
        for _ in range(40):
            function, one, two = rng.choice(OPERATIONS), rng.choice(pool), rng.choice(pool)
            if rng.random() < 0.2:
                function, two = operator.pow, rng.choice((0, 1, 2, 3, -2, 40, 10**12, 2**70, True, Fraction(2), 0.5))
                one = one if isinstance(one, Quick) else Quick(one)
            kind, found = ended(function, one, two)
            said.append([kind, repr(found), count.done])
            if kind == "Quick":
                pool[rng.randrange(6)] = found
            elif kind in ("OperationsError", "DigitsError"):
                break
        said.append([count.done, repr(sorted(str(x) for x in pool))])
with at_most_digits(300):  # known beforehand: the second would fill the memory
    said += [[repr(ended(operator.pow, Quick(1, 2), 900))], [repr(ended(operator.pow, Quick(3), 2**31 - 1))]]
for function in OPERATIONS:
    said.append([*map(repr, ended(function, Quick(1, 3), Quick(2, 3)))])  # nothing is counted here
kinds = sorted({row[0] for row in said if isinstance(row[0], str)})
print(json.dumps([compiled() is not None, len(said), kinds, hashlib.sha256(repr(said).encode()).hexdigest()]))
"""


def in_a_process(kernels: str) -> list[Any]:
    environment = {**os.environ, "FEDVERDICT_KERNELS": kernels}
    command = [sys.executable, "-c", CHILD]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert run.returncode == 0, run.stderr
    found: list[Any] = json.loads(run.stdout)
    return found


@pytest.fixture
def built() -> Any:
    if compiled() is None:
        pytest.skip("no C compiler at installation, or FEDVERDICT_KERNELS=0")
    return compiled()


@pytest.mark.usefixtures("built")
def test_results_errors_and_counts_are_those_of_the_python_text() -> None:
    compiled_ones, plain = in_a_process("1"), in_a_process("0")
    assert (compiled_ones[0], plain[0]) == (True, False)
    assert set(plain[2]) >= {"DigitsError", "OperationsError", "Quick", "ZeroDivisionError", "bool", "float"}
    assert compiled_ones[1:] == plain[1:]


def test_methods_take_two_numbers_and_know_their_names(built: Any) -> None:
    with pytest.raises(TypeError, match="two numbers"):
        Quick.__add__(Quick(1))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="expected add"):
        built.operation("pow", False, None)
    with pytest.raises(ValueError, match="expected lt"):
        built.comparison("is", None)
    with pytest.raises(TypeError, match="a class and its member"):
        built.bind(Quick, None, None, None, None, None, 1)
    assert Quick(1).__add__(Quick(1)) == 2
    assert list(map(Quick(1, 2).__add__, [Quick(1), 1])) == [Quick(3, 2), Quick(3, 2)]


def test_a_module_of_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch, built: Any) -> None:
    monkeypatch.setattr(theory.exact.compiled, "_VERSION", 10**6)
    assert compiled.__wrapped__() is None
    monkeypatch.setattr(theory.exact.compiled, "_VERSION", built.VERSION)
    assert compiled.__wrapped__() is built
    monkeypatch.setenv("FEDVERDICT_KERNELS", "0")
    assert compiled.__wrapped__() is None


def test_the_version_changes_with_the_source() -> None:
    """Raise `_VERSION` in compiled.py and `VERSION` in quick.c together, then put the new digest here."""
    digest = hashlib.sha256(SOURCE.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    assert (theory.exact.compiled._VERSION, digest) == (1, "c93f45b1bd861484")
