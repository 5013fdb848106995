"""The deep side: real federated training with the aggregation rules of `theory`.

`run(RunConfig(...), rule)` splits a real data set among clients with Dirichlet label skew, trains a model with local
SGD on PyTorch, lets the rule weight the updates, and returns a `DeepRun` with one plain `RoundRecord` per round.
Runs that differ only in their rule share partition, cohorts, batches and initial weights; a run given a folder can be
stopped at any moment and resumed to the same numbers.
"""

from __future__ import annotations

from deep.config import RunConfig
from deep.data import DATASETS, Dataset, Split, digits, make_dataset, split
from deep.engine import run
from deep.models import MODELS, Model, SmallCNN, SoftmaxRegression, make_model, n_parameters
from deep.partition import dirichlet_partition, partition_counts
from deep.record import DeepRun, RoundRecord

__all__ = [
    "DATASETS",
    "MODELS",
    "Dataset",
    "DeepRun",
    "Model",
    "RoundRecord",
    "RunConfig",
    "SmallCNN",
    "SoftmaxRegression",
    "Split",
    "digits",
    "dirichlet_partition",
    "make_dataset",
    "make_model",
    "n_parameters",
    "partition_counts",
    "run",
    "split",
]
