"""What a run says about itself: pure functions of its history of `RoundRecord`s.

`summarise` gives the numbers of the papers' tables, `round_quantities`, `run_quantities` and `client_quantities` what
theory measures, `rounds_table` and `clients_table` flat tables that `write_table` stores as Parquet or JSON, and
`TensorBoardWriter` is a callback that shows a run while it goes on.
"""

from __future__ import annotations

from deep.metrics.quantities import (
    CLIENT_QUANTITIES,
    ROUND_QUANTITIES,
    RUN_QUANTITIES,
    Quantity,
    client_quantities,
    round_quantities,
    run_quantities,
)
from deep.metrics.rounds import Rounds, rounds_of

__all__ = [
    "CLIENT_QUANTITIES",
    "ROUND_QUANTITIES",
    "RUN_QUANTITIES",
    "Quantity",
    "Rounds",
    "client_quantities",
    "round_quantities",
    "rounds_of",
    "run_quantities",
]
