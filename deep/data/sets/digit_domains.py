"""The other digits: SVHN and SynthDigits (.mat), USPS (libsvm), and all five domains of the Digits benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from deep.base.lazy import torch
from deep.data.files import blamed, find_file, find_folder, read_unpacked
from deep.data.parts import Parts
from deep.data.samples import Dataset, Groups
from deep.data.selection import pooled
from deep.data.sets.folders import mnist_m
from deep.data.sets.idx import mnist, unit_pixels
from deep.data.sets.mat5 import read_mat5

__all__ = ["DIGIT_DOMAINS", "digits_five", "svhn", "synth_digits", "usps"]

_USPS_LINE = 256 * len("256:-0.123456789 ")
DIGIT_DOMAINS = ("mnist", "svhn", "usps", "synth-digits", "mnist-m")

# Not printed by the authors of the data; these are the ones torchvision checks.
PUBLISHED_MD5: Mapping[str, str] = MappingProxyType(
    {
        "train_32x32.mat": "e26dedcc434d2e4c54c9b2d4a06d8373",
        "test_32x32.mat": "eb5a983be6a315427106f1b164d9cef3",
        "usps": "ec16c51db3855ca6c91edd34d0e9b197",
        "usps.t": "8ea070ee2aca1ac39742fdd1ef5ed118",
    }
)


def svhn(root: Path, verify: bool = True) -> Parts[Dataset]:
    """73,257 training and 26,032 test images of house numbers, 32 × 32 in colour, ten classes ("extra" is not read).

    Source: Netzer et al. 2011, format 2; ``svhn/{train,test}_32x32.mat`` (or ``SVHN/``). The files write the digit 0
    as 10; here it is class 0. Raises `ValueError` for a missing, truncated or other file, or another md5.
    """
    folder = find_folder(root, ("svhn", "SVHN"), "svhn")
    files = (("train_32x32.mat", 73_257), ("test_32x32.mat", 26_032))
    return Parts(*(_mat(folder, file, "svhn", count, verify) for file, count in files))


def synth_digits(root: Path, verify: bool = True) -> Parts[Dataset]:
    """479,400 training and 9,553 test images of rendered digits, 32 × 32 in colour, ten classes.

    Source: Ganin & Lempitsky 2015, as they distribute it: ``synth_digits/synth_{train,test}_32x32.mat`` (or
    ``SynthDigits/``), SVHN's format. No checksum is published. 5.5 GiB as float32. Raises `ValueError` as `svhn` does.
    """
    folder = find_folder(root, ("synth_digits", "synth-digits", "SynthDigits"), "synth-digits")
    files = (("synth_train_32x32.mat", 479_400), ("synth_test_32x32.mat", 9_553))
    return Parts(*(_mat(folder, file, "synth-digits", count, verify) for file, count in files))


def usps(root: Path, verify: bool = True) -> Parts[Dataset]:
    """7,291 training and 2,007 test images of digits from envelopes, 16 × 16 gray, ten classes.

    Source: Hull 1994, in the libsvm form ("LABEL INDEX:VALUE …", a line an image): ``usps/usps`` and ``usps/usps.t``,
    plain or .bz2. Labels 1 … 10 are the digits 0 … 9, values in [−1, 1] become (v + 1)/2, an index that is not
    written is 0 there. The .h5 form is not read: that would need h5py. Raises `ValueError` as `svhn` does.
    """
    folder = find_folder(root, ("usps", "USPS"), "usps")
    parts = []
    for file, count in (("usps", 7_291), ("usps.t", 2_007)):
        path = find_file(folder, file, (".bz2",), "usps")
        content = read_unpacked(path, 2 * count * _USPS_LINE, (PUBLISHED_MD5[file],) if verify else ())
        parts.append(_libsvm(path, content, count, verify))
    return Parts(*parts)


def digits_five(root: Path, verify: bool = True, size: int = 28) -> Parts[Dataset]:
    """The five domains of the Digits benchmark in one form, `groups` of kind "domain": 3 × `size` × `size` pixels.

    Gray images get three equal channels, others are resized bilinearly (antialiased). Every domain keeps its official
    parts; exp_alpha's own counts come from `deep.data.per_group(digits_split, …)`.

    Source: exp_alpha, A.4 (Table 7). Size and colour are open there; 28 × 28 in colour is Li et al. 2021 (FedBN).
    Raises `ValueError` as the five readers do. About 6 GiB with all of SynthDigits.
    """
    if size < 1:
        raise ValueError(f"digits_five(size={size}): must be >= 1")
    trains, tests = [], []
    for place, read in enumerate((mnist, svhn, usps, synth_digits, mnist_m)):
        parts = read(root, verify)
        assert parts.test is not None  # all five have an official one
        trains.append(_in_form(parts.train, place, size))
        tests.append(_in_form(parts.test, place, size))
    return Parts(pooled(trains), pooled(tests))


def _in_form(dataset: Dataset, place: int, size: int) -> Dataset:
    """Three channels of `size` × `size`, and the domain of each sample."""
    images = dataset.images
    if images.shape[2:] != (size, size):
        images = torch.nn.functional.interpolate(images, (size, size), mode="bilinear", antialias=True).clamp(0.0, 1.0)
    groups = Groups("domain", torch.full((len(dataset),), place), DIGIT_DOMAINS)
    images = images.expand(-1, 3, -1, -1).contiguous()
    return Dataset(images, dataset.labels, 10, "digits-five", groups=groups)


def _mat(folder: Path, file: str, name: str, whole: int, verify: bool) -> Dataset:
    """`X` (32, 32, 3, n) and `y` (n, 1) of a MATLAB 5 file, the digit 0 written as 0 or 10."""
    path = find_file(folder, file, (), name)
    published = PUBLISHED_MD5.get(file)
    largest = 2 * whole * (3 * 32 * 32 + 8)  # a label may be a double
    content = read_unpacked(path, largest, (published,) if published and verify else ())
    try:
        held = read_mat5(content, ("X", "y"), largest)
    except ValueError as error:
        raise ValueError(f"{path}: truncated, or no MATLAB 5 file ({len(content):,} bytes): {error}") from error
    if not {"X", "y"} <= held.keys():
        raise ValueError(f"{path}: holds {sorted(held)}; expected the variables X and y")
    pixels, labels = held["X"], held["y"].reshape(-1)
    if (
        pixels.ndim != 4
        or pixels.shape[:3] != (32, 32, 3)
        or pixels.dtype != np.uint8
        or pixels.shape[3] != len(labels)
    ):
        raise ValueError(
            f"{path}: X is {pixels.dtype} of shape {pixels.shape} with {len(labels):,} labels;"
            f" expected uint8 of shape (32, 32, 3, n), and n labels"
        )
    if verify and len(labels) != whole:
        raise ValueError(f"{path}: {len(labels):,} images; expected {whole:,}. verify=False reads them all the same")
    if not np.isin(labels, range(11)).all():
        raise ValueError(f"{path}: labels y outside 0 to 10")
    digits = labels.astype(np.int64)
    digits[digits == 10] = 0
    images = unit_pixels(np.ascontiguousarray(pixels.transpose(3, 2, 0, 1)))
    with blamed(path):
        return Dataset(images, torch.from_numpy(digits), 10, name)


def _libsvm(path: Path, content: bytes, whole: int, verify: bool) -> Dataset:
    """One image a line: label 1 … 10, then INDEX:VALUE with indices 1 … 256 and values in [−1, 1]."""
    lines = content.decode("ascii", errors="replace").split("\n")
    lines = lines[:-1] if not lines[-1] else lines
    if not lines or len(lines) > 2 * whole or (verify and len(lines) != whole):
        expected = f"{whole:,}" if verify else f"1 to {2 * whole:,}"
        raise ValueError(f"{path}: {len(lines):,} lines; expected {expected}, an image each")
    pixels = np.zeros((len(lines), 256), dtype=np.float32)
    labels = np.empty(len(lines), dtype=np.int64)
    for row, line in enumerate(lines):
        try:
            label, *pairs = line.split()
            labels[row] = _one_of(label.removesuffix(".0"), 10) - 1
            for index, value in (pair.split(":") for pair in pairs):
                if not -1 <= float(value) <= 1:
                    raise ValueError(f"{index}:{value}")
                pixels[row, _one_of(index, 256) - 1] = float(value)
        except ValueError as error:
            raise ValueError(
                f"{path}, line {row + 1}: {line[:60]!r}; expected a label from 1 to 10, then pairs 1:v … 256:v"
                " with v in [-1, 1]"
            ) from error
    images = torch.from_numpy((pixels.reshape(-1, 1, 16, 16) + 1) / 2)
    return Dataset(images, torch.from_numpy(labels), 10, "usps")


def _one_of(text: str, most: int) -> int:
    """The integer 1 … `most` that `text` writes in digits."""
    if len(text) > 3 or not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(text)
    return int(text)
