"""What the numbers of an instance are, in words: `curvature` a client's curvature, `drop` by how much a step falls.

Worlds draw numbers for which a paper has no letter. Its folder may hold `drawn.toml`: a line `name = "words"` for each,
and a table under a claim's id where a name is something else there. It may hold `letters.toml` too: what the letters of
its printed formulas are, and under `notes` what is to be said of an instance by a number that it draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from theory.base.toml import parsed

__all__ = ["Glosses", "glosses", "read_glosses", "stem"]

FILE, LETTERS = "drawn.toml", "letters.toml"
_INDEXED = re.compile(r"(.*?[A-Za-z])(?:_\d+)+$")


@dataclass(frozen=True)
class Glosses:
    """Words by name for a whole paper, and by a claim's id those that are of it alone.

    `letters`: words by the symbols of printed formulas, `own_letters` by claim. `notes`: by the name of a drawn number
    what is to be said of an instance where it is not 1, with the number in braces.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    own_letters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

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
    of_paper, notes = tables.pop("letters", {}), tables.pop("notes", {})
    return Glosses(words, own, of_paper, tables, notes)


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
