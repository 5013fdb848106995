"""Texts as word ids: one tokenizer, one vocabulary rule, both written here and nowhere else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from deep.base.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["PADDING", "UNKNOWN", "build_vocabulary", "encode", "words"]

PADDING, UNKNOWN = "<pad>", "<unk>"
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def words(text: str) -> list[str]:
    """The words of a text: lower case, runs of letters and digits, apostrophes inside a word kept.

    >>> words("Wall St. Bears, they don't claw @home 24/7")
    ['wall', 'st', 'bears', 'they', "don't", 'claw', 'home', '24', '7']
    """
    return _WORD.findall(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def build_vocabulary(texts: Iterable[str], max_size: int = 20_000, min_count: int = 2) -> tuple[str, ...]:
    """`PADDING`, `UNKNOWN`, then the words that occur at least `min_count` times, the most frequent first.

    Equally frequent words stand in alphabetical order; at most `max_size` entries in all. Give it training texts
    only: test words must not shape the model. Raises `ValueError` for `max_size` < 3 or `min_count` < 1.
    """
    if max_size < 3:
        raise ValueError(f"build_vocabulary(max_size={max_size}): must be >= 3; two entries are padding and unknown")
    if min_count < 1:
        raise ValueError(f"build_vocabulary(min_count={min_count}): must be >= 1")
    counts = Counter(word for text in texts for word in words(text))
    frequent = sorted((word for word, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
    return (PADDING, UNKNOWN, *frequent[: max_size - 2])


def encode(texts: Sequence[str], vocabulary: Sequence[str], length: int) -> Tensor:
    """The first `length` words of each text as ids, int64 (n, length), padded with 0 on the right.

    A word outside the vocabulary is 1 (unknown); a text without words is one unknown word, so that no row is
    padding alone. Raises `ValueError` for `length` < 1, or a vocabulary that does not begin with the two marks.
    """
    if length < 1:
        raise ValueError(f"encode(length={length}): must be >= 1")
    if tuple(vocabulary[:2]) != (PADDING, UNKNOWN):
        raise ValueError(f"encode(vocabulary={tuple(vocabulary[:2])}…): expected {PADDING!r}, {UNKNOWN!r} first")
    ids = {word: place for place, word in enumerate(vocabulary)}
    tokens = torch.zeros(len(texts), length, dtype=torch.int64)
    for row, text in enumerate(texts):
        found = [ids.get(word, 1) for word in words(text)[:length]] or [1]
        tokens[row, : len(found)] = torch.tensor(found)
    return tokens
