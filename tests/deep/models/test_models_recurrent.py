from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from deep.models import initial_vector, make_model, n_parameters, sample_losses
from deep.models.networks.glove import read_glove
from deep.models.recurrent import LSTM
from tests.deep.models.test_models_networks import Tokens, in_parallel_and_alone


def in_float64(model):
    """`model` with its constants in float64."""
    return replace(model, constants={name: value.double() for name, value in model.constants.items()})


WORDS = ("<pad>", "<unk>", "good", "bad", "film", ". . .", "a", "b")


@pytest.fixture
def glove(tmp_path):
    """Vectors of three dimensions, with a word of several parts and one nobody asks for."""
    path = tmp_path / "glove.3d.txt"
    path.write_text("good 1 0.5 -2e-1\nunasked 9 9 9\n. . . 0.1 0.2 0.3\nbad -1 -0.5 0.2\n", encoding="utf-8")
    return path


@given(n=st.integers(1, 3), length=st.integers(1, 7), n_inputs=st.integers(1, 4), hidden=st.integers(1, 5))
def test_the_written_out_lstm_is_torch_s(n, length, n_inputs, hidden):
    draws = torch.Generator().manual_seed(length)
    ours, theirs = LSTM(n_inputs, hidden), nn.LSTM(n_inputs, hidden, batch_first=True)
    values = torch.randn(sum(p.numel() for p in theirs.parameters()), generator=draws)
    for module in (ours, theirs):
        nn.utils.vector_to_parameters(values, module.parameters())
    inputs = torch.randn(n, length, n_inputs, generator=draws)
    torch.testing.assert_close(ours(inputs), theirs(inputs)[0])


def test_the_character_model_has_the_published_size():
    model, _ = make_model("lstm-characters", Tokens(80, tuple(map(str, range(90))), 90), 0)
    # Reddi et al. 2021 count 820,522 with one bias per gate (TensorFlow, 86 characters and 4 marks); torch has two.
    assert n_parameters(model) == 820_522 + 2 * 4 * 256


def test_characters_are_scored_after_the_last_or_after_each():
    data = Tokens(5, tuple("abcd"), 4)
    last, vector = make_model("lstm-characters", data, 0)
    each, same = make_model("lstm-characters", data, 0, every_position=True)
    tokens = torch.tensor([[0, 1, 2, 3, 0], [3, 3, 2, 1, 1]])
    assert torch.equal(vector, same)
    scores = each.logits(vector, tokens)
    assert scores.shape == (2, 5, 4)
    torch.testing.assert_close(scores[:, -1], last.logits(vector, tokens))
    changed = tokens.clone()
    changed[:, 3] = 2
    torch.testing.assert_close(each.logits(vector, changed)[:, :3], scores[:, :3])  # no score looks ahead
    assert sample_losses(each.loss, scores, tokens).shape == (2,)


def test_an_lstm_starts_uniform_in_one_over_root_hidden():
    model, vector = make_model("lstm-characters", Tokens(5, tuple("abcd"), 4), 0)
    position = 0
    for layer in model.layers:
        drawn = vector[position : position + layer.size]
        position += layer.size
        if layer.kind == "lstm":
            assert 0.999 / 16 < float(drawn.abs().max()) <= 1 / 16
    assert [layer.kind for layer in model.layers] == ["embedding", "lstm", "lstm", "linear"]


def test_word_vectors_are_read_by_the_vocabulary(glove):
    table, found = read_glove(glove, WORDS, n_dimensions=3)
    assert (found, table.dtype) == (3, torch.float32)
    torch.testing.assert_close(table[2], torch.tensor([1.0, 0.5, -0.2]))
    torch.testing.assert_close(table[5], torch.tensor([0.1, 0.2, 0.3]))
    assert not bool(table[[0, 1, 4, 6, 7]].any())


def test_words_are_fixed_vectors_and_clients_train_in_parallel(glove):
    data = Tokens(25, WORDS, 2)
    model, vector = make_model("lstm-words", data, 0, glove=glove, n_dimensions=3, hidden=4)
    assert n_parameters(model) == 4 * 4 * (3 + 4 + 2) + 4 * 4 * (4 + 4 + 2) + (4 + 1) * 2
    tokens = torch.zeros(2, 25, dtype=torch.int64)
    tokens[1, 24] = 2
    logits = model.logits(vector, tokens)
    assert logits.shape == (2, 2)
    assert not torch.allclose(logits[0], logits[1])
    tokens[1, 24] = 4  # a word without a vector reads as padding does
    assert torch.equal(*model.logits(vector, tokens))
    assert torch.equal(model.to("cpu").logits(vector, tokens), model.logits(vector, tokens))
    other = make_model("lstm-words", data, 1, glove=glove, n_dimensions=3, hidden=4)[1]
    assert not torch.equal(vector, other)
    (gradients, _), (alone, _) = in_parallel_and_alone(in_float64(model), vector, 2)
    torch.testing.assert_close(gradients, alone)


def test_words_need_a_file(glove):
    with pytest.raises(ValueError, match=r"'lstm-words' needs word vectors: make_model\(…, glove="):
        make_model("lstm-words", Tokens(25, WORDS, 2), 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("good 1 2 3\nbad 1 2\n", r"line 2 is not a word and 3 numbers: 'bad 1 2\\n'"),
        ("bad 1 2 x\n", "line 1 is not a word and 3 numbers"),
        ("other 1 2 3\n", "none of the 8 words of the vocabulary is in it"),
    ],
)
def test_files_that_hold_no_vectors_are_named(tmp_path, text, message):
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_glove(path, WORDS, n_dimensions=3)
    caught.match("vectors.txt")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere.txt'\): no such file; expected word vectors"):
        read_glove(tmp_path / "nowhere.txt", WORDS)


def test_the_same_seed_draws_the_same_whatever_the_vectors(glove):
    first, _ = make_model("lstm-words", Tokens(25, WORDS, 2), 0, glove=glove, n_dimensions=3, hidden=4)
    assert torch.equal(initial_vector(first, 3), initial_vector(first.to("cpu"), 3))
