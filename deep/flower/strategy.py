"""Any rule, server and message code of ours as a Flower strategy, inside a Flower ServerApp."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from logging import getLogger
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deep.features import client_of, server_of
from deep.flower.vectors import Layout
from deep.storage.checkpoint import ServerState, from_bytes, to_bytes
from deep.storage.record import Json, describe_rule
from theory.algorithms import Affine, Client, Method, Server
from theory.algorithms.round import Memory, Trained, finish_round, first_memory
from theory.algorithms.seeds import with_seed
from theory.base.files import replace_file
from theory.messages.log import EMPTY_LOG
from theory.rules import AnyRule, make_rule
from theory.rules.protocol import needs_of, remembers
from theory.rules.stats import RoundStats

try:
    from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord
    from flwr.serverapp.strategy import FedAvg, Result
except ImportError as error:
    raise ValueError("RuleStrategy needs Flower: pip install 'fedverdict[flower]'") from error

__all__ = ["METRICS", "RuleStrategy"]

METRICS = {
    "loss_before": "loss-before",
    "loss_after": "loss-after",
    "loss_best": "loss-best",
    "local_steps": "local-steps",
    "planned_steps": "planned-steps",
    "effective_steps": "effective-steps",
}
ASKED = "fedverdict-metrics"
_GIVEN = frozenset({"share", "present", "updates", "gram", *METRICS})


class RuleStrategy(FedAvg):  # type: ignore[misc]
    """w ← w + η_g·d̃, as `deep.run` does it, from what the clients of a Flower app reply.

    `rule`, `server`: as text or objects, "exp-alpha(alpha=0.2)", "fed-adam(lr=0.01)", "aggregate(by=krum(f=2))".
    `client`: what changes messages between clients and server, such as "compressed(keep_fraction=0.01)" or
    "byzantine(attack=sign-flip, count=2)"; local steps are those of the ClientApp, so a client algorithm that says how
    to step is refused. `settings`: those of Flower's FedAvg, `fraction_train` and the like.

    A client replies with its arrays and, among its metrics, "num-examples" and what the rule reads: "loss-before" (of
    the broadcast model on its own samples), "loss-after", "loss-best", "local-steps", "planned-steps",
    "effective-steps". The names it is asked for are in the config of each round, "fedverdict-metrics", with commas.

    Who a client is: the metric "client", a number 0 … `n_clients` − 1, where `n_clients` is given, which whatever
    remembers clients needs; else Flower's node. Shares are over the clients that replied so far. `checkpoint`: a file
    that holds model and memory after every round; a strategy that starts with it goes on with the round after. `seed`
    of what rules, servers and attacks draw. After a round, `weights` has the rule's weight of each client.

    Raises `ValueError` for parts that do not compose, a rule that reads what no metric carries, a reply without what
    was asked for, and a checkpoint of another method.
    """

    def __init__(
        self,
        rule: str | AnyRule,
        *,
        server: str | Server = "rate",
        client: str | Client = "sgd",
        n_clients: int | None = None,
        checkpoint: Path | str | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        made = with_seed(make_rule(rule) if isinstance(rule, str) else rule, seed)
        of_client = with_seed(client_of(client) if isinstance(client, str) else client, seed)
        of_server = with_seed(server_of(server) if isinstance(server, str) else server, seed)
        self.method = Method(made, of_client, of_server)
        self.weights: dict[int, float] = {}
        self._n_clients, self._checkpoint = n_clients, None if checkpoint is None else Path(checkpoint)
        self._slots: dict[int, int] = {} if n_clients is None else {number: number for number in range(n_clients)}
        self._examples: dict[int, float] = {}
        self._memory: Memory | None = None
        self._layout: Layout | None = None
        self._model = torch.zeros(0, dtype=torch.float64)
        self._done = self._resumed_at = 0
        self._check()

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of the metrics that clients are asked for beside the number of samples."""
        needs = needs_of(self.method.rule, also=tuple(self.method.server.needs))
        known = METRICS if needs is None else [name for name in METRICS if name in needs]
        own = () if self._n_clients is None else ("client",)
        return (*own, *(METRICS[name] for name in known))

    def start(self, grid: Any, initial_arrays: ArrayRecord, num_rounds: int = 3, *more: Any, **others: Any) -> Result:
        """As Flower's; from the checkpoint where there is one, so that `num_rounds` rounds are run in all."""
        self._begin(initial_arrays)
        begun = self._record()
        result = super().start(grid, begun, max(0, num_rounds - self._done), *more, **others)
        if not result.arrays:
            result.arrays = begun
        return result

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Any
    ) -> Iterable[Message]:
        """As Flower's FedAvg, with the names of the metrics asked for in the config."""
        if self._layout is None:
            self._begin(arrays)
        self._model = self._shape.vector(arrays, "configure_train")
        config[ASKED] = ",".join(self.asked)
        messages: Iterable[Message] = super().configure_train(server_round + self._resumed_at, arrays, config, grid)
        return messages

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """The new model by rule, message code and server; metrics averaged by number of samples, as Flower's."""
        valid, _ = self._check_and_log_replies(replies, is_train=True)
        if not valid:
            return None, None
        updates, columns, present = self._read(valid)
        memory = self._memory_of(len(present))
        own, starts = self.method.client.receive(memory.own, memory.log, self._model)
        share = torch.tensor([self._examples.get(slot, 0.0) for slot in range(len(present))], dtype=torch.float64)
        share, done = share / share.sum(), self._done

        def stats(received: Tensor) -> RoundStats:
            given: dict[str, Any] = {"share": share, "present": present, "updates": received, "round": done}
            return RoundStats(**given, **columns)  # type: ignore[arg-type]

        steps = columns.get("local_steps", torch.ones_like(share))
        travelled = torch.where(present, steps, torch.zeros_like(steps))
        trained = Trained(updates, travelled, stats, _unknown, own, starts, _unknown)  # type: ignore[arg-type]
        self._memory, self._model, _, weights = finish_round(self.method, memory, self._model, trained)
        names = {slot: key for key, slot in self._slots.items()}
        self.weights = {names[slot]: weight for slot, weight in enumerate(weights.tolist()) if slot in names}
        self._done += 1
        self._keep()
        metrics = self.train_metrics_aggr_fn([reply.content for reply in valid], self.weighted_by_key)
        return self._record(), metrics

    def summary(self) -> None:
        """Flower's lines, and rule, client and server."""
        log = getLogger("flwr")
        for name in ("rule", "client", "server"):
            log.info("\t├──> %s: %r", name, getattr(self.method, name))
        super().summary()

    def _check(self) -> None:
        """`ValueError` for what the replies of a Flower app cannot serve."""
        method, call = self.method, f"RuleStrategy(rule={self.method.rule!r}"
        needs = needs_of(method.rule, also=tuple(method.server.needs)) or ()
        missing = sorted(set(needs) - _GIVEN)
        if missing:
            raise ValueError(f"{call}): reads {', '.join(missing)}, which no metric carries; expected another rule")
        if (method.remembers_clients or remembers(method.rule)) and self._n_clients is None:
            raise ValueError(f"{call}, n_clients=None): remembers clients; expected their number")
        if self._n_clients is not None and self._n_clients < 1:
            raise ValueError(f"{call}, n_clients={self._n_clients}): must be >= 1")
        client = method.client
        start = torch.zeros(1, 1, dtype=torch.float64)
        begun = first_memory(client, start, start[0])
        steps = client.steps({**begun.own, "start": start}, {**begun.broadcast, "model": start[0]})
        if not (isinstance(steps, Affine) and steps.plain) or client.broadcasts or client.own_starts:
            raise ValueError(f"{call}, client={client!r}): says how clients train; that is the ClientApp's to say")

    @property
    def _shape(self) -> Layout:
        if self._layout is None:
            raise ValueError("RuleStrategy: no model yet; call start, or configure_train first")
        return self._layout

    def _begin(self, arrays: ArrayRecord) -> None:
        """The first model, or that of the checkpoint."""
        self._layout = Layout.of(arrays)
        self._model = self._shape.vector(arrays, "initial_arrays")
        if self._checkpoint is None or not self._checkpoint.exists():
            return
        first = self._state(first_memory(self.method.client, self._rows(self._n_clients or 0), self._model))
        try:
            found, _ = from_bytes(self._checkpoint.read_bytes(), self._identity(), first, torch.device("cpu"))
        except ValueError as error:
            raise ValueError(f"RuleStrategy(checkpoint={str(self._checkpoint)!r}): {error}") from error
        self._model, self._done, self._resumed_at = found.model, found.round, found.round
        self._examples, self._slots = found.server["examples"], found.server["slots"]
        log = EMPTY_LOG if found.log is None else found.log
        own, broadcast = found.kept, found.broadcast
        self._memory = Memory(found.rule_state, found.server["state"], own, broadcast, log)

    def _read(self, valid: list[Message]) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """(updates (n, dim), the metrics asked for by field (n,), who replied (n,)), a row for each client known."""
        read = []
        for reply in valid:
            node = int(reply.metadata.src_node_id)
            arrays = next(iter(reply.content.array_records.values()))
            metrics = next(iter(reply.content.metric_records.values()))
            slot = self._slot(node, metrics)
            self._examples[slot] = float(metrics[self.weighted_by_key])
            read.append((slot, node, self._shape.vector(arrays, f"reply of node {node}"), metrics))
        n = len(self._slots)
        updates, present = self._rows(n), torch.zeros(n, dtype=torch.bool)
        fields = {field: name for field, name in METRICS.items() if name in self.asked}
        if needs_of(self.method.rule) is None:  # anything: what all of them say
            fields = {f: name for f, name in fields.items() if all(name in metrics for *_, metrics in read)}
        columns = {field: torch.zeros(n, dtype=torch.float64) for field in fields}
        for slot, node, vector, metrics in read:
            if present[slot]:
                raise ValueError(f"RuleStrategy: two replies of client {slot} in one round; expected one of each")
            updates[slot], present[slot] = vector - self._model, True
            for field, name in fields.items():
                if name not in metrics:
                    raise ValueError(
                        f"RuleStrategy: the reply of node {node} lacks metric {name!r}, which"
                        f" {type(self.method.rule).__name__} reads; it has {', '.join(map(repr, metrics))}"
                    )
                columns[field][slot] = float(metrics[name])
        return updates, columns, present

    def _slot(self, node: int, metrics: Mapping[str, Any]) -> int:
        """The row of the client that replied."""
        if self._n_clients is None:
            return self._slots.setdefault(node, len(self._slots))
        number = metrics.get("client")
        if not isinstance(number, int | float) or number not in self._slots:
            raise ValueError(
                f"RuleStrategy(n_clients={self._n_clients}): metric 'client' of node {node} is {number!r}; expected a"
                f" number 0 to {self._n_clients - 1}"
            )
        return int(number)

    def _rows(self, n: int) -> Tensor:
        return torch.zeros(n, len(self._model), dtype=torch.float64)

    def _memory_of(self, n: int) -> Memory:
        if self._memory is None:
            self._memory = first_memory(self.method.client, self._rows(n), self._model)
        return self._memory

    def _record(self) -> ArrayRecord:
        return ArrayRecord({name: Array(value) for name, value in self._shape.arrays(self._model).items()})

    def _keep(self) -> None:
        """Model and memory after a round, replaced in one step."""
        if self._checkpoint is not None and self._memory is not None:
            replace_file(self._checkpoint, to_bytes(self._state(self._memory), self._identity(), ""))

    def _state(self, memory: Memory) -> ServerState:
        nothing = torch.zeros(0, 0, dtype=torch.float64)
        about = {"state": memory.server, "examples": self._examples, "slots": self._slots}
        kept, broadcast = dict(memory.own), dict(memory.broadcast)
        log = None if memory.log is EMPTY_LOG else memory.log
        return ServerState(
            self._done,
            self._model,
            nothing[0:0].flatten(),
            nothing,
            memory.rule,
            nothing.flatten(),
            about if self._done else None,
            kept,  # type: ignore[arg-type]
            broadcast,  # type: ignore[arg-type]
            log,
        )

    def _identity(self) -> Json:
        rule, settings = describe_rule(self.method.rule)
        parts = {
            name: repr(asdict(part)) + type(part).__name__ if is_dataclass(part) else repr(part)
            for name, part in (("client", self.method.client), ("server", self.method.server))
        }
        return {"rule": rule, "rule_settings": settings, "n_clients": self._n_clients, **parts}


def _unknown(*_: object) -> Any:
    raise ValueError("RuleStrategy: gradients and Fisher information stay with the clients of a Flower app")
