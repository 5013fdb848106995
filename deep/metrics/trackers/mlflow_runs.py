"""A run shown in MLflow while it goes on (extra `mlflow`)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deep.metrics.trackers.scalars import Tracker, round_scalars
from deep.storage.record import RoundRecord

__all__ = ["MLflowWriter"]

_KEY = "fedverdict.run"
_NOT_ALLOWED = re.compile(r"[^\w\-. /]")  # in a metric's name
_LONGEST = 500  # characters of a parameter that every store takes


class MLflowWriter(Tracker):
    """Logs every round of a run as metrics of one MLflow run; give it to ``run(on_round=…)``, in a ``with``.

    `uri`: MLflow's tracking URI: a server, a database such as "sqlite:///mlflow.db", or a folder. `experiment`: created
    if it is not there. `run`: what the run is called and found by, such as its folder: a run that is resumed goes on in
    the same MLflow run, and rounds that are there already are not logged again. `parameters` are logged as text. Steps
    are rounds, from 0; the tags are those of `round_scalars`.

    Raises `ValueError`, one line, without the package mlflow, and at the first round where the store cannot be used.
    """

    def __init__(self, uri: str, experiment: str, run: str, parameters: Mapping[str, object] | None = None) -> None:
        self._said = uri, experiment, run, dict(parameters or {})
        self._mlflow = _mlflow()
        self._client: Any = None
        self._id, self._next = "", 0

    def __call__(self, record: RoundRecord) -> None:
        """Log one round, unless it was logged before; the first begins the MLflow run."""
        if self._client is None:
            self._begin()
        if record.round < self._next:
            return
        now, metric = int(time.time() * 1000), self._mlflow.entities.Metric
        found = round_scalars(record)
        metrics = [metric(_NOT_ALLOWED.sub("_", tag), value, now, record.round) for tag, value in found.items()]
        self._client.log_batch(self._id, metrics=metrics)
        self._next = record.round + 1

    def close(self, completed: bool = True) -> None:
        """The MLflow run is finished, or failed."""
        if self._client is not None:
            self._client.set_terminated(self._id, "FINISHED" if completed else "FAILED")

    def _begin(self) -> None:
        """Find the MLflow run, or begin it; `ValueError` where the store cannot be used."""
        uri, experiment, run, parameters = self._said
        try:
            client = self._mlflow.MlflowClient(tracking_uri=_place(uri))
            self._id = self._found(client, experiment, run, parameters)
            seen = client.get_run(self._id).data.metrics.get("seconds/round")
            steps = client.get_metric_history(self._id, "seconds/round") if seen is not None else []
        except (self._mlflow.exceptions.MlflowException, OSError) as error:
            words = " ".join(str(error).split())
            raise ValueError(f"MLflowWriter(uri={uri!r}, experiment={experiment!r}): {words}") from error
        self._client, self._next = client, 1 + max((metric.step for metric in steps), default=-1)

    def _found(self, client: Any, experiment: str, run: str, parameters: Mapping[str, object]) -> str:
        """The id of the MLflow run, new or found again."""
        there = client.get_experiment_by_name(experiment)
        place = client.create_experiment(experiment) if there is None else there.experiment_id
        quoted = run.replace("'", "")
        for earlier in client.search_runs([place], filter_string=f"tags.`{_KEY}` = '{quoted}'"):
            found: str = earlier.info.run_id
            client.update_run(found, status="RUNNING")
            return found
        made: str = client.create_run(place, tags={_KEY: quoted}, run_name=run).info.run_id
        values = [self._mlflow.entities.Param(name, str(value)[:_LONGEST]) for name, value in parameters.items()]
        client.log_batch(made, params=values)
        return made


def _place(uri: str) -> str:
    """A folder as the URI of a file store; anything with a scheme as it is."""
    return uri if "://" in uri or uri.startswith(("file:", "sqlite:")) else Path(uri).absolute().as_uri()


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.entities
        import mlflow.exceptions
    except ImportError as error:
        raise ValueError("MLflowWriter needs mlflow: pip install 'fedverdict[mlflow]'") from error
    return mlflow
