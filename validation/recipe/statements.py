"""What a paper's prose says of runs, judged by paired differences over seeds and by all that the print leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from validation.recipe.by_seed import Status, values_by_seed
from validation.recipe.intervals import Mean, holm, mean_of, p_value
from validation.recipe.recipe import Recipe, Statement
from validation.recipe.result import Result
from validation.recipe.shelf import Shelf
from validation.recipe.tables import claims_apart
from validation.statement.played import BEYOND_CHANCE

__all__ = ["Difference", "StatementRow", "statement_rows", "statement_status", "statements_of"]


@dataclass(frozen=True)
class Difference:
    """`arm` minus `than` (or minus a number) in a measure, over `n` paired seeds.

    `p`: Holm's, within its recipe, of p times its `looks`.
    """

    than: str
    mean: Mean | None
    n: int
    p: float | None


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
    """What the prose says, recipe by recipe, with paired differences over seeds and Holm's correction."""
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
            Difference(name, mean_of(list(d.values())) if d else None, len(d), adjusted.get((i, name)))
            for name, d in found.items()
        )
        signs = _signs(recipe, said, results, under)
        status, spread = _unless_another_way(_said_status(said, differences), signs), tuple(s.said for s in signs)
        if recipe.unsettled and status in {"agrees", "differs"}:
            status, spread = "undecided", (*spread, recipe.unsettled)
        shown = {r.arm for r in results.values() if r.recipe == recipe.id and r.scale < 1}
        small = {said.arm, *said.than} <= shown
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
) -> Mapping[tuple[int, str], float]:
    """p-values by place of the statement and rival: Holm's over all that the recipe's runs are asked, in each reading.

    Each is first multiplied by the looks that were taken at its runs.
    """
    mine, asked = _apart(recipe, under), [under, *({one.name: option} for one, option in recipe.readings)]
    readings = {_apart(recipe, choice): choice for choice in asked}
    tested = {
        (own, i, name): min(1.0, _looks(recipe, choice) * p)
        for own, choice in readings.items()
        for i, said in enumerate(recipe.statements)
        for name, d in _differences(recipe, said, choice, results).items()
        if (p := p_value(list(d.values()))) is not None
    }
    found = zip(tested, holm(list(tested.values())), strict=True)
    return {(i, name): p for (own, i, name), p in found if own == mine}


def _apart(recipe: Recipe, choice: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A choice without the options that are defaults."""
    defaults = {one.name: one.default for one in recipe.open}
    return tuple(sorted((name, option) for name, option in choice.items() if defaults[name] != option))


def _looks(recipe: Recipe, choice: Mapping[str, str]) -> int:
    """How often runs of a choice were looked at: as its options say, else as the recipe does."""
    own = [one.looks.get(choice.get(one.name, one.default)) for one in recipe.open]
    return max((looks for looks in own if looks is not None), default=recipe.looks)


def _differences(
    recipe: Recipe, said: Statement, choice: Mapping[str, str], results: Mapping[str, Result]
) -> dict[str, dict[int, float]]:
    """By rival (or bound): by seed, the arm's measure minus the rival's, seeds that both have."""

    def of(name: str) -> dict[int, float]:
        found = values_by_seed(recipe, name, choice, said.measure, results)
        if name not in said.gain_over:
            return found
        base = values_by_seed(recipe, said.gain_over[name], choice, said.measure, results)
        return {seed: value - base[seed] for seed, value in found.items() if seed in base}

    arm = of(said.arm)
    if said.against:
        other = values_by_seed(recipe, said.arm, choice, said.against, results)
        return {said.against: {seed: arm[seed] - other[seed] for seed in arm if seed in other}}
    if not said.than:
        return {f"{said.bound:g}": {seed: value - said.bound for seed, value in arm.items()}}
    found = {}
    for rival in said.than:
        theirs = of(rival)
        allowed = said.margin if said.is_ == "above" else -said.margin
        found[rival] = {seed: arm[seed] - theirs[seed] + allowed for seed in arm if seed in theirs}
    return found


def _said_status(said: Statement, differences: Sequence[Difference]) -> Status:
    """Agrees when every difference points as said beyond chance, differs when one points the other way or is none.

    Said of most: agrees when more than half do, differs when at least half point the other way or are none.
    """
    if any(d.mean is None for d in differences):
        return "not run"
    sign = 1 if said.is_ == "above" else -1
    verdicts = []
    for d in differences:
        mean = d.mean
        if mean is None or d.p is None or (d.p >= BEYOND_CHANCE and not mean.low == mean.high == 0):
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

    @property
    def said(self) -> str:
        return f"{self.option}: {self.as_said} of {self.n} as said"


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
        if not choice or not all(found.values()):
            continue
        as_said = sum(sign * mean_of(list(d.values())).value > 0 for d in found.values())
        ((name, option),) = choice.items()
        one = next(o for o in recipe.open if o.name == name)
        enough = _enough(said, as_said, len(found))
        shown.append(
            _Sign(f"{name} = {option}", as_said, len(found), enough, not one.grid and option not in one.excluded)
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
