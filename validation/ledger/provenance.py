"""Where a result comes from: versions, machine, commit, date."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["arithmetic", "provenance"]

__judges__ = "no"

_PACKAGES = ("fedverdict", "numpy", "scipy", "sympy", "cvxpy", "python-flint")


@cache
def _commit() -> str | None:
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return None
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()


@cache
def arithmetic() -> str:
    """How floats are rounded here, in 12 hexadecimal digits: of what NumPy makes of fixed numbers.

    Libraries choose by processor how they sum and how they work out exp, log and powers, which moves last digits. Equal
    digits: a search with one seed goes the same way, to its last count. Others: it may part from the other at a tie.
    """
    import numpy as np

    steps = np.arange(1.0, 2001.0)
    x = steps * 0.6180339887498949 % 1.0 + 2.0**-20
    stack = (x[:1176] - 0.5).reshape(24, 7, 7)
    square = (x[:1024] - 0.5).reshape(32, 32)
    seen = [np.exp(20 * x - 10), np.log(x), np.log1p(x), np.power(x, 7 * x), np.sin(9 * x), np.tanh(x), np.sqrt(x)]
    seen += [stack @ stack.transpose(0, 2, 1), x[:7] @ stack, np.einsum("aij,aj->i", stack, stack[:, 0])]
    seen += [square @ square, square @ x[:32], x.reshape(40, 50).sum(axis=0), x.reshape(40, 50).sum(axis=1)]
    seen += [np.linalg.solve(square, x[:32]), np.linalg.eigvalsh(square + square.T)]
    seen += [np.linalg.svd(square, compute_uv=False)]
    return sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in seen)).hexdigest()[:12]


def provenance() -> dict[str, str | int | None]:
    """Commit (None outside a checkout; "-dirty" when it has changes), UTC date, versions, machine, its arithmetic."""
    found: dict[str, str | int | None] = {
        "commit": _commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "arithmetic": arithmetic(),
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
