"""What a fingerprint forgives, and that nothing which decides is missing from it: one case for each kind."""

from __future__ import annotations

import functools
import importlib
import os
import py_compile
import sys
import threading
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import scipy.sparse as sparse
import sympy as sp

from theory.exact.number import Exact
from validation.fingerprint import kept, normal_form, source
from validation.fingerprint.meaning import meaning
from validation.fingerprint.source import UnreadableError

_NAMES = count()
Loader = Callable[..., ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loader]:
    """A module from source, under a fresh name each time."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    loaded: list[str] = []

    def made(text: str, name: str = "") -> ModuleType:
        name = name or f"of_a_paper_{next(_NAMES)}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        loaded.append(name)
        return importlib.import_module(name)

    yield made
    for name in loaded:
        sys.modules.pop(name, None)


TEXT = '''
import math
from enum import Enum


class Sum:
    """A sum."""

    def __init__(self, first):
        self.first = first

    def more(self, x):
        return self.first + _half(x)


class Side(Enum):
    LEFT = 1
    RIGHT = 2


def _half(x):
    return x / 2


def _other(x):
    return x * 2


def side(x, *, at=1):
    """A docstring."""
    total = 0
    for step in range(at):
        try:
            total += _half(x) + math.sqrt(step)
        except ValueError as problem:
            raise TypeError(f"no root of {step}, at {_other(at)}") from problem
    if not isinstance(total, float):
        raise ValueError("not a float: " + str(total))
    assert total >= 0, "negative"
    inner = lambda y: y + total
    return Sum(inner(total)).more(Side.LEFT.value)
'''


@pytest.mark.parametrize(
    "changes",
    [
        [("_half", "_a_half_of")],
        [("Sum", "Total"), ("A sum", "A total")],
        [("Side", "Which")],
        [("total", "zzz"), ("step", "aaa")],
        [("problem", "error")],
        [("inner", "b_inner")],
        [("no root of {step}, at {_other(at)}", "{step} has no root"), ("not a float: ", "no float, but ")],
        [("negative", "below zero")],
        [('"""A docstring."""', '"""Another."""'), ("total = 0\n", "total = 0  # at first\n")],
        [("import math\nfrom enum import Enum", "from enum import Enum\nimport math as m"), ("math.", "m.")],
        [("y: y + total", "y: y + total"), ("def _other(x):\n    return x * 2\n\n\n", "")],
    ],
)
def test_names_and_words_do_not_count(load: Loader, changes: list[tuple[str, str]]) -> None:
    other = TEXT
    for old, new in changes:
        assert old in other or old == new
        other = other.replace(old, new)
    assert meaning(load(TEXT).side) == meaning(load(other).side)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x / 2", "x / 3"),
        ("LEFT = 1", "LEFT = 3"),
        ("LEFT.value", "RIGHT.value"),
        ("self.first + _half(x)", "_half(x) + self.first"),
        ("total += _half(x)", "total -= _half(x)"),
        ("_half(x) + math", "_other(x) + math"),
        ("inner(total)", "inner(x)"),
        ("math.sqrt", "math.exp"),
        ("at=1", "at=2"),
        ("raise TypeError", "raise LookupError"),
        ("except ValueError", "except KeyError"),
        ("total >= 0", "total > 0"),
        ("isinstance(total, float)", "isinstance(total, int)"),
    ],
)
def test_what_is_computed_counts(load: Loader, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert meaning(load(TEXT).side) != meaning(load(TEXT.replace(old, new)).side)


def test_the_order_of_imports_inside_a_function_does_not_count(load: Loader) -> None:
    text = "def f(x):\n    from math import exp, log\n    from json import dumps\n    return log(exp(x)), dumps(x)\n"
    other = "def f(x):\n    from json import dumps as d\n    from math import log\n    from math import exp\n"
    other += "    return log(exp(x)), d(x)\n"
    assert meaning(load(text).f) == meaning(load(other).f)
    assert meaning(load(text).f) != meaning(load(text.replace("log(exp(x))", "exp(log(x))")).f)
    assert meaning(load(text).f) != meaning(load(text.replace("exp, log", "exp, sqrt as log")).f)


def test_two_names_that_change_places_count(load: Loader) -> None:
    text = "def a(x):\n    return x + 1\ndef b(x):\n    return x + 2\ndef f(x):\n    return a(x) - b(x)\n"
    assert meaning(load(text).f) != meaning(load(text.replace("a(x) - b(x)", "b(x) - a(x)")).f)
    swapped = "def f(x):\n    u = x + 1\n    v = x + 2\n    return u - v\n"
    assert meaning(load(swapped).f) != meaning(load(swapped.replace("u - v", "v - u")).f)


def test_words_of_an_error_count_where_somebody_reads_them(load: Loader) -> None:
    text = """
def g(x):
    raise ValueError("left")
def f(x):
    try:
        g(x)
    except ValueError as error:
        return str(error) == "left"
"""
    assert meaning(load(text).f) != meaning(load(text.replace('ValueError("left")', 'ValueError("right")')).f)


def vectorized(c: float) -> Any:
    def inner(x: float) -> float:
        return x + c

    return np.vectorize(inner)


def hung(c: float) -> Any:
    def inner(x: float) -> float:
        return x

    inner.limit = c  # type: ignore[attr-defined]
    return inner


def by_type(c: float) -> Any:
    @functools.singledispatch
    def inner(x: object) -> float:
        return 0.0

    @inner.register
    def _(x: int) -> float:
        return x + c

    return inner


class Slotted:
    __slots__ = ("__hidden", "limit")

    def __init__(self, limit: float) -> None:
        self.limit, self.__hidden = 0.5, limit


class Table(dict[str, float]):
    limit: float


class Row(list[float]):
    limit: float


class Real(float):
    limit: float


class Vector(np.ndarray):  # type: ignore[type-arg]
    limit: float


class Ratio(Fraction):
    pass


def with_limit(item: Any, c: float) -> Any:
    item.limit = c
    return item


def implemented(c: float) -> Any:
    from sympy.utilities.lambdify import implemented_function

    return implemented_function("f", lambda x: x + c)(sp.Symbol("x"))


def tensor(c: float) -> Any:
    torch = pytest.importorskip("torch")
    return torch.tensor([[1.0, c]], dtype=torch.float64)


def module_state(c: float) -> Any:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(1, 1)
    torch.nn.init.constant_(layer.weight, c)
    torch.nn.init.constant_(layer.bias, 0.0)
    return layer


KINDS: dict[str, Callable[[float], Any]] = {
    "mutable matrix of sympy": lambda c: sp.Matrix([[1, c]]),
    "immutable matrix of sympy": lambda c: sp.ImmutableMatrix([[1, c]]),
    "array of sympy": lambda c: sp.MutableDenseNDimArray([1, c]),
    "function put into an expression": implemented,
    "slots": Slotted,
    "attribute of a function": hung,
    "np.vectorize": vectorized,
    "tensor": tensor,
    "layer": module_state,
    "sparse matrix": lambda c: sparse.csr_matrix(np.array([[0.0, c], [1.0, 0.0]])),
    "sparse matrix in another form": lambda c: sparse.coo_array(np.array([[0.0, c], [1.0, 0.0]])),
    "flint rationals": lambda c: flint.fmpq_mat(1, 2, [flint.fmpq(1), flint.fmpq(int(10 * c), 10)]),
    "flint polynomial": lambda c: flint.fmpq_poly([1, flint.fmpq(int(10 * c), 10)]),
    "flint ball": flint.arb,
    "flint matrix of balls": lambda c: flint.arb_mat(1, 2, [1, c]),
    "mpmath matrix": lambda c: mpmath.matrix([[1, c]]),
    "mpmath number": mpmath.mpf,
    "singledispatch": by_type,
    "memoryview": lambda c: memoryview(np.array([1.0, c]).tobytes()),
    "bytearray": lambda c: bytearray([1, int(10 * c)]),
    "array": lambda c: array("d", [1.0, c]),
    "deque": lambda c: deque([1.0, c]),
    "range": lambda c: range(int(10 * c)),
    "slice": lambda c: slice(0, int(10 * c)),
    "ordered mapping": lambda c: OrderedDict(a=c),
    "subclass of dict": lambda c: with_limit(Table(), c),
    "subclass of list": lambda c: with_limit(Row(), c),
    "subclass of float": lambda c: with_limit(Real(1.0), c),
    "subclass of float by its value": Real,
    "subclass of ndarray": lambda c: with_limit(np.zeros(2).view(Vector), c),
    "subclass of a class in C": Ratio,
    "exact number": lambda c: Exact(Fraction(c)),
    "random numbers": lambda c: np.random.default_rng(int(10 * c)),
    "masked array": lambda c: np.ma.masked_array([1.0, 2.0], mask=[c > 1, False]),
    "array of objects": lambda c: np.array([Fraction(c), "a"], dtype=object),
    "partial": lambda c: functools.partial(hung, c),
    "method of an instance": lambda c: Fraction(c).limit_denominator,
    "method in C": lambda c: [c].count,
    "cached function": lambda c: functools.lru_cache(hung(c)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_that_changes_is_seen(kind: str) -> None:
    made = KINDS[kind]
    assert meaning(made(0.5)) == meaning(made(0.5))
    assert meaning(made(0.5)) != meaning(made(3.0))


def test_the_precision_that_a_paper_computes_with_counts() -> None:
    before, precision = meaning(flint.ctx), flint.ctx.prec
    flint.ctx.prec = 200
    try:
        assert meaning(flint.ctx) != before
    finally:
        flint.ctx.prec = precision
    assert meaning(flint.ctx) == before


@pytest.mark.parametrize(
    "item",
    [
        np.frompyfunc(lambda x: x + 1, 1, 1),
        (n for n in range(3)),
        iter([1, 2]),
        threading.local(),
    ],
    ids=["frompyfunc", "generator", "iterator", "local"],
)
def test_what_cannot_be_read_has_no_digest_and_is_named(item: Any) -> None:
    name = type(item).__qualname__
    with pytest.raises(UnreadableError, match=name):
        meaning({"a": item})
    assert meaning(threading.Lock()) == meaning(threading.RLock())  # holds nothing


def test_functions_of_numpy_go_by_their_names() -> None:
    assert meaning(np.add) == meaning(np.add) != meaning(np.multiply)


def test_a_file_that_is_read_counts_by_its_content(load: Loader, tmp_path: Path) -> None:
    data = tmp_path / "limit.txt"
    text = "from pathlib import Path\ndef f(x):\n"
    text += "    return x * float((Path(__file__).parent / 'limit.txt').read_text())\n"
    found = []
    for content in ("0.5", "3"):
        data.write_text(content)
        found.append(meaning(load(text).f))
    assert found[0] != found[1]
    data.write_text("0.5")
    assert meaning(load(text).f) == found[0]
    unknown = text.replace("'limit.txt'", "str(x)")
    with pytest.raises(UnreadableError, match="a file whose name only a run knows, held by of_a_paper_"):
        meaning(load(unknown).f)


def test_a_path_counts_by_the_content_of_its_file(load: Loader, tmp_path: Path) -> None:
    data = tmp_path / "limit.txt"
    text = "import numpy as np\nfrom pathlib import Path\nDATA = Path(__file__).parent / 'limit.txt'\n"
    text += "def f(x):\n    return np.loadtxt(DATA) * x\n"
    data.write_text("0.5")
    one = meaning(load(text).f)
    data.write_text("3")
    assert meaning(load(text).f) != one


@pytest.mark.parametrize(
    "read", ["os.environ['LIMIT_OF_X']", "os.environ.get('LIMIT_OF_X')", "os.getenv('LIMIT_OF_X', '1')"]
)
def test_a_setting_of_the_environment_that_is_read_counts(
    load: Loader, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    text = f"import os\ndef f(x):\n    return x <= float({read})\n"
    found = []
    for value in ("0.5", "3"):
        monkeypatch.setenv("LIMIT_OF_X", value)
        found.append(meaning(load(text).f))
    assert found[0] != found[1]
    with pytest.raises(UnreadableError, match="environment"):
        meaning(load(text.replace("'LIMIT_OF_X'", "str(x)")).f)


def test_what_is_put_into_a_library_or_among_the_builtins_counts(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    one = load("def f(x):\n    return limited(x)\ndef g(x):\n    return x + 1\n")
    two = load("def g(x):\n    return x + 2\n")
    found = []
    for put in (one.g, two.g):
        monkeypatch.setattr("builtins.limited", put, raising=False)
        found.append(meaning(one.f))
    assert found[0] != found[1]
    uses = load("import math\ndef f(x):\n    return math.floor(x)\n")
    plain = meaning(uses.f)
    monkeypatch.setattr("math.floor", two.g)
    assert meaning(uses.f) != plain


def test_values_of_a_metaclass_and_of_a_default_in_slots_count(load: Loader) -> None:
    text = """
from dataclasses import dataclass
class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args) * 1
@dataclass(frozen=True, slots=True)
class Point:
    limit: float = 0.5
class Made(metaclass=Meta):
    pass
"""
    plain = load(text)
    assert meaning(plain.Made) != meaning(load(text.replace("* 1", "* 2")).Made)
    assert meaning(plain.Point) != meaning(load(text.replace("0.5", "3")).Point)


def test_code_that_outlived_its_source_has_no_digest(load: Loader, tmp_path: Path) -> None:
    """A compiled file of the same size and second as a source that was changed since is what Python runs."""
    text = "def f(x):\n    return x <= 1\n"
    module = load(text, "outlived")
    assert meaning(module.f) == meaning(module.f)
    file = tmp_path / "outlived.py"
    py_compile.compile(str(file))
    held = file.stat()
    file.write_text(text.replace("1", "3"))
    os.utime(file, ns=(held.st_atime_ns, held.st_mtime_ns))
    del sys.modules["outlived"]
    importlib.invalidate_caches()
    again = importlib.import_module("outlived")
    assert again.f(2) is False  # the code before the change
    # What another process begins with.
    source._sources.clear()
    for remembered in (source._compiled, kept._bytes_digest, normal_form._tree, normal_form._functions):
        remembered.cache_clear()
    with pytest.raises(UnreadableError, match="not that of"):
        meaning(again.f)


def test_check_names_what_makes_a_verdict_unfit_for_reuse(tmp_path: Path) -> None:
    from dataclasses import replace

    from validation.job.job import check_claims, is_current
    from validation.ledger.notices import LedgerWarning
    from validation.papers.papers import select

    ((paper, claim),) = select(["EA-S2"])
    held = np.frompyfunc(lambda x: x + 1, 1, 1)

    def measure(instances: Any) -> Any:
        return held and dict(instances)

    test: Any = claim.readings[0].test
    odd = replace(test, cases=tuple(replace(case, measure=measure) for case in test.cases))
    changed = replace(claim, readings=(replace(claim.readings[0], test=odd), *claim.readings[1:]))
    with pytest.warns(LedgerWarning, match=r"EA-S2: its verdict is never reused, .* a numpy\.ufunc, held by"):
        entry = next(check_claims([(paper, changed)], budget=100, seed=0))
    assert entry.fingerprint is None
    assert not is_current(entry, paper, changed)
