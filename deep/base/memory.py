"""Whether something fits into memory, asked before it is tried: a process that is out of memory says nothing more."""

from __future__ import annotations

import os
from pathlib import Path

from deep.base.lazy import torch

__all__ = ["check_fits", "memory_of", "resident_bytes"]


def memory_of(device: torch.device) -> int | None:
    """Bytes of memory that this machine, or this GPU, has in all; None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def resident_bytes() -> int:
    """Bytes of memory that this process holds; 0 where there is no /proc."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0


def check_fits(what: str, n_bytes: int, device: torch.device) -> None:
    """`ValueError` when `what` takes more bytes than there are, whoever else needs some."""
    there = memory_of(device)
    if there is not None and n_bytes > there:
        raise ValueError(f"{what} takes {_gib(n_bytes)} GiB; {device} has {_gib(there)}")


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:,.1f}"
