"""Decides every statement of the papers over its class, and commits the words beside each ledger.

python -m paper_checks.over_classes                 # decide all, write classes.json beside each ledger
python -m paper_checks.over_classes EA-L1 --script  # scripts of its evidence, which need Python alone
"""

from __future__ import annotations

import argparse
import json
import time

from paper_checks.over_classes import LEFT_OUT, OVER_CLASSES, OverClass
from paper_checks.over_classes.committed import row_of
from theory.base.files import replace_file
from validation import class_script, decide_class
from validation.papers.papers import load_papers

__all__ = ["main"]


def main() -> None:
    """Decides what is asked for; exits 1 where a word is not the expected one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("claims", nargs="*", help="only these, and nothing is written")
    parser.add_argument("--script", action="store_true", help="print the evidence as scripts")
    given = parser.parse_args()
    chosen = [o for o in OVER_CLASSES if not given.claims or o.claim in given.claims]
    rows = {o: _row(o, script=given.script) for o in chosen}
    if not given.claims:
        _commit(rows)


def _row(stated: OverClass, *, script: bool) -> dict[str, str]:
    start = time.process_time()
    decision = decide_class(stated.pose())
    if script:
        print(class_script(decision, f"{stated.claim} at {stated.at}: {stated.says}"))
    else:
        seconds = time.process_time() - start
        print(f"{stated.claim:12s} {decision.word:12s} {seconds:5.2f} s  {stated.says} [{stated.posed}] at {stated.at}")
    if decision.word != stated.word:
        raise SystemExit(f"{stated.claim}: expected {stated.word}, decided {decision.word}: {decision.why}")
    return row_of(stated, decision.why)


def _commit(rows: dict[OverClass, dict[str, str]]) -> None:
    for paper in load_papers():
        ids = {c.id for c in paper.claims}
        made = {
            "made_by": "python -m paper_checks.over_classes",
            "decided": [row for o, row in rows.items() if o.claim in ids],
            "left_out": {claim: why for claim, why in LEFT_OUT.items() if claim in ids},
        }
        if made["decided"] or made["left_out"]:
            text = json.dumps(made, ensure_ascii=False, indent=1)
            replace_file(paper.folder / "classes.json", f"{text}\n".encode())


if __name__ == "__main__":
    main()
