"""The command line of what is kept beside each paper: papers named, or all, and claims to do again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence

from validation.papers.papers import load_papers
from validation.statement.claim import Paper

__all__ = ["by_paper"]

__judges__ = "no"


def by_paper(
    module: str, about: str | None, complete: Callable[[Paper, Sequence[str]], None], arguments: Iterable[str] | None
) -> None:
    """`complete(paper, claims)` for the papers named, of all without any; `claims` are those to do again."""
    parser = argparse.ArgumentParser(prog=f"python -m validation.papers.{module}", description=about)
    parser.add_argument("key", nargs="*", help="papers, all without any")
    parser.add_argument("--claim", action="append", default=[], help="do this claim again")
    given = parser.parse_args(None if arguments is None else list(arguments))
    for paper in load_papers():
        if not paper.calibration and (not given.key or paper.key in given.key):
            complete(paper, given.claim)
