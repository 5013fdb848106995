"""What a paper's prose says of runs, judged by paired differences over seeds and by all that the print leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from validation.published.runs import BEYOND_CHANCE
from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.results.by_seed import Status, demonstrated, seeds_without, values_by_seed
from validation.recipe.results.family import Line, over_sentences
from validation.recipe.results.intervals import Mean, mean_of, p_value
from validation.recipe.results.tables import claims_apart
from validation.recipe.shelf import Shelf

__all__ = ["Difference", "StatementRow", "statement_rows", "statement_status", "statements_of"]

_Own: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Difference:
    """`arm` minus `than` (or minus a number) in a measure, over `n` paired seeds.

    `p`: of p times its `looks`, adjusted among all sentences of its recipe (`over_sentences`). `without`: of how many
    seeds a run ended without a value, since it diverged or never reached what is counted: these decide nothing.
    """

    than: str
    mean: Mean | None
    n: int
    p: float | None
    without: int = 0


@dataclass(frozen=True)
class StatementRow:
    """What the prose says, the differences it comes to, and `spread`: under which other options they point as said."""

    claim: str
    recipe: str
    says: str
    status: Status
    differences: tuple[Difference, ...]
    spread: tuple[str, ...]
    note: str


def statement_rows(shelf: Shelf) -> list[StatementRow]:
    """What the prose says, recipe by recipe, with paired differences over seeds, adjusted sentence by sentence."""
    results = shelf.read()
    said = [row for recipe in shelf.recipes() for row in statements_of(recipe, results)]
    others = claims_apart(shelf.folder / "recipes" / "tables.toml")
    return [*said, *(StatementRow(o.claim, "", o.why, o.status, (), (), o.why) for o in others)]


def statements_of(
    recipe: Recipe, results: Mapping[str, Result], under: Mapping[str, str] = MappingProxyType({})
) -> list[StatementRow]:
    """As `statement_rows`, of one recipe and results by configuration.

    `under`: an option of an open choice that is taken as a reading: its runs alone are compared, among themselves, and
    what that choice's other options say does not count against it.
    """
    pairs = [(said, _differences(recipe, said, under, results)) for said in recipe.statements]
    adjusted = _adjusted(recipe, results, under)
    rows = []
    for i, (said, found) in enumerate(pairs):
        differences = tuple(
            Difference(
                name,
                mean_of(list(d.of.values())) if d.of else None,
                len(d.of),
                adjusted[i, name],
                len(d.without),
            )
            for name, d in found.items()
        )
        signs = _signs(recipe, said, results, under)
        status, spread = _unless_another_way(_said_status(said, differences), signs), tuple(s.said for s in signs)
        spread += tuple(f"{d.than}: {d.without} seeds without a value" for d in differences if d.without)
        if recipe.unsettled and status in {"agrees", "differs"}:
            status, spread = "undecided", (*spread, recipe.unsettled)
        small = all(demonstrated(recipe, arm, results) for arm in (said.arm, *said.than))
        if status == "not run":
            status = "data not owned" if recipe.owned else "demonstration" if small else "not run"
        rows.append(
            StatementRow(
                said.claim,
                recipe.id,
                _in_words(said),
                status,
                differences,
                spread,
                recipe.owned or recipe.unsettled or recipe.incomplete,
            )
        )
    return rows


def _adjusted(
    recipe: Recipe, results: Mapping[str, Result], under: Mapping[str, str]
) -> Mapping[tuple[int, str], float | None]:
    """p-values by place of the statement and rival, among all sentences that the recipe is asked, in each reading.

    Each is first multiplied by the looks that were taken at its runs. `over_sentences` says how they are adjusted.
    """
    mine, asked = _apart(recipe, under), [under, *({one.name: option} for one, option in recipe.readings)]
    readings = {_apart(recipe, choice): choice for choice in asked}
    sentences: dict[tuple[_Own, str], list[tuple[int, list[str], Line]]] = {}
    for own, choice in readings.items():
        for i, said in enumerate(recipe.statements):
            looks, found = _looks(recipe, said, choice), _differences(recipe, said, choice, results)
            tested = tuple(_tested(said, one, looks) for one in found.values())
            sentences.setdefault((own, said.claim), []).append((i, list(found), Line(said.most, tested)))
    counted = over_sentences([[line for _, _, line in lines] for lines in sentences.values()])
    return {
        (i, name): p
        for ((own, _), lines), worth in zip(sentences.items(), counted, strict=True)
        if own == mine
        for (i, names, _), line in zip(lines, worth, strict=True)
        for name, p in zip(names, line, strict=True)
    }


def _tested(said: Statement, paired: _Paired, looks: int) -> tuple[bool, float] | None:
    """Whether the mean points as said, and p; None of one seed, of seeds that all differ by one number (`intervals`),
    and where a run ended without a value.
    """
    values = list(paired.of.values())
    p = p_value(values)
    if p is None or paired.without:
        return None
    return (1 if said.is_ == "above" else -1) * mean_of(values).value > 0, min(1.0, looks * p)


def _apart(recipe: Recipe, choice: Mapping[str, str]) -> _Own:
    """A choice without the options that are defaults."""
    defaults = {one.name: one.default for one in recipe.open}
    return tuple(sorted((name, option) for name, option in choice.items() if defaults[name] != option))


def _looks(recipe: Recipe, said: Statement, choice: Mapping[str, str]) -> int:
    """How often runs of a choice were looked at: as its options say, else as the sentence does, else the recipe."""
    own = [one.looks.get(choice.get(one.name, one.default)) for one in recipe.open]
    return max((looks for looks in own if looks is not None), default=said.looks or recipe.looks)


@dataclass(frozen=True)
class _Paired:
    """Differences `of` seeds that both runs have, and the seeds of which a run ended `without` a value."""

    of: Mapping[int, float]
    without: frozenset[int]


def _differences(
    recipe: Recipe, said: Statement, choice: Mapping[str, str], results: Mapping[str, Result]
) -> dict[str, _Paired]:
    """By rival (or bound): the arm's measure minus the rival's, seed by seed."""

    def of(name: str, measure: str) -> tuple[dict[int, float], frozenset[int]]:
        found = values_by_seed(recipe, name, choice, measure, results)
        without = seeds_without(recipe, name, choice, measure, results)
        if name not in said.gain_over:
            return found, without
        base = values_by_seed(recipe, said.gain_over[name], choice, measure, results)
        without |= seeds_without(recipe, said.gain_over[name], choice, measure, results)
        return {seed: value - base[seed] for seed, value in found.items() if seed in base}, without

    arm, lost = of(said.arm, said.measure)
    if not said.than and not said.against:
        return {f"{said.bound:g}": _Paired({seed: value - said.bound for seed, value in arm.items()}, lost)}
    found = {}
    for rival in said.than or (said.against,):
        theirs, lost_too = of(rival, said.measure) if said.than else of(said.arm, said.against)
        allowed = said.margin if said.is_ == "above" else -said.margin
        paired = {seed: arm[seed] - theirs[seed] + allowed for seed in arm if seed in theirs}
        found[rival] = _Paired(paired, lost | lost_too)
    return found


def _said_status(said: Statement, differences: Sequence[Difference]) -> Status:
    """Agrees when every difference points as said beyond chance, differs when one points the other way beyond chance.

    Said of most: agrees when more than half do, differs when at least half point the other way. Runs that are equal in
    every seed leave it undecided.
    """
    if any(d.mean is None for d in differences):
        return "not run"
    sign = 1 if said.is_ == "above" else -1
    verdicts = []
    for d in differences:
        mean = d.mean
        if mean is None or d.p is None or d.p >= BEYOND_CHANCE:
            verdicts.append("undecided")
        else:
            verdicts.append("agrees" if sign * mean.value > 0 else "differs")
    against, enough = verdicts.count("differs"), _enough(said, verdicts.count("agrees"), len(verdicts))
    if 2 * against >= len(verdicts) if said.most else against:
        return "differs"
    return "agrees" if enough else "undecided"


def _enough(said: Statement, as_said: int, n: int) -> bool:
    """Whether so many of `n` differences are all, or most where the prose says most."""
    return 2 * as_said > n if said.most else as_said == n


@dataclass(frozen=True)
class _Sign:
    """Under another option, left `open` or not: how many of `n` mean differences point `as_said`, and if `enough`."""

    option: str
    as_said: int
    n: int
    enough: bool
    open: bool
    excluded: bool

    @property
    def said(self) -> str:
        told = " (excluded: not the paper's)" if self.excluded else ""
        return f"{self.option}: {self.as_said} of {self.n} as said{told}"


def _unless_another_way(status: Status, signs: Sequence[_Sign]) -> Status:
    """Undecided where an option that the print leaves open was run and points the other way.

    Options of a printed grid are searched, not left open, and those that a printed number excludes are not the paper's.
    A single seed of it is enough: what hangs on a choice that is not printed is no verdict on the print.
    """
    open_ones = [sign for sign in signs if sign.open]
    if status == "agrees" and not all(sign.enough for sign in open_ones):
        return "undecided"
    return "undecided" if status == "differs" and any(sign.enough for sign in open_ones) else status


def _signs(
    recipe: Recipe, said: Statement, results: Mapping[str, Result], under: Mapping[str, str]
) -> tuple[_Sign, ...]:
    """Under which options that were run, and that change one of its runs, each difference points as said.

    Of a reading `under` an option: with that option, too.
    """
    sign, shown = (1 if said.is_ == "above" else -1), []
    runs = (said.arm, *said.than, *said.gain_over.values())
    matter = {o.name for o in recipe.open if any(o.concerns(arm) for arm in runs)} - set(under)
    for choice in recipe.choices():
        if not matter.issuperset(choice):
            continue
        found = _differences(recipe, said, {**under, **choice}, results)
        if not choice or not all(d.of for d in found.values()):
            continue
        as_said = sum(sign * mean_of(list(d.of.values())).value > 0 for d in found.values())
        ((name, option),) = choice.items()
        one = next(o for o in recipe.open if o.name == name)
        enough = _enough(said, as_said, len(found))
        shown.append(
            _Sign(
                f"{name} = {option}",
                as_said,
                len(found),
                enough,
                open=not one.grid and option not in one.excluded,
                excluded=option in one.excluded,
            )
        )
    return tuple(shown)


def _in_words(said: Statement) -> str:
    other = ", ".join(said.than) or said.against or f"{said.bound:g}"
    margin = f", or at most {said.margin:g} on the other side" if said.margin else ""
    most = "most of " if said.most else ""
    return f"{said.measure}: {said.arm} {said.is_} {most}{other}{margin}"


def statement_status(rows: Iterable[StatementRow]) -> dict[str, Status]:
    """By claim: of all that is said for it, the status that is farthest from settled in its favour."""
    order: tuple[Status, ...] = (
        "differs",
        "static",
        "data not owned",
        "not run",
        "demonstration",
        "undecided",
        "agrees",
    )
    found: dict[str, Status] = {}
    for row in rows:
        kept = found.get(row.claim, row.status)
        found[row.claim] = min(kept, row.status, key=order.index)
    return found
