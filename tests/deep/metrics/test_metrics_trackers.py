"""MLflow and Weights & Biases: what is logged, read back from stand-ins and, where installed, from the real ones."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from deep.metrics import MLflowWriter, WandbWriter
from deep.metrics.trackers.scalars import round_scalars
from tests.deep.metrics_histories import drawn


class Store:
    """What MLflow's tracking client keeps, with the methods that its documentation gives it."""

    def __init__(self) -> None:
        self.experiments: dict[str, str] = {}
        self.runs: dict[str, SimpleNamespace] = {}

    def get_experiment_by_name(self, name: str) -> SimpleNamespace | None:
        return SimpleNamespace(experiment_id=self.experiments[name]) if name in self.experiments else None

    def create_experiment(self, name: str) -> str:
        self.experiments[name] = str(len(self.experiments))
        return self.experiments[name]

    def search_runs(self, experiment_ids: list[str], filter_string: str) -> list[SimpleNamespace]:
        key, value = filter_string.removeprefix("tags.`").removesuffix("'").split("` = '")
        return [
            run for run in self.runs.values() if run.tags.get(key) == value and run.info.experiment_id in experiment_ids
        ]

    def create_run(self, experiment_id: str, tags: dict[str, str], run_name: str) -> SimpleNamespace:
        info = SimpleNamespace(run_id=f"r{len(self.runs)}", experiment_id=experiment_id, status="RUNNING")
        run = SimpleNamespace(info=info, tags=tags, name=run_name, metrics=[], params={})
        run.data = SimpleNamespace(metrics={})
        self.runs[info.run_id] = run
        return run

    def get_run(self, run_id: str) -> SimpleNamespace:
        return self.runs[run_id]

    def update_run(self, run_id: str, status: str) -> None:
        self.runs[run_id].info.status = status

    def log_batch(self, run_id: str, metrics: Any = (), params: Any = ()) -> None:
        self.runs[run_id].metrics += list(metrics)
        self.runs[run_id].data.metrics |= {metric.key: metric.value for metric in metrics}
        self.runs[run_id].params |= {param.key: param.value for param in params}

    def get_metric_history(self, run_id: str, key: str) -> list[Any]:
        return [metric for metric in self.runs[run_id].metrics if metric.key == key]

    def set_terminated(self, run_id: str, status: str) -> None:
        self.runs[run_id].info.status = status


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """A stand-in for the package mlflow, whose clients all see one store."""
    made = Store()
    mlflow, entities, exceptions = (ModuleType(name) for name in ("mlflow", "mlflow.entities", "mlflow.exceptions"))

    def metric(key: str, value: float, timestamp: int, step: int) -> SimpleNamespace:
        return SimpleNamespace(key=key, value=value, timestamp=timestamp, step=step)

    entities.Metric, entities.Param = metric, lambda key, value: SimpleNamespace(key=key, value=value)  # type: ignore[attr-defined]
    exceptions.MlflowException = type("MlflowException", (Exception,), {})  # type: ignore[attr-defined]
    mlflow.MlflowClient, mlflow.entities, mlflow.exceptions = lambda tracking_uri: made, entities, exceptions  # type: ignore[attr-defined]
    for module in (mlflow, entities, exceptions):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


def test_mlflow_is_given_each_round_once_and_a_resumed_run_goes_on(store: Store) -> None:
    history, _ = drawn(n_rounds=4)
    with MLflowWriter("http://there", "mine", "runs/a", {"rule": "uniform", "n_rounds": 4}) as writer:
        for record in history[:2]:
            writer(record)
    again = MLflowWriter("http://there", "mine", "runs/a", {"rule": "uniform"})
    for record in history[1:]:  # from the last checkpoint on
        again(record)
    again.close(completed=False)
    other = MLflowWriter("http://there", "mine", "runs/b")
    other(history[0])
    other.close()
    MLflowWriter("http://there", "mine", "runs/c").close(completed=False)  # of a run that never began nothing is kept
    first, second = store.runs.values()
    assert store.experiments == {"mine": "0"}
    assert (first.info.status, second.info.status) == ("FAILED", "FINISHED")
    assert first.params == {"rule": "uniform", "n_rounds": "4"}
    logged = [(metric.step, metric.key, metric.value) for metric in first.metrics]
    expected = [(r.round, tag, value) for r in history for tag, value in round_scalars(r).items()]
    assert sorted(logged) == sorted(expected)
    assert ("loss/test" in {key for _, key, _ in logged}) is True


def test_mlflow_keeps_a_run_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    history, _ = drawn(n_rounds=3)
    uri = (tmp_path / "mlruns").as_uri()
    for part in (history[:2], history[1:]):
        with MLflowWriter(uri, "mine", "runs/a's", {"rule": "uniform"}) as writer:
            for record in part:
                writer(record)
    client = mlflow.MlflowClient(tracking_uri=uri)
    (run,) = client.search_runs([client.get_experiment_by_name("mine").experiment_id])
    assert (run.info.status, run.data.params) == ("FINISHED", {"rule": "uniform"})
    losses = client.get_metric_history(run.info.run_id, "loss/test")
    assert [(one.step, one.value) for one in losses] == [(r.round, pytest.approx(r.test_loss)) for r in history]


def test_wandb_is_given_each_round_at_its_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[dict[str, Any]] = []
    logged: list[tuple[int, dict[str, float]]] = []
    ended: list[int] = []

    def init(**settings: Any) -> SimpleNamespace:
        begun.append(settings)
        return SimpleNamespace(
            log=lambda found, step: logged.append((step, found)),
            finish=lambda exit_code: ended.append(exit_code),  # noqa: PLW0108
        )

    wandb = ModuleType("wandb")
    wandb.init, wandb.Error = init, type("Error", (Exception,), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    history, _ = drawn(n_rounds=2)
    with WandbWriter("mine", "runs/a", {"rule": "uniform"}, tmp_path, "offline") as writer:
        for record in history:
            writer(record)
    for name, completed in (("runs/a", False), ("runs/b", True)):
        other = WandbWriter("mine", name)
        other(history[0])
        other.close(completed)
    WandbWriter("mine", "runs/c").close()
    expected = [(record.round, round_scalars(record)) for record in (*history, history[0], history[0])]
    assert logged == expected
    assert ended == [0, 1, 0]
    assert len(begun) == 3
    again = begun[0]["id"] == begun[1]["id"] != begun[2]["id"]
    assert again
    assert {name: begun[0][name] for name in ("project", "name", "config", "dir", "mode", "resume")} == {
        "project": "mine",
        "name": "runs/a",
        "config": {"rule": "uniform"},
        "dir": str(tmp_path),
        "mode": "offline",
        "resume": "allow",
    }


def test_wandb_works_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.chdir(tmp_path)
    history, _ = drawn(n_rounds=2)
    with WandbWriter("mine", "runs/a", {"rule": "uniform"}, tmp_path, "offline") as writer:
        for record in history:
            writer(record)
    (kept,) = (tmp_path / "wandb").glob("offline-run-*/*.wandb")
    deadline = time.monotonic() + 20
    while b"loss/test" not in kept.read_bytes() and time.monotonic() < deadline:
        time.sleep(0.1)  # wandb's own process writes the file
    content = kept.read_bytes()
    assert b"loss/test" in content
    assert json.dumps("uniform").encode() in content


@pytest.mark.parametrize(
    ("package", "make"),
    [("mlflow", lambda: MLflowWriter("there", "a", "b")), ("wandb", lambda: WandbWriter("there", "a"))],
)
def test_a_missing_package_is_one_line(package: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=rf"needs {package}: pip install 'fedverdict\[{package}\]'"):
        make()
