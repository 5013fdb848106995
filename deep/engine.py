"""Federated rounds over a real data set with any aggregation rule of `theory`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path

import torch

from deep.algorithm import check_method, method_signals
from deep.config import RunConfig
from deep.folder import RunFolder, open_folder
from deep.outcome import write_outcome
from deep.partition import division_svg
from deep.record import DeepRun, Json, RoundRecord, Status, describe_rule, provenance
from deep.reference import floor_of, reference_for
from deep.round import first_state, play_round
from deep.rule_checks import check_rule
from deep.settings import to_toml
from deep.task import Task, make_task
from deep.workload import check_memory
from theory.rules.protocol import MemoryRule, Rule

__all__ = ["run", "run_files", "run_identity", "usable_device"]


def run(
    config: RunConfig,
    rule: Rule | MemoryRule,
    *,
    out: Path | str | None = None,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
    references: Path | str | None = None,
    on_round: Callable[[RoundRecord], None] | None = None,
) -> DeepRun:
    """w ← w + server_lr · Σ aₖ(wₖ − w), n_rounds times; wₖ is w after local SGD, the weights aₖ come from `rule`.

    Source: exp_alpha, Algorithm 1; robust_aggregation RA-ALG1; with `Proportional` and everyone present, FedAvg. What
    one round does, and what the rule sees of it, is in `deep.round`.

    With `out`, the folder holds what `deep.folder` lists; calling again with the same config, rule and device resumes
    from its last checkpoint, to the same numbers as an undisturbed run, bit for bit with the same versions and number
    of threads; where these changed, the provenance says so. With more rounds than before a run that has ended is
    continued; the round that was its last keeps its evaluation. `on_round` is called after each round, once it is on
    disk. A loss or a model that is not finite ends the run with status "diverged". One process at a time works on a
    folder.

    `references`: the folder where references are kept (`deep.reference`); a floor that is solved is solved there, or
    for this run alone without one, and a floor that was reached is read from it.
    `data_root`: the folder of data files, for data sets that are not bundled; where it lies changes no number.

    Raises `ValueError` for an unknown device, data files that are missing or damaged, a folder that belongs to
    another run, is in use or damaged, a partition or cohort that cannot be made, a rule that needs what the config does
    not measure, or weights that are not finite; with `out`, also for a rule that is not a dataclass.
    """
    where = usable_device(device)
    check_rule(config, rule)
    check_method(config, rule)
    if out is not None and not is_dataclass(rule):
        raise ValueError(f"run(rule={describe_rule(rule)[0]}, out=…): a rule that is to be resumed must be a dataclass")
    task = make_task(config, where, data_root, method_signals(config, rule))
    check_memory(config, rule, task)
    task = replace(task, floor=floor_of(config, reference_for(config, task, references)))
    origin = provenance(config, where)
    if out is None:
        return _played(config, rule, task, None, origin, on_round)
    details = {"note": task.note, "partition_counts": task.partition_counts}
    with open_folder(Path(out), run_identity(config, rule, where), origin, details) as folder:
        return _played(config, rule, task, folder, folder.provenance, on_round)


def _played(
    config: RunConfig,
    rule: Rule | MemoryRule,
    task: Task,
    folder: RunFolder | None,
    origin: Json,
    on_round: Callable[[RoundRecord], None] | None,
) -> DeepRun:
    """The rounds of a run, those that are missing where a folder holds some."""
    state = first_state(config, task)
    history: list[RoundRecord] = []
    if folder is not None:
        folder, state, history = folder.resume(state)
        if len(history) > config.n_rounds:
            raise ValueError(
                f"run(out={str(folder.path)!r}, n_rounds={config.n_rounds}): the folder holds {len(history)} rounds;"
                " expected as many or more, or another folder"
            )
        for name, text in run_files(config, rule, task).items():
            folder.put(name, text)
    status: Status = "completed"
    for _ in range(state.round, config.n_rounds):
        played = play_round(config, rule, task, state)
        if played is None:
            status = "diverged"
            break
        state, record = played
        history.append(record)
        if folder is not None:
            folder.check(state)
            folder = folder.append(record)
            if state.round % config.checkpoint_every == 0:
                folder.save(state)
        if on_round is not None:
            on_round(record)
    described, settings = describe_rule(rule)
    result = DeepRun(
        config=config,
        rule=described,
        rule_settings=settings,
        partition_counts=task.partition_counts,
        history=tuple(history),
        status=status,
        floor=task.floor,
        model=state.model.cpu(),
        buffers=state.buffers.cpu(),
        provenance=origin,
    )
    if folder is not None:
        folder.save(state)
        folder.finish(result)
        write_outcome(result, folder.path)
    return result


def run_identity(config: RunConfig, rule: Rule | MemoryRule, device: torch.device) -> Json:
    """What a resumed run has to repeat: everything but how many rounds are played, so that a run can be continued."""
    name, settings = describe_rule(rule)
    repeated = {field: value for field, value in asdict(config).items() if field != "n_rounds"}
    return {"config": repeated, "rule": name, "rule_settings": settings, "device": str(device)}


def run_files(config: RunConfig, rule: Rule | MemoryRule, task: Task | None) -> dict[str, str]:
    """What a folder holds for readers from the start, by name: the configuration, and the partition of a task."""
    files = {"config.toml": _as_toml(config, rule)}
    if task is not None:
        files["partition.svg"] = division_svg(task.division, f"{config.dataset}: {config.cohort or config.partition}")
    return files


def _as_toml(config: RunConfig, rule: Rule | MemoryRule) -> str:
    """The run as `deep.settings` reads it; a rule that no text names, such as one of the caller's, is a comment."""
    try:
        return to_toml(config, rule)
    except ValueError:
        return "".join(f"# {line}\n" for line in f"rule: {rule!r}".splitlines()) + to_toml(config)


def usable_device(device: str | torch.device) -> torch.device:
    """The device as torch knows it; `ValueError` unless it is the CPU or a CUDA device that is there."""
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"run(device={device!r}): unknown to torch; expected 'cpu' or 'cuda'") from error
    n_gpus = torch.cuda.device_count() if found.type == "cuda" else 0
    if found.type != "cpu" and (found.index or 0) >= n_gpus:
        raise ValueError(f"run(device={str(found)!r}): not available here; expected 'cpu', or 'cuda' with a GPU")
    return found
