"""Shakespeare, character by character: 80 characters in, the next one out, the speaker of each sample known."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from deep.base.lazy import torch
from deep.data.files import find_file, find_folder, read_file, read_unpacked
from deep.data.parts import Parts
from deep.data.samples import Groups, TokenDataset

__all__ = ["leaf_shakespeare", "next_characters", "speeches", "tiny_shakespeare"]

LENGTH = 80
TINY_BYTES = 1_115_394
LEAF_BYTES = 2**28  # of one JSON file; the largest that LEAF's scripts make is a fifth of that
TINY_MD5 = ("6fb458f1232090904fb40fe944165e91",)
_SPEECH = re.compile(r"([^\n]+):\n(.*)", re.DOTALL)


def speeches(text: str) -> dict[str, list[str]]:
    r"""The lines of each speaker, in the order of the text; a speech is NAME:, its lines, then an empty line.

    Speakers of the same name in two plays cannot be told apart. Raises `ValueError` for text without a speaker.

    >>> speeches("ROMEO:\nIs the day\nso young?\n\nBENVOLIO:\nBut new struck nine.\n")
    {'ROMEO': ['Is the day', 'so young?'], 'BENVOLIO': ['But new struck nine.']}
    """
    lines: dict[str, list[str]] = {}
    for block in re.split(r"\n\n+", text.strip("\n")):
        speech = _SPEECH.fullmatch(block)
        if speech is not None:
            said = [line for line in speech[2].split("\n") if line]
            lines.setdefault(speech[1], []).extend(said)
        elif not re.fullmatch(r"[^\n]+:", block):  # a name alone: the speaker says nothing
            raise ValueError(f"text block {block[:60]!r}: expected NAME: on a line, then the speech")
    return {name: said for name, said in lines.items() if said}


def next_characters(
    said: Mapping[str, str],
    length: int = LENGTH,
    stride: int = 1,
    alphabet: str | None = None,
    name: str = "shakespeare",
) -> TokenDataset:
    """Every `stride`-th window of `length` characters of a speaker's text, and the character that follows it.

    Windows never reach from one speaker into another. `vocabulary`: the distinct characters of `alphabet`, by
    default of all texts, sorted; `labels` are ids in it, too. A speaker with fewer than `length` + 1 characters has
    no sample and no name among `groups`. Tokens take 8 · length bytes a sample.

    Raises `ValueError` for `length` or `stride` < 1, when no speaker has said enough, and for a character outside
    `alphabet`.
    """
    for what, value in (("length", length), ("stride", stride)):
        if value < 1:
            raise ValueError(f"next_characters({what}={value}): must be >= 1")
    long_enough = {speaker: text for speaker, text in said.items() if len(text) > length}
    if not long_enough:
        longest = max((len(text) for text in said.values()), default=0)
        raise ValueError(f"next_characters(length={length}): the longest text has {longest} characters")
    spoken: set[str] = set().union(*said.values())
    vocabulary = tuple(sorted(spoken if alphabet is None else set(alphabet)))
    if foreign := spoken - set(vocabulary):
        raise ValueError(f"next_characters(alphabet={''.join(vocabulary)!r}): lacks {sorted(foreign)}")
    ids = {character: place for place, character in enumerate(vocabulary)}
    windows, index = [], []
    for place, text in enumerate(long_enough.values()):
        coded = torch.tensor([ids[character] for character in text])
        own = coded.unfold(0, length + 1, stride)  # a view: no copy before the last step
        windows.append(own)
        index.append(torch.full((len(own),), place))
    together = torch.cat(windows)
    return TokenDataset(
        tokens=together[:, :length].contiguous(),
        labels=together[:, length].contiguous(),
        n_classes=max(2, len(vocabulary)),
        vocabulary=vocabulary,
        name=name,
        groups=Groups("speaker", torch.cat(index), tuple(long_enough)),
    )


def tiny_shakespeare(
    root: Path, verify: bool = True, length: int = LENGTH, stride: int = 1, min_lines: int = 5
) -> Parts[TokenDataset]:
    """Karpathy's tiny Shakespeare (1,115,394 characters) by speaker: speakers with at least `min_lines` lines.

    A speaker's lines are joined by line ends, the name is left out; the vocabulary is that of the whole file, 65
    characters, whoever is kept. There is no official cut. With stride 1 neighbouring windows share all but one
    character, so a random cut puts near-copies of test inputs into training: `split_in_order` with gap=length, or
    stride = length + 1, keeps them apart.

    Source: efl, A.3: "speaking roles with at least five lines", 132 of them sampled; the characters in front and the
    window rule are those of LEAF (Caldas et al. 2018), whom we take the 80 from. *Differs:* the complete works there,
    40,000 lines of them here. Reads ``tiny-shakespeare/input.txt``, with the md5 of the public file.
    Raises `ValueError` for a missing or other file, or when nobody says that much.
    """
    folder = find_folder(root, ("tiny-shakespeare", "tiny_shakespeare"), "tiny-shakespeare")
    path = find_file(folder, "input.txt", (".gz", ".xz"), "tiny-shakespeare")
    content = read_unpacked(path, 2 * TINY_BYTES, TINY_MD5 if verify else ())
    try:
        text = content.decode("utf-8")
        lines = speeches(text)
    except ValueError as error:  # bytes that are no UTF-8 are one, too
        raise ValueError(f"{path}: {error}") from error
    said = {speaker: "\n".join(own) for speaker, own in lines.items() if len(own) >= min_lines}
    try:
        return Parts(next_characters(said, length, stride, text, "tiny-shakespeare"))
    except ValueError as error:
        raise ValueError(f"{path}, speakers with >= {min_lines} lines: {error}") from error


def leaf_shakespeare(root: Path, _verify: bool = True) -> Parts[TokenDataset]:
    """LEAF's Shakespeare: windows and next characters as its JSON files hold them, `groups` of kind "speaker".

    Reads every ``shakespeare/{train,test}/*.json`` (or ``shakespeare/data/…``): "users", "num_samples" and
    "user_data" with "x", a list of texts of one length, and "y", a list of one character each. The vocabulary is
    every character of both parts, sorted. LEAF's files depend on how its script was called, so there is nothing to
    compare with.
    Raises `ValueError` naming the file and the speaker for missing keys, unequal counts or another length.
    """
    folder = find_folder(root, ("shakespeare/data", "shakespeare", "leaf-shakespeare"), "leaf-shakespeare")
    read = {part: _leaf_part(find_folder(folder, (part,), "leaf-shakespeare")) for part in ("train", "test")}
    speakers = tuple(sorted({speaker for x, _, who in read.values() for speaker in who}))
    alphabet = tuple(sorted({c for x, y, _ in read.values() for text in (*x, *y) for c in text}))
    ids = {character: place for place, character in enumerate(alphabet)}
    place = {speaker: i for i, speaker in enumerate(speakers)}
    lengths = {len(text) for x, _, _ in read.values() for text in x}
    if len(lengths) != 1:
        raise ValueError(f"{folder}: windows of {sorted(lengths)} characters; expected one length")
    parts = []
    for x, y, who in read.values():
        if not x[0]:
            raise ValueError(f"{folder}: windows without a character")
        tokens = torch.tensor(np.array([[ids[c] for c in text] for text in x], dtype=np.int64))
        labels = torch.tensor([ids[c] for c in y])
        groups = Groups("speaker", torch.tensor([place[speaker] for speaker in who]), speakers)
        n_classes = max(2, len(alphabet))
        parts.append(TokenDataset(tokens, labels, n_classes, alphabet, "leaf-shakespeare", groups=groups))
    return Parts(*parts)


def _leaf_part(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Windows, next characters and speakers of all files in a folder, sorted by file name."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ValueError(f"leaf-shakespeare: {folder} has no .json file")
    x: list[str] = []
    y: list[str] = []
    who: list[str] = []
    for path in files:
        try:
            held = json.loads(read_file(path, LEAF_BYTES).decode("utf-8"))
            users = {user: (held["user_data"][user]["x"], held["user_data"][user]["y"]) for user in held["users"]}
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"{path}: truncated, or no LEAF file with users and user_data.x, y: {error!r}") from error
        for user, (texts, following) in users.items():
            if not all(isinstance(value, list) for value in (texts, following)) or not isinstance(user, str):
                raise ValueError(f"{path}, {str(user)[:60]!r}: expected lists of windows and of next characters")
            if len(texts) != len(following):
                raise ValueError(f"{path}, {user!r}: {len(texts)} windows and {len(following)} next characters")
            if not all(isinstance(text, str) for text in texts):
                raise ValueError(f"{path}, {user!r}: windows that are no text; expected a list of texts")
            odd = [c for c in following if not isinstance(c, str) or len(c) != 1]
            if odd:
                raise ValueError(f"{path}, {user!r}: next character {repr(odd[0])[:60]}; expected one character")
            x += texts
            y += following
            who += [user] * len(texts)
    if not x:
        raise ValueError(f"leaf-shakespeare: {folder} holds no sample")
    return x, y, who
