"""The deep side: real federated training with the aggregation rules of `theory`.

`run(RunConfig(...), rule)` splits a real data set among clients by any partition of `PARTITIONS`, trains a
model with local SGD on PyTorch, lets the rule weight the updates, and returns a `DeepRun` with one plain
`RoundRecord` per round.
Runs that differ only in their rule share partition, cohorts, batches and initial weights; a run given a folder can
be stopped at any moment and resumed to the same numbers.
"""

from __future__ import annotations

from deep.config import RunConfig
from deep.data import (
    DATASETS,
    SPLITS,
    Dataset,
    RegressionDataset,
    Split,
    TokenDataset,
    digits,
    make_dataset,
    make_split,
    official_split,
    read_parts,
    split,
)
from deep.engine import run
from deep.models import MODELS, Model, SmallCNN, SoftmaxRegression, make_model, n_parameters
from deep.partition import (
    COHORTS,
    PARTITIONS,
    TARGETS,
    describe,
    dirichlet_partition,
    divide,
    division_svg,
    make_cohort,
    make_partition,
    make_target,
    partition_counts,
)
from deep.record import DeepRun, RoundRecord

__all__ = [
    "COHORTS",
    "DATASETS",
    "MODELS",
    "PARTITIONS",
    "SPLITS",
    "TARGETS",
    "Dataset",
    "DeepRun",
    "Model",
    "RegressionDataset",
    "RoundRecord",
    "RunConfig",
    "SmallCNN",
    "SoftmaxRegression",
    "Split",
    "TokenDataset",
    "describe",
    "digits",
    "dirichlet_partition",
    "divide",
    "division_svg",
    "make_cohort",
    "make_dataset",
    "make_model",
    "make_partition",
    "make_split",
    "make_target",
    "n_parameters",
    "official_split",
    "partition_counts",
    "read_parts",
    "run",
    "split",
]
