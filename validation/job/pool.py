"""Work spread over forked workers, each watched: whatever one piece of work does, the others go on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Generic, TypeVar

from validation.cost.child import FORKS, Child, EndedError
from validation.cost.ending import heed
from validation.cost.limits import Limits, NoAnswerError, within
from validation.cost.memory import keep_freed_memory

__all__ = ["spread"]

__judges__ = "no"

Task = TypeVar("Task")
Result = TypeVar("Result")

_GLANCE = 0.1  # seconds between two looks at clock and memory


def spread(
    tasks: Sequence[Task], work: Callable[[Task], Result], *, jobs: int, limits: Limits
) -> Iterator[tuple[Task, Result | NoAnswerError]]:
    """Each task with `work(task)`, as they are done, or with the reason why there is no result.

    `jobs` workers at a time do the tasks in order, under `limits`, each task in a fork of its own: what a task leaves
    behind in globals, settings or running processes reaches no other. One that takes more seconds or memory is ended,
    and its task has the reason. `work` has to catch what it raises; results are pickled, tasks are not.
    All workers are gone when the iterator is closed. Where the system cannot fork, all is done in this process.
    """

    def limited(position: int) -> Result:
        with within(limits):
            return work(tasks[position])

    def kept(position: int) -> Result:
        keep_freed_memory()
        return limited(position)

    if not FORKS:
        for position, task in enumerate(tasks):
            yield task, limited(position)
        return
    todo = deque(range(len(tasks)))
    busy: dict[int, _Worker[Result]] = {}
    try:
        while todo or busy:
            heed()
            while todo and len(busy) < jobs:
                position = todo.popleft()
                busy[position] = _Worker(Child(kept, leads_group=True), position)
            wait([w.child.channel for w in busy.values()], _GLANCE)
            for position in sorted(busy):
                found = busy[position].result(limits)
                if found is None:
                    continue
                busy.pop(position).child.end()
                yield tasks[position], found if isinstance(found, NoAnswerError) else found[0]
    finally:
        for worker in busy.values():
            worker.child.end()


class _Worker(Generic[Result]):
    """A child at work on one task since `began`."""

    def __init__(self, child: Child[int, Result], position: int) -> None:
        self.child, self.began, self.before = child, time.monotonic(), child.grown()
        child.ask(position)

    def result(self, limits: Limits) -> tuple[Result] | NoAnswerError | None:
        """What came of the task; None while it goes on."""
        if self.child.waits(0):
            try:
                return (self.child.answer(),)
            except EndedError as error:
                return NoAnswerError(f"the check {error}")
        how = self.child.ended()
        if how is not None:
            return NoAnswerError(f"the check {how}")
        if time.monotonic() - self.began > limits.seconds:
            return NoAnswerError(f"the check took more than {limits.seconds:g} seconds")
        if self.child.grown() - self.before > limits.memory:
            return NoAnswerError(f"the check took more than {limits.memory / 2**30:.3g} GiB of memory")
        return None
