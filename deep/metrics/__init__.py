"""What a run says about itself: pure functions of its history of `RoundRecord`s.

`summarise` gives the numbers of the papers' tables, `round_quantities`, `run_quantities` and `client_quantities` what
theory measures, `rounds_table` and `clients_table` flat tables that `write_table` stores as Parquet or JSON, and
`TensorBoardWriter`, `MLflowWriter` and `WandbWriter` are callbacks that show a run while it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.metrics.files import read_clients, read_rounds, read_table, write_table
    from deep.metrics.quantities import (
        CLIENT_QUANTITIES,
        ROUND_QUANTITIES,
        RUN_QUANTITIES,
        Quantity,
        client_quantities,
        round_quantities,
        run_quantities,
    )
    from deep.metrics.reached import Reached, reached
    from deep.metrics.rounds import Rounds, rounds_of
    from deep.metrics.scores import Score
    from deep.metrics.summary import ACC40, R60, ClientWeight, Summary, summarise
    from deep.metrics.tables import Table, about_run, clients_table, rounds_table
    from deep.metrics.trackers.mlflow_runs import MLflowWriter
    from deep.metrics.trackers.tensorboard import TensorBoardWriter
    from deep.metrics.trackers.wandb_runs import WandbWriter

__all__ = [
    "ACC40",
    "CLIENT_QUANTITIES",
    "R60",
    "ROUND_QUANTITIES",
    "RUN_QUANTITIES",
    "ClientWeight",
    "MLflowWriter",
    "Quantity",
    "Reached",
    "Rounds",
    "Score",
    "Summary",
    "Table",
    "TensorBoardWriter",
    "WandbWriter",
    "about_run",
    "client_quantities",
    "clients_table",
    "reached",
    "read_clients",
    "read_rounds",
    "read_table",
    "round_quantities",
    "rounds_of",
    "rounds_table",
    "run_quantities",
    "summarise",
    "write_table",
]

__getattr__ = lazily(__name__, __file__)
