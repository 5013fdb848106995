"""Structured fuzzing of what reads files and texts: read, or refused by name, in two seconds of work and a gigabyte.

    python -m tests.deep.fuzzing --examples 20000           # everything, some minutes; one line of figures a target
    python -m tests.deep.fuzzing --examples 2000 idx rules  # some targets

`pytest tests/deep/storage/test_fuzz.py` is the short form. A target is a strategy and what is done with its values;
anything but success or a `ValueError` that names the file (or what the text is) fails, and Hypothesis shrinks it.
"""

from __future__ import annotations

import argparse
import time

from tests.deep.fuzz_files import FILES
from tests.deep.fuzz_target import Seen, Target, fuzz
from tests.deep.fuzz_texts import TEXTS

__all__ = ["TARGETS", "Seen", "Target", "fuzz"]

TARGETS: dict[str, Target] = {**FILES, **TEXTS}


def main() -> None:
    """All targets, or those named; one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], metavar="TARGET")
    parser.add_argument("--examples", type=int, default=20_000)
    chosen = parser.parse_args()
    for name in chosen.targets or TARGETS:
        began = time.perf_counter()
        seen = fuzz(TARGETS[name], chosen.examples)
        print(
            f"{name:18} {seen.inputs:6} inputs, {seen.refused:6} refused, slowest {seen.slowest:.2f} s,"
            f" memory grew by {seen.grown / 2**20:.0f} MiB, {time.perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
