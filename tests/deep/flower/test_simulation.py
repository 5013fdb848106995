"""A rule of ours in an app that `flwr run` simulates, with Ray, on this machine: the model of a deep run."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from urllib.request import urlopen

import numpy as np
import pytest
import torch

pytest.importorskip("flwr", reason="the extra flower is not installed")
pytest.importorskip("ray", reason="flwr[simulation] is not installed")

from deep import run
from tests.deep.flower.training import CONFIG
from theory.rules import make_rule

PROJECT = """[project]
name = "ours"
version = "1.0.0"
description = ""
dependencies = []

[tool.flwr.app]
publisher = "ours"

[tool.flwr.app.components]
serverapp = "ours.server:app"
clientapp = "ours.client:app"

[tool.flwr.app.config]
"""
CLIENT = """from flwr.clientapp import ClientApp

from tests.deep.flower.training import CONFIG, Training

app = ClientApp()
training = Training(CONFIG)


@app.train()
def train(message, context):
    return training.reply(message, int(context.node_config["partition-id"]))
"""
SERVER = """import torch
from flwr.serverapp import ServerApp

from fedverdict.flower import RuleStrategy
from tests.deep.flower.training import CONFIG, first, flat

app = ServerApp()


@app.main()
def main(grid, context):
    strategy = RuleStrategy("exp-alpha(alpha=0.7)", server="fed-avg-m(beta=0.5)", n_clients=5, fraction_evaluate=0.0)
    result = strategy.start(grid, first(CONFIG), num_rounds=CONFIG.n_rounds)
    torch.save(flat(result.arrays), {place!r})
"""
CONNECTIONS = """[superlink]
default = "local"

[superlink.local]
address = "127.0.0.1:{port}"
insecure = true
options.num-supernodes = 5
options.backend.client-resources.num-cpus = 1
options.backend.init-args.num-cpus = 2
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def superlink(home: Path, port: int, around: dict[str, str]) -> Iterator[None]:
    """What `flwr run` starts for an address of `:local:`, at another port, and ended afterwards with all it started."""
    command = [
        "flower-superlink", "--insecure", "--simulation", "--isolation", "subprocess", "--host", "127.0.0.1",
        "--port", str(port), "--control-api-address", f"127.0.0.1:{free_port()}", "--log-file", str(home / "link.log"),
        "--database", str(home / "state.db"),
    ]  # fmt: skip
    with (home / "out.log").open("w") as log:
        process = subprocess.Popen(command, env=around, stdout=log, stderr=log, start_new_session=True)
    try:
        deadline = monotonic() + 300
        while monotonic() < deadline and process.poll() is None and not answers(port):
            sleep(0.5)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def answers(port: int) -> bool:
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
        return True
    return False


@pytest.mark.slow
def test_a_simulation_by_flwr_run_has_the_model_of_a_deep_run(tmp_path: Path) -> None:
    """Two CPUs, telemetry off, a SuperLink of its own."""
    app, home, place, port = tmp_path / "app", tmp_path / "home", tmp_path / "model.pt", free_port()
    (app / "ours").mkdir(parents=True)
    home.mkdir()
    (app / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (app / "ours" / "__init__.py").touch()
    (app / "ours" / "client.py").write_text(CLIENT, encoding="utf-8")
    (app / "ours" / "server.py").write_text(SERVER.format(place=str(place)), encoding="utf-8")
    (home / "config.toml").write_text(CONNECTIONS.format(port=port), encoding="utf-8")
    tools = Path(sys.executable).parent
    around = {
        **os.environ, "FLWR_HOME": str(home), "FLWR_TELEMETRY_ENABLED": "0", "RAY_USAGE_STATS_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1", "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }  # fmt: skip
    with superlink(home, port, around):
        done = subprocess.run(
            ["flwr", "run", str(app), "--stream"],
            check=False, capture_output=True, text=True, cwd=tmp_path, env=around, timeout=900,
        )  # fmt: skip
    logs = "\n".join(path.read_text(errors="replace")[-6000:] for path in home.rglob("*.log"))
    assert place.exists(), done.stdout + done.stderr + logs
    config = replace(CONFIG, server="fed-avg-m(beta=0.5)")
    alone = run(config, make_rule("exp-alpha(alpha=0.7)")).model
    np.testing.assert_allclose(torch.load(place).numpy(), alone.numpy(), atol=1e-9)
