"""What a deep run leaves behind, in plain Python numbers: one record a round, and the run around them."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from deep.base.floor import Floor
from deep.base.lazy import is_installed, torch
from deep.base.slots import Slots
from deep.config.config import RunConfig
from theory.rules.protocol import MemoryRule, Rule

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["TIMES", "DeepRun", "Json", "RoundRecord", "Status", "describe_rule", "provenance", "untimed"]

Json = dict[str, object]
TIMES = ("seconds", "seconds_of")
Status = Literal["completed", "diverged"]


@dataclass(frozen=True)
class RoundRecord:
    """One round; lists have one entry per client slot, losses are means over a client's training samples plus
    (l2/2)‖w‖².

    `clients`: the numbers of the clients in the slots; `kinds`: what each is in a word («ratio=0.01», «flipped=1»), or
    "". A fixed population has the same in every round. `share` pₖ, `present`, `weights` aₖ, `local_steps` finished,
    `planned_steps` of each, absent ones included, `effective_steps` τₖ of those finished (see `theory.RoundStats`).
    `loss_before` Fₖ(w) of the broadcast model, `client_accuracy` on the same samples; `loss_after` Fₖ(wₖ), equal to
    `loss_before` for absent clients; `loss_best`, what stood for Fₖ* (see `deep.base.floor`). None where
    `RunConfig.losses` did not ask for it.
    `gram`: ⟨uᵢ, uⱼ⟩ of what the server receives of the clients present alone, in the order of their slots: uₖ = wₖ − w,
    or what is left of it where messages are compressed.
    `train_loss`: Σ pₖ Fₖ(w) of the broadcast model, None unless all losses are known.
    `validation_loss`, `validation_accuracy`, `test_loss`, `test_accuracy`, and `group_accuracy` of the test samples by
    the name of their group (such as a domain), empty without groups: of the new model; None, and empty, in rounds
    without evaluation. With local normalisation there is no one model: see `deep.task.evaluation`.
    `target_loss`, `target_accuracy`: on the test samples as each of several targets weights them, by its words, else
    empty. `client_test_loss`, `client_test_accuracy`: of the new model on what each client held out, empty where
    nothing is, and in rounds without evaluation.
    `judged`: the model each client is judged by, in words, where that is not the server's; validation and test numbers
    are then means over the clients' models, each on all of those samples, or on those of its own group (as with local
    normalisation), `client_test_…` those of each client's model on what it held out itself, and `server_test_accuracy`
    that of the server's model on the test samples; else "" and None.
    `reported`: what the server optimiser has to say of its step, by name, finite numbers alone. ×AWARE:
    "aware_memory", numbers it remembers, vectors of the clients seen so far and, where memory is kept by rows
    (`deep.aware_memory.rows`), their inner products; with `watch` "watched_memory", the same of the full direction kept
    beside it, and "aware_angle", of its d to that one, degrees. Servers without a say have an empty one.
    `update_norm`: ‖server_lr · Σ aₖ vₖ‖, vₖ the vectors the rule combines (the updates, unless it has a memory).
    `bytes_down`, `bytes_up`: model and running statistics to and from every client present, and what a client algorithm
    sends beside them; a compressed message counts as it is coded. `bytes_beside_down`, `bytes_beside_up`: the part of
    these that goes beside model and update, such as control variates or Fisher sums.
    `seconds`: wall-clock time; `seconds_of`: its parts, by what was done. No two runs share these two fields, all
    others are the same in identical runs.
    """

    round: int
    clients: Sequence[int]
    kinds: Sequence[str]
    share: Sequence[float]
    present: Sequence[bool]
    weights: Sequence[float]
    local_steps: Sequence[int]
    loss_before: Sequence[float | None]
    loss_after: Sequence[float | None]
    loss_best: Sequence[float | None]
    client_accuracy: Sequence[float | None]
    gram: list[list[float]]
    train_loss: float | None
    validation_loss: float | None
    validation_accuracy: float | None
    test_loss: float | None
    test_accuracy: float | None
    group_accuracy: dict[str, float]
    update_norm: float
    bytes_down: int
    bytes_up: int
    seconds: float
    seconds_of: dict[str, float]
    planned_steps: Sequence[int]
    effective_steps: Sequence[float]
    target_loss: dict[str, float] = field(default_factory=dict)
    target_accuracy: dict[str, float] = field(default_factory=dict)
    client_test_loss: list[float | None] = field(default_factory=list)
    client_test_accuracy: list[float | None] = field(default_factory=list)
    judged: str = ""
    server_test_accuracy: float | None = None
    reported: dict[str, float] = field(default_factory=dict)
    bytes_beside_down: int = 0
    bytes_beside_up: int = 0

    def columns(self) -> Json:
        """Every field by name, as it is: long lists may be thin (`deep.base.slots`)."""
        return dict(vars(self))

    def to_dict(self) -> Json:
        """Ready for `json.dumps`."""
        return {name: value.tolist() if isinstance(value, Slots) else value for name, value in self.columns().items()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> RoundRecord:
        """The record that `to_dict` wrote; `KeyError`, `TypeError` or `ValueError` for anything else."""
        record, n_present = cls(**plain), sum(plain["present"])
        if [len(row) for row in record.gram] != [n_present] * n_present:
            raise ValueError(f"RoundRecord.from_dict(gram=…): not {n_present} rows of {n_present}, the clients present")
        return record


def untimed(plain: Json) -> Json:
    """A record's dictionary without the fields that no two runs share."""
    return {name: value for name, value in plain.items() if name not in TIMES}


@dataclass(frozen=True, eq=False)
class DeepRun:
    """A run: what was asked for, every round's record, how it ended, and where it came from.

    `rule`, `rule_settings`: class and fields of the aggregation rule.
    `partition_counts`: training samples per client and class, of the first round's clients where they are made anew.
    `model`: the last finite model, a vector; `buffers`: its running statistics, or each client's own. Of a
    simulated family both are NumPy arrays where there is no torch.
    `status`: "completed", or "diverged" when a loss or the model stopped being finite; the round in which that
    happened leaves no record. `floor`: what stood for Fₖ* (`deep.base.floor`). `provenance`: seed, config, device,
    threads, versions, git commit. `history`: of a run with a folder its files, read a round at a time
    (`deep.storage.history`).
    """

    config: RunConfig
    rule: str
    rule_settings: Json
    partition_counts: list[list[int]]
    history: Sequence[RoundRecord]
    status: Status
    floor: Floor
    model: Tensor
    buffers: Tensor
    provenance: Json

    @property
    def share(self) -> Sequence[float]:
        """pₖ of the first round's slots; empty without a round."""
        return self.history[0].share if self.history else []

    @property
    def best_round(self) -> int | None:
        """The round whose broadcast model had the lowest `train_loss`, the first of equals; None if none is known."""
        best = self._best()
        return None if best is None else best.round

    @property
    def best_model_losses(self) -> Sequence[float | None] | None:
        """Fₖ at the broadcast model of `best_round`, the estimate of Fₖ(w*); None without a round."""
        best = self._best()
        return None if best is None else best.loss_before

    def _best(self) -> RoundRecord | None:
        known = (record for record in self.history if record.train_loss is not None)
        return min(known, key=lambda record: record.train_loss or 0.0, default=None)

    def about(self) -> Json:
        """`to_dict` without the history."""
        plain: Json = {
            f.name: getattr(self, f.name) for f in fields(self) if f.name not in {"model", "buffers", "history"}
        }
        losses = self.best_model_losses
        return {
            **plain,
            "config": asdict(self.config),
            "floor": self.floor.to_dict(),
            "share": list(self.share),
            "best_round": self.best_round,
            "best_model_losses": None if losses is None else list(losses),
        }

    def to_dict(self) -> Json:
        """Everything but the model itself and the times, ready for `json.dumps`; the same for identical runs."""
        return {**self.about(), "history": [untimed(record.to_dict()) for record in self.history]}


def describe_rule(rule: Rule | MemoryRule) -> tuple[str, Json]:
    """Name and settings of a rule: class and fields of a dataclass, the qualified name of anything else."""
    if is_dataclass(rule) and not isinstance(rule, type):
        return type(rule).__qualname__, {f.name: _plain(getattr(rule, f.name)) for f in fields(rule)}
    return str(getattr(rule, "__qualname__", type(rule).__qualname__)), {}


def provenance(config: RunConfig, device: torch.device | str) -> Json:
    """Seed, config, device, versions and, when the package is run from its git checkout, the commit (else None).

    `threads` belongs here because torch sums in another order, hence rounds otherwise, with another number of them;
    without torch both are None.
    """
    there = is_installed()
    return {
        "seed": config.seed,
        "config": asdict(config),
        "device": str(device),
        "threads": torch.get_num_threads() if there else None,
        "python": platform.python_version(),
        "torch": torch.__version__ if there else None,
        "numpy": np.__version__,
        "git_commit": _git_commit(Path(__file__).parents[2]),
    }


def _git_commit(root: Path) -> str | None:
    """HEAD of the checkout at `root`, with "-dirty" after it when tracked files differ; None outside a checkout."""
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


def _plain(value: object) -> object:
    """`value` as JSON knows it; a dataclass keeps the name of its class, anything unknown becomes its repr."""
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {"class": type(value).__qualname__, **{f.name: _plain(getattr(value, f.name)) for f in fields(value)}}
    tolist = getattr(value, "tolist", None)  # of arrays and tensors
    if callable(tolist):
        return _plain(tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return repr(value)
