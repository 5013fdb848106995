from __future__ import annotations

import gzip
import hashlib
import struct

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from deep.data import Dataset, make_dataset, official_split
from deep.data.files import find_file
from deep.data.sets.idx import read_idx

FOLDERS = {"mnist": "mnist", "fashion-mnist": "fashion-mnist"}


def idx(array):
    """The bytes of an IDX file."""
    return (
        bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype(np.uint8).tobytes()
    )


def write(folder, names=("train-", "t10k-"), n=(6, 4), packed=False, n_classes=10):
    """Four small files; returns the arrays of the training part."""
    folder.mkdir(parents=True)
    kept = {}
    for part, (name, count) in enumerate(zip(names, n, strict=True)):
        images = np.random.default_rng(part).integers(0, 256, (count, 5, 7))
        labels = np.arange(count) * (n_classes - 1) // max(count - 1, 1)
        for what, array in (("images-idx3", images), ("labels-idx1", labels)):
            content = idx(array)
            if packed:
                (folder / f"{name}{what}-ubyte.gz").write_bytes(gzip.compress(content))
            else:
                (folder / f"{name}{what}-ubyte").write_bytes(content)
        kept[part] = (images, labels)
    return kept[0]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("name", "folder"), [("mnist", "MNIST/raw"), ("fashion-mnist", "fashion-mnist")])
def test_mnist_files_become_images_and_labels(tmp_path, packed, name, folder):
    images, labels = write(tmp_path / folder, packed=packed)
    parts = official_split(name, tmp_path, verify=False)
    assert (len(parts.train), len(parts.test)) == (6, 4)
    assert parts.train.image_shape == (1, 5, 7)
    # The float32 nearest to v/255 is the same whichever way it is divided.
    assert torch.equal(parts.train.images[:, 0], torch.tensor(images / 255, dtype=torch.float32))
    assert parts.train.labels.tolist() == labels.tolist()
    assert len(make_dataset(name, tmp_path, verify=False)) == 10
    assert isinstance(parts.test, Dataset)


def test_emnist_is_turned_upright(tmp_path):
    images, _ = write(tmp_path / "emnist", ("emnist-balanced-train-", "emnist-balanced-test-"), n_classes=47)
    parts = official_split("emnist-balanced", tmp_path, verify=False)
    assert parts.train.image_shape == (1, 7, 5)
    assert torch.equal(parts.train.images[2, 0].T, torch.tensor(images[2] / 255, dtype=torch.float32))
    assert parts.train.n_classes == 47
    with pytest.raises(ValueError, match=r"6 images; expected 112,800"):
        official_split("emnist-balanced", tmp_path)


@given(arrays(np.uint8, array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)))
def test_an_idx_file_gives_back_what_was_written(tmp_path_factory, array):
    path = tmp_path_factory.mktemp("idx") / "file.gz"
    path.write_bytes(gzip.compress(idx(array)))
    read = read_idx(path, array.ndim)
    assert read.shape == array.shape
    assert np.array_equal(read, array)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda b: b[:-1], r"123 bytes; its header promises \(3, 4, 9\), that is 124 bytes"),
        (lambda b: b + b"x", "125 bytes; its header promises"),
        (lambda b: b[:9], "truncated in its header, 9 bytes; expected at least 16"),
        (lambda b: b"", "starts with nothing; expected 00000803"),
        (lambda b: b"\x00\x00\x0d\x03" + b[4:], "starts with 00000d03; expected 00000803, the magic number"),
        (lambda b: b[:3] + b"\x01" + b[4:], "starts with 00000801"),
    ],
)
def test_a_damaged_file_names_itself(tmp_path, spoil, message):
    path = tmp_path / "images"
    path.write_bytes(spoil(idx(np.zeros((3, 4, 9)))))
    with pytest.raises(ValueError, match=message) as caught:
        read_idx(path, 3)
    caught.match(str(path))


def test_a_truncated_archive_names_itself(tmp_path):
    path = tmp_path / "images.gz"
    content = gzip.compress(bytes(1000), mtime=0)[:-9]
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"images.gz: truncated, or no .gz file \({len(content)} bytes\)"):
        read_idx(path, 3)


PACKED = {"as is": lambda b: b, "gz": gzip.compress, "gz twice": lambda b: gzip.compress(gzip.compress(b))}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("ending", ["", ".gz", ".gz.gz"])
@pytest.mark.parametrize("dotted", [False, True])
def test_files_are_read_by_content_whatever_they_are_called(tmp_path, packing, ending, dotted):
    write(tmp_path / "plain" / "mnist")
    expected = make_dataset("mnist", tmp_path / "plain", verify=False)
    for path in (tmp_path / "plain" / "mnist").iterdir():
        name = path.name.removesuffix(".gz").replace("-idx", ".idx") if dotted else path.name.removesuffix(".gz")
        content = path.read_bytes()
        content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        (tmp_path / "mnist").mkdir(exist_ok=True)
        (tmp_path / "mnist" / (name + ending)).write_bytes(PACKED[packing](content))
    found = make_dataset("mnist", tmp_path, verify=False)
    assert torch.equal(found.inputs, expected.inputs)
    assert torch.equal(found.outputs, expected.outputs)


def test_a_file_packed_three_times_is_refused(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(gzip.compress(gzip.compress(gzip.compress(idx(np.zeros((3, 4, 9)))))))
    with pytest.raises(ValueError, match=r"starts with 1f8b"):
        read_idx(path, 3)


@pytest.mark.parametrize("name", FOLDERS)
def test_other_files_than_the_published_ones_are_refused(tmp_path, name):
    write(tmp_path / FOLDERS[name])
    with pytest.raises(ValueError, match=r"train-images-idx3-ubyte: 226 bytes with md5 \w{32}; published is \w{32} or"):
        make_dataset(name, tmp_path)


def test_what_is_packed_counts_not_how(tmp_path):
    path = tmp_path / "file.gz"
    content = idx(np.zeros((3,)))
    path.write_bytes(gzip.compress(content))
    for data in (content, path.read_bytes()):
        assert read_idx(path, 1, (hashlib.md5(data).hexdigest(),)).shape == (3,)


def test_labels_and_images_go_together(tmp_path):
    write(tmp_path / "mnist")
    (tmp_path / "mnist" / "t10k-labels-idx1-ubyte").write_bytes(idx(np.zeros(5)))
    with pytest.raises(
        ValueError, match=r"t10k-labels-idx1-ubyte: 5 labels for the 4 images of t10k-images-idx3-ubyte"
    ):
        make_dataset("mnist", tmp_path, verify=False)


def test_a_missing_file_or_folder_is_named(tmp_path):
    with pytest.raises(
        ValueError, match=f"mnist: no such folder under {tmp_path}; expected mnist/, MNIST/raw/. Nothing"
    ):
        make_dataset("mnist", tmp_path, verify=False)
    write(tmp_path / "mnist")
    (tmp_path / "mnist" / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(ValueError, match=r"mnist has no train-labels-idx1-ubyte or train-labels-idx1-ubyte.gz"):
        make_dataset("mnist", tmp_path, verify=False)
    with pytest.raises(ValueError, match=r"has no nothing"):
        find_file(tmp_path, "nothing", (), "x")
