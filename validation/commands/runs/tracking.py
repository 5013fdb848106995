"""Where the rounds of `fedverdict run` are shown while they go on: TensorBoard, MLflow, Weights & Biases."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from deep.config.settings import Settings
    from deep.storage.record import RoundRecord

__all__ = ["Tracking"]


@dataclass(frozen=True)
class Tracking:
    """What the options ask for: a folder for `tensorboard`, a tracking URI of `mlflow`, a project of `wandb`.

    `several`: whether there is more than one run; each then has a folder of its own below that of TensorBoard.
    """

    tensorboard: Path | None = None
    mlflow: str | None = None
    wandb: str | None = None
    experiment: str = "fedverdict"
    several: bool = False

    def shown(self, settings: Settings, stack: ExitStack) -> Callable[[RoundRecord], None]:
        """What to call with each record of this run; `stack` closes what it opens.

        Raises `ValueError`, one line, where a package is missing or a store cannot be used.
        """
        from deep.metrics import MLflowWriter, TensorBoardWriter, WandbWriter

        name = str(settings.out)
        shows: list[Callable[[RoundRecord], None]] = []
        if self.tensorboard is not None:
            below = self.tensorboard / "-".join(Path(name).parts[-2:]) if self.several else self.tensorboard
            shows.append(stack.enter_context(TensorBoardWriter(below)))
        if self.mlflow is not None:
            parameters = _parameters(settings)
            shows.append(stack.enter_context(MLflowWriter(self.mlflow, self.experiment, name, parameters)))
        if self.wandb is not None:
            shows.append(stack.enter_context(WandbWriter(self.wandb, name, _parameters(settings), settings.out)))

        def show(record: RoundRecord) -> None:
            for one in shows:
                one(record)

        return show


def _parameters(settings: Settings) -> dict[str, object]:
    """The rule and the configuration, each field that is not empty."""
    from deep.storage.record import describe_rule

    rule, own = describe_rule(settings.rule)
    return {
        "rule": rule,
        **{f"rule.{name}": value for name, value in own.items()},
        **{name: value for name, value in asdict(settings.config).items() if value != ""},
    }
