"""Local steps through torch.compile against plain ones: seconds of a client's step, and of compiling.

`python -m tests.benchmarks.compiled [MODEL …]` prints as it goes; processor seconds of one thread. Compiling is timed
by the clock, in a cache of its own, since compilers are processes of their own.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import torch

from deep.local import Trainer, train_dense, train_in_turn, train_together
from tests.benchmarks.contestants import Round, ours

MODELS = ("mlp", "small-cnn", "resnet-20(norm=running)")
STEPS, CLIENTS, PASSES = 6, 10, 5


def measure(model: str, size: int) -> None:
    """Prints milliseconds a client and step of each way."""
    task = Round(model, size, CLIENTS, STEPS * size, CLIENTS)
    ways: dict[str, Trainer] = {
        "as it is": train_dense if model == "mlp" else train_in_turn,
        "compiled, in turn": partial(train_in_turn, compiled=True),
    }
    if not model.startswith("resnet"):  # compiles for minutes
        ways["compiled, together"] = partial(train_together, compiled=True)
    found = {}
    for name, trainer in ways.items():
        run = ours(task, trainer)
        began = perf_counter()
        found[name] = run()
        first = perf_counter() - began
        seconds = []
        for _ in range(PASSES):
            began = process_time()
            run()
            seconds.append((process_time() - began) / (CLIENTS * STEPS))
        apart = float((found[name] - found["as it is"]).abs().max())
        print(
            f"{model:24} batch {size:3}  {name:19} {1000 * min(seconds):7.3f} ms a step, first call {first:5.1f} s,"
            f" away from the plain one by {apart:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    torch.set_num_threads(1)
    with TemporaryDirectory() as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        for model in sys.argv[1:] or MODELS:
            for size in (10, 64):
                torch.compiler.reset()
                measure(model, size)
