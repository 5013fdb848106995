"""Setup: a run whose configuration is objects: client, server, laws, partition and targets are built from text once."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING

from deep.aware_memory.rows import by_rows
from deep.config.config import RunConfig
from deep.features import Refining
from deep.local.torch_compile import check_compiled, check_compiled_client
from deep.partition import (
    CohortSource,
    DrawnWork,
    Population,
    Target,
    make_cohort,
    make_local_work,
    make_participation,
    make_partition,
    make_target,
)
from deep.storage.record import describe_rule
from deep.task.algorithm import check_method, method_of
from deep.task.rule_checks import check_rule
from deep.task.wanted import wanted
from theory.algorithms import Client, Method, Server
from theory.base.momentum import Momentum
from theory.participation.sampling import Participation, UniformWithoutReplacement
from theory.rules import Proportional
from theory.rules.protocol import MemoryRule, Rule

if TYPE_CHECKING:
    import torch

__all__ = ["Setup", "setup_on"]

_FED_AVG = Proportional()


@dataclass(frozen=True, eq=False)
class Setup:
    """One run before its data: `config`, `rule`, and what the text of the configuration stands for.

    `method`: rule, client and server. `rowwise`: the same with FedAWARE's memory taken by rows
    (`deep.aware_memory.rows`), which is what a round runs.
    `source` of the cohorts; `law`: who of a fixed population takes part and with how many steps, None for clients made
    anew every round; `work` draws how much a client does, None where all plan the same; `momentum` of local steps.
    `targets`: each by its text, the first first. `signals`: what the rule asks for beyond losses.
    Model and views need the data: `deep.task.task.make_task` builds them, once as well.
    """

    config: RunConfig
    rule: Rule | MemoryRule
    method: Method
    rowwise: Method
    source: CohortSource
    law: Participation | None
    work: DrawnWork | None
    momentum: Momentum
    targets: dict[str, Target]
    signals: frozenset[str]

    @classmethod
    def of(cls, config: RunConfig, rule: Rule | MemoryRule = _FED_AVG) -> Setup:
        """The setup of `config` under `rule`, FedAvg's where only the task matters.

        Raises `ValueError` for a pair that cannot run: see `check_rule`, `check_method` and `check_compiled_client`.
        """
        source = _source(config)
        law = _law(config, source)
        check_rule(config, rule, law)
        method = method_of(config, rule)
        check_compiled_client(config, method.client)
        check_method(config, method)
        return cls(
            config=config,
            rule=rule,
            method=method,
            rowwise=by_rows(method),
            source=source,
            law=law,
            work=make_local_work(config.local_work) if config.local_work else None,
            momentum=Momentum(config.momentum, config.nesterov),
            targets={text: make_target(text) for text in config.targets},
            signals=wanted(rule),
        )

    @property
    def client(self) -> Client:
        """What clients do."""
        return self.method.client

    @property
    def server(self) -> Server:
        """What the server does with d."""
        return self.method.server

    @property
    def asked(self) -> frozenset[str]:
        """What the task is asked for: `signals`, and unlabelled samples for a server that refines."""
        return self.signals | (frozenset({"logits"}) if isinstance(self.server, Refining) else frozenset())


def setup_on(config: RunConfig, rule: Rule | MemoryRule, device: torch.device, *, kept: bool) -> Setup:
    """`Setup.of`, for a run on `device`; `kept`: it is to have a folder.

    Raises `ValueError` also for products or a compiler that the device does not have, and for a rule that cannot be
    resumed.
    """
    from deep.local.products import check_products

    check_products(config, device)
    setup = Setup.of(config, rule)
    check_compiled(config, device)
    if kept and not is_dataclass(rule):
        raise ValueError(
            f"run(rule={describe_rule(rule)[0]}, out=…): a rule that is to be resumed must be a dataclass, with its"
            " settings as fields: write a class with @dataclass(frozen=True) and __call__(self, stats), no function"
        )
    return setup


def _source(config: RunConfig) -> CohortSource:
    if config.cohort:
        return make_cohort(config.cohort)
    n_sampled = config.n_clients if config.participation else config.n_sampled
    return Population(make_partition(config.partition), config.n_clients, n_sampled)


def _law(config: RunConfig, source: CohortSource) -> Participation | None:
    if config.participation:
        return make_participation(config.participation)
    return UniformWithoutReplacement(source.n_sampled) if isinstance(source, Population) else None
