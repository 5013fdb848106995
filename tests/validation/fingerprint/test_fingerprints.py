"""Fingerprints of meaning: what makes a verdict stale, and what does not."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy as sp

from tests.committed import committed
from tests.turns import one_run_in
from validation.fingerprint import fingerprints
from validation.fingerprint.fingerprints import engine_digest, fingerprint, forms, judge_digest
from validation.fingerprint.library_values import library_name
from validation.fingerprint.meaning import Walk, meaning
from validation.fingerprint.normal_form import file_digest
from validation.judge.words.entry import reworded
from validation.papers.papers import select
from validation.statement.claim import Identity, Inequality, Relation
from validation.statement.forms.expectation import Expectation
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order
from validation.statement.notation import Quantity
from validation.statement.roles import roles_of

ROOT = Path(__file__).resolve().parents[3]

HELPER = '''
"""Helpers."""
LIMIT = 3
UNUSED = 1


def helper(x):
    """Doubles."""
    return 2 * x  # twice
'''
MODULE = '''
from dataclasses import dataclass
from enum import Enum
import HELPER as tools
from HELPER import helper


@dataclass(frozen=True)
class Scaled:
    """A factor."""

    factor: float = 2.0

    def apply(self, x: float) -> float:
        return self.factor * inner(x)


def inner(x):
    return x + tools.LIMIT


def outer(n: int):
    def use(x, y=1):
        return helper(x) + Scaled(n).apply(y)

    return use


class Level(Enum):
    LOW = 1

    @property
    def low(self):
        return self.value < 2


def judged(level):
    return Level(level).low


def lambdas():
    return [lambda x: x + 1, lambda x: x + 2]


def dynamic(name):
    return eval(name)


def lazily(x):
    from HELPER import helper as other

    return other(x)


def recursive(n):
    return 0 if n == 0 else other(n - 1)


def other(n):
    return recursive(n) - 1
'''
_NAMES = count()


def _forget() -> None:
    """Forget the digests that were kept."""
    for kept in (fingerprints._shared_digest, fingerprints._form_digest, fingerprints.engine_digest):
        kept.cache_clear()


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """Two modules from source, `MODULE` and what it imports, under fresh names each time."""
    loaded: list[str] = []
    monkeypatch.syspath_prepend(str(tmp_path))

    def build(module: str = MODULE, helper: str = HELPER) -> ModuleType:
        number = next(_NAMES)
        names = (f"meant_helper_{number}", f"meant_{number}")
        for name, source in zip(names, (helper, module.replace("HELPER", names[0])), strict=True):
            (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()
        loaded.extend(names)
        return importlib.import_module(names[1])

    yield build
    for name in loaded:
        sys.modules.pop(name, None)


def of(module: ModuleType, name: str, *args: Any) -> str:
    value = getattr(module, name)
    return meaning(value(*args) if args else value)


def test_words_and_places_do_not_count(built: Callable[..., ModuleType]) -> None:
    plain = built()
    other = built(
        MODULE.replace('"""A factor."""', '"""Something else."""').replace("n: int", "n: 'a number'")
        + "\n# a comment\n",
        HELPER.replace("Doubles", "Twice").replace("# twice", "# two times").replace("UNUSED = 1", "UNUSED = 2"),
    )
    for name, args in (("outer", (2,)), ("Scaled", ()), ("inner", ()), ("lazily", ()), ("recursive", ())):
        assert of(plain, name, *args) == of(other, name, *args), name


@pytest.mark.parametrize(
    ("name", "args", "old", "new", "where"),
    [
        ("outer", (2,), "2 * x", "3 * x", "helper"),
        ("outer", (2,), "x + tools.LIMIT", "x - tools.LIMIT", "module"),
        ("outer", (2,), "LIMIT = 3", "LIMIT = 4", "helper"),
        ("outer", (2,), "y=1", "y=2", "module"),
        ("outer", (2,), "self.factor * inner(x)", "self.factor + inner(x)", "module"),
        ("Scaled", (), "factor: float = 2.0", "factor: float = 2.5", "module"),
        ("Scaled", (), "frozen=True", "frozen=True, eq=False", "module"),
        ("judged", (), "value < 2", "value <= 2", "module"),
        ("judged", (), "LOW = 1", "LOW = 0", "module"),
        ("inner", (), "LIMIT = 3", "LIMIT = 3.0", "helper"),
        ("lambdas", (), "x + 2", "x + 3", "module"),
        ("lazily", (), "2 * x", "x * 2", "helper"),
        ("recursive", (), "recursive(n) - 1", "recursive(n) - 2", "module"),
        ("dynamic", (), "recursive(n) - 1", "recursive(n) - 2", "module"),
    ],
)
def test_what_a_function_reaches_counts(
    built: Callable[..., ModuleType], name: str, args: tuple[Any, ...], old: str, new: str, where: str
) -> None:
    sources = {"module": MODULE, "helper": HELPER}
    assert old in sources[where]
    changed = {**sources, where: sources[where].replace(old, new)}
    assert of(built(**sources), name, *args) != of(built(**changed), name, *args)


def test_what_it_holds_counts(built: Callable[..., ModuleType]) -> None:
    module = built()
    assert of(module, "outer", 2) == of(module, "outer", 2)
    assert of(module, "outer", 2) != of(module, "outer", 3)
    one, two = module.lambdas()
    assert meaning(one) != meaning(two)  # on one line
    assert meaning(partial(one, 1)) != meaning(partial(one, 2))


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Said:
    value: float
    says: str


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, 1.0),
        (True, 1),
        ("1", 1),
        ((1, 2), (2, 1)),
        ((1, (2,)), ((1, 2),)),
        (np.zeros(3), np.zeros(4)),
        (np.zeros(2), -np.zeros(2)),
        (np.float64(1), np.float32(1)),
        (Colour.RED, Colour.BLUE),
        (Said(1.0, "a"), Said(2.0, "a")),
        (sp.Symbol("x") + 1, sp.Symbol("x") - 1),
        (sp.Symbol("x", positive=True), sp.Symbol("x")),
        (sp.Symbol("x") ** 2, 2 ** sp.Symbol("x")),
        ({1, 2}, {1, 3}),
        ({"a": 1}, {"a": 2}),
        (np.exp, np.log),
        (int, float),
    ],
)
def test_values_are_told_apart(one: Any, two: Any) -> None:
    assert meaning(one) == meaning(one)
    assert meaning(one) != meaning(two)


def test_the_folder_of_installation_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    from validation.fingerprint import meaning as module

    found = []
    for root in ("/one/place", "/another"):
        monkeypatch.setattr(module, "_ROOT", root)
        found.append(meaning(f"{root}/theory/exact"))
    assert found[0] == found[1] != meaning("/theory")


def test_orders_without_meaning_do_not_count() -> None:
    x, y = sp.symbols("x y")
    assert meaning(sp.Add(x, y, evaluate=False)) == meaning(sp.Add(y, x, evaluate=False))
    assert meaning({"a": 1, "b": 2}) == meaning({"b": 2, "a": 1})
    assert Walk({Said: {"says"}}).digest(Said(1.0, "a")) == Walk({Said: {"says"}}).digest(Said(1.0, "b"))


def test_what_people_read_is_mended_without_a_check() -> None:
    ((paper, claim),) = select(["EA-S2"])
    mended = replace(claim, title="Another title", verdict="Other words.")
    mended = replace(mended, readings=tuple(replace(r, name=f"{r.name}, named anew") for r in claim.readings))
    assert fingerprint(paper, mended) == fingerprint(paper, claim)
    entry = next(e for e in committed(paper) if e.id == claim.id)
    shown = reworded(entry, mended, roles_of(mended))
    assert [r.name for r in shown.readings] == [r.name for r in mended.readings]
    assert (shown.title, shown.words, shown.verdict) == ("Another title", "Other words.", entry.verdict)


def test_what_is_tested_counts() -> None:
    ((paper, claim),), ((_, other),) = select(["EA-S2"]), select(["EA-L1"])
    assert fingerprint(paper, claim) != fingerprint(paper, other)
    renamed = replace(
        claim,
        readings=tuple(replace(r, name=r.name + "!") for r in claim.readings),
        mutants=tuple(replace(m, name=m.name + "!") for m in claim.mutants),
    )
    assert fingerprint(paper, claim) == fingerprint(paper, renamed)
    assert fingerprint(paper, claim) != fingerprint(paper, replace(claim, readings=claim.readings[:1]))


def test_a_relation_depends_on_its_cells_alone() -> None:
    ((paper, claim),) = select(["EA-P2"])
    (reading, *_) = claim.readings
    assert isinstance(reading.test, Relation)
    found = reading.test.comparisons()
    first = found[0]
    name, cell = next(iter(first.cells.items()))
    changed = replace(first, cells={**first.cells, name: replace(cell, value=cell.value + "1")})

    def altered(cells: Any) -> Any:
        test = replace(reading.test, comparisons=lambda: cells)
        return replace(claim, readings=(replace(reading, test=test), *claim.readings[1:]))

    assert fingerprint(paper, altered(found)) == fingerprint(paper, claim)
    assert fingerprint(paper, altered((changed, *found[1:]))) != fingerprint(paper, claim)


def test_what_pickling_leaves_on_a_class_does_not_count() -> None:
    import copyreg

    from validation.verdict.engine import Unit

    before = judge_digest()
    copyreg._slotnames(Unit)  # type: ignore[attr-defined]  # as pickle does with the first instance it writes
    assert "__slotnames__" in vars(Unit)
    _forget()
    assert judge_digest() == before


def test_the_search_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from validation.search import points

    before = judge_digest(), engine_digest()
    monkeypatch.setattr(points, "_MIXED", 7)
    _forget()
    try:
        assert judge_digest() == before[0]
        assert engine_digest() != before[1]
    finally:
        monkeypatch.undo()
        _forget()


@pytest.mark.parametrize(("name", "decides"), [("inequalities.unexercised", True), ("words.verdict.combine", False)])
def test_the_judge_decides_and_words_are_computed_from_what_it_decided(
    name: str, decides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = judge_digest()
    monkeypatch.setattr(f"validation.judge.{name}", lambda *_: None)
    _forget()
    try:
        assert (judge_digest() != before) is decides
    finally:
        monkeypatch.undo()
        _forget()


def test_the_words_for_a_letter_do_not_count() -> None:
    letter = Quantity("theta", r"\theta", "the bound of A5", (0, 0))
    words = Walk(fingerprints._WORDS).digest(letter)
    assert Walk(fingerprints._WORDS).digest(replace(letter, says="another gloss")) == words
    assert Walk(fingerprints._WORDS).digest(replace(letter, units=(1, 0))) != words


# A change of what judges one form, and the forms whose statements it can touch.
_TOUCHED = [
    ("gram._entries", {VectorInequality}),
    ("orders.judge_order", {Order}),
    ("relations.judge_relation", {Relation}),
    ("identities.judge_identity", {Identity}),
    ("sampling.replicas.stream", {Expectation}),
    ("inequalities.unexercised", {Inequality, Expectation, "study"}),
    ("repairs.followup.symmetries", {Inequality}),
    ("exact.certify.certify", {Inequality, Expectation, "study"}),
]


@pytest.mark.parametrize(("name", "touched"), _TOUCHED)
def test_a_verdict_depends_on_what_judges_its_form_and_on_nothing_else(
    name: str, touched: set[type | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: tuple[type | str, ...] = tuple(fingerprints._MARKS)
    before = {form: judge_digest([form]) for form in kinds}
    monkeypatch.setattr(f"validation.judge.{name}", lambda *_, **__: None)
    _forget()
    try:
        assert {form for form in kinds if judge_digest([form]) != before[form]} == touched
    finally:
        monkeypatch.undo()
        _forget()


def test_every_form_of_a_claim_of_ours_has_its_judge() -> None:
    pairs = select([])
    found = {form for _, claim in pairs for form in forms(claim)}
    assert {Identity, Inequality, Order, Relation, VectorInequality, "study", "worst case"} <= found
    assert found <= set(fingerprints._MARKS)


def test_what_judges_one_form_alone_is_called_where_forms_are_told_apart_and_nowhere_else() -> None:
    """Else a digest that leaves it out would miss a change of it."""
    files = {".".join(f.relative_to(ROOT).with_suffix("").parts): f for f in (ROOT / "validation").rglob("*.py")}
    forms_of = set(fingerprints._MARKS.values())
    own = {name for name, file in files.items() if _mark(file) in forms_of}
    asked = {"validation.judge.run", "validation.verdict.engine"}  # by form
    apart = {  # reached through the functions of a form only, or by no verdict
        *own, "validation.fingerprint.fingerprints", "validation.verdict.testing", "validation.judge.sampling.replicas",
        "validation.proof.classes.over_vectors", "validation.statement.claim", "validation.verdict.mistakes",
        "validation.world.claims", "validation.world.variants", "validation.papers.met", "validation.study.witnesses",
        "validation.study.at_instance", "validation.papers.named", "validation.papers.find_witnesses",
        "validation.verdict.units",
    }  # fmt: skip
    assert len(own) == 12
    for module, file in files.items():
        if file.name == "__init__.py" or module in asked | apart:
            continue
        named = {n.module for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.ImportFrom)}
        assert not named & own, module
    for module in asked:
        tree = ast.parse(files[module].read_text(encoding="utf-8"))
        taken = {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module in own for a in n.names}
        judges = {f.__name__ for form in fingerprints._MARKS for f in fingerprints._judges(form)}
        assert taken <= judges | {"Order", "VectorInequality", "Expectation"}, module


def _mark(file: Path) -> str:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__judges__":
            return str(ast.literal_eval(node.value))
    return ""


def test_marks_say_what_is_known_and_a_module_without_one_is_shared_by_all() -> None:
    marks = {_mark(file) for file in (ROOT / "validation").rglob("*.py")}
    assert marks == {"", "no", "search", *fingerprints._MARKS.values()}
    assert fingerprints.mark_of("validation.judge.exact.certify") == ""
    assert fingerprints.mark_of("validation.judge.words.verdict") == "no"


def digests(**settings: str) -> dict[str, str]:
    """Fingerprints of four claims, as a process of its own with other settings in its environment finds them."""
    program = (
        "import json; "
        "from validation.papers.papers import select; from validation.fingerprint.fingerprints import fingerprint;"
        "print(json.dumps({c.id: fingerprint(p, c) for p, c in select(['SSA-E14', 'RA-Q1', 'EA-T1', 'FA-ST2.3'])}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **settings}, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@one_run_in(3)
def test_neither_the_order_of_sets_nor_what_the_processor_can_do_counts() -> None:
    """NumPy's powers, exponentials and logarithms differ in the last bit between processors."""
    core = importlib.import_module("numpy._core._multiarray_umath")
    plain = digests(PYTHONHASHSEED="1", NPY_DISABLE_CPU_FEATURES=" ".join(core.__cpu_dispatch__))
    assert digests(PYTHONHASHSEED="0") == plain


def test_where_a_module_imports_from_and_in_which_order_does_not_count(tmp_path: Path) -> None:
    texts = (
        "import numpy as np\nfrom a.b import c, d\nx = c(d)\n",
        "from z import d\nfrom a import c\nimport numpy as np\nx = c(d)\n",
        "from z import d\nfrom a import e as c\nimport numpy as np\nx = c(d)\n",
    )
    found = []
    for position, text in enumerate(texts):
        (tmp_path / f"{position}.py").write_text(text, encoding="utf-8")
        found.append(file_digest(str(tmp_path / f"{position}.py")))
    assert found[0] == found[1] != found[2]


def test_a_function_that_sympy_makes_by_name_counts_by_its_name() -> None:
    assert meaning(sp.Function("f")) == meaning(sp.Function("f")) != meaning(sp.Function("g"))


class Pair(NamedTuple):
    left: int
    right: int = 2


def test_what_this_python_makes_of_source_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    x = sp.Symbol("x")
    written = sp.lambdify(x, x + 1)
    assert meaning(written) == meaning(sp.lambdify(x, x + 1)) != meaning(sp.lambdify(x, x + 2))
    tokens: set[str] = set()
    put = Walk.put

    def listening(walk: Walk, *words: str) -> None:
        tokens.update(words)
        put(walk, *words)

    monkeypatch.setattr(Walk, "put", listening)
    meaning(written, Said(1.0, "a"), Pair(1))
    made = [written, Said.__init__, Pair.__new__, getattr(Said.__repr__, "__wrapped__")]  # noqa: B009
    codes = {code.co_code.hex() for code in (f.__code__ for f in made)}
    assert len(codes) == 4
    assert len(tokens) > 10
    assert not codes & tokens
    assert "written at run time" in tokens
    monkeypatch.undo()
    assert meaning(Pair(1)) != meaning(Pair(1, 3))


def test_private_modules_of_libraries_do_not_count() -> None:
    assert library_name("pathlib._local", "Path") == library_name("pathlib", "Path") == "library pathlib.Path"
    assert library_name("_collections", "deque") == library_name("collections", "deque")
    assert library_name("scipy.linalg") != library_name("scipy.stats")


def test_nothing_a_fingerprint_is_made_of_names_a_place_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: set[str] = set()
    put = Walk.put

    def listening(walk: Walk, *words: str) -> None:
        tokens.update(words)
        put(walk, *words)

    monkeypatch.setattr(Walk, "put", listening)
    _forget()
    try:
        fingerprints.judge_digest()
    finally:
        _forget()
    places = (sys.prefix, sys.base_prefix, str(Path(fingerprints.__file__).parent.parent), "site-packages")
    assert len(tokens) > 1000
    assert [word for word in tokens if any(place in word for place in places)] == []


_CHANGING = {"append", "extend", "add", "update", "setdefault", "pop"}


def _written(tree: ast.Module) -> Iterator[str]:
    """Names of a module whose dict, list or set its functions change."""
    made = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
    held = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, made):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            held |= {t.id for t in targets if isinstance(t, ast.Name)}
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)):
        for node in ast.walk(function):
            stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
            called = isinstance(node, ast.Attribute) and node.attr in _CHANGING
            if (stored or called) and isinstance(node.value, ast.Name) and node.value.id in held:
                yield node.value.id


def test_no_function_of_theory_or_of_a_paper_changes_what_its_module_holds() -> None:
    """What a module holds is part of a fingerprint: one that grew with use would make every verdict look stale."""
    sources = [f for room in ("theory", "paper_checks") for f in (ROOT / room).rglob("*.py")]
    found = {str(f): sorted(set(_written(ast.parse(f.read_text("utf-8"))))) for f in sources}
    assert {f: names for f, names in found.items() if names} == {}
    assert list(_written(ast.parse("A = {}\ndef f(k):\n    A[k] = 1\n"))) == ["A"]
