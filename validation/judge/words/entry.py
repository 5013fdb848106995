"""An entry in words: verdict, roles and reasons, from the stored outcomes of its readings and what each one is.

Nothing here looks for anything: words may be mended, and a table of readings corrected, without a search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from validation.judge.entry import Entry, Terms
from validation.judge.exact.certify import telling
from validation.judge.words.verdict import Judged, always_refuted, combine, untested
from validation.judge.words.weight import Weight, weigh
from validation.script.script import file_name
from validation.script.straight_line import LONGEST
from validation.search.plainness import LARGEST, SMALLEST
from validation.statement.claim import Claim
from validation.statement.roles import RESULTS, ClaimRoles, ReadingRole, Role
from validation.statement.verdict import Verdict

__all__ = ["beyond_bound", "headline", "in_words", "labelled", "reworded", "weighed", "why", "worded"]

__judges__ = "no"

Row = Mapping[str, Any]

_APART = {"name", "setting"}
_TERMS = {"used_by": "used by", "met_by": "met by", "forced_by": "forced by", "ours": "since", "because": "since"}
_REPAIRS = {Role.SPECIAL_CASE: "condition", Role.REPAIR: "edit"}


def worded(entry: Row, claim: Claim, roles: ClaimRoles) -> dict[str, Any]:
    """The entry with its verdict, condition and edit, the role of each reading, and the counterexample that is shown.

    A semidefinite program over the whole class that goes beyond the bound makes a verdict that holds `inconclusive`.
    """
    readings = [
        {**row, **_said(role), "counterexample": None}
        for row, role in zip(entry["readings"], roles.readings, strict=True)
    ]
    judged = [
        Judged(Verdict(row["verdict"]), role, bool(row["restored_by"]), reading.whole_range)
        for row, role, reading in zip(readings, roles.readings, claim.readings, strict=True)
    ]
    found = combine(judged, roles.switches_met_by)
    verdict, programs = found.verdict, entry["worst_cases"]
    beyond = [p for p in programs if beyond_bound(p)]
    if verdict.true and beyond:
        verdict = Verdict.INCONCLUSIVE  # floating point found what the search did not: neither is trusted alone
    printed = [r for r in readings if r["as_printed"]]
    # Readings run from the most literal to the most charitable; the counterexample shown is to the last one refuted:
    # rather to one that the claim names, then to one whose two sides a reader tells apart, then of a part that falls
    # however the print is read, then with plain numbers, then on one page.
    # One that is named may have a further hypothesis: it refutes the print as well.
    eligible = [r for r in readings if r["as_printed"] or r["terms"].get("shown")]
    shown = [r for r in eligible if r["counterexample_source"] is not None]
    falls = always_refuted(judged)

    def preferred(r: Row) -> tuple[bool, ...]:
        part, lines = str(r["terms"].get("part", "")), r["counterexample_source"].count("\n")
        readable = _plain(r.get("worst_instance")), lines <= LONGEST
        return bool(r["terms"].get("shown")), _tells(r["exact"]), part in falls, *readable

    main = max(reversed(shown), key=preferred) if shown else printed[0]
    for i, r in enumerate(readings):
        if any(r is s for s in shown):
            r["counterexample"] = _script_path(claim.id, i, r is main)
        r["mechanisms"] = [
            {**m, "counterexample": f"counterexamples/{file_name(claim.id)}-reading{i + 1}-mechanism{k + 1}.py"}
            for k, m in enumerate(r["mechanisms"])
        ]
    ratios = [r["worst_ratio"] for r in printed if r["worst_ratio"] is not None]
    return {
        **entry,
        "verdict": str(verdict),
        "level": str(roles.level),
        "ours": roles.ours or None,
        "written": roles.written or None,
        "condition": found.condition,
        "edit": found.edit,
        "open": {issue: {"printed": o.printed, "why": o.why} for issue, o in roles.open.items()},
        "why": why(readings, beyond, untested(judged) if verdict is Verdict.INCONCLUSIVE else ()),
        "readings": readings,
        "worst_ratio": "inf" if "inf" in ratios else max(ratios, default=None),
        "counterexample": main["counterexample"],
        "counterexample_source": main["counterexample_source"],
        "robustness": main["robustness"],
        "exact": main["exact"],
        "weight": None,
    }


def beyond_bound(program: Row) -> bool:
    """Whether a semidefinite program was solved, to a value above the bound by more than its residuals explain."""
    return bool(program["status"] == "optimal" and program["ratio"] > 1 + max(1e-6, 10 * (program["residual"] or 0)))


def _said(role: ReadingRole) -> Row:
    """What a reading is, as an entry keeps it: only what is said of it."""
    terms = {key: value for key, value in vars(role).items() if value and key not in _APART}
    terms = {key: dict(value) if isinstance(value, Mapping) else value for key, value in terms.items()}
    return {
        "role": str(role.role),
        "as_printed": role.decides,
        "repair": _REPAIRS.get(role.role),
        "terms": {key: list(value) if isinstance(value, tuple) else value for key, value in terms.items()},
    }


def _tells(exact: Mapping[str, str] | None) -> bool:
    """Whether both sides as kept, "7/3" or "≈ 2.33333", differ by a tenth or more; so where no two numbers are kept."""
    try:
        return exact is None or telling(*(Fraction(exact[side].removeprefix("≈ ")) for side in ("left", "right")))
    except ValueError:
        return True


def _plain(instance: Any) -> bool:
    """Whether no number of an instance as kept is below 1/1000 in size and not 0, nor 10,000 and above."""
    if isinstance(instance, Mapping):
        return all(_plain(value) for value in instance.values())
    if isinstance(instance, list):
        return all(_plain(value) for value in instance)
    try:
        size = abs(Fraction(instance)) if isinstance(instance, str | int | float) else Fraction(0)
    except (ValueError, OverflowError):  # words, infinities
        return True
    return size == 0 or SMALLEST <= size < 10 * LARGEST


def _script_path(claim_id: str, index: int, main: bool) -> str:
    name = file_name(claim_id)
    return f"counterexamples/{name}.py" if main else f"counterexamples/{name}-reading{index + 1}.py"


def reworded(entry: Entry, claim: Claim, roles: ClaimRoles) -> Entry:
    """A current entry in the words that claim and table have today."""
    renewed = replace(
        entry,
        at=claim.at,
        title=claim.title,
        printed=claim.printed,
        plainly=claim.plainly,
        assumes=claim.assumes,
        words=claim.verdict,
        rests_on=claim.rests_on,
        tight=claim.tight,
        readings=tuple(
            replace(r, name=own.name, says=own.says) for r, own in zip(entry.readings, claim.readings, strict=True)
        ),
        mutants=tuple(
            replace(m, name=own.name, false_since=own.false_since)
            for m, own in zip(entry.mutants, claim.mutants, strict=True)
        ),
    )
    return Entry.of(worded(renewed.json(), claim, roles))


def weighed(entries: Sequence[Entry], roles: Mapping[str, ClaimRoles]) -> list[Entry]:
    """The entries of all of a paper's claims, each with its weight: None for what stands as printed or is open.

    A weight depends on what rests on what, so nothing less than the whole paper will do.
    """
    carried = {e.id: any(r.terms.carries and r.verdict.true for r in e.readings) for e in entries}
    rests_on = {e.id: list(e.rests_on) for e in entries}
    weights = weigh({e.id: e.verdict for e in entries}, roles, carried, rests_on)
    return [replace(e, weight=str(weights[e.id]) if e.id in weights else None) for e in entries]


def headline(entries: Sequence[Entry]) -> str:
    """A paper in one line: how many of its theorems and lemmas stand as printed, and the weights of what does not.

    What is asked by us and not printed counts for neither; how many those are is said at the end.
    """
    printed = [e for e in entries if not e.ours]
    results = [e for e in printed if e.level in RESULTS]
    stand = [e for e in results if e.verdict.true and not e.weight]
    weights = [f"{n} × {w}" for w in Weight if (n := sum(e.weight == w for e in printed))]
    said = f"{len(stand)} of {len(results)} theorems and lemmas stand as printed" if results else "no theorem or lemma"
    apart = len(entries) - len(printed)
    return "; ".join([said, *weights, *([f"apart: {apart} asked by us"] if apart else [])])


def in_words(role: str, terms: Terms) -> str:
    """What a reading is: its role, and what makes it so, in one line."""
    said = [f"{issue}: {choice}" for issue, choice in terms.options.items()]
    said += [f"{coordinate} = {value}" for coordinate, value in terms.cuts.items()]
    said += [*terms.conditions, *terms.edits]
    said += labelled(terms, _TERMS)
    part = f"part «{terms.part}», " if terms.part else ""
    shown = "as printed" if role == Role.ALTERNATIVE and not said else role
    return f"{part}{shown}" + (f": {'; '.join(said)}" if said else "")


def labelled(terms: Terms, labels: Mapping[str, str]) -> list[str]:
    """What else makes a reading what it is, each behind its label: a setting is without what a cut attacks.

    >>> labelled(Terms(cuts={"weights": "change"}, met_by="FedAvg"), {"met_by": "met by"})
    ['not so in FedAvg']
    """
    cut = bool(terms.cuts) and not terms.conditions
    said = {key: "not so in" if cut and key == "met_by" else label for key, label in labels.items()}
    return [f"{label} {getattr(terms, key)}" for key, label in said.items() if getattr(terms, key)]


def why(readings: Sequence[Row], worst_cases: Sequence[Row] = (), unread: Sequence[Mapping[str, str]] = ()) -> str:
    """The printed readings' verdicts with their reasons, then what repairs them, then the programs that went beyond.

    A repair that a claim states has a verdict. One that the search found by itself, an extra condition or an edit of
    the formula, has none: it is said on how many instances it was not refuted, as it may depend on the sizes searched.
    `worst_cases`: those semidefinite programs whose value exceeds the bound. `unread`: choices that no reading is of.
    """
    parts = [f"{r['name']}: {r['verdict']} ({r['why']})" for r in readings if r["as_printed"]]
    for r in readings:
        if r["repair"] is not None and Verdict(r["verdict"]).true:
            parts.append(f"with {r['name'].removeprefix('with ')}: {r['verdict']}")
        parts += [_found(r, " and ".join(s["switches"]), s) for s in r["restored_by"]]
        parts += [_found(r, s["says"], s) for s in r["edits"][:1]]
    parts += [f"beyond the bound over the class at {p['at']}" for p in worst_cases]
    return "; ".join(parts + [f"no reading is of {_chosen(choices)}" for choices in unread])


def _chosen(choices: Mapping[str, str]) -> str:
    return " with ".join(f"{issue}: {choice}" for issue, choice in choices.items())


def _found(reading: Row, words: str, repair: Row) -> str:
    return f"{reading['name']} with {words}: not refuted on {repair['instances']:,} instances"
