"""Lines in which every number has a name of its own, under fewer names: one that is done with lends its to the next.

As in the function that the lines come from: `w = w - eta * h * w` goes on with one w. Two that are needed at a time are
w and w_2; of a client's w_1 they are w_1 and w_1b.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

__all__ = ["sharing"]

_WORD = re.compile(r"[A-Za-z_]\w*")


def sharing(
    lines: Sequence[str], base: Mapping[str, str], later: AbstractSet[str], taken: AbstractSet[str]
) -> tuple[list[str], Mapping[str, str]]:
    """The lines under shared names, and the name that each of `base` has now.

    `lines`: one assignment each, or a loop's head with its lines indented behind. `base`: what a name would be called.
    `later`: names that are used behind the lines. `taken`: what no name may be.
    """
    spans = _spans(lines, base, later)
    free: dict[str, list[tuple[str, int]]] = {}
    names: dict[str, str] = {}
    used = set(taken)
    for name, (first, last) in sorted(spans.items(), key=lambda item: item[1][0]):
        slots = free.setdefault(base[name], [])
        at = next((i for i, (_, end) in enumerate(slots) if end <= first), None)
        if at is None:
            at = len(slots)
            slots.append((_unused(base[name], used), last))
            used.add(slots[at][0])
        slots[at] = slots[at][0], last
        names[name] = slots[at][0]
    renamed = [_WORD.sub(lambda found: names.get(found[0], found[0]), line) for line in lines]
    return [line for line in renamed if not re.fullmatch(r"\s*(\w+) = \1", line)], names


def _unused(base: str, used: AbstractSet[str]) -> str:
    """The first name that is free: own, own_2, own_3, …; where a number says which client it is, own_1, own_1b, …"""
    letters = [f"{base}{letter}" for letter in "bcdefghijklmnopqrstuvwxyz"] if base[-1].isdecimal() else []
    counted = (f"{base}{'' if base.endswith('_') else '_'}{count}" for count in itertools.count(2))
    return next(name for name in itertools.chain([base], letters, counted) if name not in used)


def _spans(lines: Sequence[str], base: Mapping[str, str], later: AbstractSet[str]) -> Mapping[str, tuple[int, int]]:
    """From which line to which a name's number is needed; what a loop speaks of is needed all through it."""
    spans: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(lines):
        end = at
        while lines[at].startswith("for ") and end + 1 < len(lines) and lines[end + 1].startswith("    "):
            end += 1
        for word in _WORD.findall("\n".join(lines[at : end + 1])):
            if word in base:
                spans[word] = spans.get(word, (at, end))[0], end
        at = end + 1
    return {name: (first, len(lines) if name in later else last) for name, (first, last) in spans.items()}
