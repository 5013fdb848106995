"""What the numbers of an instance are, in words: `curvature` a client's curvature, `drop` by how much a step falls.

Worlds draw numbers for which a paper has no letter. Its folder may hold `drawn.toml`: a line `name = "words"` for each,
and a table under a claim's id where a name is something else there. It may hold `letters.toml` too: what the letters of
its printed formulas are, under `notes` what is to be said of an instance by a number that it draws, under `script` the
LaTeX, or «LaTeX | words», of what scripts draw and compute under a word, and under `named` what an equation or a
property says that is no statement of the ledger. It may hold `shown.toml`: under a claim's id a line
`name = "LaTeX | words"` for each letter that is something else in that claim, and `clients = "2 + copies"`, how many
clients its instance has, where a formula of its numbers says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from theory.base.toml import parsed
from validation.report.told import Told, told_of

__all__ = ["Glosses", "glosses", "read_glosses", "stem"]

FILE, LETTERS, SHOWN = "drawn.toml", "letters.toml", "shown.toml"
CLIENTS = "clients"
_INDEXED = re.compile(r"(.*?[A-Za-z])(?:_\d+)+$")


@dataclass(frozen=True)
class Glosses:
    """Words by name for a whole paper, and by a claim's id those that are of it alone.

    `letters`: words by the symbols of printed formulas, `own_letters` by claim. `notes`: by the name of a drawn number
    what is to be said of an instance where it is not 1, with the number in braces. `shown`: «LaTeX | words» by claim
    and name. `told`: by claim its instance in words. `script`: LaTeX, or «LaTeX | words», by the word of a script.
    `labels`: words by the label of an equation or a property.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    own_letters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    told: Mapping[str, Told] = field(default_factory=dict)
    script: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def drawn(self) -> dict[str, str]:
        """LaTeX by the word of a script."""
        return {name: _two(said)[0] for name, said in self.script.items()}

    def number(self, claim: str, name: str) -> str:
        """What a number of a script is, in words: of its instance, else a result; '' where nobody says it."""
        return self.named(claim, [name]).get(name, "") or _two(self.script.get(stem(name), ""))[1]

    def shown_of(self, claim: str) -> dict[str, tuple[str, str]]:
        """(LaTeX, words) by name of the letters that a claim has for something else than its paper."""
        rows = self.shown.get(claim, {})
        return {name: _two(said) for name, said in rows.items() if name != CLIENTS}

    def clients_of(self, claim: str) -> str:
        """How many clients the instance of a claim has, as a formula of its numbers; '' where it is not said."""
        return self.shown.get(claim, {}).get(CLIENTS, "")

    def of(self, claim: str) -> Mapping[str, str]:
        """The words by name in a claim."""
        return {**self.words, **self.own.get(claim, {})}

    def named(self, claim: str, names: Iterable[str]) -> dict[str, str]:
        """Of these names those that have words, an indexed one such as `curvature_1_2` by its stem."""
        known = self.of(claim)
        said = {name: known.get(name) or known.get(stem(name), "") for name in names}
        return {name: words for name, words in said.items() if words}

    def letters_of(self, claim: str) -> Mapping[str, str]:
        """The words by symbol of a claim's printed formula."""
        return {**self.letters, **self.own_letters.get(claim, {})}

    def noted(self, numbers: Mapping[str, object]) -> tuple[str, ...]:
        """What is to be said of an instance with these numbers.

        >>> Glosses(notes={"loose": "L is {loose} times the least"}).noted({"loose": "1000", "far": "2"})
        ('L is 1000 times the least',)
        """
        met = ((name, said) for name, said in self.notes.items() if str(numbers.get(name, "1")) != "1")
        return tuple(said.replace(f"{{{name}}}", str(numbers[name])) for name, said in met)


def stem(name: str) -> str:
    """A name without its indices, and without what a script adds to one that is taken: `curvature_1_2` is `curvature`.

    >>> stem("curvature_1_2"), stem("local_steps"), stem("L_drawn"), stem("sign_")
    ('curvature', 'local_steps', 'L', 'sign')
    """
    bare = name.removesuffix("_drawn").rstrip("_")
    found = _INDEXED.match(bare)
    return found[1] if found else bare


def read_glosses(folder: Path) -> Glosses:
    """A paper's words; none where its folder has no such files. Raises `ValueError` for one not as it should be.

    `folder`: of the paper.
    """
    words, own = _tables(folder / FILE)
    bare, tables = _tables(folder / LETTERS)
    if bare:
        raise ValueError(f"{folder / LETTERS}: {next(iter(bare))!r} outside of a table; expected it under [letters]")
    of_paper, notes, script, labels = (tables.pop(name, {}) for name in ("letters", "notes", "script", "named"))
    bare, shown = _tables(folder / SHOWN)
    odd = [
        *bare,
        *(f"[{c}] {n}" for c, rows in shown.items() for n, said in rows.items() if n != CLIENTS and " | " not in said),
    ]
    if odd:
        raise ValueError(f'{folder / SHOWN}: {odd[0]}: expected a line name = "LaTeX | words" under a claim')
    return Glosses(words, own, of_paper, tables, notes, shown, told_of(folder), script, labels)


def _two(said: str) -> tuple[str, str]:
    latex, _, words = said.partition(" | ")
    return latex, words


def _tables(file: Path) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The lines of a file that are in no table, and its tables; nothing where there is no such file."""
    if not file.is_file():
        return {}, {}
    try:
        held = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f'{file}: expected TOML with lines name = "words" ({error})') from error
    own = {name: said for name, said in held.items() if isinstance(said, dict)}
    words = {name: said for name, said in held.items() if name not in own}
    for place, said in ((file.name, words), *((f"{file.name}, [{claim}]", said) for claim, said in own.items())):
        odd = [(name, text) for name, text in said.items() if not isinstance(text, str)]
        if odd:
            raise ValueError(f'{file.parent / place}: expected {odd[0][0]} = "words", got {odd[0][1]!r}')
    return words, own


def glosses(folders: Mapping[str, Path]) -> dict[str, Glosses]:
    """The words of several papers by key, as `read_glosses`."""
    return {key: read_glosses(folder) for key, folder in folders.items()}
