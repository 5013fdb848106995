"""What a run leaves behind, and the columns it is written in while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from theory.algorithms.round import Memory
from theory.base.arrays import Array, stacked_rows
from theory.simulate.local_steps.work import LocalWork

__all__ = ["RECORDS", "Trajectory"]


RECORDS = (
    "models",
    "weights",
    "losses",
    "updates",
    "virtual",
    "step_losses",
    "gradients",
    "judged",
    "traffic",
    "drift",
)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What a run leaves behind; rounds or steps on the first axis, then the batch axes. Not recorded: None.

    `final` w after the last step: (*batch, dim); `diverged` the first round whose result was not finite or beyond
    1e100, −1 if none: (*batch,); such an element is frozen at its last finite model.
    "models": `models` w at the start of each round and after the last, (n_rounds + 1, *batch, dim).
    "weights": `weights`, `present` and `share`, (n_rounds, *batch, n_clients).
    "losses": `loss_before`, `loss_after`, (n_rounds, *batch, n_clients), as the rule saw them.
    "updates": `updates` wₖ − w, (n_rounds, *batch, n_clients, dim).
    "virtual": `virtual` w̄ₜ = Σ aₖ wₖ,ₜ at every step, (n_steps + 1, *batch, dim); `spread` Σ aₖ‖wₖ,ₜ − w̄ₜ‖² before
    each step, (n_steps, *batch).
    "traffic": `bits_down`, `bits_up` of each client, what goes beside model and update included, 0 for absent ones,
    (n_rounds, *batch, n_clients); of runs with a client or server algorithm.
    "drift": `drift` max |wₖ − w| of the models that clients start from and the server's, 0 for absent clients,
    (n_rounds, *batch, n_clients).
    `memory`: what the method carries after the last round, None without a client or server algorithm.
    "step_losses": `step_losses` Fₖ(w̄ₜ) at every step, (n_steps + 1, *batch, n_clients).
    "gradients": `gradients` ‖∇Fₖ(wₖ,ₜ)‖² before each step, (n_steps, *batch, n_clients), 0 for absent clients.
    "judged": `judged`, the model each client is judged by after each round, the server's unless `Client.judges` says
    otherwise, (n_rounds, *batch, n_clients, dim), and `judged_losses`, Fₖ of it, (n_rounds, *batch, n_clients).
    """

    final: Any
    diverged: Any
    models: Any = None
    weights: Any = None
    present: Any = None
    share: Any = None
    loss_before: Any = None
    loss_after: Any = None
    updates: Any = None
    virtual: Any = None
    spread: Any = None
    step_losses: Any = None
    gradients: Any = None
    judged: Any = None
    judged_losses: Any = None
    bits_down: Any = None
    bits_up: Any = None
    drift: Any = None
    memory: Memory | None = None


@dataclass
class _Log:
    """Columns that grow by one row a round (or a step); turned into a Trajectory at the end, or shown and forgotten."""

    record: frozenset[str]
    observe: Callable[[int, Mapping[str, Any]], None] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    current: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, **values: Any) -> None:
        if kind not in self.record:
            return
        if self.observe is not None:
            self.current.update(values)
            return
        for name, value in values.items():
            self.columns.setdefault(name, []).append(value)

    def close_round(self, r: int) -> None:
        if self.observe is not None:
            self.observe(r, self.current)
            self.current = {}


def _trajectory(xp: Any, log: _Log, work: LocalWork, model: Array, diverged: Any, memory: Memory | None) -> Trajectory:
    """The columns of a run, closed with its last `model` (*batch, dim) and stacked, rounds or steps first."""
    if log.observe is not None:
        return Trajectory(final=model, diverged=diverged, memory=memory)
    log.add("models", models=model)
    log.add("virtual", virtual=model[None])
    if "step_losses" in log.record:
        log.add("step_losses", step_losses=work.losses_at(model)[None])
    by_step = {"virtual", "spread", "step_losses", "gradients"}
    stacked = {n: xp.concat(values) if n in by_step else stacked_rows(values) for n, values in log.columns.items()}
    return Trajectory(final=model, diverged=diverged, memory=memory, **stacked)
