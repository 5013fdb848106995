"""Several works at the same time, each in a fork of this process: they take seconds, and none needs another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from validation.cost.child import FORKS
from validation.cost.limits import Limits, NoAnswerError
from validation.job.pool import spread

__all__ = ["together"]

__judges__ = "no"


def together(works: Mapping[str, Callable[[], Any]], jobs: int) -> dict[str, Any]:
    """What each work gives, by its name, `jobs` of them at a time; the results are pickled.

    What one raises is raised here. One whose fork ended without a result is done again in this process; with one job,
    or where the system cannot fork, all are.
    """
    if jobs == 1 or len(works) < 2 or not FORKS:
        return {name: work() for name, work in works.items()}

    def tried(name: str) -> tuple[Any, Exception | None]:
        try:
            return works[name](), None
        except Exception as error:
            return None, error

    made = {}
    for name, found in spread(list(works), tried, jobs=jobs, limits=Limits()):
        if isinstance(found, NoAnswerError):
            made[name] = works[name]()
            continue
        made[name], error = found
        if error is not None:
            raise error
    return {name: made[name] for name in works}
