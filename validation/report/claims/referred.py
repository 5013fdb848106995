"""What the sentences of a page lean on by name, «Property 4.1», «A.4» or «(3)», said on that page.

A label is looked up among the statements of the paper by where they stand, else among the `[named]` lines of the
paper's `letters.toml`. A section, such as A.9 of a proof, is a place and says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from validation.report.claims.claims import Claim

__all__ = ["Referred", "labels_in", "referred", "unknown"]

_KINDS = "Assumption|Property|Lemma|Theorem|Corollary|Definition|Proposition|Remark|Algorithm"
_PLURALS = {"Corollaries": "Corollary", "Properties": "Property", "Thm": "Theorem", "Thms": "Theorem"}
_NUMBER = r"[A-Z]?\.?\d+(?:\.\d+)*"
_NAMED = re.compile(
    rf"(?P<kind>(?:{_KINDS})s?|Corollaries|Properties|Thms?\.?) (?P<first>{_NUMBER})"
    rf"(?P<more>(?:(?:, | and | or | to ){_NUMBER})*)"
    rf"|(?:[Ee]qs?\. ?)?\((?P<eq>\d{{1,2}})\)"
    rf"|(?<![\w.§])(?P<bare>A\.?\d+(?:\.\d+)*)(?![\w(])"
)
_LONGEST = 200  # characters of a formula that stands in a list


@dataclass(frozen=True)
class Referred:
    """A label, the statement of the paper that has it (None for one in words alone), words, LaTeX ('' for none)."""

    label: str
    claim: Claim | None
    says: str
    latex: str = ""


def labels_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The labels of sentences, each once, in order; an equation as «(3)».

    >>> labels_in(["By A.4 and Lemmas 1 and 3 with eq. (3), as Assumption A.1 asks; 8(2) is none, f(3) neither"])
    ('A.4', 'Lemma 1', 'Lemma 3', '(3)', 'Assumption A.1')
    """
    return tuple(dict.fromkeys(label for text in texts for label in _labels(text)))


def _labels(text: str) -> Iterator[str]:
    for found in _NAMED.finditer(text):
        if found["eq"]:
            before = text[found.start() - 1 : found.start()]
            if not before or before in " «“;,:–-":
                yield f"({found['eq']})"
        elif found["bare"]:
            yield found["bare"]
        else:
            kind = found["kind"].rstrip(".")
            kind = _PLURALS.get(kind, kind.removesuffix("s"))
            for number in (found["first"], *re.findall(_NUMBER, found["more"])):  # of «Lemma 1 and A.3» one is a lemma
                yield f"{kind} {number}" if number[0].isalpha() == found["first"][0].isalpha() else number


def referred(
    texts: Iterable[str], claim: Claim, claims: Sequence[Claim], named: Mapping[str, str]
) -> tuple[Referred, ...]:
    """What the labels of the texts are; those of the claim itself, and of places, are left out.

    `claims`: of the paper. `named`: words by label, which come first.
    """
    found: dict[str, Referred] = {}
    for label in labels_in(texts):
        one = _looked_up(label, claims, named)
        if one is not None and one.claim is not claim:
            found.setdefault(one.claim.id if one.claim else label, one)
    return tuple(found.values())


def unknown(texts: Iterable[str], claims: Sequence[Claim], named: Mapping[str, str]) -> tuple[str, ...]:
    """The labels of the texts that nothing is known of, and that are no places."""
    return tuple(
        label
        for label in labels_in(texts)
        if _looked_up(label, claims, named) is None and not re.fullmatch(r"A\.?[\d.]+", label)
    )


def _looked_up(label: str, claims: Sequence[Claim], named: Mapping[str, str]) -> Referred | None:
    if label in named:
        return Referred(label, None, named[label])
    bare = re.fullmatch(r"A(\.)?(\d+(?:\.\d+)*)", label)
    labels = [label] if bare is None else [f"Assumption A.{bare[2]}" if bare[1] else f"Assumption {bare[2]}"]
    if plain := re.fullmatch(r"Assumption (\d+)", labels[0]):  # an appendix numbers its own from A.1
        labels.append(f"Assumption A.{plain[1]}")
    for one in labels:
        fits = [c for c in claims if _stands_at(c.at, one)]
        if fits:
            first = min(fits, key=lambda c: (not c.at.startswith(f"Eq. {one}"), not c.at.startswith(one)))
            latex = first.printed if len(first.printed) <= _LONGEST else ""
            return Referred(label, first, first.plainly, latex)
    return None


def _stands_at(at: str, label: str) -> bool:
    """Whether a statement stands at a label: «Lemma 3, eq. (20), A.2.1» at Lemma 3 and at (20)."""
    if label.startswith("("):
        head = at.partition(";")[0]
        return bool(re.search(rf"(?:[Ee]qs?\. |, |^){re.escape(label)}", head))
    return bool(re.match(rf"{re.escape(label)}(?![\d.]*\d)", at))
