"""The deep side: real federated training with the aggregation rules of `theory`.

`run(RunConfig(...), rule)` splits a real data set among clients by any partition of `PARTITIONS`, trains a
model with local SGD on PyTorch, lets the rule weight the updates, and returns a `DeepRun` with one plain
`RoundRecord` per round.
Runs that differ only in their rule share partition, cohorts, batches and initial weights; a run given a folder can
be stopped at any moment and resumed to the same numbers. `estimate` says beforehand what it would take, `summarise` and
`outcome` afterwards what it came to; `to_toml`, and `resolve` of a `read_layer`, write and read configurations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.lazily import lazily

if TYPE_CHECKING:
    from deep.config import RunConfig
    from deep.data import (
        DATASETS,
        SPLITS,
        Dataset,
        RegressionDataset,
        Split,
        TokenDataset,
        Views,
        digits,
        make_dataset,
        make_split,
        official_split,
        read_parts,
        split,
        view,
    )
    from deep.engine import run
    from deep.estimate import Estimate, estimate
    from deep.metrics import (
        Summary,
        TensorBoardWriter,
        clients_table,
        read_clients,
        read_rounds,
        round_quantities,
        rounds_of,
        rounds_table,
        run_quantities,
        summarise,
    )
    from deep.models import MODELS, Model, SmallCNN, SoftmaxRegression, check_model, make_model, n_parameters
    from deep.outcome import outcome
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
    from deep.settings import Settings, read_layer, resolve, to_toml

__all__ = [
    "COHORTS",
    "DATASETS",
    "MODELS",
    "PARTITIONS",
    "SPLITS",
    "TARGETS",
    "Dataset",
    "DeepRun",
    "Estimate",
    "Model",
    "RegressionDataset",
    "RoundRecord",
    "RunConfig",
    "Settings",
    "SmallCNN",
    "SoftmaxRegression",
    "Split",
    "Summary",
    "TensorBoardWriter",
    "TokenDataset",
    "Views",
    "check_model",
    "clients_table",
    "describe",
    "digits",
    "dirichlet_partition",
    "divide",
    "division_svg",
    "estimate",
    "make_cohort",
    "make_dataset",
    "make_model",
    "make_partition",
    "make_split",
    "make_target",
    "n_parameters",
    "official_split",
    "outcome",
    "partition_counts",
    "read_clients",
    "read_layer",
    "read_parts",
    "read_rounds",
    "resolve",
    "round_quantities",
    "rounds_of",
    "rounds_table",
    "run",
    "run_quantities",
    "split",
    "summarise",
    "to_toml",
    "view",
]

__getattr__ = lazily(__name__, __file__)
