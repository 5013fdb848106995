r"""A claim as a text and its mathematics: what people read stands in one text, formulas and worlds beside it.

`Words(text).say(statement, world, b=…, x=…)`, or `stated(text, statement, world, readings={…}, mutants={…})`: a reading
or mutant that says or draws something else than the claim goes by the letter behind its word, or by its name.

The first line is `id (level; place): title`. Every further entry is `Word: …` and goes on over indented lines:

    Print: the LaTeX, or Quote: the paper's own words
    Plainly: one sentence       Assumes: first | second     Tight: where
    Open (twice) issue: both passages, or (nowhere) the word that is not defined
    Reading b: name | in one sentence | option issue = choice | cut scope = value | condition: … | because: …
    Mutant x: name | why it is false
    Rests on: EA-D5, EA-P25     Repeats: EA-S2     Verdict: a paragraph
    Ours: why the statement as a whole is asked by us and not printed, so that it is counted apart
    Written: what of the statement is written out by us: the consequence of a definition, a formula for a sentence
    Meets: a claim it rests on | the hypothesis here that states or implies the condition which that one lacks

What else a reading is stands behind its sentence: `part`, `sees`, `used by`, `met by`, `edit`, `token`, `forced by`,
`wrong form in`, `carries`, `ours`, `because`, as `ReadingRole` has them. A claim without readings is read as printed,
and what is quoted assumes numbers as printed, where it says nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from validation.published.relations import quoted
from validation.statement.claim import Claim, Mechanism
from validation.statement.forms.studies import Study
from validation.statement.roles import ReadingRole
from validation.statement.says import Eq, Le
from validation.world.front import FalseVariant, Says, Variant, claim
from validation.world.world import World

__all__ = ["Differs", "Words", "but", "stated"]


@dataclass(frozen=True)
class _But:
    says: Says | None
    where: tuple[Le | Eq, ...]
    world: World | None


Differs: TypeAlias = "Says | World | _But"
"""How a reading or a mutant differs from the claim: another statement, another world, or both and hypotheses."""


def but(says: Says | None = None, *where: Le | Eq, world: World | None = None) -> Differs:
    """What differs from the claim: the statement, hypotheses added, the world."""
    return _But(says, where, world)


def _differs(found: Differs | None) -> _But:
    if isinstance(found, _But):
        return found
    return _But(None, (), found) if isinstance(found, World) else _But(found, (), None)


_ENTRIES = "Print|Quote|Plainly|Assumes|Open|Reading|Mutant|Tight|Rests on|Repeats|Ours|Written|Meets|Verdict"
_ENTRY = re.compile(rf"({_ENTRIES})(?: \((\w+)\) ([^:]+)| ([a-z]))?: ?(.*)")


def _entries(text: str) -> Iterator[tuple[str, tuple[str, str], str]]:
    """(word, (how, issue) of what is open or (letter, ""), text) of every entry; a print has no spaces at line ends."""
    held: list[Any] = []
    for line in filter(str.strip, text.splitlines()):
        new = None if line[0].isspace() else _ENTRY.fullmatch(line.strip())
        if new:
            if held:
                yield held[0], held[1], held[2]
            held = [new[1], (new[2] or new[4] or "", (new[3] or "").strip()), new[5]]
        elif held and line[0].isspace():
            apart = "" if held[0] == "Print" and not re.search(r"\\[A-Za-z]+$", held[2]) else " "
            held[2] = f"{held[2]}{apart}{line.strip()}".strip()
        else:
            raise ValueError(f"{line.strip()!r} belongs to no entry; expected one of {_ENTRIES}")
    if held:
        yield held[0], held[1], held[2]


def _read(text: str) -> tuple[re.Match[str], list[tuple[str, tuple[str, str], str]]]:
    """The first line of a text, matched, and its entries."""
    first, _, rest = text.strip().partition("\n")
    headed = re.fullmatch(r"(\S+) \((\w+); (.+?)\): (.+)", first.strip())
    if headed is None:
        raise ValueError(f"stated({first.strip()!r}): expected «id (level; place): title» in the first line")
    margin = min((len(n) - len(n.lstrip()) for n in rest.splitlines() if n.strip()), default=0)
    return headed, list(_entries("\n".join(line[margin:] for line in rest.splitlines())))


_LISTS = {"condition": "conditions", "edit": "edits"}
_TEXTS = {"part": "part", "sees": "sees", "used by": "used_by", "met by": "met_by", "forced by": "forced_by"}
_TEXTS |= {"ours": "ours", "because": "because"}


def _role(text: str, where: tuple[Le | Eq, ...]) -> tuple[str, ReadingRole]:
    """The sentence of a reading, and what it is; hypotheses added are its conditions, where it names no other."""
    name, *said = (term.strip() for term in text.split(" | "))
    if not said:
        raise ValueError(f"reading {name!r}: expected «name | in one sentence», and behind it what else it is")
    plainly, *terms = said
    found: dict[str, Any] = {}
    for term in terms:
        word, _, value = (part.strip() for part in term.partition(":"))
        if term in ("token", "shown"):
            found[term] = True
        elif word == "carries":
            if value not in ("yes", "no"):
                raise ValueError(f"reading {name!r}: carries: {value!r}; expected yes or no")
            found["carries"] = value == "yes"
        elif word == "wrong form in":
            found["wrong_form_in"] = tuple(value.split(", "))
        elif word in _LISTS:
            found[_LISTS[word]] = (*found.get(_LISTS[word], ()), value)
        elif word in _TEXTS:
            found[_TEXTS[word]] = value
        elif term.startswith(("option ", "cut ")):
            kind, _, pair = term.partition(" ")
            issue, _, choice = (part.strip() for part in pair.partition("="))
            found.setdefault(f"{kind}s", {})[issue] = choice
        else:
            raise ValueError(f"reading {name!r}: {term!r} is none of the things that a reading may be")
    if where:
        found.setdefault("conditions", tuple(h.words for h in where))
    return plainly, ReadingRole(name, **found)


def stated(
    text: str,
    says: Says,
    world: World | None = None,
    *,
    readings: Mapping[str, Differs] | None = None,
    mutants: Mapping[str, Differs],
    supremum: float | None = None,
    studies: Sequence[Study] = (),
    mechanisms: Sequence[Mechanism] = (),
) -> Claim:
    """The claim of a text; `readings` and `mutants`: by name, what says or draws something else than the claim.

    Raises `ValueError` for an entry that is not understood, for a name in one place only, and as `claim` does.
    """
    headed, entries = _read(text)
    here = f"stated({headed[1]!r})"

    def one(word: str) -> str:
        return next((value for kind, _, value in entries if kind == word), "")

    def named(word: str, given: Mapping[str, Differs]) -> list[tuple[str, _But]]:
        held = [value for kind, _, value in entries if kind == word]
        odd = set(given) - {value.partition(" | ")[0] for value in held}
        if odd:
            raise ValueError(f"{here}: {', '.join(sorted(odd))} without a {word} in the text")
        return [(value, _differs(given.get(value.partition(" | ")[0]))) for value in held]

    variants = []
    for value, other in named("Reading", readings or {}):
        plainly, role = _role(value, other.where)
        variants.append(Variant(plainly, role, other.says, other.where, other.world))
    made = []
    for value, other in named("Mutant", mutants):
        name, _, since = value.partition(" | ")
        if name not in mutants:
            raise ValueError(f"{here}: mutant {name!r} says nothing else than the claim")
        made.append(FalseVariant(name, other.says if other.says is not None else says, since, other.where, other.world))
    as_printed = "numbers as printed" if one("Quote") else ""
    return claim(
        headed[1],
        level=headed[2],
        at=headed[3],
        title=headed[4],
        printed=quoted(one("Quote")) if one("Quote") else one("Print"),
        plainly=one("Plainly"),
        says=says,
        world=world,
        readings=variants,
        mutants=made,
        assumes=[a for a in (one("Assumes") or as_printed).split(" | ") if a],
        undecided={issue: (how, why) for kind, (how, issue), why in entries if kind == "Open"},
        tight=one("Tight") or None,
        rests_on=[c for c in one("Rests on").split(", ") if c],
        repeats=one("Repeats"),
        ours=one("Ours"),
        written=one("Written"),
        meets={
            name.strip(): where.strip()
            for kind, _, value in entries
            if kind == "Meets"
            for name, _, where in [value.partition(" | ")]
        },
        verdict=one("Verdict"),
        supremum=supremum,
        studies=studies,
        mechanisms=mechanisms,
    )


@dataclass(frozen=True)
class Words:
    """The text of a claim, beside which its mathematics is said."""

    text: str

    def say(
        self,
        says: Says,
        world: World | None = None,
        /,
        *,
        supremum: float | None = None,
        studies: Sequence[Study] = (),
        mechanisms: Sequence[Mechanism] = (),
        **others: Differs,
    ) -> Claim:
        """The claim; `others`: by the letter of a reading or mutant, what it says or draws instead.

        Raises `ValueError` for a letter that stands in the text but not here, or here but not there, and as `stated`.
        """
        headed, entries = _read(self.text)
        lettered = [(how, kind, value.partition(" | ")[0]) for kind, (how, _), value in entries if kind in _LETTERED]
        letters = [letter for letter, _, _ in lettered if letter]
        if sorted(letters) != sorted(others):
            here = f"Words({headed[1]!r}).say"
            raise ValueError(f"{here}: letters {', '.join(letters)} in the text, {', '.join(others)} beside it")
        by_name: dict[str, dict[str, Differs]] = {kind: {} for kind in _LETTERED}
        for letter, kind, name in lettered:
            by_name[kind] |= {name: others[letter]} if letter else {}
        more: dict[str, Any] = {"supremum": supremum, "studies": studies, "mechanisms": mechanisms}
        return stated(self.text, says, world, readings=by_name["Reading"], mutants=by_name["Mutant"], **more)


_LETTERED = ("Reading", "Mutant")
