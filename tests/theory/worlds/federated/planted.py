"""Planted slips: one operator of a text changed, or one meaning changed in both, and what then turns red."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tests.theory.worlds.federated import test_letters_by_hand as by_hand
from tests.theory.worlds.federated.drawing import instance, settings
from theory.worlds.federated import catalogue, exact_run, fast_run
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import Options, refusal
from validation.statement.instances.draw import stack

__all__ = ["agree", "changed", "operators", "with_text"]

CLOSE = 1e-7
_TURNED: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}


def _loaded(module: ModuleType, tree: ast.AST) -> dict[str, Any]:
    made = ModuleType(module.__name__)
    sys.modules["planted"] = made
    made.__dict__["__name__"] = "planted"
    exec(compile(ast.fix_missing_locations(tree), module.__file__ or "planted", "exec"), made.__dict__)  # type: ignore[arg-type]
    return made.__dict__


def operators(module: ModuleType) -> int:
    """How many operators of arithmetic a module's functions have."""
    return len(_places(ast.parse(inspect.getsource(module))))


def _places(tree: ast.Module) -> list[ast.BinOp]:
    of = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    found = [n for node in of for n in ast.walk(node) if isinstance(n, ast.BinOp) and type(n.op) in _TURNED]
    return [
        n
        for n in found
        if not isinstance(n.left, ast.Constant | ast.JoinedStr) or isinstance(n.left.value, int | float)
    ]


def changed(module: ModuleType, at: int) -> tuple[str, dict[str, Any]]:
    """The module with its operator number `at` changed: the line, and its names."""
    tree = ast.parse(inspect.getsource(module))
    place = _places(tree)[at]
    words = f"{place.lineno}: {ast.unparse(place)}"
    place.op = _TURNED[type(place.op)]()
    return words, _loaded(module, tree)


def with_text(module: ModuleType, old: str, new: str) -> dict[str, Any]:
    """The module with a passage of its source changed. Raises `ValueError` for one that is not there."""
    source = inspect.getsource(module)
    if old not in source:
        raise ValueError(f"{module.__name__}: no {old!r}")
    return _loaded(module, ast.parse(source.replace(old, new)))


def _sample() -> Iterator[tuple[Options, dict[str, Any]]]:
    rng = np.random.default_rng(5)
    for N, d, E, R in ((2, 2, 3, 2), (3, 1, 2, 3), (3, 2, 1, 2)):
        known = settings(E, R)
        chosen = known[N::59] + [one for one in known if one.control][:6]
        chosen += [one for one in known if one.weights == "seen"][:3]
        for i, options in enumerate(chosen):
            x = instance(rng, N, d, options)
            yield options, {**x, "begin": x["begin"] * (i % 2)}


SAMPLE = tuple(_sample())


def agree(
    fast: Callable[..., Any] = fast_run.fast_run,
    exact: Callable[..., Any] = exact_run.exact_run,
    letters: tuple[Letter, ...] = tuple(catalogue.CATALOGUE.values()),
    *,
    hand: bool = True,
) -> bool:
    """Whether two texts agree on the sample, and with what was computed by hand."""
    try:
        with np.errstate(all="ignore"):
            return all(_alike(fast, exact, letters, *one) for one in SAMPLE) and (
                not hand or _hand(fast, exact, letters)
            )
    except (ArithmeticError, AssertionError, AttributeError, IndexError, TypeError, ValueError):
        return False


def _alike(fast: Any, exact: Any, letters: tuple[Letter, ...], options: Options, x: dict[str, Any]) -> bool:
    known = [one for one in letters if not refusal(one.needs, options)]
    runs = fast(stack([x]), options, within=catalogue.within(known, options))
    _, wanted = exact(x, letters=[one.exact for one in known], **options.chosen)
    for one in known:
        found = float(np.broadcast_to(one.fast(runs), (1,))[0])
        value = float(wanted[one.name])
        if np.isnan(found) != (value == 0 and np.isnan(found)):
            return False
        if not np.isnan(found) and not abs(found - value) <= CLOSE * max(abs(value), 1e-3):
            return False
    return True


def _hand(fast: Any, exact: Any, letters: tuple[Letter, ...]) -> bool:
    for options, x, wanted in (
        (by_hand.NOISY, by_hand.AT_NOISY, by_hand.BY_HAND_NOISY),
        (by_hand.QUIET, by_hand.AT_QUIET, by_hand.BY_HAND_QUIET),
        (by_hand.UNEVEN, by_hand.AT_UNEVEN, by_hand.BY_HAND_UNEVEN),
    ):
        known = [one for one in letters if one.name in wanted]
        _, found = exact(x, letters=[one.exact for one in known], **options.chosen)
        runs = fast(stack([x]), options, within=catalogue.within(known, options))
        for one in known:
            value = float(np.broadcast_to(one.fast(runs), (1,))[0])
            if found[one.name] != wanted[one.name] or abs(value - float(wanted[one.name])) > CLOSE:
                return False
    return True
