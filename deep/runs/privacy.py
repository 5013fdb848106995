"""What a run of DP-FedAvg lets an observer of its models learn of one client: (ε, δ), with what it is of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass

import numpy as np

from deep.features import server_of
from deep.storage.record import DeepRun, Json
from deep.task.algorithm import method_of
from theory.algorithms.aggregators.dp_fed_avg import DPFedAvg
from theory.algorithms.client import Client
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.privacy import chance_alone, gaussian_epsilon, poisson_epsilon
from theory.algorithms.servers.aggregate import Aggregate
from theory.base.checks import check_number
from theory.participation.sampling import Bernoulli, Participation, Stragglers
from theory.rules import make_rule

__all__ = ["Privacy", "privacy_of"]


@dataclass(frozen=True)
class Privacy:
    """(ε, δ) of the models after all rounds, where all that one client sends, or 0 in its place, went into them.

    `epsilon` None where nothing is guaranteed, or known to be; `why` says why, and else which cohorts it is of.
    `rounds`: those that count, in which one client took part or might have. `sampling`: the chance of taking part that
    amplifies, None where cohorts count as known.
    """

    epsilon: float | None
    delta: float
    rounds: int
    sampling: float | None
    why: str

    def to_dict(self) -> Json:
        """Ready for `json.dumps`."""
        return asdict(self)

    def __str__(self) -> str:
        """In a line."""
        if self.epsilon is None:
            return f"no (ε, δ): {self.why}"
        return (
            f"ε = {self.epsilon:.3g} at δ = {self.delta:.2g} for one client's updates or 0 in their place, {self.why}"
        )


def privacy_of(run: DeepRun, delta: float | None = None) -> Privacy | None:
    """What a run with server "aggregate(by=dp-fed-avg(…))" guarantees; None for every other server.

    Cohorts count as known, and a client by the rounds it took part in, but where `participation` is Bernoulli's and
    `expected` divides the sums: that is Poisson sampling, which amplifies. Drawing empty cohorts again costs
    `chance_alone` of δ in each round there. Noise and order of the sums are those of real numbers, the adversary knows
    neither the seed nor the losses and accuracies that a record holds, and settings were chosen without the data.

    `delta`: in (0, 1), N^(−1.1) of N clients where it is None (McMahan et al. 2018). Raises `ValueError` for another.
    """
    server = server_of(run.config.server)
    if not any(isinstance(part, DPFedAvg) for part in _parts(server)):
        return None
    n = len(run.history[0].present) if run.history else 0
    if delta is None:
        delta = float(n) ** -1.1 if n > 1 else 1.0
    else:
        check_number("privacy_of", "delta", delta)
    refused = _refused(run, n)
    if not refused and not 0 < delta < 1:
        refused = f"δ = {delta:g}; expected a number in (0, 1)"
    if refused or not isinstance(server, Aggregate) or not isinstance(server.by, DPFedAvg):
        return Privacy(None, delta, len(run.history), None, refused)
    noise, probabilities = server.by.noise, _coins(_law(run), n)
    if probabilities is None or not server.by.expected:
        least = "" if probabilities is None else "; dp-fed-avg(expected=…), the mean size of a cohort, would amplify"
        rounds = _most_rounds(run)
        found = gaussian_epsilon(noise, rounds, delta)
        return Privacy(found, delta, rounds, None, f"in {rounds} rounds of cohorts that are known{least}")
    rounds, q = len(run.history), max(probabilities)
    left = delta - rounds * chance_alone(probabilities)
    if left <= 0:
        again = "a client is too likely to be alone in a cohort; expected a greater δ, or more clients"
        return Privacy(None, delta, rounds, q, again)
    try:
        found = poisson_epsilon(noise, rounds, left, q)
    except ValueError as error:
        return Privacy(None, delta, rounds, q, str(error))
    return Privacy(found, delta, rounds, q, f"in {rounds} rounds of Poisson cohorts that nobody is told, q = {q:g}")


def _refused(run: DeepRun, n_clients: int) -> str:
    """Why nothing is guaranteed, or nothing."""
    config, server = run.config, server_of(run.config.server)
    if not isinstance(server, Aggregate) or not isinstance(server.by, DPFedAvg):
        return "dp-fed-avg is inside another server, which reads what it does not protect"
    if not server.by.noise:
        return "noise = 0"
    if run.status != "completed" or not run.history:
        return "the run diverged, and that a round did is no part of what noise protects"
    if not config.fixed_population:
        return "clients are resampled every round, and hold the same samples under several names"
    if n_clients < 2:
        return "one client alone"
    if len(run.buffers) and config.buffers == "averaged":
        return "running statistics are averaged without noise; take norm='group', or buffers='local'"
    client = method_of(config, make_rule("uniform")).client
    if any(isinstance(part, Byzantine) for part in _parts(client)):
        return "Byzantine clients know the others' updates, and what they send follows them"
    return _beside(client)


def _beside(client: Client) -> str:
    """Why updates are not all that clients send, or nothing."""
    if client.broadcasts or client.traffic[1] or client.fisher is not None or not client.exchanges:
        return "clients send something else than their update, and noise is added to updates alone"
    return ""


def _parts(whole: object) -> Iterator[object]:
    """A dataclass and all dataclasses in its fields."""
    if is_dataclass(whole) and not isinstance(whole, type):
        yield whole
        for one in fields(whole):
            yield from _parts(getattr(whole, one.name))


def _law(run: DeepRun) -> Participation | None:
    from deep.partition import make_participation

    return make_participation(run.config.participation) if run.config.participation else None


def _coins(law: Participation | None, n_clients: int) -> list[float] | None:
    """The chance of each client to take part, where nothing but its own coin decides that; else None."""
    while isinstance(law, Stragglers):  # who takes part does a step
        law = law.of
    if not isinstance(law, Bernoulli):
        return None
    q = law.probability
    return [q] * n_clients if isinstance(q, int | float) else list(q)


def _most_rounds(run: DeepRun) -> int:
    """The most rounds that one client took part in."""
    counts = np.zeros(len(run.history[0].present), dtype=np.int64)
    for record in run.history:
        counts += np.asarray(record.present, dtype=np.int64)
    return int(counts.max())
