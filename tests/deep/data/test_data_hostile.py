"""Files made to run code, end the process or take all memory: refused by name, and nothing of the kind happens."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deep.base.names import read_call
from deep.config.settings import read_layer
from deep.data import make_dataset, official_split
from deep.data.files import file_inside, read_unpacked
from deep.data.sets.cifar_pickle import read_batch
from deep.data.sets.folders import read_images
from deep.data.sets.mat5 import read_mat5
from theory.rules.text import make_rule, parse_value

MEBIBYTE = 2**20


def refused(read: Callable[[], object], words: str, limit: int = 16 * MEBIBYTE) -> None:
    """`ValueError` in these words, and no more than `limit` bytes taken on the way."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=words):
            read()
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def global_(name: str) -> bytes:
    return b"c" + name.replace(" ", "\n").encode() + b"\n"


ARRAY = global_("numpy.core.multiarray _reconstruct") + global_("numpy ndarray") + b"K\x00\x85U\x01b\x87R"
OBJECTS = global_("numpy dtype") + b"U\x02O8K\x00K\x01\x87R"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        # An array of objects whose pointers the file supplies: reading one of them would end the process.
        (
            b"\x80\x02}U\x04data" + ARRAY + b"(K\x01K\x01\x85" + OBJECTS + b"\x89U\x08" + b"A" * 8 + b"tbs.",
            "asks for|dtype 'O8'",
        ),
        (b"\x80\x02" + ARRAY + b"(K\x01J\xff\xff\xff\x7f\x85U\x02u1\x89U\x00tb.", "something else than bytes in rows"),
        (
            b"\x80\x02"
            + ARRAY
            + b"(K\x01\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x00\x85"
            + global_("numpy dtype")
            + b"U\x02u1\x85R\x89U\x00tb.",
            "in rows",
        ),
        # Nine bytes that make pickle itself reserve a gigabyte for its memo.
        (b"\x80\x02Nr" + struct.pack("<I", 2**27) + b".", "holds NoneType"),
        (b"\x80\x04\x96" + struct.pack("<Q", 2**30) + b".", "truncated"),
        (b"\x80\x02B" + struct.pack("<I", 2**30) + b".", "truncated"),
        (b"\x80\x02\x8b" + struct.pack("<I", 2**30) + b".", "truncated"),
        # Tuples of tuples: 2⁶⁰ entries to whoever walks or hashes them.
        (b"\x80\x02)" + b"q\x00h\x00\x86" * 60 + b".", "holds tuple"),
        (b"\x80\x02})" + b"q\x00h\x00\x86" * 60 + b"K\x01s.", "a tuple as key"),
        (b"\x80\x02" + b"(" * 100_000 + b".", "truncated"),
        (b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".", "holds list"),
        (b"\x80\x02]q\x00h\x00a.", "holds list"),
        (b"\x80\x02N0N0.", "opcode POP|empty stack"),
        (b"\x80\x02\x85.", "empty stack"),
        (b"\x80\x02(N\x85.", "empty stack|holds tuple"),
        (global_("os system") + b"U\x06exit 1\x85R.", "asks for os.system; admitted are"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.", "asks for os.system"),
        (pickle.dumps(np.zeros((2, 3072))), "asks for|dtype 'f8'"),
    ],
)
def test_pickles_that_crash_or_bloat_pickle_itself(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "data_batch_1"
    path.write_bytes(content)
    refused(lambda: read_batch(path, "labels", None, 10_000), f"data_batch_1: .*({words})", 64 * MEBIBYTE)


def test_a_batch_of_ever_more_opcodes_ends(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1"
    path.write_bytes(b"\x80\x02]" + b"K\x01a" * 600_000 + b".")
    refused(lambda: read_batch(path, "labels", None, 10_000), "more than 1,000,000 opcodes", 64 * MEBIBYTE)


@pytest.mark.parametrize(
    ("ending", "bomb"),
    [
        (".gz", gzip.compress(bytes(100 * MEBIBYTE), compresslevel=1)),
        (".bz2", bz2.compress(bytes(100 * MEBIBYTE))),
        (".xz", lzma.compress(bytes(100 * MEBIBYTE), preset=0)),
    ],
    ids=[".gz", ".bz2", ".xz"],
)
def test_what_unpacks_to_hundreds_of_megabytes_is_left_packed(tmp_path: Path, ending: str, bomb: bytes) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(bomb)
    refused(lambda: read_unpacked(path, MEBIBYTE), f"file{ending}: .* bytes that unpack to more than 1,048,576")


def test_a_packed_label_file_is_unpacked_no_further_than_its_data_set_goes(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    bomb = gzip.compress(bytes(200 * MEBIBYTE), 1)
    (tmp_path / "mnist" / "train-images-idx3-ubyte.gz").write_bytes(bomb)
    words = r"train-images-idx3-ubyte.gz: .* unpack to more than 94,080,016"
    refused(lambda: make_dataset("mnist", tmp_path), words, 256 * MEBIBYTE)


def test_an_xz_file_that_asks_for_four_gigabytes_to_unpack_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.xz"
    small = bytearray(lzma.compress(b"x" * 100, lzma.FORMAT_ALONE))
    small[1:5] = b"\xff\xff\xff\xff"  # the size of its dictionary
    path.write_bytes(small)
    refused(
        lambda: read_unpacked(path, MEBIBYTE), r"file.xz: truncated, or no .xz file \(\d+ bytes\): Memory usage limit"
    )


def test_a_file_larger_than_its_data_set_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(2**40)  # takes no room on the disk
    refused(lambda: read_unpacked(path, MEBIBYTE), r"file: 1,099,511,627,776 bytes; no file of this data set has more")


def element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def matrix(
    kind: int = 9, shape: tuple[int, ...] = (1, 2), name: bytes = b"X", values: bytes = b"", flags: int = 0
) -> bytes:
    parts = element(6, struct.pack("<II", kind | flags << 8, 0)) + element(5, struct.pack(f"<{len(shape)}i", *shape))
    return element(14, parts + element(1, name) + values)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (matrix(shape=(2**31 - 1, 2**31 - 1), values=element(2, b"ab")), "X of shape .* in 2 bytes"),
        (matrix(shape=(-1, -2), values=element(2, b"ab")), "X of shape"),
        (matrix(shape=(2,), values=element(2, b"ab")), "bytes of dimensions"),
        (matrix(kind=1, values=element(2, b"ab")), "X is no array of real numbers"),  # a cell, of whatever
        (matrix(kind=5, values=element(2, b"ab")), "no array of real numbers"),  # sparse: indices into memory
        (matrix(flags=8, values=element(2, b"ab")), "no array of real numbers"),  # complex
        (matrix(values=element(14, b"ab")), "no array of real numbers"),
        (matrix(), "an array without values"),
        (element(14, b""), "an array without flags"),
        (element(14, element(6, b"")), "an array without dimensions"),
        (struct.pack("<II", 14, 2**32 - 1), "an element of 4,294,967,295 bytes in the last 8"),
        (struct.pack("<HH", 14, 9) + b"abcd", "a small element of 9 bytes"),
        (b"abc", "3 bytes where an element begins"),
        (element(9, b"ab"), "a variable of kind 9"),
        (element(15, b"no zlib!"), "does not unpack"),
        (element(15, zlib.compress(struct.pack("<II", 14, 2**31) + bytes(MEBIBYTE))), "unpacks to 2,147,483,648 bytes"),
        (element(15, zlib.compress(struct.pack("<II", 14, 900) + bytes(8))), "of 900 bytes that unpacks to 8"),
    ],
)
def test_matlab_files_whose_sizes_lie(body: bytes, words: str) -> None:
    content = b"MATLAB".ljust(124) + b"\x00\x01IM" + body
    refused(lambda: read_mat5(content, ("X", "y"), MEBIBYTE), words)


def test_a_matlab_file_is_read_as_scipy_reads_it() -> None:
    from io import BytesIO

    from scipy.io import savemat

    rng = np.random.default_rng(0)
    held = {
        "X": rng.integers(0, 256, (4, 3, 2, 5), dtype=np.uint8),
        "y": np.array([[1.0], [10.0]]),
        "i": np.array([[-3, 2**40]]),
        "other": "text",
        "cell": {"a": np.eye(2)},
    }
    for packed in (False, True):
        file = BytesIO()
        savemat(file, held, do_compression=packed)
        found = read_mat5(file.getvalue(), ("X", "y", "i"), MEBIBYTE)
        assert found.keys() == {"X", "y", "i"}
        for name, array in found.items():
            assert array.dtype == held[name].dtype
            np.testing.assert_array_equal(array, held[name])


@pytest.mark.parametrize(
    "name", ["../../../secret.png", "../b.png", "/etc/passwd", "..", ".", "", "a/../b.png", "a\\b", "a\0.png"]
)
def test_a_list_of_images_names_files_of_its_folder_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"is no file in .*; expected a plain name"):
        file_inside(tmp_path, name)
    image = pytest.importorskip("PIL.Image", reason="Pillow decodes MNIST-M")
    for part in ("train", "test"):
        (tmp_path / "mnist_m" / f"mnist_m_{part}").mkdir(parents=True)
        (tmp_path / "mnist_m" / f"mnist_m_{part}_labels.txt").write_text(f"{name} 7\n")
    image.new("RGB", (32, 32)).save(tmp_path / "secret.png")
    with pytest.raises(ValueError, match=r"mnist_m_train_labels.txt"):
        official_split("mnist-m", tmp_path, verify=False)


def test_an_image_that_claims_ten_billion_pixels_is_not_decoded(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image", reason="Pillow decodes images")
    size = struct.pack(">II", 10**5, 10**5) + b"\x08\x02\x00\x00\x00"
    chunk = b"IHDR" + size
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    (tmp_path / "a.png").write_bytes(png + struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND")))
    refused(lambda: read_images([tmp_path / "a.png"], 8), "a.png: missing, truncated or no image: .*pixels")


def test_only_the_formats_of_the_data_sets_are_decoded(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow decodes images")
    image.new("RGB", (4, 4)).save(tmp_path / "a.gif")
    (tmp_path / "a.gif").rename(tmp_path / "a.png")
    refused(lambda: read_images([tmp_path / "a.png"], 8), "a.png: missing, truncated or no image")
    (tmp_path / "b.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")  # would start Ghostscript
    refused(lambda: read_images([tmp_path / "b.png"], 8), "b.png: missing, truncated or no image")


DEEP = ["-" * 900 + "1", "x" + ".a" * 900, "1" + "+1" * 700, "not " * 400 + "1", "x" + "[0]" * 600, "[" * 90 + "]" * 90]


@pytest.mark.parametrize("value", [*DEEP, "9" * 1900], ids=lambda text: text[:8])
def test_text_that_is_nested_too_deeply_or_too_large_a_number_is_refused_in_words(value: str) -> None:
    words = "nested too deeply|cannot be read|beyond 9223372036854775807"
    refused(lambda: make_rule(f"exp-alpha(alpha={value})"), words)
    refused(lambda: read_call("partition", f"classes(m={value})"), f"partition .*({words})")
    assert parse_value(value) == value  # a word, for whoever takes words


def test_settings_given_beside_a_rule_are_numbers_of_64_bits() -> None:
    refused(lambda: make_rule("exp-alpha", alpha=10**400), "rule 'exp-alpha': alpha holds an integer beyond")


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 5000 + "]" * 5000, "a = " + "{a=" * 3000 + "1" + "}" * 3000, "x = " + "9" * 5000, "#" * 2**17],
    ids=["lists", "tables", "digits", "long"],
)
def test_toml_that_is_nested_too_deeply_or_too_long_is_refused_by_its_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    refused(lambda: read_layer(tmp_path / "run.toml"), "run.toml: cannot be read as TOML")
