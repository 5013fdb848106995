"""`python -m fedverdict` is the command `fedverdict`."""

from __future__ import annotations

from validation.cli import main

if __name__ == "__main__":
    main(prog_name="fedverdict")
