"""The algebra of verdicts, over every combination of up to three readings, against the table written out."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from tests.committed import committed
from validation.judge.words.verdict import (
    Judged,
    Out,
    Word,
    alternatives,
    always_refuted,
    combine,
    out,
    untested,
    word,
)
from validation.judge.words.weight import Weight, weigh
from validation.papers.papers import load_papers
from validation.statement.claim import Paper
from validation.statement.roles import ClaimRoles, Level, Open, ReadingRole, roles_of
from validation.statement.verdict import Verdict

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
MET = ReadingRole("special", conditions=("one step a round",), met_by="Table 1")
FORCED = ReadingRole("edit", edits=("sign",), token=True, forced_by="the next line has +")


def either(name: str, part: str = "") -> ReadingRole:
    return ReadingRole(name, part=part, options={"issue": name})


def letter(v: Verdict) -> str:
    return {"refuted": "F", "needs-run": "N", "vacuous": "V", "holds": "T", "proved": "T"}.get(str(v), "U")


def by_the_table(alternatives: list[list[Verdict]], special: list[Verdict], edits: list[Verdict]) -> str:
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
        if not any({"F"} <= {letter(v) for v in parts} <= set("FVT") for parts in alternatives):  # a part is unknown
            return "inconclusive" if any(letter(v) in "TU" for v in [*special, *edits]) else "refuted"
        if any(letter(v) == "T" for v in edits):
            return "misprint"
        if any(letter(v) == "T" for v in special):
            return "unstated-condition"
        return "inconclusive" if any(letter(v) == "U" for v in [*special, *edits]) else "refuted"
    if set(outs) == {"V"}:
        return "vacuous"
    return "proved" if all(v is Verdict.PROVED for parts in alternatives for v in parts) else "holds"


REPAIRS = [[], [Verdict.HOLDS], [Verdict.REFUTED], [Verdict.INCONCLUSIVE]]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("special", REPAIRS, ids=str)
@pytest.mark.parametrize("edits", REPAIRS, ids=str)
def test_every_combination_of_alternatives_and_cuts(n: int, special: list[Verdict], edits: list[Verdict]) -> None:
    for verdicts in product(SINGLE, repeat=n):
        for kinds in product("ab", repeat=n):  # two choices; the second reading of a choice is a cut
            readings = [
                Judged(v, replace(either(kind), cuts={"noise": str(i)} if kind in kinds[:i] else {}))
                for i, (v, kind) in enumerate(zip(verdicts, kinds, strict=True))
            ]
            readings += [Judged(v, MET) for v in special] + [Judged(v, FORCED) for v in edits]
            parts = [[v for v, k in zip(verdicts, kinds, strict=True) if k == kind] for kind in sorted(set(kinds))]
            assert combine(readings).verdict == by_the_table(parts, special, edits), (verdicts, kinds)


@pytest.mark.parametrize("other", [Verdict.INCONCLUSIVE, Verdict.NEEDS_RUN])
def test_a_false_part_is_not_repaired_beside_one_that_nobody_decided(other: Verdict) -> None:
    """«Holds under …» would be said of a part that is not known to hold."""
    fallen = Judged(Verdict.REFUTED, ReadingRole("first", part="1"))
    beside = Judged(other, ReadingRole("second", part="2"))
    mends = Judged(Verdict.HOLDS, replace(MET, part="1"))
    found = combine([fallen, beside, mends])
    assert (found.verdict, found.condition) == (Verdict.INCONCLUSIVE, None)
    assert combine([fallen, beside]).verdict == Verdict.REFUTED
    assert combine([fallen, replace(beside, verdict=Verdict.HOLDS), mends]).condition == "one step a round"


def test_parts_that_choose_nothing_belong_to_every_choice() -> None:
    for first, second, common in product(SINGLE, repeat=3):
        readings = [Judged(first, either("a")), Judged(second, either("b")), Judged(common, ReadingRole("c", part="2"))]
        assert combine(readings).verdict == by_the_table([[first, common], [second, common]], [], [])


def test_parts_that_choose_on_issues_of_their_own_make_every_pair_of_choices() -> None:
    parts = {"1": ("x", "ab"), "2": ("y", "cd")}
    readings = [
        Judged(Verdict.HOLDS, ReadingRole(name, part=part, options={issue: name}))
        for part, (issue, names) in parts.items()
        for name in names
    ]
    found = [{j.role.name for j in those} for those in alternatives(readings)]
    assert found == [{"a", "c"}, {"a", "d"}, {"b", "c"}, {"b", "d"}]


def test_a_choice_without_a_reading_of_every_part_is_open_unless_a_part_of_it_falls() -> None:
    a1, a2 = (Judged(Verdict.HOLDS, either("a", part)) for part in "12")
    for verdict in SINGLE:
        b1 = Judged(verdict, either("b", "1"))
        falls = verdict is Verdict.REFUTED
        assert combine([a1, a2, b1]).verdict is (Verdict.UNDERSPECIFIED if falls else Verdict.INCONCLUSIVE)
        assert untested([a1, a2, b1]) == (() if falls else ({"issue": "b"},))
    with pytest.raises(ValueError, match="reading for every part"):
        combine([a1, Judged(Verdict.HOLDS, either("b", "2"))])


def test_a_print_that_falls_as_far_as_it_was_read_is_open_where_it_was_not() -> None:
    """Two issues, three of four choices read: by the fourth it may hold."""
    read = [
        Judged(Verdict.REFUTED, ReadingRole(f"{x}{y}", options={"norm": x, "mean": y})) for x, y in ("ac", "ad", "bc")
    ]
    assert combine(read).verdict is Verdict.INCONCLUSIVE
    assert untested(read) == ({"norm": "b", "mean": "d"},)
    assert combine([*read, Judged(Verdict.REFUTED, ReadingRole("bd", options={"norm": "b", "mean": "d"}))]) == Word(
        Verdict.REFUTED
    )


def test_the_order_of_readings_does_not_matter() -> None:
    for verdicts in combinations_with_replacement(SINGLE, 3):
        named = [Judged(v, either(str(i))) for i, v in enumerate(verdicts)]
        assert len({combine(order).verdict for order in permutations(named)}) == 1


@pytest.mark.parametrize("other", SINGLE)
def test_a_refuted_part_refutes_the_whole_whatever_the_others(other: Verdict) -> None:
    one, two = ReadingRole("one", part="1"), ReadingRole("two", part="2")
    assert combine([Judged(Verdict.REFUTED, one), Judged(other, two)]).verdict is Verdict.REFUTED
    restored = [Judged(Verdict.REFUTED, one), Judged(Verdict.HOLDS, two), Judged(Verdict.HOLDS, replace(MET, part="1"))]
    assert combine(restored).verdict is Verdict.UNSTATED_CONDITION
    other_part = [*restored[:2], Judged(Verdict.HOLDS, replace(MET, part="2"))]
    assert combine(other_part).verdict is Verdict.REFUTED


@pytest.mark.parametrize("known", [Verdict.HOLDS, Verdict.PROVED, Verdict.REFUTED])
@pytest.mark.parametrize("undecided", [*sorted(OPEN), Verdict.NEEDS_RUN])
def test_one_known_and_one_open_alternative_leave_the_print_open(known: Verdict, undecided: Verdict) -> None:
    expected = Verdict.NEEDS_RUN if undecided is Verdict.NEEDS_RUN else Verdict.INCONCLUSIVE
    assert combine([Judged(known, either("a")), Judged(undecided, either("b"))]).verdict is expected


def test_proved_only_for_every_part_and_the_whole_range() -> None:
    proved, held = Judged(Verdict.PROVED), Judged(Verdict.HOLDS, ReadingRole("held", part="2"))
    assert combine([proved]).verdict is Verdict.PROVED
    assert combine([proved, held]).verdict is Verdict.HOLDS
    assert combine([Judged(Verdict.PROVED, whole=False)]).verdict is Verdict.HOLDS


def test_a_cut_that_fails_with_a_plain_value_that_somebody_lives_at_is_an_unstated_condition() -> None:
    plain = Judged(Verdict.HOLDS)
    cut = ReadingRole("cut", cuts={"weights": "see the round"}, sees="after the step", used_by="Algorithm 1")
    assert combine([plain, Judged(Verdict.REFUTED, cut)]).verdict is Verdict.REFUTED
    met = combine([plain, Judged(Verdict.REFUTED, replace(cut, met_by="Table 1: fixed weights"))])
    assert (met.verdict, met.condition) == (Verdict.UNSTATED_CONDITION, "not with weights = see the round")
    nobody = replace(cut, used_by="")
    assert combine([plain, Judged(Verdict.REFUTED, nobody)]).verdict is Verdict.HOLDS  # reported beside


def test_what_is_ours_decides_nothing() -> None:
    ours = ReadingRole("ours", ours="two-sided")
    assert combine([Judged(Verdict.HOLDS), Judged(Verdict.REFUTED, ours)]).verdict is Verdict.HOLDS
    assert combine([Judged(Verdict.REFUTED), Judged(Verdict.HOLDS, ours)]).verdict is Verdict.REFUTED


def test_a_misprint_needs_one_token_that_is_forced_and_true_and_no_result_that_uses_the_wrong_one() -> None:
    def found(edit: ReadingRole, verdict: Verdict = Verdict.HOLDS) -> Verdict:
        return combine([Judged(Verdict.REFUTED), Judged(verdict, edit)]).verdict

    assert found(FORCED) is Verdict.MISPRINT
    assert found(replace(FORCED, token=False)) is Verdict.REFUTED
    assert found(replace(FORCED, forced_by="")) is Verdict.REFUTED
    assert found(replace(FORCED, wrong_form_in=("T1",))) is Verdict.REFUTED
    assert found(replace(FORCED, conditions=("E = 1",))) is Verdict.REFUTED
    assert found(FORCED, Verdict.REFUTED) is Verdict.REFUTED
    beside = combine([Judged(Verdict.REFUTED), Judged(Verdict.HOLDS, replace(FORCED, token=False))])
    assert beside.edit == "sign"
    assert combine([Judged(Verdict.HOLDS), Judged(Verdict.HOLDS, FORCED)]).edit is None  # nothing to correct


def test_a_condition_that_no_setting_meets_restores_nothing() -> None:
    nobody = replace(MET, met_by="")
    assert combine([Judged(Verdict.REFUTED), Judged(Verdict.HOLDS, nobody)]).verdict is Verdict.REFUTED
    assert combine([Judged(Verdict.REFUTED), Judged(Verdict.HOLDS, MET)]).condition == "one step a round"


def test_extras_that_the_search_found_count_where_a_setting_has_them() -> None:
    found = Judged(Verdict.REFUTED, restored=True)
    assert combine([found]).verdict is Verdict.REFUTED
    assert combine([found], "Table 1").verdict is Verdict.UNSTATED_CONDITION
    other = Judged(Verdict.REFUTED, ReadingRole("other", part="2"))
    assert combine([found, other], "Table 1").verdict is Verdict.REFUTED


def test_a_statement_without_readings_and_verdicts_of_many_are_refused() -> None:
    with pytest.raises(ValueError, match="no choice of options"):
        combine([Judged(Verdict.HOLDS, MET)])
    with pytest.raises(ValueError, match="at least one part"):
        out([])
    with pytest.raises(ValueError, match="at least one reading"):
        word([])
    with pytest.raises(ValueError, match="expected the verdict of one reading"):
        Judged(Verdict.UNDERSPECIFIED)
    assert list(Out) == ["F", "U", "N", "V", "T"]


def test_a_weight_is_of_level_word_and_graph() -> None:
    def claim(level: Level, repeats: str = "") -> ClaimRoles:
        return ClaimRoles(level, (ReadingRole("as printed"),), repeats=repeats)

    roles = {
        "T": claim(Level.THEOREM),
        "U": claim(Level.THEOREM),
        "L": claim(Level.LEMMA),
        "a": claim(Level.STEP),
        "b": claim(Level.STEP),
        "c": claim(Level.STEP, repeats="b"),
        "d": claim(Level.DEFINITION),
        "e": claim(Level.REMARK),
        "f": claim(Level.REMARK),
        "g": claim(Level.REMARK),
        "h": claim(Level.DEFINITION),
        "i": claim(Level.REMARK),
    }
    verdicts = dict.fromkeys(roles, Verdict.REFUTED) | {
        "T": Verdict.HOLDS,
        "U": Verdict.HOLDS,
        "L": Verdict.UNSTATED_CONDITION,
        "e": Verdict.MISPRINT,
        "f": Verdict.UNDERSPECIFIED,
        "g": Verdict.PROVED,
        "h": Verdict.UNSTATED_CONDITION,
        "i": Verdict.UNSTATED_CONDITION,
    }
    rests = {"T": ("L",), "L": ("a",), "a": ("b",), "U": ("b",)}
    assert weigh(verdicts, roles, {"b": True}, rests) == {
        "T": Weight.RESULT_TRUE_PROOF_BROKEN,
        "L": Weight.CONDITION_MISSING,
        "a": Weight.PROOF_BROKEN,
        "b": Weight.SLIP,
        "d": Weight.WORDING,
        "e": Weight.SLIP,
        "f": Weight.WORDING,
        "h": Weight.WORDING,  # no heavier than the definition that is false, d
        "i": Weight.CONDITION_MISSING,
    }


def test_corollaries_and_propositions_weigh_as_results() -> None:
    levels = {"T": Level.THEOREM, "C": Level.COROLLARY, "P": Level.PROPOSITION}
    roles = {name: ClaimRoles(level, (ReadingRole("as printed"),)) for name, level in levels.items()}
    verdicts = {"T": Verdict.HOLDS, "C": Verdict.HOLDS, "P": Verdict.REFUTED}
    assert weigh(verdicts, roles, {}, {"T": ("C",), "C": ("P",)}) == {
        "T": Weight.RESULT_TRUE_PROOF_BROKEN,
        "C": Weight.RESULT_TRUE_PROOF_BROKEN,
        "P": Weight.RESULT_FALSE,
    }


def test_a_part_that_falls_however_the_print_is_read_is_told_from_one_that_does_not() -> None:
    def of(verdict: Verdict, part: str, **options: str) -> Judged:
        return Judged(verdict, ReadingRole(f"{part} {options}", part=part, options=options))

    fallen = [of(Verdict.REFUTED, "limit", count="one"), of(Verdict.REFUTED, "limit", count="two")]
    loss = [of(Verdict.REFUTED, "loss", whose="all"), of(Verdict.HOLDS, "loss", whose="some")]
    assert always_refuted([*fallen, *loss]) == {"limit"}
    assert always_refuted(loss) == frozenset()
    assert always_refuted([*fallen[:1], of(Verdict.HOLDS, "limit", count="two"), *loss]) == frozenset()


def test_what_a_result_meets_breaks_nothing_in_it_and_what_is_ours_has_no_weight() -> None:
    def claim(level: Level, **terms: Any) -> ClaimRoles:
        return ClaimRoles(level, (ReadingRole("as printed"),), **terms)

    met = {"a": "w = p, and p is on the simplex"}
    roles = {
        "meets": claim(Level.THEOREM, meets=met),
        "silent": claim(Level.THEOREM),
        "meets no more": claim(Level.LEMMA, meets=met | {"b": "b is false, which no hypothesis mends"}),
        "meets the first": claim(Level.LEMMA, meets=met),
        "a": claim(Level.STEP),
        "b": claim(Level.STEP),
        "beneath": claim(Level.STEP),
        "ours": claim(Level.LEMMA, ours="nowhere printed"),
        "rests on ours": claim(Level.THEOREM),
    }
    verdicts = dict.fromkeys(roles, Verdict.HOLDS) | {
        "a": Verdict.UNSTATED_CONDITION,
        "b": Verdict.REFUTED,
        "beneath": Verdict.HOLDS,
        "ours": Verdict.REFUTED,
    }
    rests = {
        "meets": ("a",),
        "silent": ("a",),
        "meets no more": ("a", "b"),
        "meets the first": ("a",),
        "a": ("beneath",),
        "rests on ours": ("ours",),
    }
    broken = Weight.RESULT_TRUE_PROOF_BROKEN
    own = {"a": Weight.CONDITION_MISSING, "b": Weight.PROOF_BROKEN}
    assert weigh(verdicts, roles, {}, rests) == {**own, "silent": broken, "meets no more": broken}
    # what lies beneath the step is not met with it
    deeper = weigh(verdicts | {"beneath": Verdict.REFUTED}, roles, {}, rests)
    assert deeper["meets"] is broken
    assert deeper["meets the first"] is broken
    with pytest.raises(ValueError, match="meets a without saying where"):
        claim(Level.THEOREM, meets={"a": ""})


@pytest.mark.parametrize("paper", load_papers(), ids=lambda p: p.key)
def test_what_a_claim_says_that_it_meets_lacks_a_condition_that_breaks_it_else(paper: Paper) -> None:
    roles = {c.id: roles_of(c) for c in paper.claims}
    verdicts = {e.id: e.verdict for e in committed(paper)}
    verdicts = {name: verdicts.get(name, Verdict.NOT_CHECKED) for name in roles}
    rests = {c.id: c.rests_on for c in paper.claims}
    for name, role in roles.items():
        with_all = weigh(verdicts, roles, {}, rests)
        for one in role.meets:
            rest = {k: v for k, v in role.meets.items() if k != one}
            without = weigh(verdicts, {**roles, name: replace(role, meets=rest)}, {}, rests)
            assert with_all[one] is Weight.CONDITION_MISSING, f"{name} meets {one}, which lacks nothing"
            assert name not in with_all
            assert without[name] is Weight.RESULT_TRUE_PROOF_BROKEN, (name, one)


def test_a_row_of_a_table_says_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match="no reading decides"):
        ClaimRoles(Level.STEP, (MET,))
    with pytest.raises(ValueError, match="options and `open` differ: issue"):
        ClaimRoles(Level.STEP, (either("a"),))
    opened = {"issue": Open("nowhere", "«small» is nowhere defined")}
    with pytest.raises(ValueError, match="choose on different issues"):
        ClaimRoles(Level.STEP, (either("a"), ReadingRole("plain")), opened)
    with pytest.raises(ValueError, match="two readings are the print alike"):
        ClaimRoles(Level.STEP, (ReadingRole("one"), ReadingRole("two")))
    with pytest.raises(ValueError, match="expected 'twice' or 'nowhere'"):
        Open("once", "why")
    with pytest.raises(ValueError, match="nothing is met"):
        ReadingRole("one", met_by="Table 1")
    with pytest.raises(ValueError, match="nothing is changed"):
        ReadingRole("one", token=True)
    with pytest.raises(ValueError, match="says of what a cut knows"):
        ReadingRole("one", sees="after the step")
    with pytest.raises(ValueError, match="expected one of before the run"):
        ReadingRole("one", cuts={"weights": "any"}, sees="never")
