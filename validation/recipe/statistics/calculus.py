"""The words of a comparison with a printed number: from direction and size, over open choices, to a verdict.

A contrast (method A less method B, paired by seed) is asked for its direction: does it have the sign of the printed
difference? A contrast and a single cell are asked for their size: is ours within ±δ of the printed number? δ is half
the smallest gap that the paper claims in the table. `WORD_OF` is the whole table of answers, `LEDGER_OF` that of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

__all__ = [
    "LEDGER_OF",
    "WORD_OF",
    "Direction",
    "Ledger",
    "Overall",
    "Size",
    "State",
    "Word",
    "conjunction",
    "exercised",
    "overall",
]

Direction: TypeAlias = Literal["same", "opposite", "unresolved", "not asked"]
Size: TypeAlias = Literal["equivalent", "different", "unresolved", "not asked"]
Word: TypeAlias = Literal["reproduced", "contradicted", "opposite", "unresolved", "depends"]
State: TypeAlias = Literal["reproduced", "contradicted", "opposite", "unresolved", "screened", "not exercised"]
Ledger: TypeAlias = Literal["holds", "refuted", "inconclusive", "needs-run"]

WORD_OF: Mapping[tuple[Direction, Size], Word] = MappingProxyType(
    {
        ("same", "equivalent"): "reproduced",
        ("same", "different"): "contradicted",
        ("same", "unresolved"): "unresolved",
        ("same", "not asked"): "reproduced",  # no gap is claimed, so the direction is all there is
        ("opposite", "equivalent"): "opposite",  # as near as can be asked, and of the other sign beyond chance
        ("opposite", "different"): "opposite",
        ("opposite", "unresolved"): "opposite",
        ("opposite", "not asked"): "opposite",
        ("unresolved", "equivalent"): "unresolved",  # near the print, but whether there is a difference is not decided
        ("unresolved", "different"): "contradicted",
        ("unresolved", "unresolved"): "unresolved",
        ("unresolved", "not asked"): "unresolved",
        ("not asked", "equivalent"): "reproduced",  # a single cell
        ("not asked", "different"): "contradicted",
        ("not asked", "unresolved"): "unresolved",
        ("not asked", "not asked"): "unresolved",  # without δ nothing says how near is near
    }
)
"""Direction and size → word. A reversed sign comes before every size."""

LEDGER_OF: Mapping[tuple[Word, bool], Ledger] = MappingProxyType(
    {
        ("reproduced", False): "holds",
        ("reproduced", True): "needs-run",
        ("contradicted", False): "refuted",
        ("contradicted", True): "needs-run",
        ("opposite", False): "refuted",
        ("opposite", True): "needs-run",
        ("unresolved", False): "inconclusive",
        ("unresolved", True): "needs-run",
        ("depends", False): "inconclusive",
        ("depends", True): "inconclusive",  # two options already say contrary things: no further run takes that back
    }
)
"""Word, and whether a run could still change it (an option not exercised, a planned look not taken) → verdict."""

_FOR, _AGAINST = frozenset(("reproduced",)), frozenset(("contradicted", "opposite"))
_PRECEDENCE: tuple[Ledger, ...] = ("refuted", "needs-run", "inconclusive", "holds")


@dataclass(frozen=True)
class Overall:
    """The word over all options, and why: the choices it `depends` on, those `unresolved` and those `unexercised`."""

    word: Word
    depends: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    unexercised: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a run under some option is missing."""
        return bool(self.unexercised)

    @property
    def why(self) -> str:
        """The reasons in words, empty where the word has none but the numbers."""
        parts = (
            ("depends on", self.depends),
            ("unresolved under", self.unresolved),
            ("not exercised:", self.unexercised),
        )
        return "; ".join(f"{what} {_by_choice(names)}" for what, names in parts if names)


def _by_choice(names: Iterable[str]) -> str:
    """Options by the choice that they are of.

    >>> _by_choice(["rate = 1", "rate = 2", "model = deep"])
    'rate = 1 or 2, model = deep'
    """
    found: dict[str, list[str]] = {}
    for name in names:
        choice, _, option = name.partition(" = ")
        found.setdefault(choice, []).append(option)
    return ", ".join(
        f"{choice} = {' or '.join(options)}" if any(options) else choice for choice, options in found.items()
    )


def exercised(state: State) -> bool:
    """Whether an option was run at full scale with seeds enough for a word, or shown to be without effect."""
    return state != "not exercised"


def overall(default: Word, options: Mapping[str, State]) -> Overall:
    """The word over options, from that at the defaults and the state of each other option, by "choice = option".

    Decided words that are incompatible come first (`depends`); then what is not decided; then what was not exercised.
    A word stands only if it is that of the defaults and of every option that is not screened; of `opposite` under some
    options and `contradicted` under others the weaker one is kept.
    """
    if default not in get_args(Word) or default == "depends":
        raise ValueError(f"overall({default!r}): expected reproduced, contradicted, opposite or unresolved")
    decided: dict[str, State] = {"the defaults": default, **options}
    for_, against = ([name for name, word in decided.items() if word in side] for side in (_FOR, _AGAINST))
    unresolved = tuple(name for name, word in options.items() if word == "unresolved")
    missing = tuple(name for name, word in options.items() if not exercised(word))
    if for_ and against:
        fewer = against if "the defaults" in for_ else for_ if "the defaults" in against else (*for_, *against)
        return Overall("depends", tuple(fewer), unresolved, missing)
    if default == "unresolved" or unresolved or missing:
        return Overall("unresolved", (), unresolved, missing)
    words = {default, *(word for word in options.values() if word != "screened")}
    return Overall("contradicted" if "contradicted" in words else default)


def conjunction(verdicts: Iterable[Ledger]) -> Ledger:
    """Of a claim of several parts: refuted by any, whatever the others are; holds by all.

    In between «needs-run» comes before «inconclusive», since a run that is missing can still refute.
    Raises `ValueError` for no part.
    """
    found = set(verdicts)
    if not found:
        raise ValueError("conjunction(()): expected at least one part")
    return next(word for word in _PRECEDENCE if word in found)
