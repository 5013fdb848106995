"""What the numbers of an instance are, in words: `curvature` a client's curvature, `drop` by how much a step falls.

Worlds draw numbers for which a paper has no letter. Its folder may hold `drawn.toml`: a line `name = "words"` for each,
and a table under a claim's id where a name is something else there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from theory.base.toml import parsed

__all__ = ["Glosses", "glosses", "read_glosses", "stem"]

FILE = "drawn.toml"
_INDEXED = re.compile(r"(.*?[A-Za-z])(?:_\d+)+$")


@dataclass(frozen=True)
class Glosses:
    """Words by name for a whole paper, and by a claim's id those that are of it alone."""

    words: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, claim: str) -> Mapping[str, str]:
        """The words by name in a claim."""
        return {**self.words, **self.own.get(claim, {})}

    def named(self, claim: str, names: Iterable[str]) -> dict[str, str]:
        """Of these names those that have words, an indexed one such as `curvature_1_2` by its stem."""
        known = self.of(claim)
        said = {name: known.get(name) or known.get(stem(name), "") for name in names}
        return {name: words for name, words in said.items() if words}


def stem(name: str) -> str:
    """A name without its indices, and without what a script adds to one that is taken: `curvature_1_2` is `curvature`.

    >>> stem("curvature_1_2"), stem("local_steps"), stem("L_drawn"), stem("sign_")
    ('curvature', 'local_steps', 'L', 'sign')
    """
    bare = name.removesuffix("_drawn").rstrip("_")
    found = _INDEXED.match(bare)
    return found[1] if found else bare


def read_glosses(folder: Path) -> Glosses:
    """A paper's words; none where its folder has no such file. Raises `ValueError` for one that is not as it should be.

    `folder`: of the paper.
    """
    file = folder / FILE
    if not file.is_file():
        return Glosses()
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
    return Glosses(words, own)


def glosses(folders: Mapping[str, Path]) -> dict[str, Glosses]:
    """The words of several papers by key, as `read_glosses`."""
    return {key: read_glosses(folder) for key, folder in folders.items()}
