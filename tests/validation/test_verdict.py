"""The algebra of verdicts, over every combination of up to three readings, against the table written out."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations, product

import pytest

from validation.verdict import Judged, Out, Verdict, combine, out, word

SINGLE = [
    Verdict.PROVED,
    Verdict.HOLDS,
    Verdict.REFUTED,
    Verdict.VACUOUS,
    Verdict.INCONCLUSIVE,
    Verdict.NEEDS_RUN,
    Verdict.NOT_CHECKED,
]
OPEN = {Verdict.INCONCLUSIVE, Verdict.NOT_CHECKED}


def letter(v: Verdict) -> str:
    return {"refuted": "F", "needs-run": "N", "vacuous": "V", "holds": "T", "proved": "T"}.get(str(v), "U")


def by_the_table(alternatives: list[list[Verdict]], conditions: list[Verdict]) -> str:
    """The table of the verdicts, written a second time and plainly."""
    outs = []
    for parts in alternatives:
        letters = [letter(v) for v in parts]
        outs.append(next(c for c in "FUNVT" if c in letters))
    if "T" in outs and "F" in outs:
        return "underspecified"
    if "U" in outs:
        return "inconclusive"
    if "N" in outs:
        return "needs-run"
    if "F" in outs:
        return "unstated-condition" if any(letter(v) == "T" for v in conditions) else "refuted"
    if set(outs) == {"V"}:
        return "vacuous"
    return "proved" if all(v is Verdict.PROVED for parts in alternatives for v in parts) else "holds"


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("conditions", [[], [Verdict.HOLDS], [Verdict.REFUTED], [Verdict.INCONCLUSIVE]], ids=str)
def test_every_combination_of_alternatives_and_parts(n: int, conditions: list[Verdict]) -> None:
    for verdicts in product(SINGLE, repeat=n):
        for roles in product(("alternative", "part"), repeat=n):
            readings = [Judged(v, role) for v, role in zip(verdicts, roles, strict=True)]
            readings += [Judged(v, repair="condition") for v in conditions]
            parts = [v for v, role in zip(verdicts, roles, strict=True) if role == "part"]
            alternatives = [[v, *parts] for v, role in zip(verdicts, roles, strict=True) if role == "alternative"]
            assert combine(readings) == by_the_table(alternatives or [parts], conditions), (verdicts, roles)


def test_the_order_of_readings_does_not_matter() -> None:
    for verdicts in combinations_with_replacement(SINGLE, 3):
        words = {combine([Judged(v) for v in order]) for order in permutations(verdicts)}
        assert len(words) == 1


@pytest.mark.parametrize("other", SINGLE)
def test_a_refuted_part_refutes_the_whole_whatever_the_others(other: Verdict) -> None:
    assert combine([Judged(Verdict.REFUTED, "part"), Judged(other, "part")]) is Verdict.REFUTED
    assert combine([Judged(other), Judged(Verdict.REFUTED, "part")]) is Verdict.REFUTED
    restored = [Judged(Verdict.REFUTED, "part"), Judged(other, "part"), Judged(Verdict.HOLDS, repair="condition")]
    assert combine(restored) is Verdict.UNSTATED_CONDITION


@pytest.mark.parametrize("known", [Verdict.HOLDS, Verdict.PROVED, Verdict.REFUTED])
@pytest.mark.parametrize("undecided", [*sorted(OPEN), Verdict.NEEDS_RUN])
def test_one_known_and_one_open_alternative_leave_the_print_open(known: Verdict, undecided: Verdict) -> None:
    expected = Verdict.NEEDS_RUN if undecided is Verdict.NEEDS_RUN else Verdict.INCONCLUSIVE
    assert combine([Judged(known), Judged(undecided)]) is expected


def test_proved_only_for_every_part_and_the_whole_range() -> None:
    proved, held = Judged(Verdict.PROVED), Judged(Verdict.HOLDS, "part")
    assert combine([proved]) is Verdict.PROVED
    assert combine([proved, held]) is Verdict.HOLDS
    assert combine([Judged(Verdict.PROVED, whole=False)]) is Verdict.HOLDS


def test_an_edit_restores_nothing_and_extras_found_for_every_refuted_reading_do() -> None:
    refuted, found = Judged(Verdict.REFUTED), Judged(Verdict.REFUTED, restored=True)
    assert combine([refuted, Judged(Verdict.HOLDS, repair="edit")]) is Verdict.REFUTED
    assert combine([found, found]) is Verdict.UNSTATED_CONDITION
    assert combine([found, refuted]) is Verdict.REFUTED
    repaired = Judged(Verdict.REFUTED, repair="edit")  # an edit that fails takes nothing from what the search restored
    assert combine([found, repaired]) is Verdict.UNSTATED_CONDITION


def test_a_statement_without_readings_and_verdicts_of_many_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one reading"):
        combine([Judged(Verdict.HOLDS, repair="condition")])
    with pytest.raises(ValueError, match="at least one part"):
        out([])
    with pytest.raises(ValueError, match="at least one reading"):
        word([])
    with pytest.raises(ValueError, match="expected the verdict of one reading"):
        Judged(Verdict.UNDERSPECIFIED)
    assert list(Out) == ["F", "U", "N", "V", "T"]
