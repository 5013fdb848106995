"""What each reading of a claim is, as data: options chosen, cuts of scope, conditions added, edits made; roles follow.

What the print leaves undefined or prints twice is an option; what it quantifies over or does not restrict is scope, and
a reading that attacks it away from its plain value is a cut; a hypothesis that the print lacks is a condition; a
changed formula is an edit. Conjuncts are parts. A paper keeps them in `readings.toml`; a claim without a row there is
read from its own readings.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validation.statement.information import Instant

if TYPE_CHECKING:
    from validation.statement.claim import Claim

__all__ = ["ClaimRoles", "Level", "Open", "ReadingRole", "Role", "load_roles", "of_table", "roles_of"]


class Level(StrEnum):
    """What sort of place a statement has in its paper."""

    THEOREM = "theorem"
    LEMMA = "lemma"
    STEP = "step"
    REMARK = "remark"
    RELATION = "relation"
    DEFINITION = "definition"


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
    why the statement is not the print's. `because`: one sentence for who asks.
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
    """An issue that the print leaves open: printed "twice" or "nowhere", and `why` one may read it either way."""

    printed: str
    why: str

    def __post_init__(self) -> None:
        if self.printed not in {"twice", "nowhere"}:
            raise ValueError(f"printed = {self.printed!r}; expected 'twice' or 'nowhere'")
        if not self.why:
            raise ValueError("why = ''; expected both passages, or the word that is nowhere defined")


@dataclass(frozen=True)
class ClaimRoles:
    """The readings of one claim, what the print leaves open, and the claim's level.

    `repeats`: the claim whose slip this one carries on, so that it counts once. `switches_met_by`: the named setting
    with the extras that a search finds to restore the statement. `ours`: why the statement itself is asked by us and
    not printed; it is judged, has no weight and is counted apart. `meets`: claims it rests on whose missing condition
    it states or implies, each with where. Without `readings` the claim's single one is the plain print. Raises
    `ValueError` where no reading decides, where an issue is chosen but not said to be open, and where alternatives of
    one part do not choose on the same issues.
    """

    level: Level
    readings: tuple[ReadingRole, ...]
    open: Mapping[str, Open] = field(default_factory=dict)
    repeats: str = ""
    switches_met_by: str = ""
    ours: str = ""
    meets: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bare := [name for name, where in self.meets.items() if not where]:
            raise ValueError(f"meets {', '.join(bare)} without saying where; expected the hypothesis that does")
        if self.readings and not any(r.decides for r in self.readings):
            raise ValueError("no reading decides: all are repairs, special cases, beside the verdict or ours")
        chosen = {issue for r in self.readings for issue in r.options}
        if chosen != set(self.open):
            odd = sorted(chosen ^ set(self.open))
            raise ValueError(f"options and `open` differ: {', '.join(odd)}")
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


def roles_of(claim: Claim) -> ClaimRoles:
    """The roles of a claim's readings: its own, which a paper's table gives it too, else by what the readings say."""
    return claim.roles if claim.roles is not None else _of_readings(claim)


def of_table(rows: Mapping[str, ClaimRoles], claim_id: str, names: Sequence[str]) -> ClaimRoles | None:
    """The row of a claim whose readings are called `names`; None without one.

    Raises `ValueError` where the row is of other readings.
    """
    held = rows.get(claim_id)
    if held is None:
        return None
    if not held.readings and len(names) == 1:
        return replace(held, readings=(ReadingRole(names[0]),))
    if [r.name for r in held.readings] != list(names):
        raise ValueError(
            f"{claim_id}: its table has readings {[r.name for r in held.readings]}, expected {list(names)}"
        )
    return held


def _of_readings(claim: Claim) -> ClaimRoles:
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


@cache
def load_roles(file: Path) -> Mapping[str, ClaimRoles]:
    """The rows of a table by claim id; none where there is no file. Raises `ValueError` naming claim and fault."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{file}: no TOML: {error}") from None
    found = {}
    for claim_id, row in document.items():
        try:
            found[claim_id] = _row(row)
        except ValueError as error:
            raise ValueError(f"{file}: {claim_id}: {error}") from None
    return found


_WORDS = ("repeats", "switches_met_by", "ours")


def _row(row: Any) -> ClaimRoles:
    held = _fields(row, {"level": str, "open": dict, "meets": dict, "reading": list} | dict.fromkeys(_WORDS, str))
    if held.get("level") not in list(Level):
        raise ValueError(f"level = {held.get('level')!r}; expected one of {', '.join(Level)}")
    opened = {
        issue: Open(**{"printed": "", "why": "", **_fields(o, {"printed": str, "why": str})})
        for issue, o in held.get("open", {}).items()
    }
    readings = tuple(_reading(r) for r in held.get("reading", []))
    words = {key: held.get(key, "") for key in _WORDS}
    meets = held.get("meets", {})
    _texts("meets", list(meets.values()))
    return ClaimRoles(Level(held["level"]), readings, opened, meets=meets, **words)


_KINDS: Mapping[str, type] = {
    "name": str,
    "part": str,
    "options": dict,
    "cuts": dict,
    "sees": str,
    "used_by": str,
    "conditions": list,
    "met_by": str,
    "edits": list,
    "token": bool,
    "forced_by": str,
    "wrong_form_in": list,
    "carries": bool,
    "ours": str,
    "because": str,
}


def _reading(row: Any) -> ReadingRole:
    held = _fields(row, _KINDS)
    if not held.get("name"):
        raise ValueError(f"a reading without a name: {row}")
    for key in ("conditions", "edits", "wrong_form_in"):
        held[key] = tuple(_texts(key, held.get(key, [])))
    for key in ("options", "cuts"):
        _texts(key, list(held.get(key, {}).values()))
    return ReadingRole(**held)


def _fields(row: Any, kinds: Mapping[str, type]) -> dict[str, Any]:
    """The row as a dict of known keys with values of the right kinds."""
    if not isinstance(row, dict):
        raise ValueError(f"expected a table, got {row!r}")
    for key, value in row.items():
        if key not in kinds:
            raise ValueError(f"unknown key {key!r}; expected some of {', '.join(kinds)}")
        if not isinstance(value, kinds[key]):
            raise ValueError(f"{key} = {value!r}; expected a {kinds[key].__name__}")
    return dict(row)


def _texts(key: str, values: Sequence[Any]) -> Sequence[str]:
    for value in values:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{key}: {value!r} is no text")
    return values
