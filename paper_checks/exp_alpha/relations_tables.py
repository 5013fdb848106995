"""Exp-α's published tables: what each CSV must look like, its printed numbers by row, and Exp-α beside proportional."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from validation import Comparison, Table, load_table
from validation.published.relations import Quantity, below, number, significant, total
from validation.published.tables import Schema

__all__ = [
    "BY_ALPHA",
    "BY_IMBALANCE",
    "BY_STEPS",
    "FLIPPED",
    "FLIPPED_FULL",
    "FOLDER",
    "IID",
    "IMBALANCED",
    "IMBALANCED_FULL",
    "SCHEMAS",
    "SHIFT",
    "SPLITS",
    "Comparisons",
    "better",
    "better_beyond",
    "in_text",
    "pairs",
    "printed",
    "table",
    "variance_of",
]

IMBALANCED, IMBALANCED_FULL = "table01_imbalanced_cifar", "table10_imbalanced_cifar_std"
FLIPPED, FLIPPED_FULL = "table02_flipped_cifar", "table12_flipped_cifar_std"
IID = "table11_iid_cifar"
BY_STEPS, BY_IMBALANCE = "table08_alpha_by_local_steps", "table09_alpha_by_imbalance"
SHIFT, BY_ALPHA = "table03_domain_shift", "table13_alpha_domain_shift"
SPLITS = ("table05_splits_office", "table06_splits_domainnet", "table07_splits_digits")

FOLDER = Path(__file__).parent / "published"

_COMMON = (
    "table dataset backbone strategy E:count alpha:maybe metric round_t:count domain value:value std:interval unit "
)
_COMMON += "direction n_runs:count note"
_SWEPT = (
    "table dataset backbone strategy E:count alpha:maybe imbalance_ratio:maybe metric value:value std:interval unit "
)
_SWEPT += "direction note"
_USED = "table dataset architecture optimizer learning_rate:maybe batch_size:count steps_per_epoch:count "
_USED += "momentum:maybe weight_decay:maybe lr_schedule note"
_RUNS = Schema.of(_COMMON, key="dataset backbone strategy E alpha metric domain", interval="std")
_SWEEP = Schema.of(_SWEPT, key="E alpha imbalance_ratio", interval="std")
_SPLITS = Schema.of("table dataset domain split value:value unit note", key="dataset domain split")
_PROSE = Schema.of("id section claim kind tables scope check tolerance note", key="id")
SCHEMAS = {"table04_implementation": Schema.of(_USED, key="dataset"), "claims_in_prose": _PROSE}
SCHEMAS |= {"stated": Schema.of("id name value:value unit source note", key="id name")}
SCHEMAS |= dict.fromkeys((IMBALANCED, FLIPPED, SHIFT, IMBALANCED_FULL, IID, FLIPPED_FULL, BY_ALPHA), _RUNS)
SCHEMAS |= dict.fromkeys((*SPLITS, "prose_splits_cifar10"), _SPLITS)
SCHEMAS |= dict.fromkeys((BY_STEPS, BY_IMBALANCE), _SWEEP)


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


def in_text(claim: str, name: str) -> Quantity:
    """A number stated in the text."""
    return number(table("stated").printed(id=claim, name=name))


Comparisons = tuple[Comparison, ...]


def pairs(name: str, **where: str) -> list[tuple[Quantity, Quantity, dict[str, str]]]:
    """(worse, better, place) as if Exp-α were better: its rounds the fewer, its accuracies the higher."""
    found = []
    for row in table(name).rows:
        if row["strategy"] != "exp_alpha" or any(row[k] != v for k, v in where.items()):
            continue
        place = {k: row[k] for k in ("dataset", "backbone", "E", "metric", "domain")}
        ours, theirs = (printed(name, strategy=s, **place) for s in ("exp_alpha", "proportional"))
        found.append((theirs, ours, place) if row["direction"] == "higher" else (ours, theirs, place))
    return found


def better(name: str, **where: str) -> Comparisons:
    """Exp-α better in every pair."""
    return tuple(below(worse, best) for worse, best, _ in pairs(name, **where))


def variance_of(name: str, place: Mapping[str, str]) -> Quantity:
    """The squared standard error of the difference of two means of three independent runs each."""
    spreads = [spread_of(name, strategy=s, **place) for s in ("exp_alpha", "proportional")]
    return total(s * s for s in spreads) / in_text("EA-P24", "runs")


def better_beyond(name: str, z: str = "2", **where: str) -> Comparisons:
    """Better by more than z standard errors of three independent runs each."""
    return tuple(significant(a, b, variance_of(name, place), z=z) for a, b, place in pairs(name, **where))
