"""The batches that a run asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deep.data import draw_moves
from theory.participation.batches import LocalBatches, epoch_batches, step_batches

if TYPE_CHECKING:
    from deep.task.setup import Setup

__all__ = ["LocalBatches", "draw_batches", "fewest_samples", "planned_steps"]

_MOST_SAMPLES = 2**28  # that a client draws in one round: two GiB of positions


def planned_steps(setup: Setup, n_samples: int, round_index: int = 0, client_number: int = 0) -> int:
    """Local steps that a client with `n_samples` plans for a round; of which matters where `setup.work` draws them."""
    config = setup.config
    if config.n_local_steps:
        return config.n_local_steps
    n_epochs, size = _passes(setup, n_samples, round_index, client_number)
    return n_epochs * -(-n_samples // min(size, n_samples))


def fewest_samples(
    setup: Setup, n_samples: int, client_number: int, round_index: int = 0, n_steps: int | None = None
) -> int:
    """Samples in the smallest of the first `n_steps` batches of a client's round, None for all that it plans."""
    config = setup.config
    if config.n_local_steps:
        return min(config.batch_size, n_samples)
    size = min(_passes(setup, n_samples, round_index, client_number)[1], n_samples)
    a_pass = -(-n_samples // size)
    return n_samples - (a_pass - 1) * size if n_steps is None or n_steps >= a_pass else size


def draw_batches(setup: Setup, round_index: int, client_number: int, n_samples: int) -> LocalBatches:
    """The batches of client `client_number`, who has `n_samples`, in round `round_index`: all that it plans to do.

    `step_batches` with `n_local_steps`, `epoch_batches` with `n_local_epochs` or what `setup.work` draws, of the seed
    of training, moved as `config.augment` says; errors as there, and `ValueError` for more than 2²⁸ samples a round.
    """
    config = setup.config
    seed, size, n_epochs = config.seed_of("training"), config.batch_size, 0
    if not config.n_local_steps:
        n_epochs, size = _passes(setup, n_samples, round_index, client_number)
    n_drawn = config.n_local_steps * min(size, n_samples) or n_epochs * n_samples
    if n_drawn > _MOST_SAMPLES:
        raise ValueError(
            f"RunConfig(n_local_steps={config.n_local_steps}, n_local_epochs={config.n_local_epochs},"
            f" batch_size={config.batch_size}, local_work={config.local_work!r}): client {client_number} draws"
            f" {n_drawn:,} samples a round; expected at most {_MOST_SAMPLES:,}"
        )
    if config.n_local_steps:
        drawn = step_batches(
            seed, round_index, client_number, n_samples=n_samples, batch_size=size, n_steps=config.n_local_steps
        )
    else:
        drawn = epoch_batches(seed, round_index, client_number, n_samples=n_samples, batch_size=size, n_epochs=n_epochs)
    moves = draw_moves(config.augment, seed, round_index, client_number, *drawn.index.shape)
    return LocalBatches(drawn.index, drawn.count, moves, (seed, round_index, client_number))


def _passes(setup: Setup, n_samples: int, round_index: int, client_number: int) -> tuple[int, int]:
    """Passes of a client's round, and the size of its batches."""
    config = setup.config
    if setup.work is None:
        return config.n_local_epochs, config.batch_size
    return setup.work.drawn(config.seed_of("training"), round_index, client_number, n_samples)
