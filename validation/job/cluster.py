"""Units of work on a Dask cluster: each is sent as an address, done by a worker under the same limits, and sent back.

Claims hold functions and are not sent: a worker looks its claim up among the papers it has installed, and refuses one
whose fingerprint is another, so that no result of other code comes into a ledger. A unit whose worker dies is given to
another one. One process keeps the ledger: whoever asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ECONNRESET
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from validation.cost.ending import heed
from validation.cost.limits import Limits, NoAnswerError
from validation.job.pool import spread
from validation.verdict.engine import Unit
from validation.verdict.gate import attempted

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Address", "Answer", "answer", "cluster", "spread_over"]

Answer: TypeAlias = "tuple[dict[str, Any], bool]"
_DEATHS = 3  # workers that may die of one unit before it is given up
_MOST_WAITING = 4  # units a worker has beside the one it does


@dataclass(frozen=True)
class Address:
    """A unit of work by name: which claim, `fingerprint` of what it is to be, and with what effort."""

    claim: str
    unit: Unit
    fingerprint: str | None
    budget: int
    seed: int
    lead: dict[str, Any] | None
    limits: Limits


def answer(address: Address) -> Answer | str:
    """What comes of the unit where this runs, or in a line why nothing does; the work is done in a process of its own.

    Raises `ValueError` where the claim is unknown here, or another one than asked for.
    """
    from validation.fingerprint.fingerprints import fingerprint
    from validation.papers.papers import select

    ((paper, claim),) = select([address.claim])
    here = fingerprint(paper, claim) if address.fingerprint is not None else None
    if here != address.fingerprint:
        raise ValueError(f"{address.claim}: the worker's installation has another claim or judge; install the same one")

    def work(unit: Unit) -> Answer:
        return attempted(claim, unit, budget=address.budget, seed=address.seed, lead=address.lead)

    ((_, found),) = spread([address.unit], work, jobs=1, limits=address.limits)
    return str(found) if isinstance(found, NoAnswerError) else found


@contextmanager
def cluster(scheduler: str | None, jobs: int) -> Iterator[Client]:
    """A client of the scheduler at an address such as "tcp://host:8786", or of `jobs` workers started here.

    Raises `ValueError` where Dask is not installed, or nobody answers at the address.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ValueError("--backend dask needs the extra 'cluster': pip install 'fedverdict[cluster]'") from error
    quiet = {"distributed.scheduler.allowed-failures": _DEATHS, "distributed.worker.daemon": False}
    with dask.config.set(quiet):
        if scheduler is None:
            with (
                LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=":0") as local,
                Client(local) as client,
            ):
                yield client
            return
        try:
            remote = Client(scheduler, timeout="10s")
        except (OSError, ValueError, TimeoutError) as error:
            raise ValueError(f"--scheduler {scheduler}: no scheduler answers: {error}") from error
        with remote as client:
            yield client


def spread_over(client: Client, addresses: Sequence[Address]) -> Iterator[tuple[int, Answer | NoAnswerError]]:
    """(place, what came of the unit there) as they are done, each once; a unit that is never done has its reason.

    Raises `ConnectionError` naming the scheduler's address where that has ended.

    Only as many are sent ahead as keep the workers busy, so that an interruption leaves little behind.
    """
    from distributed import as_completed

    address = str(client.scheduler.address)
    todo = iter(range(len(addresses)))
    places: dict[Any, int] = {}

    def send(place: int) -> Any:
        future = client.submit(answer, addresses[place], pure=False)
        places[future.key] = place
        return future

    ahead = max(1, _MOST_WAITING * len(client.ncores()))
    waiting = as_completed([send(place) for place in islice(todo, ahead)])
    for future in waiting:
        heed()
        found: Answer | NoAnswerError
        if future.status == "finished":
            given = future.result()
            found = NoAnswerError(given) if isinstance(given, str) else given
        elif future.status in {"cancelled", "lost"}:  # nobody cancels here: the scheduler forgot it
            raise ConnectionResetError(ECONNRESET, "the Dask scheduler has ended; what was finished is kept", address)
        else:
            found = NoAnswerError(f"the cluster: {future.exception()}")
        place = places.pop(future.key)
        for more in islice(todo, 1):
            waiting.add(send(more))
        yield place, found
