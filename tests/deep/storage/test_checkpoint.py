from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep import RunConfig
from deep.base.tensor_file import pack, unpack
from deep.round.play_round import first_state
from deep.runs.identity import run_identity
from deep.storage.checkpoint import ServerState, from_bytes, to_bytes
from deep.task.setup import Setup
from deep.task.task import make_task
from theory import ExpAlpha, Proportional

CPU = torch.device("cpu")
CONFIG = RunConfig(n_rounds=3, seed=2)
IDENTITY = run_identity(Setup.of(CONFIG, ExpAlpha(0.2)), CPU)
NOTHING = torch.zeros(0)


@pytest.fixture(scope="module")
def first() -> ServerState:
    return first_state(Setup.of(CONFIG), make_task(Setup.of(CONFIG), CPU))


def equal(a: Any, b: Any) -> bool:
    """Same types, shapes and bits all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        same = a.dtype == b.dtype and a.shape == b.shape
        return same and torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8))
    if isinstance(a, dict):
        return len(a) == len(b) and all(
            equal(x, y) for pair in zip(a.items(), b.items(), strict=True) for x, y in zip(*pair, strict=True)
        )
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b or (a != a and b != b)


tensors = st.builds(
    lambda data, dtype, rows: torch.tensor(data).to(dtype).reshape(rows, -1) if data else torch.empty(rows, 0),
    st.lists(st.integers(0, 100)).map(lambda xs: xs + xs),
    st.sampled_from(
        [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool]
    ),
    st.sampled_from([1, 2]),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(),
    tensors,
    tensors.map(lambda t: t.sum()),
)
memories = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(), st.integers(), st.booleans()), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(memory=memories)
def test_every_memory_comes_back_bit_by_bit(memory: Any) -> None:
    empty = ServerState(1, NOTHING, NOTHING, NOTHING, None, NOTHING)
    content = to_bytes(replace(empty, rule_state=memory), IDENTITY, "ab")
    assert content == to_bytes(replace(empty, rule_state=memory), IDENTITY, "ab")
    state, digest = from_bytes(content, IDENTITY, empty, CPU)
    assert equal(state.rule_state, memory)
    assert (state.round, digest) == (1, "ab")


def test_every_single_bit_of_a_file_of_tensors_counts() -> None:
    content = pack({"a": torch.tensor([1.5, math.inf]), "b": torch.zeros(0, 3), "c": torch.tensor(True)}, {"of": "x"})
    found, texts = unpack(content)
    assert texts == {"of": "x"}
    assert equal(found, {"a": torch.tensor([1.5, math.inf]), "b": torch.zeros(0, 3), "c": torch.tensor(True)})
    for bit in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError, match=r"is damaged|is cut off"):
            unpack(bytes(flipped))


def forged(header: object, data: bytes = b"") -> bytes:
    """A file with the digest it should have: what accidents do not make."""
    described = json.dumps(header).encode()
    whole = len(described).to_bytes(8, "little") + described + data
    return whole.replace(b"0" * 64, sha256(whole).hexdigest().encode(), 1)


@pytest.mark.parametrize(
    "tensor",
    [
        {"dtype": "F32", "shape": [10**15], "data_offsets": [0, 4 * 10**15]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [], "data_offsets": [4, 8]},
        {"dtype": "F64", "shape": [], "data_offsets": [0, 4]},
        {"dtype": "PICKLE", "shape": [1], "data_offsets": [0, 4]},
        {"shape": [1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]},
        {"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        ["F32"],
        None,
    ],
)
def test_a_forged_description_takes_no_memory_and_ends_in_words(tensor: object) -> None:
    with pytest.raises(ValueError, match="holds tensors that it describes wrongly"):
        unpack(forged({"__metadata__": {"digest": "0" * 64}, "a": tensor}, b"1234"))


class Armed:
    """What a pickle would run."""

    def __reduce__(self) -> tuple[object, ...]:
        return pytest.fail, ("a checkpoint ran code",)


@pytest.mark.parametrize(
    "content", [b"", b"\x08", pickle.dumps(Armed()), b"\xff" * 16, (2).to_bytes(8, "little") + b"5 ", b"[" * 10**5]
)
def test_what_is_no_checkpoint_is_refused(content: bytes, first: ServerState) -> None:
    with pytest.raises(ValueError, match=r"is cut off|is damaged"):
        from_bytes(content, IDENTITY, first, CPU)


@pytest.mark.parametrize(
    ("config", "rule", "words"),
    [
        (replace(CONFIG, seed=3), ExpAlpha(0.2), "belongs to another run; seed is 2 there and 3 here"),
        (CONFIG, ExpAlpha(0.5), "belongs to another run; alpha is 0.2 there and 0.5 here"),
        (CONFIG, Proportional(), "rule is 'ExpAlpha' there and 'Proportional' here"),
    ],
)
def test_a_checkpoint_of_another_seed_or_rule_is_refused_by_name(
    config: RunConfig, rule: Any, words: str, first: ServerState
) -> None:
    content = to_bytes(first, IDENTITY, "")
    with pytest.raises(ValueError, match=words):
        from_bytes(content, run_identity(Setup.of(config, rule), CPU), first, CPU)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (
            "model",
            torch.zeros(7),
            r"model is torch.float32 of shape \(7,\) there and .* of shape \(650,\) here",
        ),
        ("model", torch.zeros(650).double(), "model is torch.float64 of shape"),
        ("loss_best", torch.zeros(9).double(), r"loss_best is torch.float64 of shape \(9,\) there"),
        ("buffers", [], "buffers is a list there and a Tensor here"),
        ("round", 1.0, "round is a float there and a int here"),
    ],
)
def test_a_checkpoint_of_another_shape_or_type_is_refused_by_name(
    field: str, value: object, words: str, first: ServerState
) -> None:
    changed: dict[str, Any] = {field: value}
    with pytest.raises(ValueError, match=words):
        from_bytes(to_bytes(replace(first, **changed), IDENTITY, ""), IDENTITY, first, CPU)


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({"m": torch.zeros(2)}, r"rule_state has \['m'\] there and \['m', 'v'\] here"),
        ({"m": torch.zeros(2), "v": [1]}, "rule_state/v has 1 entries there and 2 here"),
        ({"m": torch.zeros(2), "v": [1, torch.ones(1)]}, "rule_state/v/1 is a Tensor there and a int here"),
        ({"m": torch.zeros(3), "v": [1, 2]}, "rule_state/m is torch.float32 of shape"),
    ],
)
def test_what_has_a_first_value_is_compared_all_the_way_down(there: object, words: str, first: ServerState) -> None:
    expected = replace(first, rule_state={"m": torch.zeros(2), "v": [0, 0]})
    with pytest.raises(ValueError, match=words):
        from_bytes(to_bytes(replace(first, rule_state=there), IDENTITY, ""), IDENTITY, expected, CPU)


def test_tensors_that_no_file_takes_are_refused_when_saved(first: ServerState) -> None:
    with pytest.raises(TypeError, match=r"rule_state: a tensor of torch\.complex128"):
        to_bytes(replace(first, rule_state=torch.zeros(1, dtype=torch.complex128)), IDENTITY, "")
