"""A client around another one is in every respect that it does not change as the one inside."""

from __future__ import annotations

import pytest

from theory.algorithms import client_entries, make_client
from theory.algorithms.client import Client
from theory.algorithms.clients.around import Around
from theory.algorithms.clients.byzantine import Byzantine
from theory.algorithms.clients.compressed import Compressed
from theory.algorithms.clients.sgd import SGD

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
