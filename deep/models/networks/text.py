"""A GPT-NeoX (Pythia) text classifier through transformers, which the optional extra `text` installs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from deep.models.network import Network, build

__all__ = ["PYTHIA_70M", "GPTNeoXClassifier", "pythia"]

# Biderman et al. 2023, Table 1 and the published configuration of pythia-70m.
PYTHIA_70M: Mapping[str, int] = {
    "vocab_size": 50_304,
    "hidden_size": 512,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "intermediate_size": 2048,
    "max_position_embeddings": 2048,
}


class GPTNeoXClassifier(nn.Module):
    """GPT-NeoX, and a linear layer without bias on the state of the last token that is not padding.

    That head is transformers' own for sequence classification. Tokens int64 (n, length); `pad` is the token of the
    padding, on the right, None for no padding. A text that is all padding is read at its first position.
    """

    def __init__(self, config: Any, n_classes: int, pad: int | None) -> None:
        super().__init__()
        self.pad = pad
        self.backbone: nn.Module = import_module("transformers").GPTNeoXModel(config)
        self.scores = nn.Linear(config.hidden_size, n_classes, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        here = torch.ones_like(tokens) if self.pad is None else (tokens != self.pad).long()
        states = self.backbone(input_ids=tokens, attention_mask=here, use_cache=False).last_hidden_state
        last = (here * torch.arange(tokens.shape[1], device=tokens.device)).argmax(1)
        index = last[:, None, None].expand(-1, 1, states.shape[2])
        return self.scores(states.gather(1, index)[:, 0])  # type: ignore[no-any-return]


def pythia(
    length: int,
    n_classes: int,
    *,
    path: Path | str | None = None,
    pad: int | None = None,
    settings: Mapping[str, int] = PYTHIA_70M,
) -> Network:
    """Pythia as a classifier of texts of `length` tokens, with the law "gpt", or the weights in the folder `path`.

    Source: fedaware, Section 5: "fine-tune pretrained GPT2 model Pythia-70M … on AGNews" (it is a GPT-NeoX). With
    `path`, a folder as transformers saves it (config.json and weights), its configuration replaces `settings`, its
    weights are where a run starts, and only the classifier is drawn; nothing is ever downloaded. Tokens must be those
    of its tokenizer. Attention is the plain ("eager") one, which vmap understands; dropout is 0, as Pythia's.
    44,673,024 parameters at 4 classes: the published 70,426,624 without the 50,304 × 512 output layer.

    Raises `ValueError` when transformers is not installed, for counts < 1 or too long texts, for a folder without
    config.json, and for a configuration that is not GPT-NeoX.
    """
    if find_spec("transformers") is None:
        raise ValueError("pythia(): needs transformers; install it with pip install 'fedverdict[text]'")
    transformers = import_module("transformers")
    if path is not None and not (Path(path) / "config.json").is_file():
        raise ValueError(f"pythia(path={str(path)!r}): no config.json there; expected a folder saved by transformers")
    config = (
        transformers.GPTNeoXConfig(**settings)
        if path is None
        else transformers.AutoConfig.from_pretrained(path, local_files_only=True)
    )
    if config.model_type != "gpt_neox":
        raise ValueError(f"pythia(path={str(path)!r}): model_type={config.model_type!r}; expected 'gpt_neox'")
    if n_classes < 1 or not 1 <= length <= config.max_position_embeddings:
        raise ValueError(
            f"pythia(length={length}, n_classes={n_classes}): both must be >= 1, length <="
            f" {config.max_position_embeddings}, the positions this configuration knows"
        )
    config._attn_implementation = "eager"
    config.hidden_dropout = config.attention_dropout = 0.0
    module = build(lambda: GPTNeoXClassifier(config, n_classes, pad))
    # Frequencies of the rotary embedding: computed, not drawn, so this takes nothing from torch's generator.
    neox = import_module("transformers.models.gpt_neox.modeling_gpt_neox")
    frequencies = neox.GPTNeoXRotaryEmbedding(config).named_buffers()
    pretrained = {}
    if path is not None:
        loaded = transformers.GPTNeoXModel.from_pretrained(path, local_files_only=True, dtype=torch.float32)
        values = dict(loaded.named_parameters())
        position = 0
        for name, parameter in module.named_parameters():
            if name.startswith("backbone."):
                pretrained[position] = values[name.removeprefix("backbone.")].detach()
            position += parameter.numel()
    return Network(
        name="pythia",
        module=module,
        input_shape=(length,),
        input_dtype=torch.int64,
        law="gpt",
        constants={f"backbone.rotary_emb.{name}": value for name, value in frequencies},
        pretrained=pretrained,
    )
