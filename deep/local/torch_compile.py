"""Local steps through `torch.compile`: a recorded option, never the default, refused where there is no compiler."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from deep.base.lazy import torch
from deep.config.config import RunConfig
from theory.algorithms import Client

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["check_compiled", "check_compiled_client"]


def check_compiled_client(config: RunConfig, client: Client) -> None:
    """`ValueError` for a compiled run of a client whose loss is its own."""
    if config.compiled and hasattr(client, "local_loss"):
        raise ValueError(
            f"run(compiled=True, client={config.client!r}): the model's own loss alone is compiled, and this client has"
            " a loss of its own; expected compiled=False"
        )


def check_compiled(config: RunConfig, device: torch.device) -> None:
    """`ValueError` for a compiled run where nothing compiles.

    Seen by compiling x + 1, once in a process: C++ compiler, Python's headers or Triton may be what is missing.
    """
    if not config.compiled:
        return
    missing = _missing(device)
    if missing:
        raise ValueError(
            f"run(compiled=True, device={str(device)!r}): torch.compile does not work here: {missing}; expected"
            " a working compiler (on a CPU of C++, such as g++), or compiled=False"
        )


@lru_cache
def _missing(device: torch.device) -> str:
    """What torch says when it compiles a sum, "" where that works."""

    def more(x: Tensor) -> Tensor:
        return x + 1

    try:
        with catch_warnings():  # torch's own, of its own modules, which this imports first
            simplefilter("ignore", DeprecationWarning)
            found = torch.compile(more, fullgraph=True)(torch.zeros(2, device=device)).cpu()
    except Exception as error:  # whatever back ends raise: several classes, of torch, Triton and the system
        return " ".join(str(error).split("\n\n")[0].split()) or type(error).__name__
    return "" if torch.equal(found, torch.ones(2)) else "0 + 1 is not 1"
