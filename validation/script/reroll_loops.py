"""Rounds written as rounds: lines of straight arithmetic that repeat, each block made from the one before, as a loop.

A block repeats where the same lines come again with what the block before made in the place of its own, and with whole
numbers that go up or down by the same step. The loop prints what it carries: a table round by round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["rolled"]

_LONGEST = 12  # lines of a block
_FEWEST = 3  # blocks of a loop
_MOST = 1000  # lines outside loops: a page with more is too long however many share a line, and nobody will read it
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|.")

Kind: TypeAlias = tuple[str, int]
"""A token of a block: `own`, `before` (a line of its block, of the one before), `same`, or `count` and its step."""


def rolled(lines: Sequence[tuple[str, str]], later: set[str]) -> list[str]:
    """Assignments (name, expression) as source, repeated blocks as loops; `later`: names that are used behind them.

    Once `_MOST` lines stand outside loops, the rest is written as it is.
    """
    program = _Program.of(lines, later)
    out: list[str] = []
    at = 0
    while at < len(lines):
        if len(out) > _MOST:
            return [*out, *(f"{name} = {text}" for name, text in lines[at:])]
        loops = [program.loop(at, length) for length in range(1, min(_LONGEST, (len(lines) - at) // _FEWEST) + 1)]
        covered, text = max(
            (loop for loop in loops if loop is not None), key=lambda loop: loop[0] - len(loop[1]), default=(0, [])
        )
        if covered > len(text):
            out, at = out + text, at + covered
        else:
            out, at = [*out, f"{lines[at][0]} = {lines[at][1]}"], at + 1
    return out


@dataclass(frozen=True)
class _Program:
    """Names and tokens of every line, where each name is made, and the last line that uses it."""

    names: list[str]
    rows: list[list[str]]
    where: dict[str, int]
    used: dict[str, int]

    @classmethod
    def of(cls, lines: Sequence[tuple[str, str]], later: set[str]) -> _Program:
        names, rows = [name for name, _ in lines], [_TOKEN.findall(text) for _, text in lines]
        used = {token: i for i, row in enumerate(rows) for token in row}
        return cls(names, rows, {name: i for i, name in enumerate(names)}, used | dict.fromkeys(later, len(rows)))

    def loop(self, at: int, length: int) -> tuple[int, list[str]] | None:
        """How many lines from `at` on a loop of blocks of `length` lines covers, and its text."""
        pairs = [(self.rows[at + j], self.rows[at + length + j]) for j in range(length)]
        if any(len(a) != len(b) for a, b in pairs):
            return None
        kinds: list[list[Kind]] = []
        for a, b in pairs:
            found = [self.kind(s, t, at, length) for s, t in zip(a, b, strict=True)]
            if None in found:
                return None
            kinds.append([kind for kind in found if kind is not None])
        carried = self._carried(at, kinds)
        if not carried:
            return None
        blocks = 2
        while at + (blocks + 1) * length <= len(self.rows) and self._same(at, length, blocks, kinds):
            blocks += 1
        while blocks >= _FEWEST and not self._closed(at, length, blocks):
            blocks -= 1
        return self._text(at, length, blocks, kinds, carried) if blocks >= _FEWEST else None

    def kind(self, a: str, b: str, at: int, length: int) -> Kind | None:
        """What a token is, by the first two blocks."""
        here, there = self.where.get(b, -1), self.where.get(a, -1)
        if here >= at + length:
            return ("own", here - at - length) if there == here - length else None
        if here >= at:
            return ("before", here - at) if there < at else None
        if a == b:
            return "same", 0
        return ("count", int(b) - int(a)) if a.isdecimal() and b.isdecimal() else None

    def _same(self, at: int, length: int, block: int, kinds: list[list[Kind]]) -> bool:
        """Whether the block of that number is made as the first two are."""
        begin = at + block * length
        for j, row in enumerate(kinds):
            tokens, first = self.rows[begin + j], self.rows[at + j]
            if len(tokens) != len(first):
                return False
            for token, start, (word, value) in zip(tokens, first, row, strict=True):
                if word in {"own", "before"}:
                    wanted = begin + value - (length if word == "before" else 0)
                    if self.where.get(token) != wanted:
                        return False
                elif token != (start if word == "same" else str(int(start) + block * value)):
                    return False
        return True

    def _closed(self, at: int, length: int, blocks: int) -> bool:
        """Whether nothing behind the loop uses what a block before the last one made."""
        end = at + blocks * length
        return all(self.used.get(name, -1) < end for name in self.names[at : end - length])

    def _carried(self, at: int, kinds: list[list[Kind]]) -> dict[int, str]:
        """What a block takes from the one before, by line, with its first value; none where it is made anew by then."""
        carried: dict[int, str] = {}
        for j, row in enumerate(kinds):
            for token, (word, value) in zip(self.rows[at + j], row, strict=True):
                if word == "before" and (value < j or carried.setdefault(value, token) != token):
                    return {}
        return carried

    def _text(
        self, at: int, length: int, blocks: int, kinds: list[list[Kind]], carried: dict[int, str]
    ) -> tuple[int, list[str]]:
        """How many lines the loop covers, and its text."""
        names = self.names[at + (blocks - 1) * length : at + blocks * length]
        body = []
        for j, row in enumerate(kinds):
            text = ""
            for token, (word, value) in zip(self.rows[at + j], row, strict=True):
                step = "k" if abs(value) == 1 else f"{abs(value)} * k"
                count = f"({token} {'+' if value > 0 else '-'} {step})"
                text += names[value] if word in {"own", "before"} else token if word == "same" else count
            body.append(f"    {names[j]} = {text}")
        start = [f"{names[q]} = {token}" for q, token in carried.items()]
        shown = ", ".join(f"{names[q]} = {{float({names[q]}):.6g}}" for q in sorted(carried))
        table = f'    print(f"  {{k + 1}}: {shown}")'
        return blocks * length, [*start, f"for k in range({blocks}):", *body, table]
