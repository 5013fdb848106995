from __future__ import annotations

import lzma
import os
import pickle
import struct

import numpy as np
import pytest
import torch

from deep.data import make_dataset, official_split
from deep.data.sets import cifar as cifar_module
from deep.data.sets.cifar_pickle import read_batch

BATCHES = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]


def pixels(n, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, 3072), dtype=np.uint8)


def batch(n, seed=0, n_classes=10, key="labels"):
    return {"data": pixels(n, seed), key: [i % n_classes for i in range(n)], "batch_label": "part"}


def python2(n, seed=0):
    """A batch as Python 2 wrote it: byte strings, and NumPy's old module names."""

    def short(text):
        return b"U" + bytes([len(text)]) + text

    def integer(value):
        return b"J" + struct.pack("<i", value)

    raw = pixels(n, seed).tobytes()
    dtype = (
        b"cnumpy\ndtype\n(" + short(b"u1") + b"K\x00K\x01tR(K\x03" + short(b"|") + b"NNN" + 2 * integer(-1) + b"K\x00tb"
    )
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85" + short(b"b") + b"tR"
    state = (
        b"(K\x01" + integer(n) + integer(3072) + b"\x86" + dtype + b"I00\nT" + struct.pack("<i", len(raw)) + raw + b"tb"
    )
    labels = b"](" + b"".join(b"K" + bytes([i % 10]) for i in range(n)) + b"e"
    return b"\x80\x02}(" + short(b"data") + array + state + short(b"labels") + labels + b"u."


def write10(root, sizes=(3, 3, 3, 3, 3, 2), packed=False):
    folder = root / "cifar-10-batches-py"
    folder.mkdir()
    for seed, (name, n) in enumerate(zip(BATCHES, sizes, strict=True)):
        content = pickle.dumps(batch(n, seed), protocol=2)
        (folder / (name + ".xz" * packed)).write_bytes(lzma.compress(content) if packed else content)
    return folder


@pytest.mark.parametrize("packed", [True, False])
def test_cifar10_pickles(tmp_path, packed):
    write10(tmp_path, packed=packed)
    parts = official_split("cifar-10", tmp_path, verify=False)
    assert (len(parts.train), len(parts.test)) == (15, 2)
    assert parts.train.image_shape == (3, 32, 32)
    expected = torch.tensor(pixels(3, 4).reshape(-1, 3, 32, 32) / 255, dtype=torch.float32)
    assert torch.equal(parts.train.images[12:], expected)
    assert parts.train.labels.tolist() == [0, 1, 2] * 5
    assert (parts.test.name, parts.test.note) == ("cifar-10", "")


def test_the_pickles_of_python_2_are_read_without_importing_what_they_name(tmp_path):
    path = tmp_path / "data_batch_1"
    path.write_bytes(python2(4))
    data, labels = read_batch(path, "labels", None, 10_000)
    assert np.array_equal(data, pixels(4))
    assert labels.tolist() == [0, 1, 2, 3]


def test_cifar10_binary(tmp_path):
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    for seed, name in enumerate(BATCHES):
        rows = np.concatenate([np.array([[7], [9]], dtype=np.uint8), pixels(2, seed)], axis=1)
        (folder / f"{name}.bin").write_bytes(rows.tobytes())
    parts = official_split("cifar-10", tmp_path, verify=False)
    assert parts.test.labels.tolist() == [7, 9]
    assert torch.equal(parts.test.images.flatten(1), torch.tensor(pixels(2, 5) / 255, dtype=torch.float32))
    (folder / "data_batch_3.bin").write_bytes(b"x" * 3072)
    with pytest.raises(
        ValueError, match=r"data_batch_3.bin: 3,072 bytes; expected a multiple of 3,073, one row an image"
    ):
        official_split("cifar-10", tmp_path)
    (folder / "data_batch_3.bin").write_bytes(b"")
    with pytest.raises(ValueError, match=r"data_batch_3.bin: 0 bytes"):
        official_split("cifar-10", tmp_path)


def test_cifar100_takes_the_fine_label(tmp_path):
    python, binary = tmp_path / "a" / "cifar-100-python", tmp_path / "b" / "cifar-100-binary"
    for folder in (python, binary):
        folder.mkdir(parents=True)
    for seed, (name, n) in enumerate((("train", 5), ("test", 3))):
        held = batch(n, seed, 100, "fine_labels") | {"coarse_labels": [0] * n}
        (python / name).write_bytes(pickle.dumps(held, protocol=2))
        fine = np.arange(n, dtype=np.uint8)[:, None]
        rows = np.concatenate([np.zeros_like(fine), fine, pixels(n, seed)], axis=1)
        (binary / f"{name}.bin").write_bytes(rows.tobytes())
    one, other = (official_split("cifar-100", folder.parent, verify=False) for folder in (python, binary))
    assert one.train.labels.tolist() == [0, 1, 2, 3, 4]
    assert one.train.n_classes == 100
    assert torch.equal(one.train.images, other.train.images)
    assert torch.equal(one.test.labels, other.test.labels)


def test_missing_rows_are_said_in_the_name_and_nothing_is_padded(tmp_path):
    write10(tmp_path)
    parts = official_split("cifar-10", tmp_path)
    assert (len(parts.train), len(parts.test)) == (15, 2)
    assert parts.train.name == parts.test.name == "CIFAR-10 without 59,983 images"
    assert parts.train.note.startswith(
        "15 of 50,000 training and 2 of 10,000 test images; files with missing rows have"
    )
    assert make_dataset("cifar-10", tmp_path).name == parts.train.name


def test_a_whole_batch_must_have_the_published_md5(tmp_path, monkeypatch):
    path = tmp_path / "data_batch_1"
    path.write_bytes(python2(4))
    with pytest.raises(ValueError, match=r"data_batch_1: 12,\d+ bytes with md5 \w{32}; published is c99c"):
        read_batch(path, "labels", cifar_module.CIFAR10_MD5["data_batch_1"], 4)
    assert len(read_batch(path, "labels", cifar_module.CIFAR10_MD5["data_batch_1"], 5)[0]) == 4
    monkeypatch.setattr(
        cifar_module, "read_batch", lambda *_: (np.zeros((10_001, 3072), np.uint8), np.zeros(10_001, int))
    )
    write10(tmp_path)
    with pytest.raises(ValueError, match=r"data_batch_1: 10,001 rows; expected 10,000"):
        official_split("cifar-10", tmp_path)


class Nasty:
    """What a hostile pickle does: it asks for a function to be called while it is read."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (Nasty(os.system, "exit 1"), r"asks for posix.system; admitted are numpy.core.multiarray._reconstruct, "),
        (Nasty(eval, "1"), "asks for (__builtin__|builtins).eval"),
        ({"data": np.zeros((2, 3072)), "labels": [0, 1]}, "holds an array of dtype 'f8'; expected 'u1'"),
        ({"data": np.array([object()]), "labels": [0]}, "dtype 'O8'|asks for"),
        (Nasty(__import__("codecs").encode, "x", "rot13"), "encodes bytes as 'rot13'"),
        ([1, 2], "holds list; expected a dictionary with 'data' and 'labels'"),
        ({"data": 1}, r"holds \['data'\]; expected"),
        ({"data": pixels(2)[:, :9], "labels": [0, 1]}, r"data of shape \(2, 9\); expected bytes of shape \(n, 3072\)"),
        ({"data": [1], "labels": [0]}, "data of list; expected bytes"),
        ({"data": pixels(2), "labels": [0]}, "1 labels for 2 images; expected a list of one integer each"),
        ({"data": pixels(2), "labels": ["a", "b"]}, "expected a list of one integer each"),
        ({"data": pixels(2), "labels": "ab"}, "str labels for 2 images"),
    ],
)
def test_pickles_of_anything_else_are_refused(tmp_path, held, message):
    path = tmp_path / "data_batch_1"
    path.write_bytes(pickle.dumps(held, protocol=2))
    with pytest.raises(ValueError, match=message) as caught:
        read_batch(path, "labels", None, 10_000)
    caught.match(str(path))


def test_an_array_is_rebuilt_as_an_array_only(tmp_path):
    path = tmp_path / "data_batch_1"
    path.write_bytes(python2(1).replace(b"cnumpy\nndarray\n", b"cnumpy\ndtype\n"))
    with pytest.raises(ValueError, match=r"rebuilds something else than an ndarray"):
        read_batch(path, "labels", None, 10_000)


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(batch(2), protocol=2)[:-900]])
def test_a_truncated_pickle_names_itself(tmp_path, content):
    path = tmp_path / "data_batch_1"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"data_batch_1: no CIFAR batch, or truncated"):
        read_batch(path, "labels", None, 10_000)
    packed = tmp_path / "data_batch_2.xz"
    packed.write_bytes(lzma.compress(python2(2))[:-20])
    with pytest.raises(ValueError, match=r"data_batch_2.xz: truncated, or no .xz file"):
        read_batch(packed, "labels", None, 10_000)


def test_a_missing_batch_is_named(tmp_path):
    (write10(tmp_path) / "data_batch_4").unlink()
    with pytest.raises(ValueError, match=r"cifar-10-batches-py has no data_batch_4 or data_batch_4.xz"):
        make_dataset("cifar-10", tmp_path)
