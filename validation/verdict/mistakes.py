"""What somebody asks us to check, looked at first: a mistake names the claim, the quantity and the cure."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import numpy as np
import sympy as sp

from theory.exact.errors import InexactError, raising_line
from validation.cost.limits import Limits, NoAnswerError, contained, within
from validation.statement.bound import Bound
from validation.statement.claim import Claim, Test
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality
from validation.statement.instances.draw import Instance, Space, take
from validation.statement.letters import letters_of
from validation.verdict.declared import first_broken

__all__ = ["MistakeError", "look_at"]

_EXAMPLE = "such as Inequality(Bound(2 * L * gap), (case,)), or le(left, right) as what a claim says"
_PROBE = 8
_POWER = 100
_GLANCE = Limits(recheck_seconds=1.0, digits=1000)  # of an exact side that is asked for its form alone
_KEPT = frozenset({"lhs", "magnitude", "admissible", "resolved", "sizes"})  # what a measure says beside its letters
_ALSO = frozenset({"common", "member", "trivial"})
_ALIKE = 0.8  # of two names, as `difflib` tells it: one of them is a slip of the other
_ONE_FOR_MANY = ("truth value of an array", "0-dimensional arrays", "length-1 arrays", "size-1 arrays")


class MistakeError(ValueError):
    """A statement that cannot be checked as it is written, with what to write instead."""


def look_at(statement: object, name: str = "statement") -> None:
    """Raise `MistakeError` for a statement that cannot be checked as it is written: claims, readings and tests alike.

    Looked at: the kinds of things, and on eight drawn instances whether a case (of a family the usual one) measures a
    left side and every quantity of the bound, one value an instance, a number somewhere, and the same when asked twice,
    and nothing that looks like a misspelt `admissible` or such;
    and whether every formula of a statement, hypotheses too, can be worked out in exact numbers, with letters that
    stand for nothing else; and whether a case's exact side gives hypotheses and quantities, if it answers at a glance;
    and whether every letter keeps what is declared of it on corners and a few random draws.
    What a measure raises of itself is left to whoever runs it, but for code that takes one number where many are given.
    """
    asked: set[object] = set()
    if isinstance(statement, Claim):
        for reading in statement.readings:
            _test(reading.test, f"{statement.id} ({reading.name})", asked)
        for mutant in statement.mutants:
            _test(mutant.test, f"{statement.id} (mutant {mutant.name})", asked)
        return
    _test(statement, name, asked)


def _test(test: object, name: str, asked: set[object]) -> None:
    if not isinstance(test, get_args(Test)):
        kind = type(test).__name__
        if isinstance(test, bool | np.bool_) or kind in {"BooleanTrue", "BooleanFalse"}:
            raise MistakeError(f"{name}: is {test}: Python worked the comparison out; expected a statement, {_EXAMPLE}")
        if hasattr(test, "rel_op"):
            raise MistakeError(f"{name}: {test} is a sympy relation; expected a statement, {_EXAMPLE}")
        raise MistakeError(f"{name}: is a {kind}; expected a statement, {_EXAMPLE}")
    if isinstance(test, Inequality):
        _inequality(test, name, asked)
    if isinstance(test, VectorInequality):
        _vectors(test, name)


def _vectors(test: VectorInequality, name: str) -> None:
    """Refuse a parameter that may be below 0 where its letter may not."""
    ends = {parameter.name: parameter.low for parameter in test.domain.parameters}
    for letter in letters_of(test.lhs, test.rhs, *test.domain.where):
        low = ends.get(letter.name, 0)
        if low < 0 and letter.broken_exactly(Fraction(low)):
            raise MistakeError(f"{name}: {letter.words(Fraction(low))}")


def _inequality(test: Inequality, name: str, asked: set[object]) -> None:
    bounds = [test.bound] if test.known is None else [test.bound, test.known]
    for bound in bounds:
        if not isinstance(bound, Bound):
            raise MistakeError(f"{name}: the bound is a {type(bound).__name__}; expected Bound(…) of a formula")
        if not hasattr(bound.expression, "free_symbols"):
            given = f"Bound({bound.expression!r})"
            cure = 'sympy.Rational("1/2") for a number, symbols("L gap") for letters'
            raise MistakeError(f"{name}: {given} is a {type(bound.expression).__name__}; expected a formula: {cure}")
    if not isinstance(test.cases, tuple | list):
        raise MistakeError(f"{name}: cases={type(test.cases).__name__}; expected a tuple, such as (case,)")
    wanted = {n for bound in bounds for n in bound.names}
    formulas = {test.bound.expression: test.bound}
    for case in test.cases:
        if isinstance(case, Family):
            usual = _usual(case, name)
            _case(usual, wanted, f"{name}, family {case.name!r}")
        elif isinstance(case, Case):
            usual = case
            _case(case, wanted, f"{name}, case {case.name!r}")
        else:
            raise MistakeError(f"{name}: a case is a {type(case).__name__}; expected Case(…) or Family(…)")
        formulas |= {formula.expression: formula for formula in _formulas(usual)}
        if usual.exact is not None and _code(usual.exact) not in asked:
            asked.add(_code(usual.exact))
            _exactly(usual, usual.exact, f"{name}, case {usual.name!r}")
        broken = first_broken(test.bound, usual)
        if broken:
            raise MistakeError(f"{name}, case {usual.name!r}: {broken}")
    for formula in formulas.values():
        _sayable(formula, name)


def _formulas(case: Case) -> list[Bound]:
    """The sides and hypotheses that a case of a world carries as formulas; none where it is written by hand."""
    made = None if case.exact is None else case.exact.function
    conditions = [side for said in getattr(made, "hypotheses", ()) for side in said.sides]
    defined = [formula for _, formula in getattr(made, "defined", ())]
    sides = [f for f in (getattr(made, "left", None), getattr(made, "below", None)) if f is not None]
    return [*sides, *defined, *conditions]


def _sayable(formula: Bound, name: str) -> None:
    """Refuse a formula whose value has no exact version, as that of cos(x) or 0.6 x, and letters that are taken."""
    taken = sorted(letter for letter in formula.names if letter in _KEPT or letter.startswith("_"))
    if taken:
        raise MistakeError(
            f"{name}: a formula has the letter {taken[0]!r}; call it otherwise: names that begin with _ and"
            f" {', '.join(sorted(_KEPT))} have a meaning of their own in what is measured"
        )
    powers = sp.sympify(formula.expression).atoms(sp.Pow)
    if any(abs(power.exp) > _POWER for power in powers if power.exp.is_number):
        return  # long to work out; told where it is searched, within limits
    try:
        formula.exact({letter: Fraction(k + 3, 2) for k, letter in enumerate(formula.names)})
    except InexactError as error:
        raise MistakeError(f"{name}: in {formula.expression}: {str(error).removeprefix('Bound: ')}") from None
    except Exception:  # no value at these numbers
        return


def _plain(check: ExactCheck) -> ExactCheck:
    """The exact side that a person wrote: below a statement's formulas that of the world."""
    inner = getattr(check.function, "plain", None)
    return inner if isinstance(inner, ExactCheck) else check


def _code(check: ExactCheck) -> object:
    """What tells exact sides apart by their text, whatever sizes are chosen and values held."""
    function: object = _plain(check).function
    function = getattr(function, "func", function)
    return getattr(function, "__code__", type(function))


def _exactly(case: Case, check: ExactCheck, name: str) -> None:
    """Refuse an exact side that gives anything but (hypotheses, quantities); what takes long or raises stays untold."""
    drawn = take(case.space.decode(case.space.random(np.random.default_rng(0), 1)), 0)
    with within(_GLANCE), contained(partial(_form, _plain(check))) as form:
        try:
            given = form(case.space.rationalise(drawn, 1))
        except NoAnswerError:
            return
    if given:
        expected = '({"the hypothesis in words": True or False, …}, {"x": …}), both by name'
        raise MistakeError(f"{name}: its exact side gives {given}; expected {expected}")


def _form(check: ExactCheck, instance: Mapping[str, Any]) -> str:
    """What an exact side gives instead of hypotheses and quantities; '' where it gives these."""
    given: object = check.function(instance)
    if not isinstance(given, tuple):
        return f"a {type(given).__name__}"
    if len(given) == 2 and all(isinstance(part, Mapping) for part in given):
        return ""
    return f"a tuple of {', '.join(type(part).__name__ for part in given) or 'nothing'}"


def _usual(family: Family, name: str) -> Case:
    """The case of a family at its usual sizes."""
    sizes = family.usual()
    try:
        inspect.signature(family.at).bind(**sizes)
    except TypeError as error:
        takes = ", ".join(sizes)
        raise MistakeError(
            f"{name}, family {family.name!r}: {error}; expected a function of its sizes by name, def at(*, {takes})"
        ) from None
    case: object = family.at(**sizes)
    if not isinstance(case, Case):
        kind = type(case).__name__
        raise MistakeError(f"{name}, family {family.name!r}: at({sizes}) gave a {kind}; expected a Case")
    return case


def _case(case: Case, wanted: set[str], name: str) -> None:
    if not isinstance(case.space, Space):
        raise MistakeError(f"{name}: space is a {type(case.space).__name__}; expected Space((LogScale(…), …))")
    drawn = case.space.decode(case.space.random(np.random.default_rng(0), _PROBE))
    before = {key: np.array(value) for key, value in drawn.items()}
    observe = getattr(case.measure, "observe", None)  # of a world, whose measure adds both sides
    if observe is not None:
        _observed(observe, drawn, wanted.union({"admissible", "magnitude", "resolved"}, _letters(case)), name)
    try:
        with np.errstate(all="ignore"):
            found: Any = case.measure(drawn)
    except KeyError as error:
        known = ", ".join(sorted(drawn))
        raise MistakeError(f"{name}: the measure asks for {error}, which is not drawn; drawn are {known}") from error
    except (TypeError, ValueError) as error:
        if not any(words in str(error) for words in _ONE_FOR_MANY):
            return
        cure = "a measure works on many instances at once: np.where(…) for if, np.sqrt(…) for math.sqrt(…)"
        raise MistakeError(f"{name}: the measure raised {error}{raising_line(error)}; {cure}") from error
    except Exception:  # its own fault, told with its line where it is run
        return
    changed = sorted(key for key, value in before.items() if not _same(value, drawn[key]))
    if changed:
        cure = f"write y = 2 * y for y *= 2 of what it is given, or begin with x[{changed[0]!r}].copy()"
        raise MistakeError(f"{name}: the measure changes {changed[0]!r}, which it is given; {cure}")
    if not isinstance(found, Mapping):
        kind = type(found).__name__
        raise MistakeError(f'{name}: the measure returned a {kind}; expected a dict such as {{"lhs": …, "L": …}}')
    _spelt(found, wanted | _letters(case) | set(drawn), name)
    if "lhs" not in found:
        raise MistakeError(f'{name}: no left side; expected "lhs" among what the measure returns ({_list(found)})')
    missing = sorted(wanted - set(found))
    if missing:
        cure = f'add "{missing[0]}": … to what the measure returns ({_list(found)}), or take it out of the bound'
        raise MistakeError(f"{name}: the bound has {', '.join(missing)}, which the measure does not return; {cure}")
    for quantity in sorted({"lhs", *wanted}):
        shape = np.shape(found[quantity])
        if shape != (_PROBE,):
            cure = "one value an instance, such as x['c'] ** 2 or .sum(axis=1)"
            given = "one number" if shape == () else f"shape {shape}"
            raise MistakeError(f"{name}: {quantity!r} is {given} for {_PROBE} instances; expected {cure}")
        values = np.asarray(found[quantity])
        if np.iscomplexobj(values):
            raise MistakeError(f"{name}: {quantity!r} is measured as complex numbers; expected real ones")
        if np.issubdtype(values.dtype, np.floating) and not np.isfinite(values).any() and "admissible" not in found:
            raise MistakeError(
                f"{name}: {quantity!r} is {values[0]} on all {_PROBE} drawn instances; expected finite numbers"
            )
    with np.errstate(all="ignore"):
        again = case.measure(drawn)
    if not all(_same(found[quantity], again[quantity]) for quantity in {"lhs", *wanted}):
        cure = "draw what is random as a coordinate of the space, or enumerate its outcomes"
        raise MistakeError(f"{name}: the measure gives other numbers when it is asked again; {cure}")


def _letters(case: Case) -> set[str]:
    """The letters of the formulas that a case of a world carries."""
    return {letter for formula in _formulas(case) for letter in formula.names}


def _spelt(found: Mapping[str, object], known: set[str], name: str) -> None:
    """Refuse what a measure returns under a name that nobody reads, and that is nearly one with a meaning."""
    meant = _KEPT | _ALSO
    for key in found:
        if not isinstance(key, str) or key in known or key in meant or key.startswith("_"):
            continue
        near = difflib.get_close_matches(key.lower(), sorted(meant), 1, _ALIKE)
        slip = bool(near) and near[0][0] == key[0].lower()  # «remember» is no «member»
        if slip and (near[0] != "sizes" or isinstance(found[key], Mapping)):
            raise MistakeError(f"{name}: the measure returns {key!r}, which nothing reads; did you mean {near[0]!r}?")


def _observed(observe: Callable[[Instance], object], drawn: Instance, read: set[str], name: str) -> None:
    """What a case of a world observes: a mapping; of what is `read`, real numbers, one an instance or one for all."""
    try:
        with np.errstate(all="ignore"):
            found = observe(drawn)
    except Exception:  # told where the whole measure is asked
        return
    if not isinstance(found, Mapping):
        kind = type(found).__name__
        raise MistakeError(f'{name}: what is observed is a {kind}; expected a dict such as {{"x": …, "L": …}}')
    for quantity in (name for name in found if name in read):
        values = found[quantity]
        if np.iscomplexobj(values):
            raise MistakeError(f"{name}: {quantity!r} is observed as complex numbers; expected real ones")
        if np.shape(values) not in {(), (1,), (_PROBE,)}:
            expected = "one value an instance, such as x['c'] ** 2 or .sum(axis=1)"
            shape = np.shape(values)
            raise MistakeError(f"{name}: {quantity!r} has shape {shape} for {_PROBE} instances; expected {expected}")


def _same(found: object, again: object) -> bool:
    """Whether a quantity asked for twice was the same."""
    values = np.asarray(found)
    return np.array_equal(values, np.asarray(again), equal_nan=bool(np.issubdtype(values.dtype, np.inexact)))


def _list(found: Mapping[str, object]) -> str:
    return ", ".join(map(str, found)) or "nothing"
