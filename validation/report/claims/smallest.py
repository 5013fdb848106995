"""How small the constants of a bound can be: what `constants.json` of a paper has, for pages and the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from markupsafe import Markup

from theory.base.toml import parsed
from validation.report import fields
from validation.report.pictures.forbidden import forbidden_plot
from validation.report.text.readable import num

__all__ = [
    "BeyondRepair",
    "Growth",
    "ProvedConstant",
    "Repaired",
    "Smallest",
    "SmallestTerm",
    "beyond_words",
    "forbidden_pairs",
    "in_lines",
    "proved_constants",
    "read_smallest",
    "smallest_constants",
]

_NAME, _PROVED = "constants.json", "proved.toml"
_WAYS = ("ray", "outgrown", "growing", "open")
_LONG = 300  # of the text of an instance that is shown with its case
_STEEP = 0.5  # exponent from which a constant is said to grow with a size


@dataclass(frozen=True)
class SmallestTerm:
    """One term: its printed factor, the smallest one with all others as printed, what is certain of it, its share in
    the least sum, and the share of instances at which the term was not 0. None: nothing up to the cap was enough.

    `proved`: a smaller factor than the printed one that a `proof` in words gives; empty where there is none.
    """

    term: str
    printed: str
    alone: float | None
    at_least: Fraction | None
    jointly: float | None
    on: float
    proved: str = ""
    proof: str = ""

    @property
    def spare(self) -> float | None:
        """The printed factor over the smallest one; None where one of them is not known or 0."""
        return float(Fraction(self.printed)) / self.alone if self.alone and Fraction(self.printed) else None


@dataclass(frozen=True)
class ProvedConstant:
    """A constant of a term, smaller than the printed one, in a reading (counted from 1), and its proof in words."""

    reading: int
    term: str
    constant: str
    proof: str


@dataclass(frozen=True)
class Growth:
    """How the constant of a term alone grows with a size: what it is `at_least` at each of its `values`, and the
    exponent between the last two.
    """

    size: str
    values: tuple[str, ...]
    term: str
    at_least: tuple[str, ...]
    power: float


@dataclass(frozen=True)
class Repaired:
    """A false bound with one term changed, which survived `evaluations` of a search: its new constant and factor."""

    bound: str
    term: str
    factor: str
    constant: str
    needs: float
    evaluations: int


@dataclass(frozen=True)
class BeyondRepair:
    """Why no constants c >= 0 make a false bound true.

    `kind`: "ray": at one instance, `exact`, all terms are 0 or the bound has none with a constant, and the left side
    is above what is kept; "outgrown": along a family the left side outgrows every term, exactly; "growing": the ratio
    of left side and terms at ever more extreme exact instances, `ratios`, grows like a `power`; "open": neither was
    found. `along`: what goes where in a family. `instance`: numbers as text by name.
    """

    kind: str
    case: str = ""
    instance: tuple[tuple[str, str], ...] = ()
    left: str = ""
    instances: int = 1
    along: str = ""
    ratios: tuple[float, ...] = ()
    power: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether it is shown and not only seen."""
        return self.kind in {"ray", "outgrown"}


@dataclass(frozen=True)
class Smallest:
    """The constants of one reading, the `false` one or the one that holds. `grows`: with which sizes.

    `cuts`: of two terms, (a₁, a₂) with a₁c₁ + a₂c₂ >= 1 for every constants that serve some exact instance.
    """

    reading: int
    name: str
    false: bool
    terms: tuple[SmallestTerm, ...]
    kept: tuple[str, ...]
    survived: bool
    grows: tuple[Growth, ...]
    repaired: Repaired | None
    why: str
    beyond: BeyondRepair | None = None
    cuts: tuple[tuple[Fraction, Fraction], ...] = ()

    @property
    def never_on(self) -> tuple[str, ...]:
        """Terms that were 0 at every instance: nothing was learnt of their constants."""
        return tuple(t.term for t in self.terms if t.on == 0)


def smallest_constants(folder: Path, digests: Mapping[str, str | None]) -> dict[str, list[dict[str, object]]]:
    """The rows of a paper's constants.json by claim, of claims that are still those that were measured.

    `digests`: the committed digest of each claim. Raises `ValueError` on another format.
    """
    path = folder / _NAME
    if not path.is_file():
        return {}
    held = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(held, dict) or not isinstance(held.get("claims"), dict):
        raise ValueError(f"{path}: expected an object with 'claims'; run python -m validation.papers.tightened again")
    proofs = proved_constants(folder)
    return {
        claim: [_with_proof(dict(r), proofs.get(claim)) for r in fields.objects(row, "readings", f"{path}: {claim}")]
        for claim, row in held["claims"].items()
        if row.get("digest") == digests.get(claim)
    }


def proved_constants(folder: Path) -> dict[str, ProvedConstant]:
    """By claim the constant that a proof in words makes smaller, of a paper's proved.toml; none without the file.

    Raises `ValueError` for a row that lacks a key.
    """
    path = folder / _PROVED
    rows = parsed(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {
        claim: ProvedConstant(
            fields.whole(row, "reading", f"{path}: {claim}") or 0,
            *(fields.text(row, key, f"{path}: {claim}", required=True) for key in ("term", "constant", "proof")),
        )
        for claim, row in rows.items()
    }


def _with_proof(row: dict[str, object], proof: ProvedConstant | None) -> dict[str, object]:
    if proof is None or row.get("reading") != proof.reading:
        return row
    told = {"proved": proof.constant, "proof": proof.proof}
    terms = [{**t, **told} if t.get("term") == proof.term else t for t in fields.objects(row, "terms", "proved")]
    return {**row, "terms": terms}


def read_smallest(row: Mapping[str, object], place: str) -> tuple[Smallest, ...]:
    """The rows under `smallest` of an entry."""
    return tuple(_read(r, place) for r in fields.objects(row, "smallest", place))


def _read(row: Mapping[str, object], place: str) -> Smallest:
    held = row.get("repaired")
    return Smallest(
        reading=fields.whole(row, "reading", place) or 0,
        name=fields.text(row, "name", place, required=True),
        false=bool(fields.flag(row, "false", place)),
        terms=tuple(_term(t, place) for t in fields.objects(row, "terms", place)),
        kept=tuple(fields.strings(row, "kept", place)),
        survived=bool(fields.flag(row, "survived", place)),
        grows=tuple(_growth(fields.mapping(row, "along", place), place)),
        repaired=_repaired(held, place) if isinstance(held, Mapping) else None,
        why=fields.text(row, "why", place),
        cuts=tuple(_cut(c, place) for c in fields.sequence(row, "cuts", place)),
        beyond=_beyond(fields.mapping(row, "beyond", place), place) if "beyond" in row else None,
    )


def _cut(given: object, place: str) -> tuple[Fraction, Fraction]:
    if not isinstance(given, list) or len(given) != 2:
        raise ValueError(f"{place}: a cut {given!r}; expected two fractions as text")
    return Fraction(given[0]), Fraction(given[1])


def forbidden_pairs(found: Smallest) -> Markup:
    """The picture of what cuts forbid of two constants; empty without cuts."""
    if not found.cuts or len(found.terms) != 2:
        return Markup("")
    first, second = (Fraction(t.printed) for t in found.terms)
    return forbidden_plot(found.cuts, (first, second), name=found.name)


def _beyond(row: Mapping[str, object], place: str) -> BeyondRepair:
    rows = fields.objects(row, "rows", place)
    first = rows[0] if rows else row
    kind = fields.text(row, "kind", place, required=True)
    if kind not in _WAYS:
        raise ValueError(f"{place}: 'beyond' of kind {kind!r}; expected one of {', '.join(_WAYS)}")
    return BeyondRepair(
        kind=kind,
        case=fields.text(first, "case", place),
        instance=tuple((name, _numbers(v)) for name, v in fields.mapping(first, "instance", place).items()),
        left=fields.text(first, "left", place),
        instances=max(1, len(rows)),
        along=fields.text(row, "along", place),
        ratios=tuple(float(str(r)) for r in fields.sequence(row, "ratios", place)),
        power=fields.number(row, "power", place) or 0.0,
    )


def _numbers(value: object) -> str:
    return f"({', '.join(map(_numbers, value))})" if isinstance(value, list) else str(value)


def beyond_words(found: Smallest) -> str:
    """What is shown of constants of a false bound that was not repaired; empty where nothing is."""
    beyond = found.beyond
    if beyond is None or beyond.kind == "open":
        return ""
    if beyond.kind == "outgrown":
        return f"No constants will do, exactly: with {beyond.along} the left side outgrows every term."
    if beyond.kind == "growing":
        grown = ", ".join(num(r) for r in beyond.ratios)
        return (
            f"No constants up to 10 000 do. At exact instances with {beyond.along} left side over terms is {grown}: it"
            f" grows like the power {beyond.power:.1f} of what goes there. That is no proof of a limit."
        )
    at = ", ".join(f"{name} = {value}" for name, value in beyond.instance)
    where = f"{beyond.case}, {at}" if len(at) <= _LONG else beyond.case
    if not found.terms:
        return f"It has no constant that could repair it. It fails by {beyond.left}, exactly: {where}."
    if beyond.instances > 1:
        return (
            f"No constants will do, exactly: {beyond.instances} instances together rule them out, among them {where}."
        )
    kept = " beside what stays as printed" if found.kept else ""
    return (
        f"No constants will do, exactly: all terms are 0{kept}, and the left side is {beyond.left} too large: {where}."
    )


def _term(row: Mapping[str, object], place: str) -> SmallestTerm:
    low = fields.text(row, "at_least", place)
    return SmallestTerm(
        fields.text(row, "term", place, required=True),
        fields.text(row, "printed", place, required=True),
        fields.number(row, "alone", place),
        Fraction(low) if low else None,
        fields.number(row, "jointly", place),
        fields.number(row, "on", place) or 0.0,
        fields.text(row, "proved", place),
        fields.text(row, "proof", place),
    )


def _repaired(row: Mapping[str, object], place: str) -> Repaired:
    names = ("bound", "term", "factor", "constant")
    words = {name: fields.text(row, name, place, required=True) for name in names}
    return Repaired(
        **words,
        needs=fields.number(row, "needs", place) or 0.0,
        evaluations=fields.whole(row, "evaluations", place) or 0,
    )


def _growth(along: Mapping[str, object], place: str) -> Iterator[Growth]:
    """Of constants that grow steeply with a size, as far as exact lower bounds show it."""
    for size, row in along.items():
        if not isinstance(row, Mapping):
            raise ValueError(f"{place}: 'along' of {size!r} is {row!r}; expected an object")
        at = fields.mapping(row, "at", place)
        for term, power in fields.mapping(row, "powers", place).items():
            steep = fields.as_number(power, term, place)
            values = [v.get(term) for v in at.values() if isinstance(v, Mapping)]
            lows = [v.get("at_least") for v in values if isinstance(v, Mapping)]
            if steep is not None and steep >= _STEEP and lows and all(isinstance(low, str) for low in lows):
                yield Growth(size, tuple(at), term, tuple(num(float(Fraction(str(low)))) for low in lows), steep)


def in_lines(found: Smallest) -> Iterator[str]:
    """The constants of one reading in lines for a terminal."""
    for t in found.terms:
        alone = "none up to the cap" if t.alone is None else num(t.alone)
        sure = "" if t.at_least is None else f", certainly {num(float(t.at_least))} or more"
        yield f"{t.term}: printed {t.printed}, alone {alone}{sure}"
        if t.proved:
            yield f"{t.term}: {t.proved} is enough. {t.proof}"
    for g in found.grows:
        values = f"{', '.join(g.at_least)} at {g.size} = {', '.join(g.values)}"
        yield f"{g.term}: alone at least {values}; it grows like {g.size}^{g.power:.1f}"
    if beyond_words(found):
        yield beyond_words(found)
    if found.repaired is not None:
        yield f"the cheapest form found that survives a search: {found.repaired.bound}"
