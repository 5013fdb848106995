"""Targets of a benchmark, each marked met or MISSED as its row is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.benchmarks.clocks import busy, said
from validation.ledger.provenance import provenance

__all__ = ["Table", "seconds_of"]


def seconds_of(run: Callable[[], Any], repeats: int) -> float:
    """The median of `repeats` runs, after one that is not counted when there are more than one."""
    if repeats > 1:
        run()
    times = []
    for _ in range(repeats):
        begin = perf_counter()
        run()
        times.append(perf_counter() - begin)
    return median(times)


@dataclass
class Table:
    """Rows that are printed when they are added."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, what: str, shown: str, target: str = "", met: bool | None = None, **values: Any) -> None:
        """One row: `shown` its figures in words, `target` what was to be reached, `values` what the file keeps.

        It says under which load and with how many threads it was made, `busy` then or as `values` have it.
        """
        mark = "" if met is None else f"   {'met' if met else 'MISSED'}: {target}"
        now = {**busy(), **{name: values[name] for name in ("load", "threads") if name in values}}
        print(f"{what:66} {shown}{mark}   ({said(now)})", flush=True)
        reached = {"target": target, "met": met} if met is not None else {}
        self.rows.append({"what": what, **values, **reached, **now})

    def write(self, path: str | None, **more: Any) -> None:
        """Everything as JSON, with where and when it was made."""
        if path:
            made = {**more, "rows": self.rows, "provenance": provenance()}
            Path(path).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
