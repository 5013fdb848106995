"""The device of a run."""

from __future__ import annotations

import torch

__all__ = ["usable_device"]


def usable_device(device: str | torch.device) -> torch.device:
    """The device as torch knows it; `ValueError` unless it is the CPU or a CUDA device that is there."""
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"run(device={device!r}): unknown to torch; expected 'cpu' or 'cuda'") from error
    n_gpus = torch.cuda.device_count() if found.type == "cuda" else 0
    if found.type != "cpu" and (found.index or 0) >= n_gpus:
        raise ValueError(f"run(device={str(found)!r}): not available here; expected 'cpu', or 'cuda' with a GPU")
    return found
