"""Between evidence and verdict: a check that loops, raises or exits costs its own verdict, and no script goes unrun."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from validation.cost.limits import NoAnswerError, current, reason
from validation.statement.claim import Claim
from validation.statement.verdict import Verdict
from validation.verdict.engine import Unit, run_unit, unanswered
from validation.verdict.mistakes import MistakeError, look_at
from validation.verdict.watch import told

__all__ = ["attempted", "confirmed", "fault"]

__judges__ = "no"

Part = dict[str, Any]

_RUN = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
except (ImportError, ValueError, OSError):
    pass  # no such limit on this system
exec(compile(sys.stdin.buffer.read(), "counterexample", "exec"), {"__name__": "__main__"})
"""


def attempted(
    claim: Claim, unit: Unit, *, budget: int, seed: int, lead: Mapping[str, Any] | None = None
) -> tuple[Part, bool]:
    """(part, whether it is an answer): one unit of work, its scripts confirmed; what it raises is its reason.

    Memory and seconds are bounded from outside, by whoever runs this in a process that can be ended.
    """
    try:
        with told(claim, unit) as tick:
            part = confirmed(run_unit(claim, unit, budget=budget, seed=seed, lead=lead, tick=tick))
        json.dumps(part, allow_nan=False)  # what the ledger cannot hold is no answer
        return part, True
    except NoAnswerError as error:
        return unanswered(claim, unit, str(error)), False
    except BaseException as error:  # `SystemExit` and the like: the claim ends, not the check
        return unanswered(claim, unit, _mistake(claim) or reason(error)), False


def _mistake(claim: Claim) -> str | None:
    """What is wrong with the way a claim is written, which its failure follows from; None where nothing is."""
    try:
        look_at(claim, claim.id)
    except MistakeError as mistake:
        return " ".join(str(mistake).split())
    except BaseException:  # a claim may fail in any way at all, `SystemExit` too; then what it raised first is told
        return None
    return None


def confirmed(part: Part) -> Part:
    """The part as it is when its scripts confirm what they say; else the refutation they carry is `inconclusive`."""
    source = part.get("counterexample_source")
    wrong = fault(source) if source else None
    if wrong is not None:
        why = f"{part['why']}, but its script {wrong}"
        part = {**part, "verdict": str(Verdict.INCONCLUSIVE), "why": why, "counterexample_source": None}
    if part.get("mechanisms"):
        kept = [m for m in part["mechanisms"] if fault(m["counterexample_source"]) is None]
        part = {**part, "mechanisms": kept}
    return part


@cache
def fault(source: str) -> str | None:
    """What is wrong with a counterexample's script, None when it runs with Python alone and confirms the violation.

    It runs once for each text, in a process of its own under the limits in force.
    """
    limits = current()
    try:
        compile(source, "<counterexample>", "exec", dont_inherit=True)
        run = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _RUN, str(limits.memory)],
            input=source.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=limits.patience,
            check=False,
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"is no Python: {type(error).__name__}: {error}"
    except subprocess.TimeoutExpired:
        return f"takes more than {limits.patience:g} seconds"
    if run.returncode == 0:
        return None
    last = run.stderr.decode(errors="replace").strip().splitlines()
    return f"ends with exit code {run.returncode}" + (f" ({last[-1][:200]})" if last else "")
