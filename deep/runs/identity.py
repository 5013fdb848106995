"""Which run a folder belongs to, and what it holds for readers from the start."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from deep.config.config import RunConfig
from deep.config.settings import to_toml
from deep.partition import division_svg
from deep.runs.own import own_origins
from deep.storage.record import Json, describe_rule
from deep.task.setup import Setup
from theory.rules.protocol import MemoryRule, Rule

if TYPE_CHECKING:
    import torch

    from deep.task.task import Task

__all__ = ["run_files", "run_identity"]

_LATER = {
    ("products", "full"),
    ("compiled", False),
    ("optimizer", ""),
}  # what runs begun before there was such a field did


def run_identity(setup: Setup, device: torch.device | str) -> Json:
    """What a resumed run has to repeat: everything but how many rounds are played, so that a run can be continued.

    A field that came later counts where it is not at its default, so that folders begun before go on. Parts of one's
    own (`theory.base.parts`) are in it with a digest of their source: changed code is another run.
    """
    name, settings = describe_rule(setup.rule)
    repeated = {field: value for field, value in asdict(setup.config).items() if field != "n_rounds"}
    repeated = {field: value for field, value in repeated.items() if (field, value) not in _LATER}
    identity: Json = {"config": repeated, "rule": name, "rule_settings": settings, "device": str(device)}
    own = own_origins(setup)
    return identity | ({"own_parts": own} if own else {})


def run_files(config: RunConfig, rule: Rule | MemoryRule, task: Task | None) -> dict[str, str]:
    """What a folder holds for readers from the start, by name: the configuration, and the partition of a task."""
    files = {"config.toml": _as_toml(config, rule)}
    if task is not None:
        files["partition.svg"] = division_svg(task.division, f"{config.dataset}: {config.cohort or config.partition}")
    return files


def _as_toml(config: RunConfig, rule: Rule | MemoryRule) -> str:
    """The run as `deep.config.settings` reads it; a rule that no text names, such as one of the caller's, is a
    comment.
    """
    try:
        return to_toml(config, rule)
    except ValueError:
        return "".join(f"# {line}\n" for line in f"rule: {rule!r}".splitlines()) + to_toml(config)
