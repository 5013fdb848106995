"""Statements of the papers decided over whole classes: every client's function of its class, in every dimension.

Beside the search, which draws functions, stands here what is so for all of them: at the sizes and constants of each
entry. `proved` and `refuted` are exact (`validation.decide_class`). A statement that is refuted here is refuted as
posed, each line alone; no verdict of the ledgers is derived from it.

    python -m paper_checks.over_classes           # decide all, write classes.json beside each ledger
    python -m paper_checks.over_classes EA-L1     # scripts of one claim, which need Python alone
"""

from __future__ import annotations

from collections.abc import Sequence

from paper_checks.over_classes.drifts import DRIFTS
from paper_checks.over_classes.functions import FUNCTIONS
from paper_checks.over_classes.instances import OverClass
from paper_checks.over_classes.left_out import LEFT_OUT
from paper_checks.over_classes.rounds import ROUNDS

__all__ = ["LEFT_OUT", "OVER_CLASSES", "OverClass"]

OVER_CLASSES: Sequence[OverClass] = (*FUNCTIONS, *ROUNDS, *DRIFTS)
