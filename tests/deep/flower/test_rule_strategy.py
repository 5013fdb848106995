"""Rules of ours inside a Flower app: the models of a deep run, with clients that Flower's own messages reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("flwr", reason="the extra flower is not installed")

from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict

try:
    from flwr.supercore.task_identity import TaskIdentity
except ModuleNotFoundError:  # earlier versions keep none

    class TaskIdentity:  # type: ignore[no-redef]
        """Takes what is set."""


from deep import RunConfig, run
from deep.flower import RuleStrategy
from tests.deep.flower.training import CONFIG, Training, first, flat, record
from theory.rules import make_rule


class Clients(Training):
    """A grid whose nodes train in this process; `here` says who replies in a round."""

    def __init__(self, config: RunConfig, here: Callable[[int, int], bool] = lambda r, k: True) -> None:
        super().__init__(config)
        TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1  # what a ServerApp has from its SuperLink
        self.here = here

    def get_node_ids(self) -> list[int]:
        return [900 + k for k in range(self.config.n_clients)]

    def send_and_receive(self, messages: Any, timeout: float = 0.0) -> list[Message]:
        return [self._replied(message) for message in messages if self._answers(message)]

    def _answers(self, message: Message) -> bool:
        round_index = int(message.content["config"]["server-round"]) - 1
        return message.metadata.message_type == "train" and self.here(round_index, message.metadata.dst_node_id - 900)

    def _replied(self, message: Message) -> Message:
        TaskIdentity.node_id = message.metadata.dst_node_id  # the node's process has it from the SuperNode
        return self.reply(message, message.metadata.dst_node_id - 900)


@pytest.mark.parametrize(
    ("rule", "server", "client"),
    [
        ("proportional", "rate", "sgd"),
        ("uniform", "rate(lr=0.5)", "sgd"),
        ("exp-alpha(alpha=0.7)", "rate", "sgd"),
        ("fed-soft-worse(temperature=0.5)", "fed-avg-m(beta=0.5)", "sgd"),
        ("proportional", "fed-adam(lr=0.05)", "sgd"),
        ("proportional", "fed-exp", "sgd"),
        ("uniform", "aggregate(by=median)", "sgd"),
        ("uniform", "aggregate(by=krum(f=1))", "sgd"),
        ("uniform", "aggregate(by=trimmed-mean(f=1))", "byzantine(attack=sign-flip(scale=5), count=1)"),
        ("proportional", "rate", "compressed(keep_fraction=0.1)"),
        ("fed-aware", "rate", "sgd"),
        ("fed-nova", "rate", "sgd"),
    ],
)
def test_the_models_are_those_of_a_deep_run(rule: str, server: str, client: str) -> None:
    config = replace(CONFIG, server=server, client=client)
    clients = Clients(config)
    strategy = RuleStrategy(rule, server=server, client=client, n_clients=5, fraction_evaluate=0.0)
    found = strategy.start(clients, first(config), num_rounds=3)
    expected = run(config, make_rule(rule))
    torch.testing.assert_close(flat(found.arrays), expected.model, rtol=1e-9, atol=1e-11)
    assert clients.asked == set(strategy.asked)
    assert [strategy.weights[k] for k in range(5)] == pytest.approx(list(expected.history[-1].weights))


@pytest.mark.parametrize("rule", ["exp-alpha(alpha=0.7)", "fed-aware"])
def test_absent_clients_and_a_checkpoint(rule: str, tmp_path: Path) -> None:
    config = replace(CONFIG, n_sampled=3, n_rounds=4)
    expected = run(config, make_rule(rule))
    present = [list(one.present) for one in expected.history]
    clients = Clients(config, here=lambda r, k: bool(present[r][k]))
    everyone = Clients(config, here=lambda r, k: True)
    settings: dict[str, Any] = {"n_clients": 5, "fraction_evaluate": 0.0, "checkpoint": tmp_path / "memory"}
    for k, rows in enumerate(everyone.held):  # shares are over all clients from the start, as in a run
        settings.setdefault("examples", {})[k] = len(rows)
    examples = settings.pop("examples")
    begun = RuleStrategy(rule, **settings)
    begun._examples = dict(examples)
    begun.start(clients, first(config), num_rounds=2)
    again = RuleStrategy(rule, **settings)
    found = again.start(clients, record(torch.zeros(460, dtype=torch.float64)), num_rounds=4)
    torch.testing.assert_close(flat(found.arrays), expected.model, rtol=1e-9, atol=1e-11)
    ended = RuleStrategy(rule, **settings).start(clients, first(config), num_rounds=4)
    assert torch.equal(flat(ended.arrays), flat(found.arrays))
    with pytest.raises(ValueError, match=r"RuleStrategy.checkpoint=.*belongs to another run; n_clients is 5 there"):
        RuleStrategy(rule, **{**settings, "n_clients": 6}).start(clients, first(config), num_rounds=4)


def test_float32_models_and_counts_keep_their_types() -> None:
    strategy = RuleStrategy("uniform", fraction_evaluate=0.0)
    clients = Clients(CONFIG)
    arrays = ArrayRecord({"w": Array(np.zeros(2, dtype=np.float32)), "n": Array(np.array([4], dtype=np.int64))})
    messages = list(strategy.configure_train(1, arrays, message_config(), clients))
    replies = []
    for place, message in enumerate(messages):
        TaskIdentity.node_id = message.metadata.dst_node_id
        mine = ArrayRecord(
            {"w": Array(np.full(2, place, dtype=np.float32)), "n": Array(np.array([4 + place], dtype=np.int64))}
        )
        content = RecordDict({"arrays": mine, "metrics": MetricRecord({"num-examples": 1})})
        replies.append(Message(content=content, reply_to=message))
    found, _ = strategy.aggregate_train(1, replies)
    assert found is not None
    w, n = found["w"].numpy(), found["n"].numpy()
    assert (w.dtype, w.tolist()) == (np.float32, [2.0, 2.0])
    assert (n.dtype, n.tolist()) == (np.int64, [6])


def message_config() -> Any:
    from flwr.app import ConfigRecord

    return ConfigRecord()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RuleStrategy("fed-aware"), "remembers clients; expected their number"),
        (lambda: RuleStrategy("uniform", client="scaffold"), "says how clients train|remembers clients"),
        (lambda: RuleStrategy("uniform", client="fed-prox(mu=1)"), "says how clients train"),
        (lambda: RuleStrategy("fed-ssa"), "which no metric carries"),
        (lambda: RuleStrategy("exp-alfa"), "exp-alpha"),
        (lambda: RuleStrategy("uniform", n_clients=0), "must be >= 1"),
    ],
)
def test_what_a_flower_app_cannot_serve_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("lacking", "message"),
    [("loss-before", r"reply of node 90\d lacks metric 'loss-before', which ExpAlpha reads"), ("client", "is None")],
)
def test_a_reply_without_what_was_asked_for_is_named(lacking: str, message: str) -> None:
    clients = Clients(CONFIG)
    clients.lacking = {lacking}
    strategy = RuleStrategy("exp-alpha(alpha=0.5)", n_clients=5, fraction_evaluate=0.0)
    with pytest.raises(ValueError, match=message):
        strategy.start(clients, first(CONFIG), num_rounds=1)
