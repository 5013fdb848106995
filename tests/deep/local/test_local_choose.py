from __future__ import annotations

import os
import platform
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from deep.local import Client, LocalBatches, train_dense, train_in_turn, train_together, trainer_for
from deep.models import make_model

CPU, CUDA = torch.device("cpu"), torch.device("cuda")
COLOURS = SimpleNamespace(image_shape=(3, 8, 8), n_classes=4)
CLIENTS = [Client(k, torch.arange(4), torch.zeros(4, dtype=torch.int64)) for k in range(2)]
EVEN, RAGGED = (
    [LocalBatches(np.zeros((1, n), dtype=np.int64), np.array([n])) for n in sizes] for sizes in ([2, 2], [2, 3])
)


@pytest.mark.parametrize(
    ("choice", "name", "device", "batches", "expected"),
    [
        ("in-turn", "mlp", CPU, EVEN, train_in_turn),
        ("in-turn", "small-cnn", CUDA, EVEN, train_in_turn),
        ("together", "mlp", CPU, RAGGED, train_dense),
        ("together", "small-cnn", CPU, RAGGED, train_together),
        ("together", "resnet-20", CPU, RAGGED, train_together),
        ("auto", "softmax-regression", CPU, RAGGED, train_dense),
        ("auto", "linear-regression", CPU, EVEN, train_dense),
        ("auto", "mlp", CUDA, RAGGED, train_dense),
        ("auto", "small-cnn", CPU, EVEN, train_in_turn),
        ("auto", "small-cnn", CUDA, RAGGED, train_together),
        ("auto", "resnet-20", CPU, EVEN, train_in_turn),
        ("auto", "resnet-20", CUDA, EVEN, train_together),
        ("auto", "resnet-20", CUDA, RAGGED, train_together),
    ],
)
def test_the_trainer_of_a_round(choice, name, device, batches, expected):
    assert trainer_for(choice, make_model(name, COLOURS, 0)[0], device, CLIENTS, batches) is expected


def test_padding_that_would_enter_statistics_is_avoided(monkeypatch):
    model = make_model("resnet-20", COLOURS, 0, norm="batch")[0]
    assert trainer_for("auto", model, CUDA, CLIENTS, RAGGED) is train_together
    monkeypatch.setattr("deep.local.choose.pads", lambda *_: False)
    assert trainer_for("auto", model, CUDA, CLIENTS, RAGGED) is train_in_turn
    assert trainer_for("auto", model, CUDA, CLIENTS, EVEN) is train_together


def test_one_client_alone_is_a_graph_on_a_gpu_and_in_turn_elsewhere():
    model = make_model("small-cnn", COLOURS, 0)[0]
    assert trainer_for("auto", model, CUDA, CLIENTS[:1], EVEN[:1]) is train_together
    assert trainer_for("auto", model, CUDA, CLIENTS[:1], EVEN[:1], compiled=True).func is train_in_turn
    assert trainer_for("auto", model, CPU, CLIENTS[:1], EVEN[:1]) is train_in_turn


def test_an_unknown_choice():
    model = make_model("mlp", COLOURS, 0)[0]
    with pytest.raises(ValueError, match=r"trainer_for\('fast'\): must be one of auto, in-turn, together"):
        trainer_for("fast", model, CPU, CLIENTS, EVEN)


FAULTS = """
import resource, torch
from deep.local.memory import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [torch.empty(2 * 2**20, dtype=torch.uint8).fill_(1) for _ in range(25)]
    del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
print(*[faults() for _ in range(16)])
"""


@pytest.mark.skipif(
    sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="the rule is that of glibc's malloc"
)
def test_freed_memory_does_not_come_back_page_by_page():
    # A process of its own: what other tests freed has moved this one's thresholds already; and Dask, where its workers
    # were started here, has set MALLOC_TRIM_THRESHOLD_, which stands.
    clear = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    run = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True, env=clear)
    first, second, *later = map(int, run.stdout.split())
    # The first time every page is new. glibc's own rule begins to learn at the first block that is freed: without ours
    # all of them come back once more. Where the heap ends decides how many find a place at once: up to 3,600 pages of
    # 12,800 were new again, measured.
    assert second < first / 2
    assert min(later) < first / 100
