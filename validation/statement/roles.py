"""What each reading of a claim is, as data: options chosen, cuts of scope, conditions added, edits made; roles follow.

What the print leaves undefined or prints twice is an option; what it quantifies over or does not restrict is scope, and
a reading that attacks it away from its plain value is a cut; a hypothesis that the print lacks is a condition; a
changed formula is an edit. Conjuncts are parts. A claim that does not say what its readings are is read from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from validation.statement.instances.information import Instant
from validation.statement.setting import Setting

__all__ = ["RESULTS", "ClaimRoles", "Level", "Open", "ReadingRole", "Role", "roles_of"]

__judges__ = "no"


class Level(StrEnum):
    """What sort of place a statement has in its paper."""

    THEOREM = "theorem"
    LEMMA = "lemma"
    COROLLARY = "corollary"
    PROPOSITION = "proposition"
    STEP = "step"
    REMARK = "remark"
    RELATION = "relation"
    DEFINITION = "definition"


RESULTS = frozenset({Level.THEOREM, Level.LEMMA, Level.COROLLARY, Level.PROPOSITION})
"""What a paper proves and names; a remark or relation is a result without a proof, a step a line of one."""


class Role(StrEnum):
    """What a reading does for the verdict; `ALTERNATIVE` and `CUT` decide, the others stand beside it."""

    ALTERNATIVE = "alternative"
    CUT = "cut"
    SPECIAL_CASE = "special case"
    REPAIR = "repair"
    BESIDE = "beside"
    OURS = "ours"


_INSTANTS = {
    "before the run": Instant.BEFORE_RUN,
    "before the round": Instant.BEFORE_ROUND,
    "before the step": Instant.BEFORE_STEP,
    "after the step": Instant.AFTER_STEP,
}


@dataclass(frozen=True)
class ReadingRole:
    """What one reading is; all but `name` may be empty.

    `part`: the conjunct tested. `options`: issue → choice where the print is open. `cuts`: coordinate of scope → the
    value attacked; `sees`: from which instant the free object is chosen, `used_by` the algorithm of the paper that uses
    that level. `conditions`: hypotheses added, `met_by` the named setting that meets them (of a cut: its plain value).
    `edits`: what was changed in the formula; `token` a single one, `forced_by` where the right form is printed or what
    forces it, `wrong_form_in` results that use the wrong one, `carries` whether the proof goes through with it. `ours`:
    why the statement is not the print's. `because`: one sentence for who asks. `shown`: its counterexample, if there is
    one, is the claim's. `setting`: what `met_by` names, as code.
    """

    name: str
    part: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    cuts: Mapping[str, str] = field(default_factory=dict)
    sees: str = ""
    used_by: str = ""
    conditions: tuple[str, ...] = ()
    met_by: str = ""
    edits: tuple[str, ...] = ()
    token: bool = False
    forced_by: str = ""
    wrong_form_in: tuple[str, ...] = ()
    carries: bool | None = None
    ours: str = ""
    because: str = ""
    shown: bool = False
    setting: Setting | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        here = f"reading {self.name!r}"
        if self.sees and self.sees not in _INSTANTS:
            raise ValueError(f"{here}: sees = {self.sees!r}; expected one of {', '.join(_INSTANTS)}")
        if self.sees and not self.cuts:
            raise ValueError(f"{here}: sees = {self.sees!r} says of what a cut knows; expected `cuts` beside it")
        if self.used_by and not self.sees:
            raise ValueError(f"{here}: used_by without `sees`; expected the instant that the algorithm uses")
        if self.met_by and not (self.conditions or self.cuts):
            raise ValueError(f"{here}: met_by without `conditions` or `cuts`; nothing is met")
        about = [n for n in ("token", "forced_by", "wrong_form_in") if getattr(self, n)]
        if about and not self.edits:
            raise ValueError(f"{here}: {', '.join(about)} without `edits`; nothing is changed")

    @property
    def role(self) -> Role:
        """What the reading does for the verdict."""
        if self.ours:
            return Role.OURS
        if self.edits:
            return Role.REPAIR
        if self.conditions:
            return Role.SPECIAL_CASE
        if self.cuts:
            return Role.BESIDE if self.sees and not self.used_by else Role.CUT
        return Role.ALTERNATIVE

    @property
    def decides(self) -> bool:
        """Whether the verdict of the print rests on this reading."""
        return self.role in {Role.ALTERNATIVE, Role.CUT}


@dataclass(frozen=True)
class Open:
    """An issue that the print leaves open: printed "twice" or "nowhere", and `why` one may read it either way.

    `options`: what may be chosen, of a point that several claims of a paper share; of one claim's own its readings say.
    """

    printed: str
    why: str
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.printed not in {"twice", "nowhere"}:
            raise ValueError(f"printed = {self.printed!r}; expected 'twice' or 'nowhere'")
        if not self.why:
            raise ValueError("why = ''; expected both passages, or the word that is nowhere defined")
        if len(self.options) == 1:
            raise ValueError(f"options = {self.options}; expected two at least, one alone leaves nothing open")


@dataclass(frozen=True)
class ClaimRoles:
    """The readings of one claim, what the print leaves open, and the claim's level.

    `repeats`: the claim whose slip this one carries on, so that it counts once. `switches_met_by`: the named setting
    with the extras that a search finds to restore the statement. `ours`: why the statement itself is asked by us and
    not printed; it is judged, has no weight and is counted apart. `written`: what of the statement, as we write it out,
    does not stand in the print: the consequence that is tested of a definition, a formula for a sentence. `meets`:
    claims it rests on whose missing condition it states or implies, each with where. Without `readings` the claim's
    single one is the plain print. Raises `ValueError` where no reading decides, where an issue is chosen but not said
    to be open, and where alternatives of one part do not choose on the same issues.
    """

    level: Level
    readings: tuple[ReadingRole, ...]
    open: Mapping[str, Open] = field(default_factory=dict)
    repeats: str = ""
    switches_met_by: str = ""
    ours: str = ""
    written: str = ""
    meets: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bare := [name for name, where in self.meets.items() if not where]:
            raise ValueError(f"meets {', '.join(bare)} without saying where; expected the hypothesis that does")
        if self.readings and not any(r.decides for r in self.readings):
            raise ValueError(
                "no reading decides: all are repairs, special cases (readings with `where` or `conditions`) or ours;"
                " a hypothesis that the text states belongs in the claim's world, world=runs.where(…)"
            )
        chosen = {issue for r in self.readings for issue in r.options}
        if chosen != set(self.open):
            odd = sorted(chosen ^ set(self.open))
            raise ValueError(f"options and `open` differ: {', '.join(odd)}")
        for r in self.readings:
            for issue, choice in r.options.items():
                offered = self.open[issue].options
                if offered and choice not in offered:
                    raise ValueError(f"reading {r.name!r}: {issue} = {choice!r}; expected one of {', '.join(offered)}")
        for part in {r.part for r in self.readings}:
            issues = {tuple(sorted(r.options)) for r in self.readings if r.decides and r.part == part}
            if len(issues) > 1:
                raise ValueError(f"part {part!r}: readings choose on different issues: {sorted(issues)}")
            plain = [
                tuple(sorted(r.options.items())) for r in self.readings if r.part == part and r.role == "alternative"
            ]
            if len(set(plain)) < len(plain):
                raise ValueError(
                    f"part {part!r}: two readings are the print alike; expected parts, options, cuts or conditions"
                )


class ReadingWords(Protocol):
    """What a reading says of itself, as a `Reading` does."""

    @property
    def name(self) -> str: ...
    @property
    def repair(self) -> str | None: ...
    @property
    def role(self) -> str: ...


class ClaimWords(Protocol):
    """What a claim says of its readings, as a `Claim` does."""

    @property
    def readings(self) -> Sequence[ReadingWords]: ...
    @property
    def roles(self) -> ClaimRoles | None: ...


def roles_of(claim: ClaimWords) -> ClaimRoles:
    """The roles of a claim's readings: its own, else by what the readings say."""
    return claim.roles if claim.roles is not None else _of_readings(claim)


def _of_readings(claim: ClaimWords) -> ClaimRoles:
    """A claim's own words for its readings: a condition that it states is met, alternatives are one issue."""
    alternatives = [r.name for r in claim.readings if r.repair is None and r.role == "alternative"]
    issue = "reading" if len(alternatives) > 1 else ""
    rows = []
    for r in claim.readings:
        part = r.name if r.role == "part" else ""
        if r.repair == "condition":
            rows.append(ReadingRole(r.name, part=part, conditions=(r.name,), met_by="as the claim states"))
        elif r.repair == "edit":
            rows.append(ReadingRole(r.name, part=part, edits=(r.name,)))
        else:
            rows.append(ReadingRole(r.name, part=part, options={issue: r.name} if issue and not part else {}))
    opened = {issue: Open("nowhere", "the claim lists readings of the print")} if issue else {}
    return ClaimRoles(Level.REMARK, tuple(rows), opened, switches_met_by="as the claim states")
