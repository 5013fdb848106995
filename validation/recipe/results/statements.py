"""What a paper's prose says of runs, judged by paired differences over seeds and by all that the print leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from validation.recipe.looks import PLAN, two_sided
from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.results.by_seed import Status, demonstrated, searched
from validation.recipe.results.options import Found, states_of
from validation.recipe.results.paired import Paired, differences_of, looks_of
from validation.recipe.results.tables import claims_apart
from validation.recipe.shelf import Shelf
from validation.recipe.statistics.calculus import LEDGER_OF, Direction, Ledger, Overall, State, conjunction, overall
from validation.recipe.statistics.contrast import direction_of, direction_p, stated
from validation.recipe.statistics.family import Line, over_sentences
from validation.recipe.statistics.intervals import Mean, mean_of

__all__ = ["Difference", "StatementRow", "lines_of", "statement_rows", "statement_status", "statements_of"]

_Own: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Difference:
    """`arm` minus `than` (or minus a number) in a measure, over `n` paired seeds.

    `p`: counts its looks, adjusted among all sentences of its recipe (`over_sentences`). `without`: of how many
    seeds a run ended without a value, since it diverged or never reached what is counted: these decide nothing.
    """

    than: str
    mean: Mean | None
    n: int
    p: float | None
    direction: Direction
    without: int = 0


@dataclass(frozen=True)
class StatementRow:
    """What the prose says, the differences it comes to, and what is known over open choices.

    `status`: a word of the calculus, or why there is none; `verdict`: that of the ledger. `options`: the state of each
    option that is left open, `spread` the same in words, with those that the print itself excludes.
    """

    claim: str
    recipe: str
    says: str
    status: Status
    verdict: Ledger
    differences: tuple[Difference, ...]
    spread: tuple[str, ...]
    note: str
    options: Mapping[str, State] = field(default_factory=dict)


def statement_rows(shelf: Shelf) -> list[StatementRow]:
    """What the prose says, recipe by recipe, with paired differences over seeds, adjusted sentence by sentence."""
    results, recipes = shelf.read(), shelf.recipes()
    others = claims_apart(shelf.folder / "recipes" / "tables.toml")
    said = []
    for recipe in recipes:
        elsewhere = lines_of((r for r in recipes if r.id != recipe.id), (o.claim for o in others))
        said += statements_of(recipe, results, elsewhere=elsewhere)
    return [*said, *(StatementRow(o.claim, "", o.why, o.status, "needs-run", (), (), o.why) for o in others)]


def lines_of(recipes: Iterable[Recipe], apart: Iterable[str]) -> Mapping[str, int]:
    """By claim: how many parts of it other recipes are asked, or wait for data: they count as chances to refute it."""
    found: dict[str, int] = {}
    for claim in (*(said.claim for recipe in recipes for said in recipe.statements), *apart):
        found[claim] = found.get(claim, 0) + 1
    return found


def statements_of(
    recipe: Recipe,
    results: Mapping[str, Result],
    under: Mapping[str, str] = MappingProxyType({}),
    elsewhere: Mapping[str, int] = MappingProxyType({}),
) -> list[StatementRow]:
    """As `statement_rows`, of one recipe and results by configuration.

    `under`: an option of an open choice that is taken as a reading: its runs alone are compared, among themselves, and
    what that choice's other options say does not count against it. `elsewhere`: parts of its claims in other places.
    """
    adjusted = _adjusted(recipe, results, under, elsewhere)
    rows = []
    for i, said in enumerate(recipe.statements):
        found = differences_of(recipe, said, under, results)
        differences = tuple(_difference(said, name, d, adjusted[i, name]) for name, d in found.items())
        rows.append(_row(recipe, said, results, under, differences))
    return rows


def _difference(said: Statement, name: str, d: Paired, p: float | None) -> Difference:
    mean = mean_of(d.values) if d.of else None
    direction = direction_of(d.values, _sign(said), p) if d.of else "unresolved"
    return Difference(name, mean, len(d.of), p, direction, len(d.without))


def _row(
    recipe: Recipe,
    said: Statement,
    results: Mapping[str, Result],
    under: Mapping[str, str],
    differences: tuple[Difference, ...],
) -> StatementRow:
    state = _state(said, differences)
    options, beside, least = _options(recipe, said, results, under)
    spread = (*beside, *(f"{d.than}: {d.without} seeds without a value" for d in differences if d.without))
    told = Overall("unresolved") if state == "not exercised" else overall(state, options)  # type: ignore[arg-type]
    status: Status = told.word
    if recipe.unsettled and status != "unresolved":
        status, told = "unresolved", Overall("unresolved")
    if recipe.unsettled:
        spread = (*spread, recipe.unsettled)
    if state == "not exercised":
        runs = (said.arm, *said.than)
        small = all(demonstrated(recipe, arm, results) for arm in runs)
        status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
    elif told.why:
        spread = (told.why, *spread)
    seeds = min((d.n for d in differences if d.direction == "unresolved"), default=least)
    more = (
        told.open
        or bool(recipe.unsettled)
        or (status == "unresolved" and min(seeds, least) < (recipe.plan or PLAN)[-1])
    )
    verdict = "needs-run" if state == "not exercised" else LEDGER_OF[told.word, more]
    note = recipe.owned or recipe.unsettled or recipe.incomplete
    return StatementRow(said.claim, recipe.id, _in_words(said), status, verdict, differences, spread, note, options)


def _sign(said: Statement) -> int:
    return 1 if said.is_ == "above" else -1


def _state(said: Statement, differences: Sequence[Difference]) -> State:
    """Reproduced when every difference has the stated sign beyond chance, opposite when one has the other sign.

    Said of most: reproduced when more than half have it, opposite when at least half have the other. A single
    difference against it is enough, even where others were not run: false and anything is false.
    """
    n = len(differences)
    as_said, against = (sum(d.direction == word for d in differences) for word in ("same", "opposite"))
    if 2 * against >= n if said.most else against:
        return "opposite"
    if 2 * as_said > n if said.most else as_said == n:
        return "reproduced"
    return "not exercised" if any(d.mean is None for d in differences) else "unresolved"


def _options(
    recipe: Recipe, said: Statement, results: Mapping[str, Result], under: Mapping[str, str]
) -> tuple[dict[str, State], tuple[str, ...], int]:
    """The state of each option that is left open, all that were run in words, and the least seeds of one undecided.

    Words under an option count its looks and are not adjusted among sentences: a word needs them all.
    """
    default, least = _least_of(said, differences_of(recipe, said, under, results)), (recipe.plan or PLAN)[-1]

    def find(choice: Mapping[str, str]) -> Found:
        nonlocal least
        looks, found = looks_of(recipe, choice, said.looks), differences_of(recipe, said, choice, results)
        each = [_difference(said, name, d, _worth(recipe, d, looks)) for name, d in found.items()]
        state = _state(said, each)
        least = min([least, *(d.n for d in each)]) if state == "unresolved" else least
        moved = _least_of(said, found)
        return Found(state, None if moved is None or default is None else moved - default)

    arms = (said.arm, *said.than, *said.gain_over.values())
    states, aside = states_of(recipe, arms, under, find, lambda choice: searched(recipe, arms, choice, results))
    run = [f"{name}: {state}" for name, state in states.items() if state != "not exercised"]
    shown = [f"{name}: {state} (excluded by the print)" for name, state in aside.items() if state != "not exercised"]
    return states, (*run, *shown), least


def _least_of(said: Statement, found: Mapping[str, Paired]) -> float | None:
    """The least of the mean differences, counted as said; None where one was not run."""
    means = [_sign(said) * mean_of(d.values).value for d in found.values() if d.of]
    return min(means) if len(means) == len(found) else None


def _worth(recipe: Recipe, paired: Paired, looks: int) -> float | None:
    """Two-sided p that counts every look; None of one seed, of seeds that all differ by one number (`intervals`), and
    where a run ended without a value.
    """
    p = direction_p(paired.values)
    return None if p is None or paired.without else two_sided(p, recipe.plan, looks)


def _adjusted(
    recipe: Recipe, results: Mapping[str, Result], under: Mapping[str, str], elsewhere: Mapping[str, int]
) -> Mapping[tuple[int, str], float | None]:
    """p-values by place of the statement and rival, among all sentences that the recipe is asked, in each reading.

    Each counts the looks that were taken at its runs. `over_sentences` says how they are adjusted. Parts of a claim
    that are `elsewhere` are chances to refute it, run or not.
    """
    mine, asked = _apart(recipe, under), [under, *({one.name: option} for one, option in recipe.readings)]
    readings = {_apart(recipe, choice): choice for choice in asked}
    sentences: dict[tuple[_Own, str], list[tuple[int, list[str], Line]]] = {}
    for own, choice in readings.items():
        for i, said in enumerate(recipe.statements):
            looks, found = looks_of(recipe, choice, said.looks), differences_of(recipe, said, choice, results)
            tested = tuple(_tested(recipe, said, one, looks) for one in found.values())
            sentences.setdefault((own, said.claim), []).append((i, list(found), Line(said.most, tested)))
    counted = over_sentences(
        [[line for _, _, line in lines] for lines in sentences.values()],
        [elsewhere.get(claim, 0) for _, claim in sentences],
    )
    return {
        (i, name): p
        for ((own, _), lines), worth in zip(sentences.items(), counted, strict=True)
        if own == mine
        for (i, names, _), line in zip(lines, worth, strict=True)
        for name, p in zip(names, line, strict=True)
    }


def _tested(recipe: Recipe, said: Statement, paired: Paired, looks: int) -> tuple[bool, float] | None:
    """Whether the mean points as said, and p; None where there is no p, or too few seeds for a word."""
    p = _worth(recipe, paired, looks)
    if p is None or not stated(paired.values):
        return None
    return _sign(said) * mean_of(paired.values).value > 0, p


def _apart(recipe: Recipe, choice: Mapping[str, str]) -> _Own:
    """A choice without the options that are defaults."""
    defaults = {one.name: one.default for one in recipe.open}
    return tuple(sorted((name, option) for name, option in choice.items() if defaults[name] != option))


def _in_words(said: Statement) -> str:
    other = ", ".join(said.than) or said.against or f"{said.bound:g}"
    margin = f", or at most {said.margin:g} on the other side" if said.margin else ""
    most = "most of " if said.most else ""
    return f"{said.measure}: {said.arm} {said.is_} {most}{other}{margin}"


def statement_status(rows: Iterable[StatementRow]) -> dict[str, tuple[Status, Ledger]]:
    """By claim: of all that is said for it, the status that is farthest from settled in its favour, and the verdict."""
    order: tuple[Status, ...] = (
        "opposite",
        "contradicted",
        "depends",
        "static",
        "data not owned",
        "not run",
        "demonstration",
        "unresolved",
        "reproduced",
    )
    found: dict[str, list[StatementRow]] = {}
    for row in rows:
        found.setdefault(row.claim, []).append(row)
    return {
        claim: (min((row.status for row in mine), key=order.index), conjunction(row.verdict for row in mine))
        for claim, mine in found.items()
    }
