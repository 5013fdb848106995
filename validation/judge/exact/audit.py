"""What exact arithmetic says of the draws that a search without candidates rests on, and whether that is enough.

Leaders however small their excess, ties, zeros on the left and draws beyond floats: a sample of each is decided
exactly, so that neither rounding nor overflow nor underflow can pass for truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from theory.base.streams import stream
from validation.cost.limits import current, rechecking, within
from validation.judge.exact.certify import (
    COARSE,
    Certification,
    Decision,
    Said,
    UndefinedError,
    beside,
    decide,
    foreseen,
)
from validation.search.sample import Counts, Kept, effort
from validation.search.scores import TOLERANCE, Draw, evaluate
from validation.search.seen import Search
from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.instances.draw import Integer

__all__ = ["Audit", "Group", "audited", "doubt"]

_SHARE = 0.2  # of the reading's evaluations, in units of `effort`
_ALWAYS = 4  # leaders, whatever they cost
_BACK = (
    1,
    2,
    4,
    8,
    16,
)  # places behind the best draw of a case by ratio that are asked where the best ones say nothing
_NEAR = 0.9  # of the largest ratio that floats decide: what an exact one should come to
_SHORT = (1, 20)
_BRIEFLY, _SURELY = 0.5, 200.0  # seconds of one draw of each case; the effort of those that are always looked at
_NEARLY = 1e-3  # of both sides of a strict inequality
_DIGITS, _SECONDS = 2000, 2.0  # of one recheck here: a long run that needs more is decided at a neighbour
_LONGER = 20.0  # seconds of one recheck where too few are decided; then with all the digits that may be had
_IN_A_ROW = 2  # of those that take too long even so, after which no dearer one of their kind is asked
_BESIDE = "at a neighbour"
_SHORTER = (0.75, 0.5, 0.25)  # of the place of a whole number in its range: 10,000 steps become 1,000, 100, 10
_LARGE = 0.01  # of the random draws: more of them beyond floats, and the space should be rescaled
_MANY = 200  # random draws that tell the share of those beyond floats; else all draws tell it
_FEW = (3, 1e-4)  # draws, or share of the admissible ones: what may stay open if it is said
_BARE = "no exact side"
_TRIED, _FRESH, _FEWEST = 256, 8, 4  # random draws of a case that has said nothing; of these looked at, and at least
_NOTHING = frozenset({Said.OUTSIDE, Said.UNDEFINED})  # what says nothing of a statement


@dataclass(frozen=True)
class Group:
    """The draws of one kind that were to be decided exactly: how many of each answer, and how many were left out."""

    said: Mapping[Said, int]
    left_out: int = 0
    reason: str = ""

    def __getitem__(self, said: Said) -> int:
        return self.said.get(said, 0)

    @property
    def looked(self) -> int:
        """Draws that were given to exact arithmetic."""
        return sum(self.said.values())

    def open(self, drawn: int, admissible: int) -> bool:
        """Whether more than half of those looked at stay undecided, and they stand for more than a few of `drawn`.

        A few are three draws, or 1 in 10,000 of the admissible ones: one long run whose numbers grow too long says as
        little about a statement as one draw less. A case without an exact side is never a few.
        """
        undecided = self[Said.UNDECIDED]
        if 2 * undecided <= self.looked:
            return False
        most, share = _FEW
        return self.reason == _BARE or drawn * undecided / self.looked > max(most, share * admissible)

    def moved(self, said: Said) -> Group:
        """One that was undecided is now what `said` says."""
        if said is Said.UNDECIDED:
            return self
        return replace(self, said={**self.said, Said.UNDECIDED: self[Said.UNDECIDED] - 1, said: self[said] + 1})

    def json(self) -> dict[str, int]:
        """Plain JSON: answers that occurred."""
        found = {str(said): n for said, n in self.said.items() if n}
        return found | ({"left out": self.left_out} if self.left_out else {})


@dataclass(frozen=True)
class Audit:
    """What the exact look found: `violated` (case, decision, what it was sampled as), or the groups and the exact lead.

    `ratio` is the largest lhs/rhs of an exactly decided draw with rhs > 0 that is defined, `attained` whether it is 1;
    `topped` says whether the draw with the largest float ratio was among those decided, `moved` whether the left side
    of any was not 0, `nothing` whether both sides of all that were decided are 0. `equal_to`: the sides of some were
    told equal to that many digits only. `on`: by mechanism the largest lhs/rhs seen with it on, exact where exact
    arithmetic decided that draw; None where none has one.
    `of`: the answers by case. `undecided`: the draws of each kind that stay undecided; `reason`: why the one with the
    largest float ratio does. `undeclared`: the letter whose declaration a draw breaks, in words: nothing else counts.
    """

    violated: tuple[Case, Decision, str] | None
    groups: Mapping[str, Group]
    ratio: Fraction | None = None
    lead: tuple[Case, Mapping[str, Any]] | None = None
    topped: bool = False
    moved: bool = False
    nothing: bool = False
    equal_to: int | None = None
    on: Mapping[str, float | None] = field(default_factory=dict)
    of: Mapping[str, Mapping[Said, int]] = field(default_factory=dict)
    undecided: Mapping[str, Sequence[Kept]] = field(default_factory=dict)
    reason: str = ""
    undeclared: str = ""

    def seen(self, case: Case, decision: Decision) -> Audit:
        """With what exact arithmetic says of one more draw."""
        sides = (decision.lhs, decision.rhs)
        told = decision.said is Said.MET and None not in sides
        moved = self.moved or bool(told and decision.lhs != 0)
        known = replace(self, moved=moved, nothing=self.nothing and not (told and any(side != 0 for side in sides)))
        own = decision.ratio
        if own is None or decision.instance is None or (self.ratio is not None and own <= self.ratio):
            return known
        return replace(known, ratio=own, lead=(case, decision.instance))

    @property
    def met(self) -> int:
        """Draws of which exact arithmetic said that they meet the statement."""
        return sum(group[Said.MET] for group in self.groups.values())

    @property
    def attained(self) -> bool:
        """Whether both sides are equal, and not 0, at the exact lead."""
        return self.ratio == 1


def audited(bound: Bound, found: Search, most: int | None = None, *, seed: int = 0, label: str = "") -> Audit:
    """Decide exactly a sample of what a search saw; stops at the first exact violation.

    Of a case that so far has only draws without both sides and all hypotheses, fresh ones are drawn from (seed, label).

    At most `LEADERS` leaders, cheap cases first, until a fifth of what the search spent is spent on them; what was left
    out is counted; no more than `most` draws of each kind where that is given. Of long runs, whose numbers grow too
    long, a neighbour of few digits is decided instead, of leaders then one of smaller whole numbers.
    """
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    passes = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
    with within(limits), rechecking(*passes, anew=True):
        found_out = _audited(bound, found, most, seed, label)
        if _open(found_out):
            found_out = _nearer(bound, found, found_out)
    if _open(found_out):
        longer = replace(given, recheck_seconds=min(given.recheck_seconds, _LONGER))
        with within(longer), rechecking(*passes, anew=True):
            found_out = _at_length(bound, found, found_out)
    if _open(found_out):
        shorter = replace(limits, recheck_seconds=min(limits.recheck_seconds, _BRIEFLY))
        with within(shorter), rechecking(*passes, anew=True):
            found_out = _each_case(bound, found, found_out, most, seed, label)
    if not _open(found_out) or found.worst is None or not found.worst_ratio > 1 or found_out.topped:
        return found_out
    # No verdict stands on a ratio above 1 that only a neighbour was asked about.
    case, cube = found.worst
    decision = decide(bound, case, cube, COARSE)
    if decision.said is Said.VIOLATED and decision.instance is not None:
        return replace(found_out, violated=(case, decision, "leaders"))
    if decision.said is Said.UNDECLARED:
        return replace(found_out, undeclared=decision.reason)
    return replace(found_out.seen(case, decision), topped=decision.said is not Said.UNDECIDED, reason=decision.reason)


def _at_length(bound: Bound, found: Search, audit: Audit) -> Audit:
    """Ask again, with more digits and seconds, of what stays undecided where too few of its kind are decided.

    The cheap ones first; where two in a row take too long even so, the others would.
    """
    groups = dict(audit.groups)
    for name, drawn in (("ties", found.counts.tie), ("beyond floats", found.counts.beyond)):
        rows = iter(sorted(audit.undecided.get(name, ()), key=lambda k: effort(k.case)))
        too_long = 0
        while name in groups and groups[name].open(drawn, found.counts.admissible) and too_long < _IN_A_ROW:
            row = next((row for row in rows if row.case.exact is not None), None)
            if row is None:
                break
            decision = decide(bound, row.case, row.cube, COARSE)
            too_long = too_long + 1 if decision.said is Said.UNDECIDED else 0
            if decision.said is Said.VIOLATED and decision.instance is not None:
                return replace(audit, violated=(row.case, decision, name))
            if decision.said is Said.UNDECLARED:
                return replace(audit, undeclared=decision.reason)
            groups[name] = groups[name].moved(decision.said)
            audit = audit.seen(row.case, decision)
    return replace(audit, groups=groups)


def _open(audit: Audit) -> bool:
    """Whether no draw violates the statement, or breaks what is declared of a letter."""
    return audit.violated is None and not audit.undeclared


def _nearer(bound: Bound, found: Search, audit: Audit) -> Audit:
    """Of the cases that lead by ratio the draws that led before, where no exact ratio comes near to that of floats."""
    said, of = Counter[Said](), {name: Counter(answers) for name, answers in audit.of.items()}
    for rows in found.nearest:
        for place in _BACK:
            known = -1.0 if audit.ratio is None else float(audit.ratio)
            if place >= len(rows) or known >= _NEAR * rows[0].ratio or rows[place].ratio <= known:
                break
            decision = _near(bound, rows[place])
            if decision.said is Said.VIOLATED and decision.instance is not None:
                return replace(audit, violated=(rows[place].case, decision, "leaders"))
            if decision.said is Said.UNDECLARED:
                return replace(audit, undeclared=decision.reason)
            said[decision.said] += 1
            if decision.said not in _NOTHING:
                of.setdefault(rows[place].case.name, Counter())[decision.said] += 1
            audit = audit.seen(rows[place].case, decision)
    return replace(audit, groups={**audit.groups, "earlier leaders": Group(dict(said))}, of=of) if said else audit


def _each_case(bound: Bound, found: Search, audit: Audit, most: int | None, seed: int, label: str) -> Audit:
    """Look at one draw, the best, of every case that none was looked at of, cheap cases first, while effort is left.

    Of a case whose best draw has a hypothesis broken, or no value, fresh ones are asked until one says more.
    """
    heads = {head.case.name: head for head in found.heads if head.case.exact is not None}
    waiting = sorted((heads[name] for name in heads.keys() - audit.of.keys()), key=_by_effort)[:most]
    purse = _SHARE * _evaluations(found)
    of, said = dict(audit.of), Counter[Said]()
    chosen = []
    for row in waiting:
        purse -= effort(row.case)
        chosen += [row] if purse >= 0 or effort(row.case) <= _SURELY else []
    foreseen(bound, (row.case for row in chosen))
    for head in chosen:
        own: Counter[Said] = Counter()
        for row in _with_fresh(bound, head, seed, f"audit/{label}/{head.case.key}"):
            decision = _near(bound, row)
            own[decision.said] += 1
            if decision.said is Said.VIOLATED and decision.instance is not None:
                return replace(audit, violated=(row.case, decision, f"a draw of {row.case.name}"))
            if decision.said is Said.UNDECLARED:
                return replace(audit, undeclared=decision.reason)
            audit = audit.seen(row.case, decision)
            if decision.said not in _NOTHING:
                break
        of[head.case.name] = own
        said += own
    groups = {**audit.groups, "each case": Group(dict(said), len(waiting) - len(chosen))} if chosen else audit.groups
    return replace(audit, groups=groups, of=of)


def _with_fresh(bound: Bound, head: Kept, seed: int, label: str) -> Iterator[Kept]:
    """A draw, and random ones of its case where more are asked for."""
    yield head
    yield from _drawn(bound, head.case, seed, label)


def _by_effort(row: Kept) -> tuple[float, str]:
    return effort(row.case), row.case.key


def _near(bound: Bound, row: Kept) -> Decision:
    """What exact arithmetic says of a draw, or where its numbers grow too long of a neighbour with few digits.

    Beside a draw at which both sides of a strict inequality nearly meet, of its neighbours with few digits, too: where
    these are equal it falls.
    """
    decision = decide(bound, row.case, row.cube, COARSE)
    if decision.said is Said.MET and row.toward > -_NEARLY:
        return beside(bound, row.case, row.cube, COARSE[:-1]) or decision
    if decision.said is not Said.UNDECIDED or row.case.exact is None:
        return decision
    short = decide(bound, row.case, row.cube, _SHORT)
    return decision if short.said is Said.UNDECIDED else replace(short, reason=_BESIDE)


def _shorter(bound: Bound, row: Kept) -> Decision | None:
    """What exact arithmetic says of a draw with smaller whole numbers, the largest at which it says something."""
    columns, start = list[int](), 0
    for c in row.case.space.coordinates:
        columns += [start] if isinstance(c, Integer) else []
        start += c.n_cube
    for part in _SHORTER if columns else ():
        cube = row.cube.copy()
        cube[columns] *= part
        decision = decide(bound, row.case, cube, _SHORT)
        if decision.instance is not None and row.case.space.keeps(decision.instance):  # it is decided
            return replace(decision, reason=_BESIDE)
    return None


def _audited(bound: Bound, found: Search, most: int | None, seed: int, label: str) -> Audit:
    decisions: dict[tuple[str, bytes], Decision] = {}
    dear: set[str] = set()
    undecided: dict[str, list[Kept]] = {}
    groups: dict[str, Group] = {}
    ratio: Fraction | None = None
    lead: tuple[Case, Mapping[str, Any]] | None = None
    spent = {"leaders": _SHARE * _evaluations(found), "rest": _SHARE * _evaluations(found)}
    rows_of = _groups(found)
    foreseen(bound, (row.case for rows in rows_of.values() for row in rows[:most]))

    def fresh() -> Iterator[tuple[str, Sequence[Kept]]]:
        shown = {row.case.name: row.case for rows in rows_of.values() for row in rows[:most]}
        for case_name, said in _by_case(decisions).items():
            if set(said) <= _NOTHING:
                case = shown[case_name]
                yield f"fresh draws of {case_name}", _drawn(bound, case, seed, f"audit/{label}/{case.key}")

    for name, rows in chain(rows_of.items(), fresh()):
        said: dict[Said, int] = {}
        beyond = 0 if most is None else max(0, len(rows) - most)
        left_out, reason = beyond + (found.more_leaders if name == "leaders" else 0), ""
        purse = "leaders" if name == "leaders" else "rest"
        for position, row in enumerate(rows[:most]):
            key = (row.case.name, row.cube.tobytes())
            if key not in decisions:
                spent[purse] -= effort(row.case)
                if row.case.name in dear or (spent[purse] < 0 and position >= _ALWAYS):
                    left_out += 1
                    continue
                decisions[key] = _near(bound, row)
                if decisions[key].said is Said.UNDECIDED and row.case.exact is not None:
                    dear.add(row.case.name)  # what took too long once is not tried again
                    decisions[key] = (name == "leaders" and _shorter(bound, row)) or decisions[key]
            decision = decisions[key]
            said[decision.said] = said.get(decision.said, 0) + 1
            if decision.said is Said.VIOLATED and decision.instance is not None:
                return Audit((row.case, decision, name), groups)
            if decision.said is Said.UNDECLARED:
                return Audit(None, groups, undeclared=decision.reason)
            if decision.said is Said.UNDECIDED:
                reason = _BARE if row.case.exact is None else reason or decision.reason
                undecided.setdefault(name, []).append(row)
            own = decision.ratio
            if own is not None and decision.instance is not None and (ratio is None or own > ratio):
                ratio, lead = own, (row.case, decision.instance)
        groups[name] = Group(said, left_out, reason)
    moved = any(d.lhs is not None and d.lhs != 0 for d in decisions.values())
    decided = [d for d in decisions.values() if d.said is Said.MET]
    nothing = bool(decided) and all(d.lhs == 0 and d.rhs == 0 for d in decided)
    equal_to = next((d.digits for d in decisions.values() if d.digits is not None), None)
    on = {name: _largest(row, decisions) for name, row in found.best_on.items()}
    of, topped = _by_case(decisions), _topped(found, decisions)
    return Audit(None, groups, ratio, lead, topped, moved, nothing, equal_to, on, of, undecided)


def _by_case(decisions: Mapping[tuple[str, bytes], Decision]) -> dict[str, Counter[Said]]:
    of: dict[str, Counter[Said]] = {}
    for (case, _), decision in decisions.items():
        of.setdefault(case, Counter())[decision.said] += 1
    return of


def _drawn(bound: Bound, case: Case, seed: int, label: str) -> list[Kept]:
    """A few random draws of a case, of those that floats find within the hypotheses and with both sides."""
    cubes = stream(seed, label).random((_TRIED, case.space.n_cube))
    kind = evaluate(bound, case, cubes).kind
    return [Kept(case, cube) for cube in cubes[(kind == Draw.DECIDED) | (kind == Draw.TIE)][:_FRESH]]


def _groups(found: Search) -> dict[str, Sequence[Kept]]:
    # The draw with the largest float ratio comes first: no verdict stands on it undecided.
    known = {(k.case.name, k.cube.tobytes()): k for k in found.leaders}
    top = []
    if found.worst is not None:
        case, cube = found.worst
        leader = known.get((case.name, cube.tobytes())) or Kept(case, cube)
        top = [replace(leader, ratio=found.worst_ratio)]
    leaders = [*top, *(rows[0] for rows in found.nearest), *sorted(found.leaders, key=lambda k: effort(k.case))]
    named = {"leaders": leaders, "ties": found.ties, "left side 0": found.idle, "beyond floats": found.beyond}
    mechanisms = {f"with {name}": [row] for name, row in found.best_on.items()}
    return {name: rows for name, rows in {**named, **mechanisms}.items() if rows}


def _evaluations(found: Search) -> float:
    return float(sum(found.stages.values()))


def _largest(row: Kept, decisions: Mapping[tuple[str, bytes], Decision]) -> float | None:
    """The largest lhs/rhs with a mechanism on: that of its leading draw, exact where that was decided; None for none.

    A float above 1 that exact arithmetic did not look at stands for no more than 1 here: it decides nothing.
    """
    decision = decisions.get((row.case.name, row.cube.tobytes()))
    if decision is None or decision.said is Said.UNDECIDED:
        return min(row.ratio, 1.0)
    own = decision.ratio
    return None if own is None else float(own)


def _topped(found: Search, decisions: Mapping[tuple[str, bytes], Decision]) -> bool:
    if found.worst is None:
        return False
    case, cube = found.worst
    decision = decisions.get((case.name, cube.tobytes()))
    return decision is not None and decision.said is not Said.UNDECIDED and decision.reason != _BESIDE


def doubt(counts: Counts, found: Search, certification: Certification, audit: Audit) -> str | None:
    """Why a search without an exact violation does not earn `holds`; None where it does."""
    if certification.undecided:
        total = len(found.witnesses)
        why = f"{total} candidates violate in floats; exact arithmetic dismissed {certification.dismissed}"
        return f"{why} and could not decide {certification.undecided} ({certification.reason})"
    met = sum(g[Said.MET] for g in audit.groups.values()) + certification.dismissed
    outside = sum(g[Said.OUTSIDE] for g in audit.groups.values()) + certification.outside
    if outside and not met:
        return f"exact arithmetic finds a hypothesis broken on all {outside} draws that it re-checked"
    nowhere = sum(g[Said.UNDEFINED] for g in audit.groups.values()) + certification.undefined
    if nowhere and not met:
        return f"a side has no value, such as one divided by 0, on all {nowhere} draws that exact arithmetic re-checked"
    for case in sorted({*audit.of, *certification.of}):
        answers = Counter(audit.of.get(case, {})) + Counter(certification.of.get(case, {}))
        if answers.total() >= _FEWEST and set(answers) <= _NOTHING:
            what = "a hypothesis broken" if answers[Said.OUTSIDE] else "a side without a value"
            return f"exact arithmetic finds {what} on all {answers.total()} draws of {case!r} that it re-checked"
    failed = next((g for g in audit.groups.values() if g[Said.UNDECIDED] and g.reason != _BARE), None)
    if failed is not None and not met:
        return f"exact arithmetic decided none of the draws that it re-checked ({failed.reason})"
    beyond = audit.groups.get("beyond floats")
    if beyond is not None:
        n = counts.beyond
        if beyond.open(n, counts.admissible):
            return (
                f"both sides of {n:,} draws are beyond floats, and exact arithmetic decides too few ({beyond.reason})"
            )
        share = 1 - (beyond[Said.UNDEFINED] + beyond[Said.OUTSIDE]) / max(1, beyond.looked)
        enough = counts.random >= _MANY  # a climb stays where it came to, however few of the space's draws are there
        n, drawn, what = (
            (counts.random_beyond, counts.random, "random draws") if enough else (n, counts.admissible, "draws")
        )
        if share * n > max(_LARGE * drawn, 1):
            return f"{n:,} of {drawn:,} {what} are beyond floats; rescale the space"
    ties = audit.groups.get("ties")
    if ties is not None and ties.open(counts.tie, counts.admissible):
        return f"{counts.tie:,} draws tie within rounding, and exact arithmetic decides too few ({ties.reason})"
    # A ratio within rounding of 1 is one tie of many: a sample of them stands for it where it cannot be decided itself.
    tied = ties is not None and found.worst_ratio <= 1 + TOLERANCE and 2 * ties[Said.MET] >= ties.looked
    if found.worst_ratio > 1 and not audit.topped and not tied:
        reason = audit.reason or next((g.reason for g in audit.groups.values() if g.reason), _BARE)
        return f"the largest ratio seen, {found.worst_ratio:.10g}, is above 1 and was not decided exactly ({reason})"
    return None
