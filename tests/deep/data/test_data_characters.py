from __future__ import annotations

import doctest
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep.data import TokenDataset, make_dataset, official_split
from deep.data.sets import characters
from deep.data.sets.characters import leaf_shakespeare, next_characters, speeches, tiny_shakespeare

PLAY = (
    "ROMEO:\nIs the day\nso young?\n\nPAGE:\n\nBENVOLIO:\nBut new struck nine.\n\n"
    "ROMEO:\nAy me! sad hours\nseem long.\n"
)


def text_of(dataset, ids):
    return "".join(dataset.vocabulary[i] for i in ids)


def write_leaf(root, part="train", users=None, name="all.json"):
    users = {"ROMEO": (["abc", "bca"], ["a", "d"]), "PAGE": (["ccc"], ["e"])} if users is None else users
    folder = root / "shakespeare" / part
    folder.mkdir(parents=True, exist_ok=True)
    data = {user: {"x": x, "y": y} for user, (x, y) in users.items()}
    held = {"users": list(users), "num_samples": [len(x) for x, _ in users.values()], "user_data": data}
    (folder / name).write_text(json.dumps(held))


def test_the_example_of_speeches_is_true():
    assert doctest.testmod(characters) == (0, 1)


def test_lines_of_one_speaker_are_brought_together():
    assert speeches(PLAY) == {
        "ROMEO": ["Is the day", "so young?", "Ay me! sad hours", "seem long."],
        "BENVOLIO": ["But new struck nine."],
    }
    assert speeches("A:\nsee: this\n\n\n\nB:\nthat:\n") == {"A": ["see: this"], "B": ["that:"]}


@pytest.mark.parametrize("text", ["", "no speaker here\nat all", "A:\nfine\n\nstage direction"])
def test_text_without_a_speaker_is_refused(text):
    with pytest.raises(ValueError, match=r"text block '.*': expected NAME: on a line"):
        speeches(text)


texts = st.dictionaries(st.sampled_from("XYZ"), st.text("abc\n", max_size=15), min_size=1)


@given(texts, st.integers(1, 5), st.integers(1, 4))
def test_windows_are_the_texts_and_what_follows_follows(said, length, stride):
    expected = [
        (speaker, text[i : i + length], text[i + length])
        for speaker, text in said.items()
        for i in range(0, len(text) - length, stride)
    ]
    if not expected:
        with pytest.raises(ValueError, match=rf"length={length}\): the longest text has \d+ characters"):
            next_characters(said, length, stride)
        return
    data = next_characters(said, length, stride)
    made = [
        (data.groups.names[g], text_of(data, x), data.vocabulary[y])
        for g, x, y in zip(data.groups.index, data.tokens, data.labels, strict=True)
    ]
    assert made == expected
    assert data.vocabulary == tuple(sorted(set("".join(said.values()))))


def test_windows_refuse_what_makes_no_sense():
    for change, message in (
        ({"length": 0}, r"length=0\): must be >= 1"),
        ({"stride": 0}, r"stride=0\): must be >= 1"),
        ({"alphabet": "ab"}, r"alphabet='ab'\): lacks \['c'\]"),
        ({"said": {}}, "longest text has 0"),
    ):
        with pytest.raises(ValueError, match=message):
            next_characters(**{"said": {"A": "abc"}, "length": 2, **change})
    assert next_characters({"A": "aaa"}, 2).n_classes == 2  # a lone character is still a class of two


def test_tiny_shakespeare_keeps_who_says_enough(tmp_path):
    (tmp_path / "tiny-shakespeare").mkdir()
    (tmp_path / "tiny-shakespeare" / "input.txt").write_text(PLAY)
    part = tiny_shakespeare(tmp_path, verify=False, length=10, min_lines=4).train
    assert part.groups.names == ("ROMEO",)
    assert text_of(part, part.tokens[0]) == "Is the day"
    assert part.vocabulary[part.labels[0]] == "\n"
    assert part.vocabulary == tuple(sorted(set(PLAY)))
    apart = tiny_shakespeare(tmp_path, verify=False, length=10, stride=11, min_lines=1).train
    assert [text_of(apart, row) for row in apart.tokens][:2] == ["Is the day", "so young?\n"]
    assert apart.groups.names == ("ROMEO", "BENVOLIO")
    with pytest.raises(ValueError, match=r"input.txt, speakers with >= 5 lines: .*the longest text has 0 characters"):
        make_dataset("tiny-shakespeare", tmp_path, kind=TokenDataset, verify=False)
    with pytest.raises(ValueError, match=r"input.txt: 1\d\d bytes with md5 \w{32}; published is 6fb458"):
        make_dataset("tiny-shakespeare", tmp_path, kind=TokenDataset)
    (tmp_path / "tiny-shakespeare" / "input.txt").write_bytes(b"A:\n\xff\xfe\n")
    with pytest.raises(ValueError, match=r"input.txt: .*codec can't decode"):
        tiny_shakespeare(tmp_path, verify=False)


def test_leaf_keeps_windows_speakers_and_parts(tmp_path):
    write_leaf(tmp_path)
    write_leaf(tmp_path, users={"NURSE": (["bbb"], ["b"])}, name="more.json")
    write_leaf(tmp_path, "test", {"ROMEO": (["aaa"], ["f"])})
    parts = official_split("leaf-shakespeare", tmp_path, kind=TokenDataset)
    assert parts.train.vocabulary == parts.test.vocabulary == tuple("abcdef")
    assert [text_of(parts.train, row) for row in parts.train.tokens] == ["abc", "bca", "ccc", "bbb"]
    assert text_of(parts.train, parts.train.labels) == "adeb"
    assert parts.train.groups.names == ("NURSE", "PAGE", "ROMEO")
    assert parts.train.groups.index.tolist() == [2, 2, 1, 0]
    assert parts.test.groups.index.tolist() == [2]
    assert len(make_dataset("leaf-shakespeare", tmp_path, kind=TokenDataset)) == 5


@pytest.mark.parametrize(
    ("users", "message"),
    [
        ({"A": (["abc"], ["a", "b"])}, r"all.json, 'A': 1 windows and 2 next characters"),
        ({"A": (["abc"], ["ab"])}, r"'A': next character 'ab'; expected one character"),
        ({"A": (["abc"], [3])}, r"'A': next character 3"),
        ({"A": ([[1, 2]], ["a"])}, r"'A': windows that are no text"),
        ({"A": (["abc", "ab"], ["a", "b"])}, r"windows of \[2, 3\] characters; expected one length"),
        ({}, r"train holds no sample"),
    ],
)
def test_damaged_leaf_files_name_file_and_speaker(tmp_path, users, message):
    write_leaf(tmp_path, "test", {"A": (["abc"], ["a"])})
    write_leaf(tmp_path, users=users)
    with pytest.raises(ValueError, match=message):
        leaf_shakespeare(tmp_path)


def test_other_json_is_refused(tmp_path):
    write_leaf(tmp_path)
    write_leaf(tmp_path, "test")
    path = tmp_path / "shakespeare" / "test" / "all.json"
    for content in ('{"users": ["A"', '{"users": ["A"], "user_data": {}}', "[]", '{"users": 3, "user_data": {}}'):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"all.json: truncated, or no LEAF file"):
            leaf_shakespeare(tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match=r"test has no .json file"):
        leaf_shakespeare(tmp_path)


def test_ids_are_int64(tmp_path):
    write_leaf(tmp_path)
    write_leaf(tmp_path, "test")
    assert leaf_shakespeare(tmp_path).train.tokens.dtype == torch.int64
