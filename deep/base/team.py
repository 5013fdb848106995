"""Several processes at one run, started by torchrun: who they are, how they go on together, what they tell each other.

Each process prepares the same task and holds the same state; only the clients' work is shared out
(`deep.round.share_out`). The first one leads: it alone has a folder, and it prepares first, so that a mistake is told
once and a reference is solved once. Nothing that is sent can run: tensors and texts travel in the format of
`deep.base.tensor_file`.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

import torch
import torch.distributed as dist
from torch import Tensor

from deep.base.tensor_file import pack, unpack

__all__ = ["ALONE", "ElsewhereError", "Parcel", "Team", "is_leader", "team"]

Parcel = tuple[Mapping[str, Tensor], Mapping[str, str]]
_PATIENCE = timedelta(hours=2)  # of the longest work of one process that another one waits for
_FAILED = -1


class ElsewhereError(ValueError):
    """Another process of the team could not go on, and has said why."""


@dataclass(frozen=True)
class Team:
    """`size` processes, of which this is number `rank`; one process by itself is a team, too."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process keeps the folder and speaks."""
        return self.rank == 0

    @contextmanager
    def leader_first(self) -> Iterator[None]:
        """The leader does what is inside before the others do, and all are done when it ends.

        What one raises it raises; the others then raise `ElsewhereError`.
        """
        if self.size == 1:
            yield
            return
        if not self.leads:
            self._agreed(0)
        try:
            yield
        except BaseException:
            self._tell(_FAILED)
            raise
        if self.leads:
            self._agreed(0)  # what the others wait for before they begin
        self._agreed(0)

    def exchanged(self, make: Callable[[], Parcel]) -> list[Parcel]:
        """What `make` gives in each process, in their order, the same list everywhere.

        Where it raises, that process raises the same, the others `ElsewhereError`.
        """
        try:
            content = pack(*make())
        except BaseException:
            self._tell(_FAILED)
            raise
        sizes = self._agreed(len(content))
        parcels: list[Parcel] = []
        for source, n in enumerate(sizes):
            mine = source == self.rank
            sent = (
                torch.frombuffer(bytearray(content), dtype=torch.uint8) if mine else torch.empty(n, dtype=torch.uint8)
            )
            with _lost(self):
                dist.broadcast(sent, source)
            parcels.append(unpack(content if mine else sent.numpy().tobytes()))
        return parcels

    def check_same(self, model: Tensor, round_index: int) -> None:
        """`ValueError` where the processes no longer have the same model, bit for bit."""
        digest = int.from_bytes(sha256(model.detach().cpu().numpy().tobytes()).digest()[:7], "big")
        if len(set(self._agreed(digest))) > 1:
            raise ValueError(
                f"run: after round {round_index} the {self.size} processes have different models; give all of them the"
                " same kind of processor, number of threads and versions"
            )

    def _agreed(self, number: int) -> list[int]:
        """A number >= 0 of each process; `ElsewhereError` where one has failed."""
        found = self._tell(number)
        failed = [rank for rank, said in enumerate(found) if said == _FAILED]
        if failed:
            raise ElsewhereError(f"run: process {failed[0]} of {self.size} failed; see its own message")
        return found

    def _tell(self, number: int) -> list[int]:
        told = [torch.zeros(1, dtype=torch.int64) for _ in range(self.size)]
        with _lost(self):
            dist.all_gather(told, torch.tensor([number], dtype=torch.int64))
        return [int(one) for one in told]


ALONE = Team()


def team(device: torch.device) -> Team:
    """The processes that torchrun started, joined by gloo at the first call; one by itself without torchrun.

    Raises `ValueError` for another device than the CPU with several processes: that was never run.
    """
    size = int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ and dist.is_available() else 1
    if size <= 1:
        return ALONE
    if device.type != "cpu":
        raise ValueError(f"run(device={str(device)!r}): {size} processes share out a run on CPUs alone; expected 'cpu'")
    if not dist.is_initialized():
        dist.init_process_group("gloo", timeout=_PATIENCE)
        atexit.register(_left)
    return Team(dist.get_rank(), dist.get_world_size())


def is_leader() -> bool:
    """Whether this process is the first of those that torchrun started, or by itself."""
    return os.environ.get("RANK", "0") == "0" or os.environ.get("WORLD_SIZE", "1") == "1"


def _left() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


@contextmanager
def _lost(of: Team) -> Iterator[None]:
    """A process that has ended in the middle is no fault of this one."""
    try:
        yield
    except RuntimeError as error:
        raise ElsewhereError(f"run: another of the {of.size} processes has ended: {error}") from error
