"""Folders of image files: CINIC-10, Office-Caltech10, DomainNet, MNIST-M, a user's own. Pillow decodes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.files import blamed, file_inside, find_file, find_folder, read_file
from deep.data.parts import Parts
from deep.data.samples import Dataset, Groups
from deep.data.sets.idx import unit_pixels

__all__ = [
    "DOMAINNET_CLASSES",
    "DOMAINNET_DOMAINS",
    "DOMAINNET_IMAGES",
    "OFFICE_DOMAINS",
    "OFFICE_IMAGES",
    "cinic10",
    "domainnet",
    "image_folder",
    "mnist_m",
    "office_caltech10",
    "read_images",
]

# Images of each domain; of DomainNet, those in the ten classes below.
OFFICE_IMAGES: Mapping[str, int] = MappingProxyType({"amazon": 958, "caltech": 1123, "dslr": 157, "webcam": 295})
DOMAINNET_IMAGES: Mapping[str, int] = MappingProxyType(
    {"clipart": 2629, "infograph": 3283, "painting": 3091, "quickdraw": 5000, "real": 6081, "sketch": 2767}
)
OFFICE_DOMAINS, DOMAINNET_DOMAINS = tuple(OFFICE_IMAGES), tuple(DOMAINNET_IMAGES)
DOMAINNET_CLASSES = (
    *("bird", "feather", "headphones", "ice_cream", "teapot"),
    *("tiger", "whale", "windmill", "wine_glass", "zebra"),
)
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp"})
_FORMATS = ("PNG", "JPEG", "BMP")  # what else Pillow reads, and what that may start, stays out
_MOST_PIXELS = 2**26  # of one image; DomainNet's largest photographs have half of them
_MOST_BYTES = 2**33  # of all images as they are kept: three times CINIC-10
_LISTED = len("00000000.png 0\n") * 4  # bytes of a line in a list, generously
_DIGITS = frozenset("0123456789")


def cinic10(root: Path, verify: bool = True) -> Parts[Dataset]:
    """90,000 images each for training, validation and test, 32 × 32 in colour, ten classes.

    Source: Darlow et al. 2018; ``cinic-10/{train,valid,test}/CLASS/*.png`` (or ``CINIC-10/``), classes in
    alphabetical order. The authors publish no checksum of single files; `verify` compares counts.
    Raises `ValueError` for a missing folder, an image of another size, or other counts.
    """
    folder = find_folder(root, ("cinic-10", "CINIC-10"), "cinic-10")
    read = []
    for part in ("train", "valid", "test"):
        paths, labels, classes = _class_folders(find_folder(folder, (part,), "cinic-10"), None)
        if verify and (len(paths) != 90_000 or len(classes) != 10):
            raise ValueError(
                f"{folder / part}: {len(paths):,} images in {len(classes)} classes; expected 90,000 in 10."
                " verify=False reads them all the same"
            )
        pixels = unit_pixels(read_images(paths, None))
        read.append(Dataset(pixels, torch.tensor(labels), len(classes), "cinic-10"))
    train, validation, test = read
    return Parts(train, test, validation)


def office_caltech10(root: Path, verify: bool = True, domain: str | None = None, size: int = 64) -> Parts[Dataset]:
    """2,533 photographs of ten kinds of objects from four domains: 958 Amazon, 1,123 Caltech, 157 DSLR, 295 Webcam.

    All domains with `groups` of kind "domain", or one of them alone. Images are resized to `size` × `size`, bilinear.

    Source: Gong et al. 2012; ``office_caltech_10/DOMAIN/CLASS/*.jpg`` (or ``office-caltech10/``), classes in
    alphabetical order. exp_alpha (A.3) does not print its image size; 64 is our choice, to fit in memory.
    Raises `ValueError` for an unknown domain, a missing folder, other classes or counts.
    """
    names = ("office_caltech_10", "office-caltech10")
    return _domains(root, "office-caltech10", names, OFFICE_IMAGES, domain, None, size, verify)


def domainnet(root: Path, verify: bool = True, domain: str | None = None, size: int = 64) -> Parts[Dataset]:
    """22,851 images of ten classes from six domains: the part of DomainNet that exp_alpha uses.

    All domains with `groups` of kind "domain", or one of them alone. Images are resized to `size` × `size`, bilinear.
    DomainNet's 345 classes are cut to `DOMAINNET_CLASSES`, those of Li et al. 2021 (FedBN), whom exp_alpha follows:
    it prints no list. That its counts are all images of these classes is our reading. DomainNet's own train and test
    lists are not used: the counts of exp_alpha are fractions of everything.

    Source: Peng et al. 2019; ``domainnet/DOMAIN/CLASS/*.{jpg,png}`` (or ``DomainNet/``); counts from exp_alpha,
    Table 6. 64 is our choice of size, to fit in memory. Raises `ValueError` as `office_caltech10` does.
    """
    names = ("domainnet", "DomainNet")
    return _domains(root, "domainnet", names, DOMAINNET_IMAGES, domain, DOMAINNET_CLASSES, size, verify)


def mnist_m(root: Path, verify: bool = True) -> Parts[Dataset]:
    """MNIST's digits blended over photographs, 32 × 32 in colour: Ganin's distribution, as PNG with lists of labels.

    Reads ``mnist_m/mnist_m_{train,test}/*.png`` and the lists ``mnist_m_{train,test}_labels.txt`` beside them, one
    "NAME LABEL" a line. `verify` compares counts with that distribution: 59,001 and 9,001. *Differs:* exp_alpha's
    test part of 14,000 (Table 7) is a fifth of 70,000, so they had all of MNIST blended; no such copy is published.
    Raises `ValueError` for a missing file, a line that is no pair, an image of another size, or other counts.
    """
    folder = find_folder(root, ("mnist_m", "mnist-m"), "mnist-m")
    parts = []
    for part, count in (("train", 59_001), ("test", 9_001)):
        listing = find_file(folder, f"mnist_m_{part}_labels.txt", (), "mnist-m")
        images = find_folder(folder, (f"mnist_m_{part}",), "mnist-m")
        paths, labels = [], []
        with blamed(listing):
            lines = read_file(listing, 2 * count * _LISTED).decode("utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            file, _, label = line.partition(" ")
            if label.strip() not in _DIGITS:
                raise ValueError(f"{listing}, line {number}: {line[:60]!r}; expected a file name and a digit")
            with blamed(listing):
                paths.append(file_inside(images, file))
            labels.append(int(label))
        if verify and len(paths) != count:
            raise ValueError(
                f"{listing}: {len(paths):,} images; expected {count:,}. verify=False reads them all the same"
            )
        if not paths:
            raise ValueError(f"{listing}: names no image")
        parts.append(Dataset(unit_pixels(read_images(paths, None)), torch.tensor(labels), 10, "mnist-m"))
    return Parts(*parts)


def image_folder(path: str, size: int = 32) -> Parts[Dataset]:
    """The images of PATH/CLASS/*.{png,jpg,bmp}, or of PATH/{train,test}/CLASS/*, in colour, classes in sorted order.

    Each is resized to `size` × `size`, bilinear. A relative `path` starts from the working directory.
    Raises `ValueError` for a folder that is missing or empty, other classes in test/, and as `read_images`.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise ValueError(f"images(path={path!r}): is no folder; expected one with a folder of images for each class")
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"images(size={size!r}): must be an integer >= 1")
    parts: list[Dataset] = []
    classes: tuple[str, ...] | None = None
    for part in (folder / "train", folder / "test") if (folder / "train").is_dir() else (folder,):
        if part.name == "test" and not part.is_dir():
            break
        paths, labels, classes = _class_folders(part, classes)
        pixels = unit_pixels(read_images(paths, size))
        parts.append(Dataset(pixels, torch.tensor(labels), len(classes), folder.name))
    return Parts(*parts)


def read_images(paths: Sequence[Path], size: int | None) -> NDArray[np.uint8]:
    """RGB pixels, (n, 3, height, width), of image files, resized to `size` × `size` (bilinear) unless that is None.

    Gray images get three equal channels. Raises `ValueError` when Pillow is missing, for no path at all, for a file
    that is missing, truncated or no image, and, with size=None, for images that differ in size.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ValueError("reading image files needs Pillow: pip install pillow") from error
    if not paths:
        raise ValueError("read_images(paths=()): expected at least one image")
    pixels: NDArray[np.uint8] | None = None
    for row, path in enumerate(paths):
        try:
            with Image.open(path, formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS:
                    raise ValueError(f"{image.height} × {image.width} pixels; expected at most {_MOST_PIXELS:,}")
                colour = image.convert("RGB")
        except (
            Exception
        ) as error:  # on damaged files Pillow fails in a dozen ways, struct.error and KeyError among them
            raise ValueError(f"{path}: missing, truncated or no image: {error}") from error
        if size is not None:
            colour = colour.resize((size, size), Image.Resampling.BILINEAR)
        if pixels is None:
            n_bytes = 3 * len(paths) * colour.height * colour.width
            if n_bytes > _MOST_BYTES:
                raise ValueError(f"{path}: {len(paths):,} images of its size take {n_bytes:,} bytes; choose a size")
            pixels = np.empty((len(paths), 3, colour.height, colour.width), dtype=np.uint8)
        if (colour.height, colour.width) != pixels.shape[2:]:
            raise ValueError(f"{path}: {colour.height} × {colour.width} pixels; {paths[0].name} has {pixels.shape[2:]}")
        pixels[row] = np.asarray(colour).transpose(2, 0, 1)
    assert pixels is not None  # there is at least one path
    return pixels


def _domains(
    root: Path,
    name: str,
    folders: Sequence[str],
    counts: Mapping[str, int],
    domain: str | None,
    classes: tuple[str, ...] | None,
    size: int,
    verify: bool,
) -> Parts[Dataset]:
    """One domain, or all of them with the domain of each sample; without `classes`, all have those of the first."""
    if domain is not None and domain not in counts:
        raise ValueError(f"{name}(domain={domain!r}): expected one of {', '.join(counts)}")
    if size < 1:
        raise ValueError(f"{name}(size={size}): must be >= 1")
    folder = find_folder(root, folders, name)
    paths: list[Path] = []
    labels: list[int] = []
    index: list[int] = []
    shared: tuple[str, ...] = ()
    for place, each in enumerate(counts if domain is None else (domain,)):
        found, its_labels, its_classes = _class_folders(find_folder(folder, (each,), name), classes)
        shared = shared or its_classes
        if its_classes != shared:
            raise ValueError(f"{folder / each}: classes {', '.join(its_classes)}; expected {', '.join(shared)}")
        if verify and len(found) != counts[each]:
            raise ValueError(
                f"{folder / each}: {len(found):,} images; expected {counts[each]:,}."
                " verify=False reads them all the same"
            )
        paths += found
        labels += its_labels
        index += [place] * len(found)
    images = unit_pixels(read_images(paths, size))
    groups = Groups("domain", torch.tensor(index), tuple(counts)) if domain is None else None
    title = name if domain is None else f"{name}/{domain}"
    return Parts(Dataset(images, torch.tensor(labels), len(shared), title, groups=groups))


def _class_folders(folder: Path, classes: tuple[str, ...] | None) -> tuple[list[Path], list[int], tuple[str, ...]]:
    """Image files, sorted, and the place of their folder among `classes` (by default every folder, sorted)."""
    there = tuple(sorted(path.name for path in folder.iterdir() if path.is_dir()))
    missing = sorted(set(classes or ()) - set(there))
    if missing or not there:
        raise ValueError(f"{folder}: no folder {', '.join(missing) or 'at all'}; expected one for each class")
    paths: list[Path] = []
    labels: list[int] = []
    for label, each in enumerate(classes or there):
        found = sorted(path for path in (folder / each).iterdir() if path.suffix.lower() in _SUFFIXES)
        if not found:
            raise ValueError(f"{folder / each}: no image; expected {', '.join(sorted(_SUFFIXES))}")
        paths += found
        labels += [label] * len(found)
    return paths, labels, classes or there
