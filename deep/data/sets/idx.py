"""IDX files (MNIST's format), packed or not: MNIST, Fashion-MNIST and EMNIST Balanced."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.files import blamed, find_file, find_folder, read_unpacked
from deep.data.parts import Parts
from deep.data.samples import Dataset

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["emnist_balanced", "fashion_mnist", "mnist", "read_idx", "unit_pixels"]

UBYTE = 0x08
LARGEST = 2**28  # bytes; the largest file that is read here has a third of that

# md5 of the .gz file as published, and of what is packed in it.
MNIST_MD5: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "train-images-idx3-ubyte": ("f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"),
        "train-labels-idx1-ubyte": ("d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"),
        "t10k-images-idx3-ubyte": ("9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"),
        "t10k-labels-idx1-ubyte": ("ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"),
    }
)
FASHION_MD5: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "train-images-idx3-ubyte": ("8d4fb7e6c68d591d4c3dfef9ec88bf0d", "f4a8712d7a061bf5bd6d2ca38dc4d50a"),
        "train-labels-idx1-ubyte": ("25c81989df183df01b3e8a0aad5dffbe", "9018921c3c673c538a1fc5bad174d6f9"),
        "t10k-images-idx3-ubyte": ("bef4ecab320f06d8554ea6380940ec79", "8181f5470baa50b63fa0f6fddb340f0a"),
        "t10k-labels-idx1-ubyte": ("bb300cfdad3c16e7a12a480ee83cd310", "15d484375f8d13e6eb1aabb0c3f46965"),
    }
)


def mnist(root: Path, verify: bool = True) -> Parts[Dataset]:
    """60,000 training and 10,000 test images of handwritten digits, 28 × 28 gray, ten classes.

    Source: LeCun, Cortes, Burges; four IDX files in ``mnist/`` or ``MNIST/raw/``, with the md5 of the original
    distribution. Raises `ValueError` for a missing, truncated or other file; `verify=False` skips md5 and counts.
    """
    folder = find_folder(root, ("mnist", "MNIST/raw"), "mnist")
    return _idx_parts("mnist", folder, ("", ""), 10, (60_000, 10_000), verify, MNIST_MD5)


def fashion_mnist(root: Path, verify: bool = True) -> Parts[Dataset]:
    """60,000 training and 10,000 test images of clothing, 28 × 28 gray, ten classes.

    Source: Xiao, Rasul, Vollgraf (arXiv:1708.07747), with the authors' md5; IDX in ``fashion-mnist/`` or
    ``FashionMNIST/raw/``. Raises `ValueError` as `mnist` does.
    """
    folder = find_folder(root, ("fashion-mnist", "FashionMNIST/raw"), "fashion-mnist")
    return _idx_parts("fashion-mnist", folder, ("", ""), 10, (60_000, 10_000), verify, FASHION_MD5)


def emnist_balanced(root: Path, verify: bool = True) -> Parts[Dataset]:
    """112,800 training and 18,800 test characters, 131,600 together, 28 × 28 gray, 47 classes.

    The published IDX files hold every image transposed (columns first); here it is transposed back, so that letters
    stand upright as MNIST's digits do.

    Source: Cohen et al. 2017, "Balanced"; ``emnist-balanced-{train,test}-…`` in ``emnist/``, ``EMNIST/raw/`` or
    ``gzip/``. The authors publish a checksum of the whole archive only, so counts alone are verified.
    Used by efl (Table 5: 131,600 samples). Raises `ValueError` as `mnist` does.
    """
    folder = find_folder(root, ("emnist", "EMNIST/raw", "gzip"), "emnist-balanced")
    names = ("emnist-balanced-train-", "emnist-balanced-test-")
    parts = _idx_parts("emnist-balanced", folder, names, 47, (112_800, 18_800), verify, {})
    return Parts(*(_transposed(part) for part in (parts.train, parts.test) if part is not None))


def read_idx(path: Path, n_axes: int, published: tuple[str, ...] = (), *, largest: int = LARGEST) -> NDArray[np.uint8]:
    """The unsigned bytes of an IDX file of at most `largest` bytes, in its own shape.

    The header is two zero bytes, the type (0x08), the number of axes, then one big-endian 32-bit size per axis.
    Raises `ValueError` naming the file for another header, and for fewer or more bytes than the header promises.
    """
    content = read_unpacked(path, largest, published)
    expected = bytes([0, 0, UBYTE, n_axes])
    if content[:4] != expected:
        raise ValueError(
            f"{path}: starts with {content[:4].hex() or 'nothing'}; expected {expected.hex()},"
            f" the magic number of IDX bytes with {n_axes} axes"
        )
    start = 4 + 4 * n_axes
    if len(content) < start:
        raise ValueError(f"{path}: truncated in its header, {len(content)} bytes; expected at least {start}")
    shape = tuple(int(size) for size in np.frombuffer(content[4:start], dtype=">u4"))
    if len(content) != start + prod(shape):
        raise ValueError(
            f"{path}: {len(content):,} bytes; its header promises {shape}, that is {start + prod(shape):,} bytes"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def unit_pixels(pixels: NDArray[np.uint8]) -> Tensor:
    """0 … 255 as float32 in [0, 1], the same shape."""
    return torch.from_numpy(np.divide(pixels, 255.0, dtype=np.float32))


def _idx_parts(
    name: str,
    folder: Path,
    prefixes: tuple[str, str],
    n_classes: int,
    counts: tuple[int, int],
    verify: bool,
    md5: Mapping[str, tuple[str, ...]],
) -> Parts[Dataset]:
    """Training and test part from four files; `counts` of images and md5 must be those, where they are verified."""
    parts = []
    for place, (part, prefix) in enumerate(zip(("train", "t10k"), prefixes, strict=True)):
        files = []
        for what, n_axes, size in (("images", 3, 28 * 28), ("labels", 1, 1)):
            stem = f"{prefix or part + '-'}{what}-idx{n_axes}-ubyte"
            dotted = stem.replace("-idx", ".idx")  # as Kaggle's copy is spelled
            path = find_file(folder, stem, (".gz", ".gz.gz"), name, (dotted,))
            largest = 16 + 2 * counts[place] * size
            files.append((path, read_idx(path, n_axes, md5.get(stem, ()) if verify else (), largest=largest)))
        (image_path, images), (label_path, labels) = files
        if len(images) != len(labels):
            raise ValueError(
                f"{label_path}: {len(labels):,} labels for the {len(images):,} images of {image_path.name}"
            )
        if verify and len(images) != counts[place]:
            raise ValueError(f"{image_path}: {len(images):,} images; expected {counts[place]:,}")
        if not images.size:
            raise ValueError(f"{image_path}: images of shape {images.shape}; expected at least one pixel")
        pixels = unit_pixels(images)[:, None]
        with blamed(label_path):
            parts.append(Dataset(pixels, torch.from_numpy(labels.astype(np.int64)), n_classes, name))
    return Parts(*parts)


def _transposed(part: Dataset) -> Dataset:
    """Height and width of every image exchanged."""
    return Dataset(part.images.transpose(2, 3).contiguous(), part.labels, part.n_classes, part.name)
