"""What a counterexample is, in the letters of its paper: its clients, weights, noise and start, as a reader needs them.

A script has names of its own, and what is 0 or a constant in it has none at all. A paper's folder may hold
`instances.toml`: under a claim's id the words of the instance that its page shows, the case and both sides by which
that instance is known, and how it meets hypotheses that its script does not check. The words of another instance are
not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.base.toml import parsed

__all__ = ["FILE", "Told", "told_of"]

__judges__ = "no"

FILE = "instances.toml"
_LISTS = ("met", "instead_of", "unused", "letters")


@dataclass(frozen=True)
class Told:
    """An instance in words, `says`, '' where only its right side is said.

    `case`, `left`, `right`: of which one it is, sides as the page has them, '' for an order.

    `met`: how a hypothesis is met that the script does not check, or not by all that it says, «words: how» a line.
    `instead_of`: the words of the script's lines that these replace. `unused`: what was drawn, but this case computes
    itself; it is not shown.
    `printed_right`: the right side as the paper prints it, where the script has it in other letters: a formula in the
    names of the script and in those of `letters`, which are «name = LaTeX | words | formula» a line.
    """

    case: str
    says: str = ""
    left: str = ""
    right: str = ""
    met: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    printed_right: str = ""
    letters: tuple[str, ...] = ()

    def own_letters(self) -> Iterator[tuple[str, str, str, str]]:
        """(name, LaTeX, words, formula) of the letters of the print that the script does not have."""
        for line in self.letters:
            name, _, said = line.partition(" = ")
            latex, words, formula = said.split(" | ")
            yield name, latex, words, formula

    def fits(self, case: str, left: str, right: str) -> bool:
        """Whether the words are of the instance of this case with these sides."""
        return (self.case, self.left, self.right) == tuple(map(_spaced, (case, left, right)))


def _spaced(text: str) -> str:
    """A text with plain spaces, as those of a file are."""
    return " ".join(text.split())


def told_of(folder: Path) -> dict[str, Told]:
    """A paper's words by claim; none where its folder has no such file.

    `folder`: of the paper. Raises `ValueError` for a file that is not as it should be.
    """
    file = folder / FILE
    if not file.is_file():
        return {}
    try:
        held = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from error
    return {claim: _read(row, f"{file}: [{claim}]") for claim, row in held.items()}


def _read(row: Any, here: str) -> Told:
    fields = tuple(Told.__dataclass_fields__)
    if (
        not isinstance(row, Mapping)
        or not row.keys() <= set(fields)
        or "case" not in row
        or not row.keys() & {"says", "printed_right"}
    ):
        raise ValueError(
            f"{here}: expected `case`, `says` or `printed_right`, and of {', '.join(fields[2:])} what is known"
        )
    lists = {name: row.get(name, []) for name in _LISTS}
    texts = [row[name] for name in row if name not in lists]
    lines = [text for held in lists.values() for text in (held if isinstance(held, list) else [held, None])]
    if not all(isinstance(text, str) for text in [*texts, *lines]):
        raise ValueError(f"{here}: expected texts, and lists of them under {' and '.join(lists)}; got {dict(row)!r}")
    if any(len(line.split(" | ")) != 3 or " = " not in line for line in lists["letters"]):
        raise ValueError(
            f"{here}: expected lines “name = LaTeX | words | formula” under letters, got {lists['letters']}"
        )
    case, says, left, right, printed = (
        _spaced(row.get(name, "")) for name in ("case", "says", "left", "right", "printed_right")
    )
    held = {name: tuple(lines) for name, lines in lists.items()}
    return Told(case, says, left, right, printed_right=printed, **held)
