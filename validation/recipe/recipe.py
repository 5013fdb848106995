"""What a recipe is: the runs that a published table or figure comes from, and every choice that its paper leaves open.

A recipe is data. Its runs are words of `fedverdict run`; an `arm` is a method of the table; an `open` choice has
options, the first of which is ours by default while the others are varied one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

from validation.recipe.measure import on_target

__all__ = [
    "LEAST_SEEDS",
    "MOST_LOOKS",
    "Arm",
    "Cells",
    "Open",
    "Recipe",
    "Source",
    "Statement",
    "Word",
    "Words",
    "check_looks",
]

LEAST_SEEDS = 5
"""Seeds below which no word is given."""
MOST_LOOKS = 3

Word: TypeAlias = str | int | float | bool
Words: TypeAlias = Mapping[str, Word]
Source: TypeAlias = Literal["printed", "tuned", "inferred", "ours"]


@dataclass(frozen=True)
class Arm:
    """A method of the table under its printed name, and the words of a run that make it.

    `judged_on`: which of the run's several targets its test samples are weighted to, "" for the first; a unit refuses
    one that its run has not. Arms of the same words are one run.
    """

    name: str
    words: Words
    judged_on: str = ""


@dataclass(frozen=True)
class Open:
    """A choice that the paper leaves open: why it is, and its options, the first being the default.

    `source`: where the default comes from: "printed" elsewhere, a printed grid ("tuned"), "inferred" from printed
    numbers, or "ours". `grid`: the options are a printed grid, for `fedverdict tune`. `arms`: the methods it is open
    for, all where none is named. `of_arms`: by option and method, words of that method alone in place of its own.
    `excluded`: options that are not the paper's, since they miss a printed number or the print says otherwise; they are
    shown, and nothing hangs on them. `readings`: the print names more than one option, so that what runs decide is also
    kept under each that is not excluded, for claims that read it so; `looks`: how often runs under an option were
    looked at, where that is not the recipe's number.
    Raises `ValueError` for no options, words of an option that it has not, an excluded default, readings of a grid, or
    looks that are no count.
    """

    name: str
    why: str
    options: Mapping[str, Words]
    source: Source = "ours"
    grid: bool = False
    arms: tuple[str, ...] = ()
    of_arms: Mapping[str, Mapping[str, Words]] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    readings: bool = False
    looks: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.options:
            raise ValueError(f"open choice {self.name!r}: no options; expected at least one")
        others = list(self.options)[1:]
        for field_name, named, known in (
            ("of_arms", self.of_arms, list(self.options)),
            ("looks", self.looks, list(self.options)),
            ("excluded", self.excluded, others),
        ):
            for option in named:
                if option not in known:
                    offered = ", ".join(known) or "none"
                    raise ValueError(
                        f"open choice {self.name!r}: {field_name} names {option!r}; expected one of {offered}"
                    )
        if self.readings and self.grid:
            raise ValueError(f"open choice {self.name!r}: options of a printed grid are searched, no readings")
        for option, looks in self.looks.items():
            check_looks(f"open choice {self.name!r}: looks of {option!r}", looks)

    @property
    def default(self) -> str:
        """The option that is taken where nothing else is said."""
        return next(iter(self.options))

    def concerns(self, arm: str) -> bool:
        """Whether it is open for a method."""
        return not self.arms or arm in self.arms


@dataclass(frozen=True)
class Cells:
    """Which printed numbers the runs stand beside: rows of a CSV by its columns, one for each arm.

    `where`: entries that pick the rows of all arms; `rows`: by arm those that pick its own, for the arms that stand in
    the table; where none are named all arms do, by {"method": name}. `measure` of a run, times `times` (100 where the
    table prints percent), is the number. `calibration`: these cells were used to settle open choices, so they are no
    evidence. `claimed`: pairs of arms of which the paper claims that the first is better, in this table or in its text,
    with `sentence`, its words: half the smallest printed gap of these is how near is near (`delta` of the comparison).
    """

    table: str
    measure: str
    where: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    times: float = 1.0
    calibration: bool = False
    claimed: tuple[tuple[str, str], ...] = ()
    sentence: str = ""

    def of(self, arm: str) -> Mapping[str, str] | None:
        """The entries of the one row that an arm's runs stand beside, None where they stand beside none."""
        if self.rows and arm not in self.rows:
            return None
        return {**self.where, **self.rows.get(arm, {"method": arm})}


@dataclass(frozen=True)
class Statement:
    """What the prose says about the runs: `claim`, and that `arm`'s measure is above (or below) that of each of `than`.

    Without `than` it is compared with another measure of the same arm, `against`, or with the number `bound`. `claim`:
    the id of a statement of the paper. `gain_over`: by arm, the one whose measure is taken off first, where the prose
    speaks of improvements. `margin`: by how much it may miss, where the prose says «similar» or «marginal». `most`: it
    is said of most of `than`, more than half of them. `looks`: how often its runs were looked at with seeds added in
    between, where that is not the recipe's number (0).
    """

    claim: str
    measure: str
    arm: str
    is_: Literal["above", "below"]
    than: tuple[str, ...] = ()
    against: str = ""
    gain_over: Mapping[str, str] = field(default_factory=dict)
    bound: float = 0.0
    margin: float = 0.0
    most: bool = False
    looks: int = 0


@dataclass(frozen=True)
class Recipe:
    """The runs behind a published table or figure.

    `id`: "paper.name"; `shows`: the table or figure, as printed; `run`: words that all arms share; `seeds`: how many
    the paper took, 0 where it does not say; `looks`: how often what runs say of the prose was looked at with seeds
    added in between: p-values are multiplied by it. `plan`: seeds at its planned looks, fixed before the first seed;
    then only seeds up to a planned look count, and p-values count all looks. `combined`: options of several open
    choices that are run together after each was varied alone. `owned`: why its data are not at hand, or "".
    `incomplete`: what of the data is missing though the runs can be played ("98 images short"). `unsettled`: why the
    default choices are known not to be the paper's: its runs decide nothing that the prose says. `protocol`: line of
    the paper's protocol → what the runs do about it. `series`: scores and quantities kept as curves. `tuning`: words
    in place of others where open choices are tuned, such as a split that keeps samples for validation.
    Raises `ValueError` for repeated names, an unknown arm in a statement, or no arms.
    """

    id: str
    shows: str
    run: Words
    arms: tuple[Arm, ...]
    open: tuple[Open, ...] = ()
    cells: tuple[Cells, ...] = ()
    statements: tuple[Statement, ...] = ()
    protocol: Mapping[str, str] = field(default_factory=dict)
    series: tuple[str, ...] = ("test_accuracy",)
    tuning: Words = field(default_factory=dict)
    seeds: int = 0
    looks: int = 1
    plan: tuple[int, ...] = ()
    combined: tuple[Mapping[str, str], ...] = ()
    owned: str = ""
    incomplete: str = ""
    unsettled: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for what, names in (("arm", [a.name for a in self.arms]), ("open choice", [o.name for o in self.open])):
            twice = {n for n in names if names.count(n) > 1}
            if twice:
                raise ValueError(f"recipe {self.id}: {what} {', '.join(sorted(twice))} appears twice")
        if not self.arms:
            raise ValueError(f"recipe {self.id}: no arms; expected at least one method")
        check_looks(f"recipe {self.id}: looks", self.looks)
        self._check_plan()
        known = {a.name for a in self.arms}
        for one in self.open:
            unknown = sorted({arm for words in one.of_arms.values() for arm in words} - known)
            if unknown:
                raise ValueError(
                    f"recipe {self.id}: open choice {one.name!r} has words of {', '.join(unknown)}; expected arms, such"
                    f" as {', '.join(sorted(known))}"
                )
        for choice in self.combined:
            self.words(self.arms[0].name, choice)
        for cells in self.cells:
            strangers = sorted({name for pair in cells.claimed for name in pair} - known)
            if strangers:
                raise ValueError(
                    f"recipe {self.id}: cells of {cells.table}: claimed names {', '.join(strangers)}; expected arms,"
                    f" such as {', '.join(sorted(known))}"
                )
        for said in self.statements:
            unknown = [name for name in (said.arm, *said.than, *said.gain_over.values()) if name not in known]
            if unknown:
                raise ValueError(
                    f"recipe {self.id}: statement {said.claim} names {', '.join(unknown)}; expected arms, such as"
                    f" {', '.join(sorted(known))}"
                )

    def _check_plan(self) -> None:
        if self.plan and self.looks > 1:
            raise ValueError(f"recipe {self.id}: plan = {list(self.plan)}, looks = {self.looks}: expected one of them")
        rising = all(a < b for a, b in pairwise(self.plan))
        if self.plan and not (len(self.plan) <= MOST_LOOKS and rising and self.plan[0] >= LEAST_SEEDS):
            raise ValueError(
                f"recipe {self.id}: plan = {list(self.plan)}: expected up to {MOST_LOOKS} growing numbers of seeds,"
                f" from {LEAST_SEEDS} on"
            )

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.id.partition(".")[0]

    @property
    def measures(self) -> tuple[str, ...]:
        """Every measure that cells and statements ask of an arm, each once."""
        said = (m for s in self.statements for m in (s.measure, s.against) if m)
        asked = (*(c.measure for c in self.cells), *said)
        return tuple(dict.fromkeys(asked))

    def measure_of(self, arm: str, measure: str) -> str:
        """The measure as a run has it: on the target that the arm is judged on; raises as `arm`."""
        target = self.arm(arm).judged_on
        return on_target(measure, target) if target else measure

    def measures_of(self, arm: str) -> tuple[str, ...]:
        """Every measure that is asked of the arm's run, for all arms that it is of; raises as `arm`."""
        asked = (self.measure_of(name, measure) for name in self.of_one_run(arm) for measure in self.measures)
        return tuple(dict.fromkeys(asked))

    def of_one_run(self, arm: str) -> tuple[str, ...]:
        """The arm and those whose runs are the same whatever is chosen, in order; they differ in `judged_on`.

        Raises as `arm`.
        """
        return self._together[self.arm(arm).name]

    @cached_property
    def _together(self) -> Mapping[str, tuple[str, ...]]:
        runs = {one.name: self._run_of(one) for one in self.arms}
        return {name: tuple(n for n, run in runs.items() if run == mine) for name, mine in runs.items()}

    def _run_of(self, arm: Arm) -> tuple[object, ...]:
        """What of the recipe makes the arm's runs others than those of another arm."""
        own = [words.get(arm.name) for one in self.open for words in one.of_arms.values()]
        return arm.words, own, [one.concerns(arm.name) for one in self.open]

    @property
    def readings(self) -> tuple[tuple[Open, str], ...]:
        """Options that are readings of the print, with the open choice of each."""
        return tuple(
            (one, option) for one in self.open if one.readings for option in one.options if option not in one.excluded
        )

    def arm(self, name: str) -> Arm:
        """The arm of this name; `ValueError` listing them for an unknown one."""
        for one in self.arms:
            if one.name == name:
                return one
        raise ValueError(f"recipe {self.id}: no arm {name!r}; expected one of {', '.join(a.name for a in self.arms)}")

    def choices(self) -> Iterator[Mapping[str, str]]:
        """Options by open choice: the defaults, each other option with all else at its default, those `combined`."""
        yield {}
        for one in self.open:
            for option in list(one.options)[1:]:
                yield {one.name: option}
        yield from self.combined

    def words(self, arm: str, choice: Mapping[str, str]) -> Words:
        """The words of a run: those shared, the options of open choices, the arm's own, what options say of that arm.

        Raises `ValueError` for an unknown arm, choice or option.
        """
        known = {one.name: one for one in self.open}
        for name, option in choice.items():
            if name not in known or option not in known[name].options:
                offered = ", ".join(f"{o.name}={'|'.join(o.options)}" for o in self.open) or "none"
                raise ValueError(f"recipe {self.id}: no choice {name}={option}; open are {offered}")
        found: dict[str, Word] = dict(self.run)
        options = [(one, one.options[choice.get(one.name, one.default)]) for one in self.open if one.concerns(arm)]
        for words in (*(o for one, o in options if not one.arms), self.arm(arm).words):
            found |= words
        for words in (o for one, o in options if one.arms):
            found |= words
        for one in self.open:
            found |= one.of_arms.get(choice.get(one.name, one.default), {}).get(arm, {})
        return found


def check_looks(what: str, looks: object) -> None:
    """`ValueError` for what is no number of looks."""
    if isinstance(looks, bool) or not isinstance(looks, int) or looks < 1:
        raise ValueError(f"{what} = {looks!r}: expected a whole number >= 1")
