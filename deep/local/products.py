"""What products of matrices and convolutions are done in while clients train: a recorded option, never the default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from deep.config.config import RunConfig

__all__ = ["autocasting", "check_products", "products"]


def check_products(config: RunConfig, device: torch.device) -> None:
    """`ValueError` where the device has no such products."""
    if config.products == "tf32" and device.type != "cuda":
        raise ValueError(
            f"run(products='tf32', device={str(device)!r}): TF32 is a format of CUDA devices' matrix units, and this"
            " device would do nothing else than before; expected 'full' or 'bf16'"
        )


@contextmanager
def products(kind: str, device: torch.device) -> Iterator[None]:
    """Inside, local training does its products as `RunConfig.products` says; afterwards all is as it was.

    "full" and "tf32": torch's switch for float32 products on CUDA and that of its convolutions, which torch leaves on.
    "bf16": autocast, which rounds factors to bfloat16; models, gradients and updates stay in float32.
    """
    if kind == "bf16":
        with torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=False):
            yield
    elif device.type == "cuda":
        matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
        before = matmul.allow_tf32, cudnn.allow_tf32
        matmul.allow_tf32 = cudnn.allow_tf32 = kind == "tf32"
        try:
            yield
        finally:
            matmul.allow_tf32, cudnn.allow_tf32 = before
    else:
        yield


def autocasting(device: torch.device) -> bool:
    """Whether products on the device are rounded by autocast just now, which written-out derivatives do not know."""
    return bool(torch.is_autocast_enabled(device.type))
