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

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.config.config import RunConfig
    from deep.config.settings import Settings, read_layer, resolve, to_toml
    from deep.data import DATASETS, read_parts
    from deep.metrics import TensorBoardWriter, read_rounds, round_quantities, rounds_of, summarise
    from deep.models import MODELS, make_model
    from deep.partition import make_cohort, make_target
    from deep.runs.engine import run
    from deep.runs.estimate import estimate
    from deep.storage.record import DeepRun, RoundRecord

__all__ = [
    "DATASETS",
    "MODELS",
    "DeepRun",
    "RoundRecord",
    "RunConfig",
    "Settings",
    "TensorBoardWriter",
    "estimate",
    "make_cohort",
    "make_model",
    "make_target",
    "read_layer",
    "read_parts",
    "read_rounds",
    "resolve",
    "round_quantities",
    "rounds_of",
    "run",
    "summarise",
    "to_toml",
]

__getattr__ = lazily(__name__, __file__)
