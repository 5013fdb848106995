"""Exp-α's published tables: what each CSV must look like, and its printed numbers by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation.statement.printed import Quantity, number
from validation.statement.published import Schema, Table, load_table

__all__ = [
    "FLIPPED",
    "FLIPPED_FULL",
    "FOLDER",
    "IID",
    "IMBALANCED",
    "IMBALANCED_FULL",
    "SCHEMAS",
    "printed",
    "spread_of",
    "stated",
    "table",
]

IMBALANCED, IMBALANCED_FULL = "table01_imbalanced_cifar", "table10_imbalanced_cifar_std"
FLIPPED, FLIPPED_FULL = "table02_flipped_cifar", "table12_flipped_cifar_std"
IID = "table11_iid_cifar"

FOLDER = Path(__file__).parent / "published"

_COMMON = (
    "table dataset backbone strategy E:count alpha:maybe metric round_t:count domain value:value std:interval unit "
    "direction n_runs:count note"
)
_RUNS = Schema.of(_COMMON, key="dataset backbone strategy E alpha metric domain", interval="std")
_SWEEP = Schema.of(
    "table dataset backbone strategy E:count alpha:maybe imbalance_ratio:maybe metric value:value std:interval unit "
    "direction note",
    key="E alpha imbalance_ratio",
    interval="std",
)
_SPLITS = Schema.of("table dataset domain split value:value unit note", key="dataset domain split")
SCHEMAS = {
    **dict.fromkeys(
        (
            "table01_imbalanced_cifar",
            "table02_flipped_cifar",
            "table03_domain_shift",
            "table10_imbalanced_cifar_std",
            "table11_iid_cifar",
            "table12_flipped_cifar_std",
            "table13_alpha_domain_shift",
        ),
        _RUNS,
    ),
    "table04_implementation": Schema.of(
        "table dataset architecture optimizer learning_rate:maybe batch_size:count steps_per_epoch:count "
        "momentum:maybe weight_decay:maybe lr_schedule note",
        key="dataset",
    ),
    "table05_splits_office": _SPLITS,
    "table06_splits_domainnet": _SPLITS,
    "table07_splits_digits": _SPLITS,
    "prose_splits_cifar10": _SPLITS,
    "table08_alpha_by_local_steps": _SWEEP,
    "table09_alpha_by_imbalance": _SWEEP,
    "claims_in_prose": Schema.of("id section claim kind tables scope check tolerance note", key="id"),
    "stated": Schema.of("id name value:value unit source note", key="id name"),
}


@cache
def table(name: str) -> Table:
    """A published table, typed and checked."""
    return load_table(FOLDER / f"{name}.csv", SCHEMAS[name])


def printed(name: str, column: str = "value", **where: str) -> Quantity:
    """The printed number of one row."""
    return number(table(name).printed(column, **where))


def spread_of(name: str, **where: str) -> Quantity:
    """The printed standard deviation of one row."""
    return number(table(name).printed("std", **where))


def stated(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))
