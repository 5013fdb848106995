"""Pythia with tiny random weights; needs transformers, which the extra `text` installs."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from deep.models import cost, make_model, n_parameters
from tests.deep.models.test_models_networks import Tokens, in_parallel_and_alone

TINY = {
    "vocab_size": 12,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 10,
}
TEXT = Tokens(6, ("<pad>", *"abcdefg"), 4)

needs_transformers = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None, reason="transformers is not installed (extra `text`)"
)


def tiny(seed=0, **options):
    return make_model("pythia", TEXT, seed, settings=TINY, **options)


def test_without_transformers_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("deep.models.networks.text.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"needs transformers; install it with pip install 'fedverdict\[text\]'"):
        tiny()


@needs_transformers
def test_pythia_70m_has_the_published_parameters_without_its_output_layer():
    from deep.models.networks.text import pythia

    # Biderman et al. 2023's checkpoint counts 70,426,624; the classifier has one row of 512 per class instead.
    assert n_parameters(pythia(32, 4)) == 70_426_624 - 50_304 * 512 + 4 * 512


@needs_transformers
def test_logits_are_those_of_transformers_own_classifier():
    from torch import nn
    from transformers import GPTNeoXConfig, GPTNeoXForSequenceClassification

    state = torch.get_rng_state()
    model, vector = tiny()
    assert torch.equal(torch.get_rng_state(), state)
    theirs = GPTNeoXForSequenceClassification(GPTNeoXConfig(**TINY, num_labels=4, pad_token_id=0)).eval()
    nn.utils.vector_to_parameters(vector, theirs.parameters())
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6], [7, 6, 5, 0, 0, 0]])
    expected = theirs(input_ids=tokens, attention_mask=(tokens != 0).long()).logits.detach()
    torch.testing.assert_close(model.logits(vector, tokens), expected)


@needs_transformers
def test_padding_is_not_read_and_a_text_of_padding_alone_gives_a_number():
    model, vector = tiny()
    short, _ = make_model("pythia", Tokens(3, TEXT.vocabulary, 4), 0, settings=TINY)
    tokens = torch.tensor([[1, 2, 3, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    logits = model.logits(vector, tokens)
    torch.testing.assert_close(logits[:1], short.logits(vector, tokens[:1, :3]))
    assert bool(logits.isfinite().all())
    unpadded, _ = make_model("pythia", Tokens(6, tuple("abcdefgh"), 4), 0, settings=TINY)
    assert not torch.allclose(unpadded.logits(vector, tokens)[:1], logits[:1])


@needs_transformers
def test_clients_train_in_parallel():
    model, vector = tiny()
    (gradients, _), (alone, _) = in_parallel_and_alone(model, vector, 4, torch.float32)
    assert float(alone.norm()) > 0
    # Float32 (transformers takes its softmax in it whatever it is given), and another order of sums.
    torch.testing.assert_close(gradients, alone, rtol=1e-4, atol=1e-6)


@needs_transformers
def test_the_start_follows_from_the_seed_by_gpt_s_law():
    model, vector = tiny()
    assert torch.equal(vector, tiny()[1])
    assert not torch.equal(vector, tiny(1)[1])
    embedding = vector[: 12 * 8]
    assert float(embedding.std()) == pytest.approx(0.02, rel=0.3)  # 96 draws
    assert cost(model).flops > 0


@needs_transformers
def test_weights_come_from_a_local_folder_and_only_the_classifier_is_drawn(tmp_path):
    from transformers import GPTNeoXConfig, GPTNeoXModel

    saved = GPTNeoXModel(GPTNeoXConfig(**TINY))
    saved.save_pretrained(tmp_path)
    model, vector = make_model("pythia", TEXT, 0, path=tmp_path)
    weights = torch.nn.utils.parameters_to_vector(saved.parameters()).detach()
    assert torch.equal(vector[: len(weights)], weights)
    other = make_model("pythia", TEXT, 1, path=tmp_path)[1]
    assert torch.equal(other[: len(weights)], weights)
    assert not torch.equal(other[len(weights) :], vector[len(weights) :])
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6]])
    states = saved.eval()(input_ids=tokens).last_hidden_state[:, -1].detach()
    torch.testing.assert_close(model.logits(vector, tokens), states @ vector[len(weights) :].view(4, 8).T)


@needs_transformers
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Tokens(11, TEXT.vocabulary, 4), r"pythia\(length=11, n_classes=4\): both must be >= 1, length <= 10"),
        (Tokens(6, TEXT.vocabulary, 0), "n_classes=0"),
        (Tokens(6, tuple(map(str, range(13))), 4), "the data set has 13 tokens, the embedding 12 rows"),
    ],
)
def test_texts_that_do_not_fit_are_named(data, message):
    with pytest.raises(ValueError, match=message):
        make_model("pythia", data, 0, settings=TINY)


@needs_transformers
def test_folders_that_hold_no_pythia_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"no config.json there; expected a folder saved by transformers"):
        tiny(path=tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ValueError, match="model_type='gpt2'; expected 'gpt_neox'"):
        tiny(path=tmp_path)
