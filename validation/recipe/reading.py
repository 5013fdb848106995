"""Recipes as TOML files: `recipes/*.toml` in a paper's folder. Nothing in them is run; a mistake names file and key.

shows = "Figure 2"
statements = [{ claim = "RA-X7b", measure = "final(test_accuracy)", arm = "FedAvg", above = ["FedSoftWorse"] }]

[run]                                  # words of `fedverdict run` that all arms share
dataset = "fashion-mnist"

[arms]
FedAvg = { rule = "proportional" }     # judged_on = "uniform": one of the targets of a run that has several

[open."local epochs"]
why = "E is not printed"
options = { "8" = { n_local_epochs = 8 }, "1" = { n_local_epochs = 1 } }   # the first is the default

[[cells]]
table = "r60_pure"
measure = "reached(test_accuracy, 0.6)"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from theory.base.toml import parsed
from validation.recipe.measure import check_measure
from validation.recipe.recipe import Arm, Cells, Open, Recipe, Source, Statement, Words, check_looks

__all__ = ["read_recipe"]

_LARGEST = 2**17  # bytes
_TOP = {f.name for f in fields(Recipe)} - {"id"}
_STATEMENT = {"claim", "measure", "arm", "above", "below", "gain_over", "margin", "most", "looks"}


def read_recipe(path: Path, paper: str) -> Recipe:
    """The recipe in a TOML file; its id is "paper.stem".

    Raises `ValueError` naming file and key: no TOML, an unknown key (with the nearest ones), a value of a wrong type,
    an unknown measure.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ValueError(f"more than {_LARGEST:,} bytes")
        document = parsed(content.decode("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read as TOML: {error}") from error
    _known(path, "top level", document, _TOP)
    if not isinstance(document.get("shows"), str):
        raise ValueError(f"{path}: shows = {document.get('shows')!r}: expected the table or figure, as printed")
    try:
        made = Recipe(
            id=f"{paper}.{path.stem}",
            shows=document["shows"],
            run=_words(path, "[run]", document.get("run", {})),
            arms=tuple(_arm(path, n, w) for n, w in _table(path, document, "arms").items()),
            open=tuple(_open(path, n, o) for n, o in _table(path, document, "open").items()),
            cells=tuple(_cells(path, row) for row in _rows(path, document, "cells")),
            statements=tuple(_statement(path, row) for row in _rows(path, document, "statements")),
            protocol=_texts(path, "[protocol]", document.get("protocol", {})),
            series=tuple(document.get("series", ("test_accuracy",))),
            tuning=_words(path, "[tuning]", document.get("tuning", {})),
            plan=_plan(path, document.get("plan", [])),
            combined=tuple(_texts(path, "combined", row) for row in _rows(path, document, "combined")),
            **{k: document[k] for k in ("seeds", "looks", "owned", "incomplete", "unsettled", "note") if k in document},
        )
    except TypeError as error:
        raise ValueError(f"{path}: {error}") from error
    for measure in (*made.measures, *(f"final({s})" for s in made.series)):
        try:
            check_measure(measure)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    return made


def _known(path: Path, where: str, given: Mapping[str, Any], known: set[str]) -> None:
    for key in given:
        if key not in known:
            near = get_close_matches(key, known, n=3, cutoff=0.4) or sorted(known)
            raise ValueError(f"{path}: {where}: unknown key {key!r}; expected {', '.join(near)}")


def _table(path: Path, document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
        raise ValueError(f"{path}: [{key}]: expected a table of tables")
    return found


def _rows(path: Path, document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ValueError(f"{path}: {key}: expected an array of tables")
    return found


def _plan(path: Path, given: object) -> tuple[int, ...]:
    if not isinstance(given, list) or any(isinstance(n, bool) or not isinstance(n, int) for n in given):
        raise ValueError(f"{path}: plan = {given!r}: expected a list of numbers of seeds, such as [5, 10, 20]")
    return tuple(given)


def _words(path: Path, where: str, given: object) -> Words:
    if not isinstance(given, dict):
        raise ValueError(f"{path}: {where} = {given!r}: expected a table of words of a run")
    for key, value in given.items():
        if not isinstance(value, str | int | float | bool):
            raise ValueError(f"{path}: {where} {key} = {value!r}: expected text, a number, true or false")
    return given


def _arm(path: Path, name: str, given: Mapping[str, Any]) -> Arm:
    judged_on = given.get("judged_on", "")
    if not isinstance(judged_on, str):
        raise ValueError(f"{path}: [arms] {name}: judged_on = {judged_on!r}: expected one of its targets")
    words = {key: value for key, value in given.items() if key != "judged_on"}
    return Arm(name, _words(path, f"[arms] {name}", words), judged_on)


def _texts(path: Path, where: str, given: object) -> Mapping[str, str]:
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ValueError(f"{path}: {where}: expected a table of texts")
    return given


def _open(path: Path, name: str, given: Mapping[str, Any]) -> Open:
    where = f"[open.{name!r}]"
    _known(path, where, given, {f.name for f in fields(Open)} - {"name"})
    options = given.get("options", {})
    if not isinstance(given.get("why"), str) or not given["why"].strip():
        raise ValueError(f"{path}: {where}: no why; expected what the paper leaves open")
    if given.get("source", "ours") not in get_args(Source):
        raise ValueError(
            f"{path}: {where}: source = {given['source']!r}: expected one of {', '.join(get_args(Source))}"
        )
    if not isinstance(options, dict) or not options:
        raise ValueError(f"{path}: {where}: options = {options!r}: expected a table of options, the default first")
    read = {option: _words(path, f"{where} {option}", words) for option, words in options.items()}
    arms = given.get("arms", [])
    if not isinstance(arms, list) or not all(isinstance(arm, str) for arm in arms):
        raise ValueError(f"{path}: {where}: arms = {arms!r}: expected a list of methods")
    excluded = given.get("excluded", [])
    if not isinstance(excluded, list) or not all(isinstance(option, str) for option in excluded):
        raise ValueError(f"{path}: {where}: excluded = {excluded!r}: expected a list of options")
    source = given.get("source", "ours")
    grid, readings = (bool(given.get(key, False)) for key in ("grid", "readings"))
    of_arms = {
        option: {arm: _words(path, f"{where} of_arms {option} {arm}", words) for arm, words in by_arm.items()}
        for option, by_arm in _table(path, given, "of_arms").items()
    }
    looks = _by_option(path, given, where, "looks")
    return Open(name, given["why"], read, source, grid, tuple(arms), of_arms, tuple(excluded), readings, looks)


def _by_option(path: Path, given: Mapping[str, Any], where: str, key: str) -> Mapping[str, Any]:
    found = given.get(key, {})
    if not isinstance(found, dict):
        raise ValueError(f"{path}: {where}: {key} = {found!r}: expected a table by option")
    return found


def _cells(path: Path, given: Mapping[str, Any]) -> Cells:
    _known(path, "[[cells]]", given, {f.name for f in fields(Cells)})
    for key, kind in (("table", str), ("measure", str)):
        if not isinstance(given.get(key), kind):
            raise ValueError(f"{path}: [[cells]] {key} = {given.get(key)!r}: expected text")
    _texts(path, "[[cells]] where", given.get("where", {}))
    for arm, row in _table(path, given, "rows").items():
        _texts(path, f"[[cells]] rows.{arm}", row)
    claimed = given.get("claimed", [])
    pairs = isinstance(claimed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in claimed)
    if not pairs or not all(isinstance(name, str) for pair in claimed for name in pair):
        raise ValueError(f"{path}: [[cells]] claimed = {claimed!r}: expected pairs of arms, the better one first")
    if not isinstance(given.get("sentence", ""), str):
        raise ValueError(f"{path}: [[cells]] sentence = {given['sentence']!r}: expected the paper's words")
    return Cells(**{**given, "claimed": tuple((first, second) for first, second in claimed)})


def _statement(path: Path, given: Mapping[str, Any]) -> Statement:
    looks = given.get("looks", 0)
    if "looks" in given:
        check_looks(f"{path}: statement {given.get('claim')!r}: looks", looks)
    return replace(_compared(path, given), looks=looks)


def _compared(path: Path, given: Mapping[str, Any]) -> Statement:
    where = f"statement {given.get('claim')!r}"
    _known(path, where, given, _STATEMENT)
    sides = [side for side in ("above", "below") if side in given]
    if len(sides) != 1 or not all(isinstance(given.get(key), str) for key in ("claim", "measure", "arm")):
        raise ValueError(f"{path}: {where}: expected claim, measure and arm, and one of above and below")
    side = given[sides[0]]
    is_: Any = sides[0]
    if isinstance(side, str):
        return Statement(given["claim"], given["measure"], given["arm"], is_, against=side)
    if isinstance(side, list) and side and all(isinstance(name, str) for name in side):
        gain = _texts(path, f"{where} gain_over", given.get("gain_over", {}))
        margin = given.get("margin", 0.0)
        if isinstance(margin, bool) or not isinstance(margin, int | float) or not margin >= 0:
            raise ValueError(f"{path}: {where}: margin = {margin!r}: expected a number >= 0")
        most = given.get("most", False)
        if not isinstance(most, bool):
            raise ValueError(f"{path}: {where}: most = {most!r}: expected true or false")
        claim, measure, arm, than = given["claim"], given["measure"], given["arm"], tuple(side)
        return Statement(claim, measure, arm, is_, than, gain_over=gain, margin=float(margin), most=most)
    if isinstance(side, int | float) and not isinstance(side, bool):
        return Statement(given["claim"], given["measure"], given["arm"], is_, bound=float(side))
    raise ValueError(f"{path}: {where}: {is_} = {side!r}: expected a list of arms, another measure, or a number")
