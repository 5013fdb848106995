"""The numbers that a text states: those of its prose, without quotations, formulas, references and structure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["RULE", "Numeral", "numerals"]

RULE = """A number counts where prose states it as a value: 1/2, −0.81, 3/4 in «E = 3/4», 17 and 18 in «17 of 18».
Exempt are
- quotations: what stands in «…»;
- formulas: a number in a term with a letter, such as 2Lη², 1/(4L) or (1 − ημ)², and in a comparison with one, such as
  E <= 8κ or θ < 1, which is a hypothesis;
- references: ids (EA-S1, A.9, K29), (23), [4], (2019), §3, and numbers after Theorem, Lemma, Table, Figure, eq.,
  line and the like;
- 0 and 1 alone, the ends of scales and the neutral numbers of a formula, and numbers written as words."""

_QUOTED = re.compile(r"«[^»]*»")
_REFERENCE = re.compile(
    r"(?:\b(?:Theorems?|Lemmas?|Corollar(?:y|ies)|Propositions?|Propert(?:y|ies)|Assumptions?|Definitions?|Algorithms?|"
    r"Tables?|Figures?|Figs?\.|Sections?|Secs?\.|Appendix|[Ee]qs?\.|[Ee]quations?|[Ll]ines?|pp?\.|[Rr]emarks?|"
    r"[Pp]arts?|[Cc]olumns?|[Rr]ows?)|§)\s?"
    r"\(?\d+(?:\.\d+)*[a-z]?\)?(?:(?:, | and | or |–|-| to )\(?\d+(?:\.\d+)*[a-z]?\)?)*"
)
_NUMBERED = re.compile(
    r"\((?:19|20)\d\d\)|\(\d{1,2}[a-z]?\)|\[\d+\]|\b[A-Z][A-Za-z]*[-.][A-Z]*\d[\w.]*|\bK\d{1,2}\b|CIFAR-?\d+"
)
_SPACED = re.compile(r"\s+([−+·×*/^])\s+|\s*(<=|>=|[<>≤≥≠∝→≈])\s*")
_EQUALS = re.compile(r"\s*=\s*")
_NUMBER = re.compile(r"[−+-]?\d[\d,]*(?:\.\d+)?(?:/[1-9]\d*)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_DECIMALS = re.compile(r"\d+\.\d+/\d+(?:\.\d+)?|\d+/\d+\.\d+")
_LETTER = re.compile(r"[^\W\d_]|[∞√∇‖Σ∂]")
_COMPARED = re.compile(r"<=|>=|[<>≤≥≠∝→≈]")
_SIGN = re.compile(r"[+−×·/√²]")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass(frozen=True)
class Numeral:
    """A number as it is written, its value, and the distance within which a number is written so."""

    text: str
    value: Fraction
    within: Fraction

    def says(self, other: Fraction) -> bool:
        """Whether a number, or its size, would be written like this."""
        return abs(abs(other) - abs(self.value)) <= self.within


def numerals(text: str) -> tuple[Numeral, ...]:
    """The numbers that count, in their order.

    >>> [n.text for n in numerals("at E = 3/4 the sides are 2Lη² and 0.56, against 17 of 18 in Table 2; θ < 2")]
    ['3/4', '0.56', '17', '18']
    """
    text = _QUOTED.sub("…", text)
    text = _REFERENCE.sub("§", text)
    text = _NUMBERED.sub("§", text)
    text = _EQUALS.sub("=", _SPACED.sub(r"\1\2", text))
    found: list[Numeral] = []
    for chunk in text.split():
        for part in re.split(r"[;:…]|,(?!\d)|(?<=\d)\.(?!\d)", chunk):
            found += _of_chunk(part)
    return tuple(found)


def _of_chunk(chunk: str) -> list[Numeral]:
    if _COMPARED.search(chunk):
        return []
    found = []
    worked = _SIGN.search(chunk.partition("=")[0][1:]) and "=" in chunk
    for side in chunk.split("="):
        bare = side.strip("()[]{}.,;:!?'’\"±%‰|…–")
        bare = bare.removesuffix("%")
        if _DECIMALS.fullmatch(bare):  # one printed number over another
            found += [_numeral(one, percent=False) for one in bare.split("/")]
        elif _NUMBER.fullmatch(bare):
            numeral = _numeral(bare, percent="%" in side)
            if abs(numeral.value) not in (0, 1):
                found.append(numeral)
        elif not _LETTER.search(bare):
            apart = bare.replace("/", " ") if _DECIMALS.search(bare) or worked else bare
            inside = [_numeral(one, percent=False) for one in _NUMBER.findall(apart)]
            found += [n for n in inside if (not _of_a_formula(n.value) if worked else abs(n.value) > 1)]
    return found


def _of_a_formula(value: Fraction) -> bool:
    """Whether a number of arithmetic that a text prints belongs to the formula, not to what it is applied to."""
    return value.denominator == 1 and (abs(value) <= 10 or abs(value) == 100)


def _numeral(text: str, *, percent: bool) -> Numeral:
    plain = text.replace("−", "-").replace(",", "").lstrip("+")
    power = Fraction(1)
    if "×10" in plain:
        plain, _, raised = plain.partition("×10")
        power = Fraction(10) ** int(raised.translate(_RAISED))
    above, _, below = plain.partition("/")
    value = Fraction(above) / Fraction(below or 1) * power
    places = len(plain.partition(".")[2]) if "." in plain and not below else 0
    exact = "/" in plain or ("." not in plain and power == 1 and not percent)
    within = Fraction(0) if exact else Fraction(1, 2) * Fraction(1, 10**places) * power
    return Numeral(text, value, within)
