"""Word vectors from a file in the format of GloVe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

__all__ = ["read_glove"]

_LONGEST = 2**20  # characters of a line that are read at once; 300 numbers take three thousand


def read_glove(path: Path | str, vocabulary: Sequence[str], n_dimensions: int = 300) -> tuple[Tensor, int]:
    """(Table, words found): float32 (len(vocabulary), n_dimensions); a word that the file lacks gets zeros.

    The file has one word a line and its numbers after it, parted by single spaces (Pennington et al. 2014); words may
    hold spaces themselves, so the numbers are counted from the end. Nothing is downloaded.

    Raises `ValueError` naming file and line for a line that has fewer numbers or something else in their place, when
    there is no such file, and when no word of the vocabulary is found.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"read_glove({str(path)!r}): no such file; expected word vectors such as glove.6B.300d.txt")
    wanted = {word: index for index, word in enumerate(vocabulary)}
    table, found = torch.zeros(len(vocabulary), n_dimensions), 0
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            while line := file.readline(_LONGEST):
                number += 1
                parts = line.rstrip("\n").rsplit(" ", n_dimensions)
                if len(parts) != n_dimensions + 1:
                    raise ValueError(f"is not a word and {n_dimensions} numbers: {line[:60]!r}")
                index = wanted.pop(parts[0], None)
                if index is not None:
                    table[index] = _numbers(parts[1:], line)
                    found += 1
    except UnicodeDecodeError as error:
        raise ValueError(f"read_glove({str(path)!r}): after line {number}: no UTF-8: {error}") from error
    except (ValueError, OSError) as error:
        raise ValueError(f"read_glove({str(path)!r}): line {number} {error}") from None
    if not found:
        raise ValueError(f"read_glove({str(path)!r}): none of the {len(vocabulary)} words of the vocabulary is in it")
    return table, found


def _numbers(parts: list[str], line: str) -> Tensor:
    try:
        values = torch.tensor([float(part) for part in parts])
    except ValueError:
        values = torch.tensor(torch.nan)
    if not bool(values.isfinite().all()):
        raise ValueError(f"is not a word and {len(parts)} numbers: {line[:60]!r}")
    return values
