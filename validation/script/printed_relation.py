"""Counterexamples on printed numbers as scripts: the cells by name, the order that singles them out, the comparison."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from validation.script.script import head, one_line, string
from validation.statement.bound import identifier, python_source
from validation.statement.claim import Cell, Comparison
from validation.statement.forms.kinds import Ranked, Ranking

__all__ = ["comparison_script"]

__judges__ = "no"

_READABLE = 24  # characters of a name
_LONGEST = 34  # of one that says in which table, or in what else, a cell differs from another
_WIDE = 110  # characters of a line of several entries
_OWN = re.compile(r"in_place|placed|values_\d+")  # what a script calls its own


def comparison_script(claim_id: str, reading: str, failed: Comparison) -> str:
    """A script that recomputes one failed comparison from the printed cells.

    Where an order of several quantities singles out what is compared, all of them stand there by name, and the script
    confirms the violation only where the one that is compared has its place among them.
    """
    words = f"Reading: {reading}.\nClaimed: {failed.says}."
    cells = {**failed.cells, **_repeated(failed.rankings)}
    short = _short_names(list(cells))
    given = "".join(f"{short[n]} = Fraction({string(c.value)})  # {one_line(c.where)}\n" for n, c in cells.items())
    orders, placed = _orders(failed.rankings, short)
    left, right = (_wrapped(_renamed(side, short)) for side in (failed.left, failed.right))
    body = (
        f"left = {left}\nright = {right}\n"
        f'print(f"claimed: {{left}} {failed.relation} {{right}}  ({{float(left):.6g}}, {{float(right):.6g}})")\n'
        f"holds = left {failed.relation} right\n"
    )
    if not placed:
        end = 'print("NOT violated" if holds else "violated")\nraise SystemExit(1 if holds else 0)\n'
        return head(f"Counterexample to {claim_id}.", words, "") + given + body + end
    words += "\nWhat is compared is singled out by an order of printed numbers, which stands here whole and is checked."
    end = (
        "violated = all(placed) and not holds\n"
        'print("violated" if violated else "NOT violated")\n'
        "raise SystemExit(0 if violated else 1)\n"
    )
    checks = "placed = [\n" + "".join(f"    in_place({check}),\n" for check in placed) + "]\n"
    return head(f"Counterexample to {claim_id}.", words, "") + given + _IN_PLACE + orders + checks + body + end


_IN_PLACE = '''

def in_place(own, place, values):
    """Whether the one of this name is in this place from below; all of them are printed in order."""
    values = {name: Fraction(value) for name, value in values.items()}
    for n, name in enumerate(sorted(values, key=values.get), 1):
        print(f"{n:3d}. {float(values[name]):.6g}  {name}" + ("  <-- is compared" if name == own else ""))
    below, above = (sum(v < values[own] for v in values.values()), sum(v > values[own] for v in values.values()))
    met = below < place <= len(values) - above
    print(f"number {place} of {len(values)} from below: {own}, {below} are less, {above} more: {met}")
    return met


'''


def _orders(rankings: Sequence[Ranking], short: Mapping[str, str]) -> tuple[str, list[str]]:
    """Tables of what is put in order more than once, and for every ranking the arguments of its check."""
    shared: list[tuple[Ranked, ...]] = []
    for i, ranking in enumerate(rankings):
        if ranking.rows not in shared and any(r.rows == ranking.rows for r in rankings[:i]):
            shared.append(ranking.rows)
    tables, placed = "", []
    for i, rows in enumerate(shared):
        tables += f"values_{i + 1} = {_table(rows, short, '')}\n"
    for ranking in rankings:
        at = shared.index(ranking.rows) if ranking.rows in shared else None
        table = _table(ranking.rows, short, "    ") if at is None else f"values_{at + 1}"
        placed.append(f"{_row_names(ranking.rows)[0][ranking.chosen]!a}, {ranking.place}, {table}")
    return tables, placed


def _table(rows: Sequence[Ranked], short: Mapping[str, str], margin: str) -> str:
    """What is put in order, by name, with the words that all of their places have in common."""
    names, common = _row_names(rows)
    entries = [f"{name!a}: {_row(row, short)}" for name, row in zip(names, rows, strict=True)]
    said = one_line(", ".join([f"all {len(rows)}", *common]))
    return f"{{  # {said}\n{textwrap.indent(_packed(entries), margin)}{margin}}}"


def _packed(entries: Iterable[str]) -> str:
    """Entries of a table as lines, short ones several to a line."""
    lines: list[str] = []
    for entry in entries:
        room = lines and "(" not in entry and "(" not in lines[-1] and len(lines[-1]) + len(entry) < _WIDE
        if room:
            lines[-1] += f" {entry},"
        else:
            lines.append(textwrap.indent(f"{entry},", "    "))
    return "".join(f"{line}\n" for line in lines)


def _wrapped(source: str) -> str:
    """An expression, a long one in brackets over several lines."""
    if len(source) <= _WIDE:
        return source
    lines = textwrap.wrap(source, _WIDE - 4, break_long_words=False, break_on_hyphens=False)
    return "(\n" + "".join(f"    {line}\n" for line in lines) + ")"


def _row(row: Ranked, short: Mapping[str, str]) -> str:
    """What is ranked as source: a number as printed, or an expression in letters and printed numbers."""
    if row.source in row.cells and row.source not in short:
        return string(row.cells[row.source].value)
    aside = {name: f"cell__{i}" for i, name in enumerate(row.cells) if name not in short}
    values = {aside[name]: f"Fraction({string(row.cells[name].value)})" for name in aside}
    source = _renamed(row.source, {**short, **aside})
    return _wrapped(re.sub(r"\bcell__\d+\b", lambda found: values[found[0]], source))


def _repeated(rankings: Iterable[Ranking]) -> dict[str, Cell]:
    """The cells that stand in more than one row: each of them needs a name, so that it stands there once."""
    rows: list[Ranked] = []
    for ranking in rankings:
        rows += [row for row in ranking.rows if row not in rows]
    used = Counter(name for row in rows for name in row.cells)
    return {name: cell for row in rows for name, cell in row.cells.items() if used[name] > 1}


def _row_names(rows: Sequence[Ranked]) -> tuple[list[str], list[str]]:
    """A name for each row, the words in which its place in the tables differs from the others', and the common words.

    Numbered where that leaves two alike.
    """
    everywhere = set.intersection(*({*row.cells} for row in rows))
    own = [[_words(c) for n, c in row.cells.items() if n not in everywhere] for row in rows]
    own = [cells or [_words(c) for c in row.cells.values()] for cells, row in zip(own, rows, strict=True)]
    common = [word for word in own[0][0] if all(word in words for cells in own for words in cells)]
    told = [[w for w in cells[0] if all(w in words for words in cells) and w not in common] for cells in own]
    if not _apart(told):
        told = [[w for w in dict.fromkeys(w for words in cells for w in words) if w not in common] for cells in own]
    names = [", ".join(words) for words in told]
    if not _apart(told):
        names = [f"{name or row.label} ({i + 1})" for i, (name, row) in enumerate(zip(names, rows, strict=True))]
    return names, common


def _apart(names: Sequence[Sequence[str]]) -> bool:
    return all(names) and len({*map(tuple, names)}) == len(names)


def _words(cell: Cell) -> list[str]:
    """The words that say where a cell stands."""
    return re.split(r": |, |;", cell.where)


def _short_names(cells: list[str]) -> dict[str, str]:
    """Names of cells for a script: the words in which a cell's own differs from those that begin like it.

    >>> list(_short_names(["table5_skew_FedSSA_accuracy", "table5_skew_Local_accuracy", "stated_most"]).values())
    ['FedSSA', 'Local', 'stated_most']

    One that alone begins so is called by its last word, two that are left alike with how they begin in front, and
    where that is no name or a long one, by a number.
    """
    found = {name: name.strip("_") for name in cells}
    for begin in {name.partition("_")[0] for name in cells}:
        alike = {name: short.split("_") for name, short in found.items() if name.partition("_")[0] == begin}
        front, back = (_shared([words[::way] for words in alike.values()]) for way in (1, -1))
        everywhere = set.intersection(*map(set, alike.values()))
        for name, words in alike.items():
            own = words[front : len(words) - back] if len(alike) > 1 else words[-1:]
            if len("_".join(own)) > _READABLE:
                own = [word for word in own if word not in everywhere]
            found[name] = found[name] if len(name) <= _READABLE else "_".join(own)
    many = Counter(found.values())
    found = {n: s if many[s] == 1 or not s else f"{n.partition('_')[0]}_{s}" for n, s in found.items()}
    many = Counter(found.values())
    free = {s for s in found.values() if s.isidentifier() and identifier(s) == s and not _OWN.fullmatch(s)}
    return {
        n: s if many[s] == 1 and s in free and len(s) <= _LONGEST else f"cell_{i + 1}"
        for i, (n, s) in enumerate(found.items())
    }


def _shared(rows: list[list[str]]) -> int:
    """How many words all rows begin with."""
    same = [len(set(column)) == 1 for column in zip(*rows, strict=False)]
    return next((i for i, alike in enumerate(same) if not alike), len(same))


def _renamed(side: Any, names: Mapping[str, str]) -> str:
    side = sp.sympify(side)
    return python_source(side.xreplace({s: sp.Symbol(names[s.name], real=True) for s in side.free_symbols}))
