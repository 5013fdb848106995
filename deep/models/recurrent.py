"""Two-layer LSTMs on characters and on words: torch's own kernel, or written out in operations that vmap knows."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch._C._functorch import is_functorch_wrapped_tensor

__all__ = ["LSTM", "CharacterLSTM", "WordLSTM"]


class LSTM(nn.Module):
    """One layer of torch.nn.LSTM, same parameters in the same order.

    On a CPU by torch's own kernel, which keeps a step's products together: measured 2 to 3.5 times as fast as the loop
    over time, to rounding the same numbers. It has no rule for vmap over weights, nor for rounded products: there, on
    other devices and through `torch.compile` the loop. Inputs (n, length, n_inputs), outputs (n, length, hidden); the
    state starts at 0.
    """

    def __init__(self, n_inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden, n_inputs))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden, hidden))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden))
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden))

    def forward(self, inputs: Tensor) -> Tensor:
        """The state after each token, (n, length, hidden)."""
        weights: list[Tensor] = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        if _has_kernel(inputs, *weights):
            begun = inputs.new_zeros(1, inputs.shape[0], self.hidden)
            how = (True, 1, 0.0, torch.is_grad_enabled(), False, True)
            return torch.lstm(inputs, (begun, begun), weights, *how)[0]
        driven = inputs @ self.weight_ih.T + (self.bias_ih + self.bias_hh)
        state = cell = inputs.new_zeros(inputs.shape[0], self.hidden)
        states = []
        for now in driven.unbind(1):
            admit, forget, candidate, emit = (now + state @ self.weight_hh.T).chunk(4, dim=1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(admit) * torch.tanh(candidate)
            state = torch.sigmoid(emit) * torch.tanh(cell)
            states.append(state)
        return torch.stack(states, dim=1)


def _has_kernel(*tensors: Tensor) -> bool:
    """Whether torch's own kernel takes these as they are."""
    if torch.compiler.is_compiling() or tensors[0].device.type != "cpu" or torch.is_autocast_enabled("cpu"):
        return False
    return len(tensors[0]) > 0 and not any(map(is_functorch_wrapped_tensor, tensors))


class CharacterLSTM(nn.Module):
    """Embedding, two LSTM layers, one score per character.

    Source: efl, A.3 (Shakespeare): "embeds each of these into a learned 8 dimensional space … 2 LSTM layers, each with
    256 nodes … softmax output layer with one node per character" (McMahan et al. 2017's model).
    Tokens int64 (n, length). Scores of the token after the last one, (n, n_characters); with `every_position` after
    each one, (n, length, n_characters). The paper trains "after reading each character", its data (LEAF) has one label
    for 80 characters: the data set decides.
    """

    def __init__(
        self, n_characters: int, n_classes: int, every_position: bool = False, embedded: int = 8, hidden: int = 256
    ) -> None:
        super().__init__()
        self.every_position = every_position
        self.embedding = nn.Embedding(n_characters, embedded)
        self.first = LSTM(embedded, hidden)
        self.second = LSTM(hidden, hidden)
        self.scores = nn.Linear(hidden, n_classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores before the softmax."""
        states = self.second(self.first(self.embedding(tokens)))
        return self.scores(states if self.every_position else states[:, -1])  # type: ignore[no-any-return]


class WordLSTM(nn.Module):
    """Fixed word vectors, two LSTM layers, one linear layer on the last state.

    Source: efl, A.3 (Sentiment140): "25-word sequence and embeds each word into a 300-dimensional space using Glove …
    two LSTM layers and one densely-connected layer". The width is not printed: 256, that of Shakespeare and of
    FedProx's model for the same data. The word vectors stay as they are (so in LEAF and FedProx): they are a constant
    named "table", (n_words, n_dimensions), and no part of the vector. Tokens int64 (n, length), shorter texts padded:
    the last state is the one after the padding, as in LEAF.
    """

    def __init__(self, n_words: int, n_dimensions: int, n_classes: int, hidden: int = 256) -> None:
        super().__init__()
        self.register_buffer("table", torch.empty(n_words, n_dimensions))
        self.table: Tensor
        self.first = LSTM(n_dimensions, hidden)
        self.second = LSTM(hidden, hidden)
        self.scores = nn.Linear(hidden, n_classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        return self.scores(self.second(self.first(self.table[tokens]))[:, -1])  # type: ignore[no-any-return]
