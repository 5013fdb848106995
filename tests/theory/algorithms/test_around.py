"""A client around another one is in every respect that it does not change as the one inside."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from theory.algorithms import client_entries, make_client, make_server
from theory.algorithms.client import Client
from theory.algorithms.clients.around import Around
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.clients.compressed import Compressed
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.local_step import Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array
from theory.messages.log import EMPTY_LOG, Log
from theory.rules import make_rule
from theory.rules.protocol import AnyRule

SAME = ("begins", "means", "totals", "traffic", "variates", "judges", "start_gradient", "fisher")
MORE = ("scaffold(option=I, variates=uniform)", "elastic(summed=all)")


def clients() -> list[Client]:
    """One of every kind, and some with settings that its defaults leave alone."""
    found = [make_client(entry.name) for entry in client_entries() if entry.build not in (Byzantine, Compressed)]
    return [*found, *map(make_client, MORE)]


@pytest.mark.parametrize("around", [Byzantine, Compressed])
def test_what_a_client_around_another_does_not_change_is_as_inside(around: type[Around]) -> None:
    inside = [client for client in clients() if not client.own_starts]
    for client in inside:
        outside = around(client)
        assert {n: getattr(outside, n) for n in SAME} == {n: getattr(client, n) for n in SAME}


@pytest.mark.parametrize("name", SAME)
def test_some_client_differs_from_plain_sgd_in_each_respect(name: str) -> None:
    assert any(getattr(client, name) != getattr(SGD(), name) for client in clients())


def test_what_is_no_client_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"Byzantine\(client=3\): expected a client algorithm"):
        Byzantine(client=3)  # type: ignore[arg-type]


class Other(SGD):
    """A client that answers otherwise than plain SGD in all that concerns messages."""

    broadcasts = ("heard",)
    own_starts = True

    def receive(self, own: Vectors, log: Log, model: Array) -> tuple[Vectors, Array]:
        return {"base": model + 1}, model[..., None, :] + 2

    def message(self, own: Vectors, updates: Array) -> tuple[Vectors, Array]:
        return {"base": updates}, updates * 3

    def send(self, broadcast: Vectors, log: Log, step: Array) -> tuple[Vectors, Log, Array]:
        return {"heard": step}, log, step * 4

    def trim(self, log: Log, own: Vectors) -> Log:
        return (log, "trimmed")  # type: ignore[return-value]

    def sent_bits(self, received: Array, number: int) -> NDArray[np.int64]:
        return np.full(2, 5)

    def heard_bits(self, own: Vectors, log: Log, rows: Array, number: int) -> NDArray[np.int64]:
        return np.full(2, 6)

    def refuses(self, rule: AnyRule, server: Server) -> str:
        return "not with that"


def test_messages_are_those_of_the_client_inside_and_what_is_kept_beside_it_stays() -> None:
    inside = Other()
    outside = Around(inside)
    own = {"base": np.zeros((2, 3)), "mine": np.ones((2, 1))}
    model, rows = np.arange(3.0), np.arange(6.0).reshape(2, 3)
    assert (outside.broadcasts, outside.own_starts) == (("heard",), True)
    kept, starts = outside.receive(own, EMPTY_LOG, model)
    assert set(kept) == {"base", "mine"}
    assert np.array_equal(kept["base"], model + 1)
    assert np.array_equal(starts, inside.receive(own, EMPTY_LOG, model)[1])
    kept, sent = outside.message(own, rows)
    assert set(kept) == {"base", "mine"}
    assert np.array_equal(sent, 3 * rows)
    assert np.array_equal(outside.send({}, EMPTY_LOG, model)[2], 4 * model)
    assert outside.trim(EMPTY_LOG, own) == (EMPTY_LOG, "trimmed")
    assert outside.sent_bits(rows, 64).tolist() == [5, 5]
    assert outside.heard_bits(own, EMPTY_LOG, rows, 64).tolist() == [6, 6]
    assert outside.refuses(make_rule("uniform"), make_server("rate")) == "not with that"
