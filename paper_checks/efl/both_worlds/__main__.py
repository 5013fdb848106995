"""Measure everything anew, and write what the report shows."""

from __future__ import annotations

import json
import sys

import torch

from paper_checks.efl.both_worlds.measure import OUT, measure
from theory.base.files import replace_file


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)  # models this small lose time to a second thread
    found = measure(say=_say)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    replace_file(OUT, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())
