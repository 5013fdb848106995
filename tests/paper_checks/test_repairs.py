"""What is said to hold in place of a statement is a reading that was judged, whole, and no kept violation meets it.

python -m tests.paper_checks.test_repairs     # every violation that no case of the repaired reading observes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.committed import committed
from validation.judge.entry import Entry
from validation.judge.words.mends import Repair
from validation.judge.words.verdict import Word
from validation.papers.papers import load_papers, select
from validation.papers.repaired import Held, Look, held_against, word_of
from validation.report.claims.answer import holds_instead, in_place
from validation.report.claims.claims import read_claims
from validation.report.claims.latex import referee
from validation.report.claims.shown import at_instance
from validation.report.claims.wording import excluded
from validation.report.text.tex import in_tex
from validation.statement.claim import Claim

ENTRIES = {e.id: e for p in load_papers() for e in committed(p)}
CLAIMS = {claim.id: claim for _, claim in select([])}
FALSE = {Look.MEETS, Look.VIOLATES}


def repairs(word: Word) -> list[Repair]:
    return [found for found in (word.restored, word.edited, word.read) if found is not None]


def mended() -> Iterator[tuple[Entry, Claim, Word]]:
    for name, claim in CLAIMS.items():
        word = word_of(ENTRIES[name], claim)
        if repairs(word):
            yield ENTRIES[name], claim, word


MENDED = list(mended())


def test_every_repair_is_readings_that_hold() -> None:
    found = [
        (entry.id, entry.readings[mend.reading].verdict)
        for entry, _, word in MENDED
        for repair in repairs(word)
        for mend in repair.mends
        if mend.reading is not None
    ]
    assert len({name for name, _ in found}) > 200
    assert [(name, verdict) for name, verdict in found if not verdict.true] == []


def test_no_kept_violation_meets_what_is_printed_as_a_repair() -> None:
    looks = [held for entry, claim, _ in MENDED for held in held_against(entry, claim)]
    assert [str(held) for held in looks if held.look in FALSE] == []
    told = Counter(held.look for held in looks)
    seen = len(looks) - told[Look.NOT_OBSERVED] - told[Look.TOO_LONG]
    assert seen >= 200, told
    assert told[Look.TOO_LONG] == 0


def without(**given: object) -> Callable[[Repair], Repair]:
    """A repair as printed with something left out of each of its readings."""

    def less(repair: Repair) -> Repair:
        rest = {"met_by": "", "token": False, "forced_by": "", "wrong_form_in": ()} | given
        left_out = "cuts" in given
        mends = tuple(
            replace(m, role=replace(m.role, **rest), left_out=() if left_out else m.left_out) for m in repair.mends
        )
        return replace(repair, mends=mends, beside={} if "options" in given else repair.beside)

    return less


@pytest.mark.parametrize(
    ("less", "name", "caught"),
    [
        (without(options={}), "EA-T1", 75),
        (without(cuts={}), "FA-CHI", 8),
        (without(edits=()), "SSA-E14", 90),
        (without(conditions=()), "RA-L2", 45),
    ],
    ids=["choices", "exceptions", "edits", "conditions"],
)
def test_a_repair_that_is_not_printed_whole_is_noticed(
    less: Callable[[Repair], Repair], name: str, caught: int
) -> None:
    fallen: set[str] = set()
    for entry, claim, word in MENDED:
        found = {
            name: less(held) for name in ("restored", "edited", "read") if (held := getattr(word, name)) is not None
        }
        looks = held_against(entry, claim, replace(word, **found))
        fallen |= {held.claim_id for held in looks if held.look in FALSE}
    assert len(fallen) >= caught
    assert name in fallen


def test_every_output_says_all_of_a_repair() -> None:
    """Choices, exceptions, conditions and edits: in the sentence, on the page, in LaTeX and as JSON."""
    for entry, claim, word in MENDED:
        (shown,) = read_claims([entry.json()])
        assert len(shown.mended) == len(repairs(word)), entry.id
        said, page = in_place(shown), " ".join(text for row in holds_instead(shown) for text in map(str, row))
        example = referee(shown, at_instance(shown)) if shown.counterexample_source and not shown.ours else None
        for sentence, found, repair in zip(said, shown.mended, repairs(word), strict=True):
            roles = [m.role for m in repair.mends]
            choices = [c for role in roles for c in role.options.values()]
            whole = [*choices, *(c for r in roles for c in (*r.conditions, *r.edits))]
            whole += [excluded(repair.left_out)] if repair.left_out else []
            assert [text for text in whole if text not in sentence] == [], entry.id
            assert found.json()["text"] == sentence
            assert example is None or in_tex(sentence) in example, entry.id
            for kind in ("except for", "if also", "under the condition"):
                assert (kind in page) >= (kind in sentence), entry.id
        assert page.count("or, instead") == max(len(said) - 1, 0), entry.id
        assert [claim.readings[m.reading or 0].name for r in repairs(word) for m in r.mends] == [
            name for found in shown.mended for name in found.readings
        ]


def unobserved() -> list[Held]:
    looks = [held for entry, claim, _ in MENDED for held in held_against(entry, claim)]
    return [held for held in looks if held.look in {Look.NOT_OBSERVED, Look.TOO_LONG}]


if __name__ == "__main__":
    print(*unobserved(), sep="\n")
    print(f"{len(unobserved())} of {sum(1 for e, c, _ in MENDED for _ in held_against(e, c))} are not observed")
