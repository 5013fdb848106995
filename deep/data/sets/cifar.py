"""CIFAR-10 and CIFAR-100: the python pickles, plain or .xz, and the binary version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.files import blamed, find_file, find_folder, read_unpacked
from deep.data.parts import Parts
from deep.data.samples import Dataset
from deep.data.sets.cifar_pickle import read_batch
from deep.data.sets.idx import unit_pixels

__all__ = ["cifar10", "cifar100"]

ROW = 3 * 32 * 32
Rows = tuple[NDArray[np.uint8], NDArray[np.int64]]

# md5 of the unpacked batches in the authors' archives; torchvision prints the same ones.
CIFAR10_MD5: Mapping[str, str] = MappingProxyType(
    {
        "data_batch_1": "c99cafc152244af753f735de768cd75f",
        "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
        "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
        "data_batch_4": "634d18415352ddfa80567beed471001a",
        "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
        "test_batch": "40351d587109b95175f43aff81a1287e",
    }
)
CIFAR100_MD5: Mapping[str, str] = MappingProxyType(
    {"train": "16019d7e3df5f24257cddd939b257f8d", "test": "f0ef6b0ae62326f3e7ffdfab6717acfc"}
)


def cifar10(root: Path, verify: bool = True) -> Parts[Dataset]:
    """50,000 training and 10,000 test images, 32 × 32 in colour, ten classes.

    Reads ``cifar-10-batches-py/`` (six pickles, plain or .xz) or ``cifar-10-batches-bin/`` (six .bin files, rows of
    one label byte and 3,072 pixels). Batches with rows missing are used as they are, and the name of the data set
    says how many images are not there: "CIFAR-10 without 98 images". A whole batch has the published md5.
    Raises `ValueError` naming the file and what was expected; `verify=False` skips md5, and counts nothing as missing.
    """
    names = tuple(CIFAR10_MD5)
    return _cifar(root, "cifar-10", (names[:5], names[5:]), (10_000, 10_000), CIFAR10_MD5, "labels", verify)


def cifar100(root: Path, verify: bool = True) -> Parts[Dataset]:
    """50,000 training and 10,000 test images, 32 × 32 in colour, 100 (fine) classes.

    Reads ``cifar-100-python/`` (two pickles, plain or .xz) or ``cifar-100-binary/`` (two .bin files, rows of a coarse
    and a fine label byte and 3,072 pixels). Missing rows, md5 and errors as in `cifar10`.
    """
    parts = (("train",), ("test",))
    return _cifar(root, "cifar-100", parts, (50_000, 10_000), CIFAR100_MD5, "fine_labels", verify)


def _cifar(
    root: Path,
    name: str,
    files: tuple[tuple[str, ...], tuple[str, ...]],
    rows: tuple[int, int],
    md5: Mapping[str, str],
    label_key: str,
    verify: bool,
) -> Parts[Dataset]:
    """Training and test part; `files` and `rows` (in a whole file) of each."""
    n_classes = int(name.removeprefix("cifar-"))
    forms = {10: ("cifar-10-batches-py", "cifar-10-batches-bin"), 100: ("cifar-100-python", "cifar-100-binary")}
    folder = find_folder(root, forms[n_classes], name)
    parts, missing = [], []
    for names, whole in zip(files, rows, strict=True):
        read: list[Rows] = []
        for file in names:
            if folder.name == forms[n_classes][1]:
                path = find_file(folder, f"{file}.bin", (), name)
                read.append(_binary_rows(path, 1 if n_classes == 10 else 2, whole))
            else:
                path = find_file(folder, file, (".xz",), name)
                read.append(read_batch(path, label_key, md5[file] if verify else None, whole))
            if verify and len(read[-1][0]) > whole:
                raise ValueError(f"{path}: {len(read[-1][0]):,} rows; expected {whole:,}")
            if (highest := max(read[-1][1], default=0)) >= n_classes:
                raise ValueError(f"{path}: a label {highest}; expected 0 to {n_classes - 1}")
        pixels, labels = (np.concatenate(arrays) for arrays in zip(*read, strict=True))
        images = unit_pixels(pixels.reshape(-1, 3, 32, 32))
        with blamed(folder):
            parts.append(Dataset(images, torch.from_numpy(labels), n_classes, name))
        missing.append(len(names) * whole - len(pixels))
    if not verify or not any(missing):
        return Parts(*parts)
    totals = [len(names) * whole for names, whole in zip(files, rows, strict=True)]
    title = f"{name.upper()} without {sum(missing):,} images"
    note = (
        f"{len(parts[0]):,} of {totals[0]:,} training and {len(parts[1]):,} of {totals[1]:,} test images;"
        " files with missing rows have no published checksum"
    )
    return Parts(*(replace(part, name=title, note=note) for part in parts))


def _binary_rows(path: Path, labels_in_row: int, whole: int) -> Rows:
    """Pixels (n, 3072) and the last label byte of each row, (n,)."""
    size = labels_in_row + ROW
    content = read_unpacked(path, 2 * whole * size)
    if not content or len(content) % size:
        raise ValueError(f"{path}: {len(content):,} bytes; expected a multiple of {size:,}, one row an image")
    rows = np.frombuffer(content, dtype=np.uint8).reshape(-1, size)
    return rows[:, labels_in_row:], rows[:, labels_in_row - 1].astype(np.int64)
