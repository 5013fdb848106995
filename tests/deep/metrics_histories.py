"""Histories for the tests of `deep.metrics`, drawn, not run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deep.storage.record import RoundRecord
from theory import stream


def a_record(round_index=0, **changes):
    """A plain round of two clients; `changes` name fields."""
    plain = RoundRecord(
        round=round_index,
        clients=[0, 1],
        kinds=["", ""],
        share=[0.5, 0.5],
        present=[True, True],
        weights=[0.5, 0.5],
        local_steps=[4, 4],
        loss_before=[2.0, 1.0],
        loss_after=[1.0, 0.5],
        loss_best=[1.0, 0.5],
        client_accuracy=[0.5, 0.7],
        gram=np.eye(sum(changes.get("present", [True, True]))).tolist(),
        train_loss=1.5,
        validation_loss=1.0,
        validation_accuracy=0.3,
        test_loss=1.1,
        test_accuracy=0.4,
        group_accuracy={},
        update_norm=1.0,
        bytes_down=100,
        bytes_up=10,
        seconds=2.0,
        seconds_of={"training": 1.0, "losses": 0.5},
        planned_steps=[4, 4],
        effective_steps=[4.0, 4.0],
    )
    return replace(plain, **changes)


def evaluated(**columns):
    """Rounds 0, 1, … with these values of these fields, one a round."""
    (n_rounds,) = {len(values) for values in columns.values()}
    return [a_record(r, **{name: values[r] for name, values in columns.items()}) for r in range(n_rounds)]


def drawn(n_rounds=6, n_clients=5, seed=0, *, losses="all", anew=False, full=False):
    """A history of random rounds, as `losses` of the config would leave it, and its updates per round."""
    rng = stream(seed, "test/metrics")
    share = rng.dirichlet(np.full(n_clients, 3.0))
    best = rng.random(n_clients)
    records, updates = [], []
    for index in range(n_rounds):
        present = np.ones(n_clients, bool) if full else rng.permutation(n_clients) < max(1, n_clients // 2)
        weights = np.where(present, rng.random(n_clients) + 0.1, 0)
        weights /= weights.sum()
        moves = rng.normal(size=(n_clients, 7)) * present[:, None]
        before = best + rng.random(n_clients)
        after = np.where(present, best + 0.5 * (before - best), before)
        known = {"all": np.ones(n_clients, bool), "present": present, "none": np.zeros(n_clients, bool)}[losses]

        def told(values, known=known):
            return [float(v) if k else None for v, k in zip(values, known, strict=True)]

        records.append(
            a_record(
                index,
                clients=[index * n_clients + k for k in range(n_clients)] if anew else list(range(n_clients)),
                kinds=[f"ratio={k}" for k in range(n_clients)] if anew else [""] * n_clients,
                share=share.tolist(),
                present=present.tolist(),
                weights=weights.tolist(),
                local_steps=(4 * present).tolist(),
                planned_steps=[4] * n_clients,
                effective_steps=(4.0 * present).tolist(),
                loss_before=told(before),
                loss_after=told(after),
                loss_best=told(after + 0.1),
                client_accuracy=told(rng.random(n_clients)),
                gram=(moves[present] @ moves[present].T).tolist(),
                train_loss=float(share @ before) if known.all() else None,
                validation_accuracy=float(rng.random()),
                test_accuracy=float(rng.random()),
                group_accuracy={"mnist": float(rng.random()), "usps": float(rng.random())},
            )
        )
        updates.append(moves)
    return records, np.asarray(updates)
